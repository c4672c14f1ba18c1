// Waiting steps: a time, a duration, a signal, and a missing signal. Rules for their parts: [F23i, F34, F54a].
import { agent, agents, assert, done, flow } from "../kit.mjs";
import { lastUser } from "../model.mjs";
import { asksOf, check, follow, ref, refused, statuses, until } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("slow"));
// Text would be sent as text/plain: the payload is always JSON.
const signal = (api, id, name, payload) => api.raw("POST", `/v1/runs/${id}/signals/${name}`, JSON.stringify(payload), { "content-type": "application/json" });
const waits = (keys) => flow("f", `
  - { id: w, type: wait, ${keys} }
  - { id: end, type: agent, agent: a${keys.includes("signal") ? `, task: "[${ref("result.w.payload")}]"` : ""} }
`);
const took = (run, step) => Date.parse(run.steps[step].ended) - Date.parse(run.steps[step].started);

export default [
  {
    rule: "F23i", name: "for: a duration, as text, as milliseconds, as a template; the run is waiting meanwhile",
    timeoutMs: 40_000,
    catalog: { agents: base, flows: { "f.yaml": waits("for: 3s"), "g.yaml": waits("for: 400").replace("name: f", "name: g"), "h.yaml": flow("h", `  - { id: w, type: wait, for: "${ref("flow.input.pause")}" }\n`, "inputs: { pause: { type: string, required: true } }") } },
    model: { a: [done()] },
    async expect({ api }) {
      const id = await api.start("f", { task: "go" });
      const seen = await until("waiting", async () => { const r = await api.run(id); return r.status === "waiting" && r; });
      assert.equal(seen.steps.w.status, "waiting");
      const f = await api.settle(id, [], 8_000);
      assert.equal(f.status, "succeeded");
      assert.ok(took(f, "w") >= 2_950, `${took(f, "w")} ms`);
      const g = (await follow(api, "g")).run;
      assert.ok(took(g, "w") >= 380, `${took(g, "w")} ms`);
      const h = (await follow(api, "h", { inputs: { pause: "1s" } })).run;
      assert.ok(h.status === "succeeded" && took(h, "w") >= 950);
      const bad = (await follow(api, "h", { inputs: { pause: "soon" } })).run;
      assert.deepEqual([bad.status, bad.error.step, bad.error.source], ["failed", "w", "config"]);
      assert.match(bad.error.message, /soon/);
    },
  },
  {
    rule: "F23i", name: "until: a time; at once if it has passed",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `  - { id: w, type: wait, until: "${ref("flow.input.at")}" }\n`, "inputs: { at: { type: string, required: true } }") } },
    async expect({ api }) {
      const at = new Date(Date.now() + 1_500).toISOString();
      const run = (await follow(api, "f", { inputs: { at } })).run;
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const late = Date.parse(run.steps.w.ended) - Date.parse(at);
      assert.ok(late >= -20, `${late} ms late`);
      const past = (await follow(api, "f", { inputs: { at: "2020-01-01T00:00:00Z" } })).run;
      assert.equal(past.status, "succeeded"); // a later time would never come
      const bad = (await follow(api, "f", { inputs: { at: "tomorrow" } })).run;
      assert.deepEqual([bad.status, bad.error.source], ["failed", "config"]);
    },
  },
  {
    rule: "F23i", name: "a signal ends the wait; its body is the payload; a different name does not end it",
    catalog: { agents: base, flows: { "f.yaml": waits("signal: paid") } },
    model: { a: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("waiting", async () => (await api.run(id)).status === "waiting");
      // Nothing in this flow waits for another name.
      await refused(signal(api, id, "refunded", { n: 1 }), 422);
      assert.equal((await api.run(id)).status, "waiting");
      assert.equal((await signal(api, id, "paid", { amount: 12.5, list: [1] })).status, 202);
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.steps.w.outputs, { payload: { amount: 12.5, list: [1] } });
      assert.equal(lastUser(model.requests[0]), '[{"amount":12.5,"list":[1]}]');
      await refused(signal(api, id, "paid", {}), 409);
      await refused(signal(api, "run_nobody", "paid", {}), 404);
      await refused(api.raw("POST", `/v1/runs/${id}/signals/paid`, "{broken", { "content-type": "application/json" }), 400);
    },
  },
  {
    rule: "F23i", name: "early signals are kept, each for one wait, in order",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: first, type: agent, agent: slow }
  - { id: w1, type: wait, signal: go }
  - { id: w2, type: wait, signal: go }
  - { id: end, type: agent, agent: a, task: "${ref("result.w1.payload")}/${ref("result.w2.payload")}" }
`) } },
    model: { slow: [{ ...done(), delayMs: 900 }], a: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("the first call", () => model.requests.length);
      for (const n of ["one", "two"]) assert.equal((await signal(api, id, "go", n)).status, 202);
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded");
      assert.equal(lastUser(asksOf(model.requests, "a")[0]), "one/two");
    },
  },
  {
    rule: "F23i", name: "in a loop a wait needs a new signal each time",
    catalog: { agents: agents(agent("a"), agent("judge")), flows: { "f.yaml": flow("f", `
  - { id: w, type: wait, signal: go }
  - { id: again, type: agent-loop-decision, agent: judge, task: "${ref("result.w.payload")}", loop_target: w, exit_target: end, max_iterations: 3 }
  - { id: end, type: agent, agent: a }
`) } },
    model: { judge: [done("l", { branch: "loop" }), done("e", { branch: "exit" })], a: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("waiting", async () => (await api.run(id)).status === "waiting");
      await signal(api, id, "go", "FIRST");
      await until("the second wait", async () => { const r = await api.run(id); return r.steps.w.pass === 2 && r.status === "waiting"; });
      assert.equal(asksOf(model.requests, "a").length, 0);
      await signal(api, id, "go", "SECOND");
      assert.equal((await api.settle(id, [], 8_000)).status, "succeeded");
      assert.deepEqual(asksOf(model.requests, "judge").map((r) => /FIRST|SECOND/.exec(r.user)?.[0]), ["FIRST", "SECOND"]);
    },
  },
  {
    rule: "F23i", name: "a missing signal: on_timeout is a branch; without it, a soft step_timeout",
    catalog: { agents: base, flows: {
      "f.yaml": flow("f", "  - { id: w, type: wait, signal: paid, timeout: 500, on_timeout: remind }\n  - { id: ship, type: agent, agent: a }\n  - { id: gap, type: wait, for: 1 }\n  - { id: remind, type: agent, agent: b }\n"),
      "g.yaml": flow("g", "  - { id: w, type: wait, signal: paid, timeout: 500 }\n"),
      "h.yaml": flow("h", "  - { id: w, type: wait, signal: paid, timeout: 500, on_error: remind }\n  - { id: gap, type: wait, for: 1 }\n  - { id: remind, type: agent, agent: b }\n") } },
    model: { a: [done()], b: [done()] },
    async expect({ api }) {
      const f = (await follow(api, "f")).run;
      assert.equal(f.status, "succeeded", JSON.stringify(f.error));
      assert.deepEqual(statuses(f), { w: "complete", ship: "skipped", gap: "skipped", remind: "complete" });
      const g = (await follow(api, "g")).run;
      assert.deepEqual([g.status, g.error.step, g.error.source], ["failed", "w", "step_timeout"]);
      const h = (await follow(api, "h")).run;
      assert.deepEqual([h.status, h.steps.w.status, h.steps.remind.status], ["succeeded", "error", "complete"]);
      const id = await api.start("f", { task: "go" });
      await until("waiting", async () => (await api.run(id)).steps.w.status === "waiting");
      await signal(api, id, "paid", null);
      const paid = await api.settle(id, [], 8_000);
      assert.deepEqual([paid.status, paid.steps.w.outputs, paid.steps.ship.status], ["succeeded", { payload: null }, "complete"]);
    },
  },
  {
    rule: "F34", name: "cancel ends a wait, whether for a time or for a signal",
    catalog: { agents: base, flows: { "f.yaml": waits("signal: paid"), "g.yaml": waits("for: 2h").replace("name: f", "name: g") } },
    async expect({ api }) {
      for (const name of ["f", "g"]) {
        const id = await api.start(name, { task: "go" });
        await until("waiting", async () => (await api.run(id)).status === "waiting");
        await api.post(`/v1/runs/${id}/cancel`);
        const run = await api.settle(id, [], 4_000);
        assert.deepEqual([run.status, statuses(run)], ["canceled", { w: "canceled", end: "canceled" }]);
      }
    },
  },
  {
    rule: "F54a", name: "a wait waits for exactly one valid thing",
    catalog: { agents: base },
    async expect({ api }) {
      for (const [keys, code] of [["for: 1s, until: '2030-01-01T00:00:00Z'", "FV-WAIT"], ["description: nothing", "FV-WAIT"], ["for: soon", "FV-WAIT-TIME"], ["until: tomorrow", "FV-WAIT-TIME"], ["signal: 'a b/c'", "FV-WAIT-SIGNAL"], ["signal: go, on_timeout: e", "FV-WAIT-TIMEOUT"], ["for: 1s, timeout: 2s, on_timeout: e", "FV-WAIT-TIMEOUT"]]) {
        const c = await check(api, flow("x", `  - { id: w, type: wait, ${keys} }\n  - { id: e, type: agent, agent: a }\n`));
        assert.equal(c.must(code, "error").line, 4, keys);
      }
    },
  },
];
