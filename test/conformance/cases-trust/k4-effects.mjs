import { agent, agents, assert, call, done, echo, fail, flow, getter, one, poster, world } from "../kit.mjs";
import { toolResult } from "../model.mjs";
import { rnd, sleep, until } from "../kit-service.mjs";
import { answer, effects, fork, forked, ofType, pending } from "../kit-trust.mjs";
const withServer = async (f, h) => { const s = await echo(h); try { return await f(s); } finally { await s.close(); } };
const posts = (s) => s.hits.filter((h) => h.method !== "GET"); const A = (extra = "tools: send, look, write\n") => ({ agents: agents(agent("a", extra)), flows: one() });
const send = (to, more = {}) => ({ name: "send", args: { to, text: "t" }, ...more });
const start = async (api, effectsMode, more = {}) => (await api.post("/v1/flows/f/runs", { task: "go", ...(effectsMode ? { effects: effectsMode } : {}), ...more })).id;
const asked = async (api, id) => { await until(async () => (await api.run(id)).pending > 0, 8000, "the question at the end"); const [q, ...more] = await pending(api, id); assert.equal(more.length, 0); assert.equal(q.kind, "effects"); return q; };
const cleanup = (t) => [send("bob"), send("eve")];
export default [
  {
    rule: "K32", name: "staged: nothing is sent, the model is told, one question at the end shows all in order; commit sends exactly what was shown, in order, each with its own key",
    model: { a: [{ calls: [{ name: "look", args: {} }, { name: "write", args: { path: "n.txt", content: "in" } }] }, { calls: cleanup() }, done("A")] },
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url + "/look") }, catalog: A() }, async () => {
      const id = await start(api, "staged"); const q = await asked(api, id); assert.deepEqual(s.hits.map((h) => h.method), ["GET"], "a read is done as always"); assert.equal(await (await api.raw("GET", `/v1/runs/${id}/files/n.txt`)).text(), "in", "the workspace is inside"); assert.equal((await api.run(id)).effects, "staged");
      assert.deepEqual(q.payload.effects.map((e) => [e.tool, e.step, e.pass, e.args]), [["send", "a", 1, { to: "bob", text: "t" }], ["send", "a", 1, { to: "eve", text: "t" }]]); assert.match(toolResult(model.requests.at(-1)), /kept|carried out|not sent/i); const ev = await api.events(id); const back = ofType(ev, "tool.returned", (e) => e.tool === "send"); assert.deepEqual(back.map((e) => [e.staged, e.isError]), [[true, false], [true, false]]); assert.equal(ofType(ev, "action.begun", (e) => e.key.includes("/tool/") && back.some((b) => e.key.endsWith(b.callId))).length, 0, "no action begins for what is kept");
      assert.deepEqual((await effects(api, id)).map((e) => e.state), ["staged", "staged"]); const keys = q.payload.effects.map((e) => e.key);
      for (const bad of [{ answer: { commit: ["nope"] } }, { answer: { commit: "some" } }, { answer: "all" }, { decision: "approve" }]) assert.equal((await answer(api, id, q.id, bad)).status, 422, JSON.stringify(bad)); assert.equal(posts(s).length, 0);
      assert.equal((await answer(api, id, q.id, { answer: { commit: [keys[1], keys[0]] } })).status, 200); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.deepEqual(posts(s).map((h) => h.json.to), ["bob", "eve"], "in the order shown, whatever the order of the answer");
      const rows = await effects(api, id); assert.deepEqual(rows.map((e) => [e.state, e.key, e.run, e.tool, e.args.to]), [["confirmed", keys[0], id, "send", "bob"], ["confirmed", keys[1], id, "send", "eve"]]); assert.deepEqual(posts(s).map((h) => h.headers["idempotency-key"]), rows.map((e) => e.idempotency_key)); assert.equal(new Set(rows.map((e) => e.idempotency_key)).size, 2); assert.equal((await answer(api, id, q.id, { answer: { commit: "all" } })).status, 409);
    })),
  },
  {
    rule: "K32", name: "staged: what is not committed is discarded; nothing at all may be; each is judged again by the rules of now",
    model: {}, timeoutMs: 25_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url) }, catalog: A() }, async () => {
      const script = { a: [{ calls: cleanup() }, done("A")] };
      model.reset(script); let id = await start(api, "staged"); let q = await asked(api, id); await answer(api, id, q.id, { answer: { commit: [q.payload.effects[1].key] } }); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.deepEqual(posts(s).map((h) => h.json.to), ["eve"]); assert.deepEqual((await effects(api, id)).map((e) => e.state), ["discarded", "confirmed"]); s.hits.length = 0;
      model.reset(script); id = await start(api, "staged"); q = await asked(api, id); await answer(api, id, q.id, { answer: { commit: [] } }); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.equal(posts(s).length, 0);
      model.reset(script); id = await start(api, "staged"); q = await asked(api, id); await api.put("/v1/settings/policy", { denylist: [{ tool: "send", args: "bob", reason: "not to bob" }] }); await sleep(5200); await answer(api, id, q.id, { answer: { commit: "all" } }); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.deepEqual(posts(s).map((h) => h.json.to), ["eve"]); const rows = await effects(api, id); assert.deepEqual(rows.map((e) => e.state), ["refused", "confirmed"]); assert.match(rows[0].reason, /denylist|not to bob/);
    })),
  },
  {
    rule: "K32", name: "staged: an approval is asked at its call as always, and nothing is sent by it; stop_on_failure discards what comes after a failure",
    model: {}, timeoutMs: 25_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url, { approval: { kind: "dynamic", value: "args.to == \"bob\"" } }), look: getter(s.url) }, catalog: A() }, async () => {
      model.reset({ a: [{ calls: cleanup() }, done("A")] }); const id = await start(api, "staged"); await until(async () => (await api.run(id)).pending === 1, 8000, "the approval"); const [p] = await pending(api, id); assert.equal(p.kind, "approval.tool"); await answer(api, id, p.id, { decision: "approve" }); const q = await asked(api, id); assert.equal(posts(s).length, 0); assert.equal(q.payload.effects.length, 2);
      await answer(api, id, q.id, { answer: { commit: "all", stop_on_failure: true } }); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.equal(posts(s).length, 1); assert.deepEqual((await effects(api, id)).map((e) => e.state).sort(), ["discarded", "failed"]);
    }), (hit, res) => { if (hit.method === "GET") return undefined; res.writeHead(500).end("broken"); return null; }),
  },
  {
    rule: "K32", name: "staged: a tool's simulate is what the model reads instead",
    model: { a: [{ calls: [send("bob")] }, done("A")] },
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url, { simulate: "queued for ${{args.to}}" }), look: getter(s.url) }, catalog: A() }, async () => { const id = await start(api, "staged"); await asked(api, id); assert.equal(toolResult(model.requests.at(-1)), "queued for bob"); assert.equal((await api.raw("PUT", "/v1/tools/send", poster(s.url, { simulate: "${{args.nobody}}" }))).status, 422); })),
  },
  {
    rule: "K33", name: "dry: nobody is asked, nothing that is an effect leaves, all is discarded at the end; a failed or canceled run discards without asking",
    model: {}, timeoutMs: 20_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url + "/look") }, catalog: A("tools: send, look, memory.write, memory.search\n") }, async () => {
      const ns = rnd(); const script = (end) => ({ a: [{ calls: [{ name: "look", args: {} }] }, { calls: [send("bob"), { name: "memory.write", args: { namespace: ns, content: "kept outside" } }] }, call("memory.search", { query: "kept", namespace: ns }), end] });
      model.reset(script(done("A"))); let id = await start(api, "dry"); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.deepEqual(s.hits.map((h) => h.method), ["GET"]); assert.deepEqual((await effects(api, id)).map((e) => [e.tool, e.state]), [["send", "discarded"], ["memory.write", "discarded"]]); assert.doesNotMatch(toolResult(model.requests.at(-1)), /kept outside/); assert.equal((await api.get(`/v1/runs/${id}/interactions`)).data.length, 0);
      model.reset(script(fail("no"))); id = await start(api, "staged"); assert.equal((await api.settle(id, [], 8000)).status, "failed"); assert.deepEqual((await effects(api, id)).map((e) => e.state), ["discarded", "discarded"]); assert.equal(posts(s).length, 0);
      model.reset({ a: [{ calls: [send("bob")] }, { ...done(), delayMs: 3000 }] }); id = await start(api, "staged"); await until(async () => (await effects(api, id)).length, 8000, "the kept one"); await api.post(`/v1/runs/${id}/cancel`); assert.deepEqual((await effects(api, id)).map((e) => e.state), ["discarded"]); assert.equal(posts(s).length, 0);
    })),
  },
  {
    rule: "K31", name: "the ledger of a live run: refused, rejected, confirmed, failed; reads and the workspace are no effects; the key outlives everything",
    model: {}, timeoutMs: 20_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url, { approval: { kind: "dynamic", value: "args.amount > 5" } }), look: getter(s.url), bad: poster(s.url + "/bad") }, catalog: A("tools: send, look, bad, write\n"), policy: { denylist: [{ tool: "send", args: "mallory", reason: "never" }] } }, async () => {
      model.reset({ a: [{ calls: [{ name: "look", args: {} }, { name: "write", args: { path: "x", content: "y" } }, { name: "send", args: { to: "mallory", amount: 1 } }, { name: "send", args: { to: "bob", amount: 1 } }, { name: "send", args: { to: "rich", amount: 9 } }, { name: "bad", args: { to: "x" } }] }, done("A")] }); const id = await start(api); await until(async () => (await api.run(id)).pending === 1, 8000, "the approval"); const open = await effects(api, id); assert.equal(open.find((e) => e.args.to === "rich").state, "asked"); await api.settle(id, [{ decision: "reject", feedback: "too much" }], 8000);
      const rows = await effects(api, id); assert.deepEqual(rows.map((e) => [e.tool, e.args.to, e.state]), [["send", "mallory", "refused"], ["send", "bob", "confirmed"], ["send", "rich", "rejected"], ["bad", "x", "failed"]]); for (const e of rows) { assert.deepEqual([e.run, e.step, e.pass], [id, "a", 1]); assert.ok(e.key && Date.parse(e.at) > 0); } assert.equal(rows[0].reason, "denylist"); assert.ok(rows[2].by, "who said no"); assert.equal(rows[1].target, new URL(s.url).host.replace(/:\d+$/, "")); assert.equal(posts(s)[0].headers["idempotency-key"], rows[1].idempotency_key);
      const same = (await effects(api, id)).map((e) => e.key); assert.deepEqual(same, rows.map((e) => e.key)); const f = await forked(api, id, { from: { step: "a", turn: 1 } }); await api.settle(f, [], 8000); assert.deepEqual(await effects(api, f), [], "a fork's ledger begins at its cut");
    }), (hit, res) => { if (hit.path !== "/bad/send") return undefined; res.writeHead(400).end("no"); return null; }),
  },
  {
    rule: "K31", name: "the tenant's ledger is listed over all runs, by state, tool and run",
    model: {}, timeoutMs: 20_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url) }, catalog: A() }, async () => {
      const tool = "send"; model.reset({ a: [{ calls: [send("bob")] }, done("A")] }); const one1 = await start(api); await api.settle(one1, [], 8000); model.reset({ a: [{ calls: [send("eve")] }, done("A")] }); const two = await start(api, "staged"); const q = await asked(api, two);
      const list = async (x) => (await api.get(`/v1/effects?${x}`)).data; assert.deepEqual((await list(`run=${one1}`)).map((e) => [e.run, e.state]), [[one1, "confirmed"]]); assert.ok((await list(`state=staged&tool=${tool}`)).some((e) => e.run === two)); assert.ok(!(await list("state=staged")).some((e) => e.run === one1)); assert.equal((await api.raw("GET", "/v1/effects?state=maybe")).status, 422); await answer(api, two, q.id, { answer: { commit: [] } }); await api.settle(two, [], 8000); assert.ok(!(await list("state=staged")).some((e) => e.run === two));
    })),
  },
  {
    rule: "K30", name: "policy.effects is a floor for starts, forks and what is asked for; a fork is staged unless it says otherwise",
    model: {}, timeoutMs: 25_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url) }, catalog: A() }, async () => {
      const script = { a: [{ calls: [send("bob")] }, done("A")] }; const mode = async (id) => (await api.run(id)).effects; model.reset(script); const src = await start(api); await api.settle(src, [], 8000); assert.equal(await mode(src), "live"); assert.equal(posts(s).length, 1);
      const f = await forked(api, src); assert.equal(await mode(f), "staged"); await api.post(`/v1/runs/${f}/cancel`); const g = await forked(api, src, { from: { step: "a", turn: 1 }, effects: "live" }); assert.equal(await mode(g), "live"); await api.settle(g, [], 8000); assert.equal((await api.raw("POST", "/v1/flows/f/runs", { effects: "wet" })).status, 422);
      await api.put("/v1/settings/policy", { effects: [{ flows: "f*", mode: "dry" }, { flows: "*", mode: "staged" }] }); assert.deepEqual((await api.get("/v1/settings/policy")).effects, [{ flows: "f*", mode: "dry" }, { flows: "*", mode: "staged" }]); model.reset(script); for (const asked of ["live", "staged", undefined]) { const id = await start(api, asked); assert.equal(await mode(id), "dry", asked); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); } const h = await forked(api, src, { effects: "live" }); assert.equal(await mode(h), "dry"); await api.settle(h, [], 8000); assert.equal(posts(s).length, 1);
      for (const bad of [{ effects: "dry" }, { effects: [{ flows: "f" }] }, { effects: [{ flows: "f", mode: "wet" }] }]) assert.equal((await api.raw("PUT", "/v1/settings/policy", bad)).status, 422, JSON.stringify(bad));
    })),
  },
  {
    rule: "K30", name: "children have their parent's mode: they do not ask, their kept effects stand in the parent's one question, and a commit carries them out",
    model: {}, timeoutMs: 25_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url), look: getter(s.url) }, catalog: { agents: agents(agent("a", "tools: send\n"), agent("p", "tools: send\n")), flows: { "f.yaml": flow("f", "  - { id: r, type: flow-ref, flow: g, task: sub }\n  - { id: p, type: agent, agent: p }\n"), "g.yaml": flow("g", "  - { id: a, type: agent, agent: a }\n") } } }, async () => {
      model.reset({ a: [{ calls: [send("child")] }, done("A")], p: [{ calls: [send("parent")] }, done("P")] }); const id = await start(api, "staged"); const q = await asked(api, id); const [child] = (await api.run(id)).children; assert.deepEqual([(await api.run(child)).status, (await api.run(child)).effects], ["succeeded", "staged"]); assert.deepEqual(q.payload.effects.map((e) => [e.run, e.args.to]), [[child, "child"], [id, "parent"]]); assert.equal(posts(s).length, 0);
      await answer(api, id, q.id, { answer: { commit: "all" } }); assert.equal((await api.settle(id, [], 8000)).status, "succeeded"); assert.deepEqual(posts(s).map((h) => h.json.to), ["child", "parent"]); assert.deepEqual((await effects(api, child)).map((e) => e.state), ["confirmed"]);
    })),
  },
  {
    rule: "K35", name: "undo takes confirmed effects back in reverse order, each an effect itself; what has none is said",
    model: {}, timeoutMs: 20_000,
    expect: ({ api, model }) => withServer((s) => world(api, { tools: { send: poster(s.url, { undo: { method: "DELETE", url: `${s.url}/send/\${{args.to}}` } }), look: getter(s.url), plain: poster(s.url + "/plain") }, catalog: A("tools: send, plain\n") }, async () => {
      model.reset({ a: [{ calls: [send("bob"), send("eve"), { name: "plain", args: { to: "x" } }] }, done("A")] }); const id = await start(api); await api.settle(id, [], 8000); s.hits.length = 0; const r = await api.raw("POST", `/v1/runs/${id}/undo`, {}); assert.equal(r.status, 202);
      await until(async () => (await effects(api, id)).filter((e) => e.state === "undone").length === 2, 8000, "both undone"); assert.deepEqual(s.hits.map((h) => [h.method, h.path]), [["DELETE", "/send/eve"], ["DELETE", "/send/bob"]]); assert.deepEqual((await effects(api, id)).filter((e) => !e.undoes).map((e) => [e.tool, e.state, e.undoable]), [["send", "undone", true], ["send", "undone", true], ["plain", "confirmed", false]]); await api.post(`/v1/runs/${id}/undo`); await sleep(500); assert.equal(s.hits.length, 2, "twice is once");
    })),
  },
];
