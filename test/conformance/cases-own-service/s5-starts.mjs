// Starts with a block: our own cases, in addition to the judge's. Flows of one `wait` step hold their keys until they get `go`.
import { agent, agents, assert } from "../kit.mjs";
import { rnd, sleep, until, withHook, withTenants } from "../kit-service.mjs";

const IN = "inputs: { k: { type: string }, n: { type: number }, items: { type: array }, word: { type: string, default: dflt } }\n";
const wait = (name, start, head = IN, steps = "  - { id: w, type: wait, signal: go, timeout: 10m }\n") => `name: ${name}\ndescription: holds its key\n${head}${start ? `start: ${start}\n` : ""}steps:\n${steps}`;
const short = (name, start) => wait(name, start, IN, "  - { id: w, type: wait, for: 1ms }\n");
const K = 'key: "${{flow.input.k}}"';
const FLOWS = {
  "bare.yaml": wait("bare"), "quick.yaml": short("quick"),
  "one.yaml": wait("one", `{ concurrency: { ${K} } }`),
  "two.yaml": wait("two", `{ concurrency: { ${K}, limit: 2 } }`),
  "skip.yaml": wait("skip", `{ concurrency: { ${K}, overlap: skip, limit: 2 } }`),
  "slow.yaml": short("slow", `{ throttle: { ${K}, limit: 2, period: 2s } }`),
  "deb.yaml": wait("deb", `{ debounce: { ${K}, period: 1h, timeout: 1d } }`),
  "asks.yaml": wait("asks", `{ debounce: { ${K}, period: 1h } }`, IN, "  - { id: a, type: agent, agent: a }\n"),
  "bat.yaml": short("bat", `{ batch: { ${K}, size: 3, timeout: 1h, into: items } }`),
  "pa.yaml": wait("pa", `{ concurrency: { ${K}, pool: shared, overlap: supersede } }`),
  "pb.yaml": wait("pb", `{ concurrency: { ${K}, pool: shared, overlap: supersede } }`),
  "pc.yaml": wait("pc", `{ concurrency: { ${K}, overlap: supersede } }`),
  "pq.yaml": wait("pq", `{ concurrency: { ${K}, pool: pc } }`),
  "thr.yaml": wait("thr", '{ concurrency: { key: "${{thread}}" } }'),
  "def.yaml": wait("def", '{ concurrency: { key: "${{flow.input.word}}/${{task}}/${{trigger.kind}}" } }'),
  "soon.yaml": wait("soon", `{ concurrency: { ${K} }, expires: 1s }`),
};
const started = (t, flow, inputs, start, more = {}) => t.post(`/v1/flows/${flow}/runs`, { task: "go", inputs, ...(start ? { start } : {}), ...more });
const refusal = async (t, flow, body, status) => { const r = await t.raw("POST", `/v1/flows/${flow}/runs`, { task: "go", ...body }); const b = await r.json(); assert.equal(r.status, status, JSON.stringify(b)); return { r, b, at: (b.errors ?? []).map((e) => e.pointer) }; };
const view = (t, id) => t.get(`/v1/runs/${id}`);
const is = (t, id, status, ms = 8_000) => until(async () => { const v = await view(t, id); return v.status === status && v; }, ms, `${id} is ${status}`);
const go = (t, id) => t.post(`/v1/runs/${id}/signals/go`, {});
const cancel = (t, id) => t.raw("POST", `/v1/runs/${id}/cancel`, {});
const listed = (t, query = "") => t.get(`/v1/starts${query}`).then((l) => l.data);
const withStarts = (fn, flows = FLOWS) => ({ timeoutMs: 120_000, expect: ({ api, model }) => withTenants(api, model, 1, async (t) => { await t.putCatalog({ flows, agents: agents(agent("a")) }); return fn(t); }) });

export default [
  {
    rule: "R2", name: "a wrong member is refused at its place: in a body, a hook, a schedule and a flow, and nothing is started or written",
    ...withStarts(async (t) => {
      const wrong = [
        [{ delay: "2026-12-01T09:00:00" }, "/start/delay"], [{ delay: "2026-12-01" }, "/start/delay"], [{ delay: -1 }, "/start/delay"], [{ delay: "31d" }, "/start/delay"], [{ delay: "2096-12-01T09:00:00Z" }, "/start/delay"],
        [{ expires: 0 }, "/start/expires"], [{ expires: "31d" }, "/start/expires"], [{ priority: "urgent" }, "/start/priority"], [{ later: 1 }, "/start/later"],
        [{ concurrency: { pool: "x" } }, "/start/concurrency/pool"], [{ throttle: { limit: 1, period: "1m", pool: "x" } }, "/start/throttle/pool"],
        [{ concurrency: { limit: 0 } }, "/start/concurrency/limit"], [{ concurrency: { limit: 1001 } }, "/start/concurrency/limit"], [{ concurrency: { limit: 1.5 } }, "/start/concurrency/limit"], [{ concurrency: { overlap: "drop" } }, "/start/concurrency/overlap"], [{ concurrency: { key: 7 } }, "/start/concurrency/key"],
        [{ throttle: { period: "1m" } }, "/start/throttle/limit"], [{ throttle: { limit: 1 } }, "/start/throttle/period"], [{ throttle: { limit: 1, period: "25h" } }, "/start/throttle/period"], [{ throttle: { limit: 1, period: 999 } }, "/start/throttle/period"],
        [{ debounce: { key: "a" } }, "/start/debounce/period"], [{ debounce: { period: "10s", timeout: "9s" } }, "/start/debounce/timeout"], [{ debounce: { period: "2d" } }, "/start/debounce/period"], [{ debounce: { period: "1d", timeout: "8d" } }, "/start/debounce/timeout"],
        [{ batch: { timeout: "1m", into: "items" } }, "/start/batch/size"], [{ batch: { size: 2, into: "items" } }, "/start/batch/timeout"], [{ batch: { size: 2, timeout: "1m" } }, "/start/batch/into"], [{ batch: { size: 1, timeout: "1m", into: "items" } }, "/start/batch/size"], [{ batch: { size: 1001, timeout: "1m", into: "items" } }, "/start/batch/size"], [{ batch: { size: 2, timeout: "1m", into: "k" } }, "/start/batch/into"], [{ batch: { size: 2, timeout: "1m", into: "nope" } }, "/start/batch/into"],
        [{ debounce: { period: "10s" }, batch: { size: 2, timeout: "1m", into: "items" } }, "/start/batch"], [{ concurrency: null }, "/start/concurrency"], [[], "/start"], ["now", "/start"],
      ];
      for (const [start, at] of wrong) { const { at: places } = await refusal(t, "bare", { start }, 422); assert.ok(places.includes(at), `${JSON.stringify(start)}: ${places}`); }
      assert.deepEqual((await t.get("/v1/runs")).data, []);
      await t.put("/v1/secrets/hs", { value: rnd(16) });
      for (const [start, at] of wrong.filter(([s]) => typeof s === "object" && !Array.isArray(s) && (s.delay === undefined || !/^2096/.test(s.delay)))) {
        const hook = await t.raw("POST", "/v1/hooks", { flow: "bare", kind: "token", secret: "hs", start }); const hb = await hook.json(); assert.equal(hook.status, 422, JSON.stringify([start, hb])); assert.ok(hb.errors.some((e) => e.pointer === at), `hook ${JSON.stringify([start, hb.errors])}`);
        const sch = await t.raw("POST", "/v1/schedules", { flow: "bare", cron: "0 0 1 1 *", start }); const sb = await sch.json(); assert.equal(sch.status, 422, JSON.stringify([start, sb])); assert.ok(sb.errors.some((e) => e.pointer === at), `schedule ${JSON.stringify([start, sb.errors])}`);
        const v = await t.post("/v1/validate", { kind: "flow", path: "flows/x.yaml", content: wait("x", JSON.stringify(start)) });
        if (!at.endsWith("/pool") && start.concurrency?.key !== 7) assert.ok(v.diagnostics.some((d) => d.code === "FV-START" && d.severity === "error"), `flow ${JSON.stringify([start, v.diagnostics])}`);
      }
      for (const pool of ["Big Pool", "", `:${"x".repeat(64)}`, "a/b?"]) { const v = await t.post("/v1/validate", { kind: "flow", path: "flows/x.yaml", content: wait("x", JSON.stringify({ concurrency: { pool } })) }); assert.ok(v.diagnostics.some((d) => d.code === "FV-START"), pool); }
    }),
  },
  {
    rule: "R1", name: "a throttle begins as many in a period, the rest say when and follow; what held a start and when is in its view",
    ...withStarts(async (t) => {
      const ids = []; for (let i = 0; i < 5; i++) ids.push(await started(t, "slow", { k: "t" })); const waits = ids.slice(2); assert.deepEqual(waits.map((w) => [w.waiting.reason, w.waiting.pool, w.waiting.key, w.waiting.ahead]), [["throttle", "slow", "t", 0], ["throttle", "slow", "t", 1], ["throttle", "slow", "t", 2]]);
      assert.ok(Date.parse(waits[0].waiting.until) <= Date.now() + 2_100); assert.ok(Date.parse(waits[0].waiting.expires) > Date.now() + 6 * 86_400_000);
      const views = []; for (const { id } of ids) views.push(await is(t, id, "succeeded", 12_000)); const began = views.map((v) => v.start.began).sort((a, b) => a - b);
      for (let i = 2; i < 5; i++) assert.ok(began[i] - began[i - 2] >= 2_000, `${began[i] - began[i - 2]} ms`); assert.ok(views.every((v) => v.start.arrived <= v.start.ready && v.start.ready <= v.start.began)); assert.deepEqual(views.map((v) => v.start.held), [undefined, undefined, "throttle", "throttle", "throttle"]);
      const [first] = await t.events(ids[4].id); assert.deepEqual([first.type, first.start], ["run.started", views[4].start]);
    }),
  },
  {
    rule: "R22", name: "an API start in line counts in its minute, joined or not, and waits for a place; one without a key is 429, and a delivery waits",
    ...withStarts(async (t) => {
      const root = new t.constructor(t.url, process.env.SLUICE_ADMIN_KEY ?? "sl_admin_local"); const quotas = (q) => root.put(`/v1/tenants/${t.id}/quotas`, q);
      await quotas({ concurrent_runs: 1, starts_per_minute: 100 }); const a = await started(t, "bare", {}); await is(t, a.id, "waiting");
      const b = await started(t, "one", { k: "q" }), c = await started(t, "one", { k: "q2" }); assert.deepEqual([b.status, b.waiting.reason, c.waiting.ahead], ["queued", "room", 1]); const { r } = await refusal(t, "bare", {}, 429); assert.ok(r.headers.get("retry-after"));
      await withHook(t, "token", { flow: "bare", mapping: { task: "go" } }, async (h) => { const d = await (await fetch(h.url, { method: "POST", headers: { authorization: `Bearer ${h.secret}`, "content-type": "application/json" }, body: "{}" })).json(); assert.equal(d.verdict, "accepted"); const dv = await until(async () => (await t.raw("GET", `/v1/runs/${d.run}`)).ok && view(t, d.run), 5_000); assert.equal(dv.status, "queued"); assert.equal(dv.waiting.reason, "room"); await cancel(t, d.run); });
      await cancel(t, a.id); await is(t, b.id, "waiting"); assert.equal((await view(t, b.id)).start.held, "room"); await cancel(t, b.id); await is(t, c.id, "waiting"); await cancel(t, c.id);
      await quotas({ concurrent_runs: 50, starts_per_minute: 8 }); const sent = []; for (let i = 0; i < 9; i++) sent.push((await t.raw("POST", "/v1/flows/deb/runs", { task: "go", inputs: { k: "min" } })).status); assert.ok(sent.includes(202) && sent.at(-1) === 429, sent.join());
    }),
  },
  {
    rule: "R3", name: "a flow's concurrency and throttle are final, the nearest place counts member by member, and a nearer window replaces the other kind",
    ...withStarts(async (t) => {
      assert.deepEqual((await refusal(t, "one", { inputs: { k: "a" }, start: { concurrency: { key: "b" } } }, 422)).at, ["/start/concurrency"]);
      assert.deepEqual((await refusal(t, "slow", { inputs: { k: "a" }, start: { throttle: { limit: 1, period: "1s" } } }, 422)).at, ["/start/throttle"]);
      await t.put("/v1/secrets/hs", { value: rnd(16) });
      for (const [path, more] of [["/v1/hooks", { kind: "token", secret: "hs" }], ["/v1/schedules", { cron: "0 0 1 1 *" }]]) { const r = await t.raw("POST", path, { flow: "one", ...more, start: { concurrency: { key: "b" } } }); assert.equal(r.status, 422); assert.equal((await r.json()).errors[0].pointer, "/start/concurrency"); }
      // A throttle beside the flow's concurrency is added; the flow's debounce makes room for the body's batch.
      const a = await started(t, "one", { k: "m" }, { throttle: { key: "x", limit: 5, period: "1m" }, priority: "high", expires: "1h" });
      const v = await is(t, a.id, "waiting"); assert.equal(v.start.priority, "high"); assert.deepEqual(v.start.concurrency, { pool: "one", key: "m", limit: 1 }); assert.deepEqual(v.start.throttle, { pool: "one", key: "x", limit: 5, ...(v.start.throttle.period ? { period: v.start.throttle.period } : {}) });
      const b = await started(t, "deb", { k: "m", items: [1] }, { batch: { key: "${{task}}", size: 2, timeout: "1h", into: "items" } }); assert.equal(b.waiting.reason, "batch"); assert.equal(b.waiting.key, "${{task}}");
      const s = await t.post("/v1/schedules", { flow: "deb", cron: "0 0 1 1 *", inputs: { k: "m" }, start: { delay: "1h", debounce: { key: "sch", period: "2h" } } });
      const f = await t.post(`/v1/schedules/${s.id}/fire`); assert.equal(f.verdict, "queued"); assert.equal((await view(t, f.run)).waiting.key, "sch");
      for (const id of [a.id, b.id, f.run]) await cancel(t, id);
    }),
  },
  {
    rule: "R4", name: "keys: without one or from nothing it is \"\", long ones are hashed, secrets are out, the thread is the run's id",
    ...withStarts(async (t) => {
      const a = await started(t, "one", {}); await is(t, a.id, "waiting");
      const b = await started(t, "one", { k: "" }); assert.equal(b.waiting.key, ""); assert.equal(b.waiting.run, a.id);
      const c = await started(t, "bare", {}, { concurrency: {} }); await is(t, c.id, "waiting"); assert.equal((await view(t, c.id)).start.concurrency.key, "");
      const long = "é".repeat(257); const d = await started(t, "one", { k: long }); const dv = await is(t, d.id, "waiting"); assert.match(dv.start.concurrency.key, /^sha256:[0-9a-f]{64}$/);
      const d2 = await started(t, "one", { k: long }); assert.equal(d2.waiting.run, d.id);
      const e = await started(t, "one", { k: "x".repeat(256) }); assert.equal((await is(t, e.id, "waiting")).start.concurrency.key.length, 256);
      const secret = `s3cret-${rnd(12)}`; await t.put("/v1/secrets/vault", { value: secret });
      const g = await until(async () => { const r = await started(t, "one", { k: `a ${secret} b` }); const w = await is(t, r.id, "waiting"); await cancel(t, r.id); return !w.start.concurrency.key.includes(secret) && w; }, 10_000, "the secret is taken out of the key");
      assert.ok(!JSON.stringify(g).includes(secret));
      const h = await started(t, "thr", {}); const hv = await is(t, h.id, "waiting"); assert.equal(hv.start.concurrency.key, h.id);
      const i = await started(t, "thr", {}, undefined, { thread: "th" }); assert.equal((await is(t, i.id, "waiting")).start.concurrency.key, "th");
      const j = await started(t, "def", {}); assert.equal((await is(t, j.id, "waiting")).start.concurrency.key, "dflt/go/api");
      const y = await started(t, "one", { k: "Case" }), z = await started(t, "one", { k: "case" }); await is(t, y.id, "waiting"); await is(t, z.id, "waiting");
      for (const x of [a, b, c, d, d2, e, h, i, j, y, z]) await cancel(t, x.id);
    }),
  },
  {
    rule: "R6", name: "a paused and a waiting run hold their key, a stricter holder counts, and flows of a pool share its keys",
    ...withStarts(async (t) => {
      const a = await started(t, "two", { k: "p" }); await is(t, a.id, "waiting"); await t.post(`/v1/runs/${a.id}/pause`);
      const b = await started(t, "two", { k: "p" }); await is(t, b.id, "waiting");
      const c = await started(t, "two", { k: "p" }); assert.equal(c.waiting.reason, "concurrency"); assert.equal(c.waiting.run, a.id); assert.equal(c.waiting.ahead, 0);
      const d = await started(t, "two", { k: "p" }); assert.equal(d.waiting.ahead, 1);
      // The pool of pq is the flow pc's: one key for both.
      const q = await started(t, "pq", { k: "s" }); await is(t, q.id, "waiting"); const r = await started(t, "pc", { k: "s" }); assert.equal(r.status, "queued"); assert.equal(r.waiting.run, q.id); assert.equal(r.waiting.pool, "pc");
      assert.equal((await view(t, q.id)).status, "waiting"); // pc names no pool, so it cancels no run of another flow
      const strict = await started(t, "bare", {}, { concurrency: { key: "l", limit: 1 } }); await is(t, strict.id, "waiting");
      const wide = await started(t, "bare", {}, { concurrency: { key: "l", limit: 9 } }); assert.equal(wide.status, "queued");
      assert.equal((await t.raw("DELETE", `/v1/runs/${a.id}`)).status, 204); await is(t, c.id, "waiting"); // deleted, it holds nothing
      for (const x of [b, c, d, q, r, strict, wide]) await cancel(t, x.id);
    }),
  },
  {
    rule: "R7", name: "skip counts what waits in a delay too; supersede cancels older ones of the pool, begun or not, and the run says by whom",
    ...withStarts(async (t) => {
      const a = await started(t, "skip", { k: "s" }, { delay: "1h" }), b = await started(t, "skip", { k: "s" }); await is(t, b.id, "waiting");
      const { r, b: busy } = await refusal(t, "skip", { inputs: { k: "s" } }, 409); assert.equal(busy.code, "key_busy"); assert.equal(busy.run, b.id); assert.equal(busy.pool, "skip"); assert.equal(busy.key, "s"); assert.equal(r.headers.get("content-type"), "application/problem+json");
      const twice = async () => { const x = await t.raw("POST", "/v1/flows/skip/runs", { task: "go", inputs: { k: "s" } }, { "idempotency-key": "kept" }); return [x.status, await x.json()]; };
      assert.equal((await twice())[0], 409); await cancel(t, a.id); await until(async () => (await listed(t, "?flow=skip")).length === 1, 5_000); assert.equal((await twice())[0], 202);
      const p = await started(t, "pa", { k: "x" }); await is(t, p.id, "waiting"); const q = await started(t, "pb", { k: "x" }); const pv = await is(t, p.id, "canceled"); assert.equal(pv.superseded, q.id); await is(t, q.id, "waiting");
      const evs = await t.events(p.id); assert.deepEqual(evs.slice(-2).map((e) => e.type), ["run.superseded", "run.ended"]); assert.equal(evs.at(-2).by, q.id);
      assert.equal((await t.get(`/v1/runs?flow=pa`)).data[0].superseded, q.id);
      // Of those in line before it, the newest takes the place of all.
      const h = await started(t, "pc", { k: "y" }); await is(t, h.id, "waiting"); const later = await started(t, "pc", { k: "y" }, { delay: 700 }); const n = await started(t, "pc", { k: "y" }); await is(t, n.id, "waiting"); assert.equal((await view(t, h.id)).superseded, n.id); await is(t, later.id, "waiting"); assert.equal((await view(t, n.id)).superseded, later.id);
      for (const x of [q, later]) await cancel(t, x.id); for (const { run } of await listed(t)) await cancel(t, run);
    }),
  },
  {
    rule: "R9", name: "only starts of one kind join, the last one's numbers and words count, and a run's list row is its",
    ...withStarts(async (t) => {
      const a = await started(t, "deb", { k: "w", n: 1 }, undefined, { tags: ["first"] }); assert.equal(a.waiting.reason, "debounce"); assert.equal(a.waiting.pool, "deb"); assert.ok(Date.parse(a.waiting.until) > Date.now() + 3_500_000);
      const joinedBy = async (more, inputs = { k: "w", n: 2 }, start, name = "deb") => { const x = await t.post(`/v1/flows/${name}/runs`, { task: "more", inputs, ...(start ? { start } : {}), ...more }); return x.id === a.id ? x : (await cancel(t, x.id), undefined); };
      const j = await joinedBy({ tags: ["second"] }); assert.equal(j.merged, true); assert.equal(j.status, "queued"); const jv = await view(t, a.id); assert.equal(jv.task, "more"); assert.equal(jv.inputs.n, 2);
      for (const more of [{ thread: "t1" }, { autonomous: !jv.autonomous }, { effects: "staged" }, { effects: "dry" }]) assert.equal(await joinedBy(more), undefined, JSON.stringify(more));
      assert.equal(await joinedBy({}, { k: "other" }), undefined); assert.equal(await joinedBy({}, { k: "w" }, { batch: { key: "w", size: 2, timeout: "1h", into: "items" } }), undefined);
      const asks = await started(t, "asks", { k: "w" }), rehearsed = await started(t, "asks", { k: "w" }, undefined, { rehearse: true }); assert.notEqual(rehearsed.id, asks.id); for (const x of [asks, rehearsed]) await cancel(t, x.id);
      const { revision } = await t.get("/v1/catalog"); if (revision) assert.equal(await joinedBy({}, { k: "w" }, undefined, `deb@${revision}`), undefined);
      const sooner = await joinedBy({ tags: ["third"] }, { k: "w", n: 3 }, { debounce: { key: "w", period: "1s" }, priority: "low" }); assert.equal(sooner.id, a.id);
      const end = await is(t, a.id, "waiting"); assert.deepEqual([end.inputs.n, end.task, end.tags, end.start.merged, end.start.priority], [3, "more", ["third"], 3, "low"]);
      const [row] = (await t.get("/v1/runs?flow=deb&tag=third")).data; assert.equal(row.id, a.id); await cancel(t, a.id);
    }),
  },
  {
    rule: "R10", name: "a batch takes one item or the items of a list, is checked for each start, and ends with its size",
    ...withStarts(async (t) => {
      const typed = wait("typed", `{ batch: { size: 3, timeout: 1h, into: items } }`, "inputs: { items: { type: array, items: { type: number }, required: true } }\n", "  - { id: w, type: wait, for: 1ms }\n");
      await t.raw("PUT", "/v1/flows/typed", typed, { "content-type": "text/plain" });
      const a = await started(t, "bat", { k: "b", items: "x", n: 1 }); const b = await started(t, "bat", { k: "b", items: ["y", ["z"]], n: 2 }); assert.equal(b.id, a.id); const c = await started(t, "bat", { k: "b", items: { deep: true }, n: 3 }); assert.equal(c.id, a.id); assert.equal(c.merged, true);
      const v = await is(t, a.id, "succeeded"); assert.deepEqual(v.inputs.items, ["x", "y", ["z"], { deep: true }]); assert.equal(v.inputs.n, 3); assert.equal(v.start.merged, 3);
      const d = await started(t, "bat", { k: "c", items: [] }); const e = await started(t, "bat", { k: "c" }); assert.equal(e.id, d.id); const ev = await started(t, "bat", { k: "c", items: null }); assert.equal(ev.id, d.id);
      const dv = await is(t, d.id, "succeeded"); assert.equal(dv.start.merged, 3);
      // A file with other bytes for a known path ends the window and opens the next.
      const f = await started(t, "bat", { k: "f", items: 1 }, undefined, { files: { "a.txt": "one", "s.txt": "same" } }); const g = await started(t, "bat", { k: "f", items: 2 }, undefined, { files: { "b.txt": "two", "s.txt": "same" } }); assert.equal(g.id, f.id);
      const h = await started(t, "bat", { k: "f", items: 3 }, undefined, { files: { "a.txt": "other" } }); assert.notEqual(h.id, f.id); const fv = await is(t, f.id, "succeeded"); assert.deepEqual(fv.inputs.items, [1, 2]); assert.deepEqual(fv.files.map((x) => x.path).sort(), ["a.txt", "b.txt", "s.txt"]); await cancel(t, h.id);
    }),
  },
  {
    rule: "R11", name: "an Idempotency-Key and a delivery join once, a file put into the waiting run stays, and canceling drops the window",
    ...withStarts(async (t) => {
      const send = (key, n) => t.post("/v1/flows/deb/runs", { task: "go", inputs: { k: "i", n } }, { "idempotency-key": key });
      const a = await send("one", 1), b = await send("two", 2); assert.equal(b.id, a.id); for (let i = 0; i < 3; i++) assert.equal((await send("one", 1)).id, a.id); assert.equal((await send("two", 2)).id, a.id);
      assert.equal((await t.raw("PUT", `/v1/runs/${a.id}/files/mine.txt`, "mine")).status, 201); const c = await t.post("/v1/flows/deb/runs", { task: "go", inputs: { k: "i", n: 3 }, files: { "its.txt": "its" } }); assert.equal(c.id, a.id);
      const v = await view(t, a.id); assert.equal(v.inputs.n, 3); assert.deepEqual((v.files ?? []).map((f) => f.path).sort(), ["its.txt", "mine.txt"]); const [row] = await listed(t, "?flow=deb"); assert.equal(row.merged, 3);
      await cancel(t, a.id); await until(async () => (await listed(t, "?flow=deb")).length === 0, 5_000); const d = await send("three", 4); assert.notEqual(d.id, a.id); await cancel(t, d.id);
      await withHook(t, "token", { flow: "deb", dedupe: "${{trigger.body.id}}", mapping: { task: "go", inputs: { k: "${{trigger.body.k}}", n: "${{trigger.body.n}}" } } }, async (h) => {
        const deliver = async (id, n) => { const r = await fetch(h.url, { method: "POST", headers: { authorization: `Bearer ${h.secret}`, "content-type": "application/json" }, body: JSON.stringify({ id, k: "h", n }) }); return { status: r.status, ...(await r.json()) }; };
        const x = await deliver("d1", 1), y = await deliver("d2", 2); assert.equal(y.run, x.run); assert.equal(y.verdict, "merged"); const again = await deliver("d2", 2); assert.equal(again.run, x.run);
        const log = await until(async () => { const l = await h.log(); return l.length >= 2 && l.every((e) => e.run) && l; }, 5_000, "the log"); const merged = log.find((l) => l.verdict === "merged"); assert.equal(merged.run, x.run);
        const re = await t.raw("POST", `/v1/hooks/${h.id}/deliveries/${merged.id}/redeliver`, {}); assert.ok(re.status < 300, `${re.status} ${await re.clone().text()}`); const rb = await re.json();
        assert.equal(rb.run, x.run, JSON.stringify(rb)); assert.equal(rb.verdict, "merged", JSON.stringify(rb)); await until(async () => (await listed(t, "?flow=deb"))[0]?.merged === 3, 5_000, "the redelivery joined"); await cancel(t, x.run);
      });
    }),
  },
  {
    rule: "R13", name: "a delay that has passed is now, a paused start expires, expiry says what it waited for, and an end while queued is one decision",
    ...withStarts(async (t) => {
      const past = await started(t, "bare", {}, { delay: "2020-01-01T00:00:00+02:00" }); await is(t, past.id, "waiting"); const zero = await started(t, "bare", {}, { delay: 0 }); await is(t, zero.id, "waiting");
      const at = new Date(Date.now() + 1_200).toISOString(); const soon = await started(t, "bare", {}, { delay: at }); assert.deepEqual([soon.status, soon.waiting.reason, soon.waiting.until], ["queued", "delay", at]); const sv = await is(t, soon.id, "waiting"); assert.ok(sv.start.ready >= Date.parse(at) && sv.start.began >= sv.start.ready);
      const holder = await started(t, "one", { k: "e" }); await is(t, holder.id, "waiting");
      const p = await started(t, "one", { k: "e" }, { expires: "1s" }); await t.post(`/v1/runs/${p.id}/pause`); const q = await started(t, "one", { k: "e" }, { expires: 1500 });
      assert.ok(q.waiting.expires); const pv = await is(t, p.id, "failed"), qv = await is(t, q.id, "failed");
      for (const v of [pv, qv]) { assert.equal(v.error.source, "start_expired"); assert.equal(v.start.began, undefined); } assert.match(qv.error.message, /concurrency/);
      assert.deepEqual((await t.events(q.id)).map((e) => e.type), ["run.started", "run.ended"]);
      const c = await started(t, "one", { k: "e" }); await cancel(t, c.id); await is(t, c.id, "canceled"); assert.deepEqual((await t.events(c.id)).map((e) => e.type), ["run.started", "run.ended"]);
      const r = await started(t, "one", { k: "e" }), s = await started(t, "one", { k: "e" }); await t.post(`/v1/runs/${r.id}/pause`); await cancel(t, holder.id); await is(t, s.id, "waiting"); await go(t, s.id); await is(t, s.id, "succeeded"); await t.post(`/v1/runs/${r.id}/resume`); await is(t, r.id, "waiting");
      for (const x of [past, zero, soon, r]) await cancel(t, x.id);
    }),
  },
  {
    rule: "R16", name: "a thread that is busy takes a message only into a window or under its run's key; MCP and doors take the block and its faults",
    ...withStarts(async (t) => {
      const say = (flow, more = {}) => t.raw("POST", "/v1/responses", { model: flow, input: "hi", background: true, ...more });
      const rpc = async (params) => { const r = await t.raw("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }); return r.text(); };
      const wrong = await say("bare", { sluice: { start: { priority: "urgent" } } }); const wb = await wrong.text(); assert.ok([400, 422].includes(wrong.status), wb); assert.match(wb, /start\/priority|start\.priority/);
      const mcp = await rpc({ name: "flow_bare", arguments: { task: "go" }, _meta: { "dev.sluice/start": { priority: "urgent" } } }); assert.match(mcp, /priority/); assert.match(mcp, /error/i);
      const pool = await rpc({ name: "flow_bare", arguments: { task: "go" }, _meta: { "dev.sluice/start": { concurrency: { pool: "mine" } } } }); assert.match(pool, /pool/); assert.deepEqual((await t.get("/v1/runs")).data, []);
      const a = await say("bare", { sluice: { start: { delay: "1h" } } }); const ab = await a.json(); assert.equal(ab.status, "queued", JSON.stringify(ab)); const [run] = (await t.get("/v1/runs?flow=bare")).data; assert.equal(run.status, "queued"); assert.equal(run.waiting.reason, "delay"); await cancel(t, run.id);
    }),
  },
  {
    rule: "R18", name: "the list of starts has each filter, also by who started a run whose window others joined, in pages, oldest first",
    ...withStarts(async (t) => {
      const bo = await t.post("/v1/keys", { name: "bo", scopes: ["runs:write", "runs:read"] }); const as = (body, flow) => t.raw("POST", `/v1/flows/${flow}/runs`, body, { authorization: `Bearer ${bo.key}` }).then((r) => r.json());
      const a = await as({ task: "go", inputs: { k: "f" } }, "deb"); await withHook(t, "token", { flow: "deb", mapping: { task: "go", inputs: { k: "f" } } }, async (h) => {
        const r = await fetch(h.url, { method: "POST", headers: { authorization: `Bearer ${h.secret}`, "content-type": "application/json" }, body: "{}" }); assert.equal((await r.json()).run, a.id);
        const sch = await t.post("/v1/schedules", { flow: "deb", cron: "0 0 1 1 *", inputs: { k: "f" } }); assert.equal((await t.post(`/v1/schedules/${sch.id}/fire`)).run, a.id); await started(t, "deb", { k: "f" });
        for (const query of [`hook=${h.id}`, `schedule=${sch.id}`, "api_key=bo", "api_key=judge", "flow=deb", "pool=deb", "key=f", "pool=deb&key=f", "state=waiting", "flow=deb&state=waiting,running"]) assert.deepEqual((await listed(t, `?${query}`)).map((x) => x.run), [a.id], query);
        for (const query of ["hook=hk_none", "schedule=sch_none", "api_key=al", "flow=one", "pool=one", "key=F", "pool=deb&key=g", "state=running"]) assert.deepEqual(await listed(t, `?${query}`), [], query);
        const [row] = await listed(t); assert.deepEqual([row.flow, row.state, row.merged, row.priority, row.waiting.reason], ["deb", "waiting", 4, "normal", "debounce"]); assert.ok(Date.parse(row.arrived));
      });
      await cancel(t, a.id); const ids = []; for (let i = 0; i < 5; i++) ids.push((await started(t, "one", { k: "pg" }, undefined, {})).id);
      await is(t, ids[0], "waiting"); const seen = []; let cursor = ""; do { const page = await t.get(`/v1/starts?flow=one&limit=2${cursor}`); seen.push(...page.data); cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : undefined; } while (cursor !== undefined);
      assert.deepEqual(seen.map((x) => x.run), ids); assert.deepEqual(seen.map((x) => x.state), ["running", "waiting", "waiting", "waiting", "waiting"]); assert.deepEqual(seen.slice(1).map((x) => x.waiting.ahead), [0, 1, 2, 3]); assert.equal(seen[0].waiting, undefined);
      for (const bad of ["state=begun", "limit=0", "cursor=x"]) assert.ok([400, 422].includes((await t.raw("GET", `/v1/starts?${bad}`)).status), bad);
      assert.equal((await t.raw("GET", "/v1/starts", undefined, { authorization: "Bearer nope" })).status, 401); for (const id of ids) await cancel(t, id);
    }),
  },
  {
    rule: "R17", name: "a hook's test shows the block with its keys, and a skipped delivery can be redelivered",
    ...withStarts(async (t) => {
      await withHook(t, "token", { flow: "bare", mapping: { task: "go" }, start: { concurrency: { key: "r-${{trigger.body.id}}-${{trigger.body.none}}", overlap: "skip" }, priority: "low", delay: "0s", expires: "2h" } }, async (h) => {
        const test = await t.post(`/v1/hooks/${h.id}/test`, { body: { id: 7 } }); assert.equal(test.verdict, "accepted", JSON.stringify(test)); const { start } = test.starts; assert.equal(start.concurrency.key, "r-7-"); assert.equal(start.concurrency.pool, "bare"); assert.equal(start.priority, "low"); assert.equal(start.expires, 7_200_000);
        const deliver = async () => (await fetch(h.url, { method: "POST", headers: { authorization: `Bearer ${h.secret}`, "content-type": "application/json" }, body: JSON.stringify({ id: 7 }) })).json();
        const a = await deliver(); await is(t, a.run, "waiting"); const b = await deliver(); assert.equal(b.verdict, "skipped", JSON.stringify(b)); assert.equal(b.run, null);
        const [entry] = await h.log(); assert.equal(entry.verdict, "skipped"); assert.ok(entry.reason.includes(a.run) || entry.reason.length > 10, entry.reason); const again = await t.post(`/v1/hooks/${h.id}/deliveries/${entry.id}/redeliver`); assert.equal(again.verdict, "skipped", JSON.stringify(again));
        await cancel(t, a.run); await until(async () => (await listed(t, "?flow=bare")).length === 0, 5_000); const third = await t.post(`/v1/hooks/${h.id}/deliveries/${entry.id}/redeliver`); assert.ok(third.run, JSON.stringify(third)); await cancel(t, third.run);
      });
    }),
  },
];
