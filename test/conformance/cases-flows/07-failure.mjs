// Failures: their sources, what is soft and what is hard, retries, cancel, timeouts [F30–F35].
import { agent, agents, assert, call, done, fail, flow, pending } from "../kit.mjs";
import { answerOf, asksOf, follow, ref, refused, statuses, until } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("c"), agent("slow"), agent("short", "max_turns: 2\ntools: read\n"), agent("busy", "tools: read\n"), agent("asker", "tools: ask_user\n"));
const rescued = (step) => flow("f", `
  - { id: x, ${step}, on_error: rescue }
  - { id: next, type: wait, for: 1 }
  - { id: rescue, type: agent, agent: b, task: "[${ref("result.x.status")}][${ref("result.x.summary")}]" }
`);
const one = (name, more = "") => flow("f", `  - { id: x, type: agent, agent: ${name}${more} }\n`);

export default [
  {
    rule: "F30", name: "a step's timeout is soft: its call is aborted and on_error takes over",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: slow, timeout: 2s") } },
    model: { slow: [{ ...done(), delayMs: 10_000 }], b: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, model, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(statuses(run), { x: "error", next: "skipped", rescue: "complete" });
      assert.equal(run.steps.x.source, "step_timeout");
      assert.match(asksOf(requests, "b")[0].user, /^\[error\]\[.+\]/m);
      await until("the abort", () => model.aborted === 1, 4_000);
    },
  },
  {
    rule: "F30", name: "a run's timeout fails the run with source run_timeout, whatever its steps say",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: x, type: agent, agent: slow, on_error: r }\n  - { id: g, type: wait, for: 1 }\n  - { id: r, type: agent, agent: b }\n", "timeout: 2s") } },
    model: { slow: [{ ...done(), delayMs: 10_000 }], b: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, model, of }) {
      assert.deepEqual([run.status, run.error.source, run.steps.x.status], ["failed", "run_timeout", "canceled"]);
      const took = Date.parse(run.ended) - Date.parse(run.created);
      assert.ok(took >= 1_950, `${took} ms`);
      await until("the abort", () => model.aborted === 1, 4_000);
      assert.equal(of("run.ended").length, 1);
    },
  },
  {
    rule: "Q1", name: "a run's timeout stands still while a person is asked, and goes on with what is left",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: q, type: fork, question: '?', options: [l, r], branches: { l: one, r: one } }\n  - { id: one, type: wait, for: 1h }\n", "timeout: 3s") } },
    async expect({ api }) {
      const id = await api.start("f", { task: "go" });
      const [q] = await until("the question", async () => { const all = await pending(api, id); return all.length === 1 && all; });
      await new Promise((r) => setTimeout(r, 3_500));
      assert.equal((await api.run(id)).status, "waiting");
      await api.post(`/v1/runs/${id}/interactions/${q.id}`, { answer: "l" });
      const run = await until("the end", async () => { const r = await api.run(id); return r.status === "failed" && r; }, 9_000);
      assert.equal(run.error.source, "run_timeout");
    },
  },
  {
    rule: "F30", name: "max_turns and repetition end a step softly, each with its source",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: short"), "g.yaml": rescued("type: agent, agent: busy").replace("name: f", "name: g") } },
    model: { short: (_, n) => call("read", { path: `f${n}.txt` }), busy: [call("read", { path: "same.txt" })], b: [done()] },
    async expect({ api, model }) {
      const f = (await follow(api, "f")).run;
      assert.deepEqual([f.status, f.steps.x.status, f.steps.x.source], ["succeeded", "error", "max_turns"]);
      assert.equal(asksOf(model.requests, "short").length, 2);
      const g = (await follow(api, "g")).run;
      assert.deepEqual([g.status, g.steps.x.status, g.steps.x.source], ["succeeded", "error", "agent_stuck"]);
    },
  },
  {
    rule: "F30", name: "no finish after the reminders is soft",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: a") } },
    model: { a: [{ text: "talk" }], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.deepEqual([run.status, run.steps.x.source, run.steps.rescue.status], ["succeeded", "agent_no_finish", "complete"]);
      assert.equal(asksOf(requests, "a").length, 3);
    },
  },
  {
    rule: "F30", name: "a deleted agent or an impossible model is reported before the run starts",
    catalog: { agents: agents(agent("a"), agent("b").replace("script/b", "nowhere/b"), agent("gone")), flows: { "f.yaml": flow("f", "  - { id: x, type: agent, agent: a }\n  - { id: y, type: agent, agent: gone, blockedBy: x }\n"), "g.yaml": flow("g", "  - { id: x, type: agent, agent: a }\n  - { id: y, type: agent, agent: b, blockedBy: x }\n") } },
    model: { a: [done()] },
    async expect({ api, model }) {
      assert.equal((await api.raw("DELETE", "/v1/agents/gone?force=1")).status, 204);
      await refused(api.raw("POST", "/v1/flows/f/runs", { task: "go" }), 422, /gone/);
      await refused(api.raw("POST", "/v1/flows/g/runs", { task: "go" }), 422, /nowhere/);
      assert.equal(model.requests.length, 0);
    },
  },
  {
    rule: "F31", name: "a hard failure ends the run at once: siblings are canceled, their calls aborted, the first failure is the error",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: good, type: agent, agent: slow }
  - { id: x, type: agent, agent: a, on_error: late }
  - { id: after, type: agent, agent: b, blockedBy: good }
  - { id: late, type: agent, agent: c }
`) } },
    model: { slow: [{ ...done(), delayMs: 9_000 }], a: [{ error: { status: 403 }, delayMs: 1_500 }], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, model, of, requests }) {
      assert.equal(run.status, "failed");
      assert.deepEqual([run.error.step, run.error.source], ["x", "api_error"]);
      assert.deepEqual(statuses(run), { good: "canceled", x: "error", after: "canceled", late: "canceled" });
      await until("the abort", () => model.aborted === 1, 4_000);
      assert.equal(of("run.ended").length, 1);
      assert.deepEqual(requests.map((r) => r.id).sort(), ["a", "slow"]);
    },
  },
  {
    rule: "F31", name: "blocked without on_error fails the run; the message is the agent's own summary",
    catalog: { agents: base, flows: { "f.yaml": one("a") } },
    model: { a: [{ finish: { status: "blocked", summary: "need the key" } }] },
    run: { flow: "f", task: "go" },
    expect({ run }) {
      assert.deepEqual([run.status, run.error.step, run.error.source, run.steps.x.status], ["failed", "x", "agent_finish_error", "blocked"]);
      assert.match(run.error.message, /need the key/);
    },
  },
  {
    rule: "F32", name: "a handled failure leaves the run succeeded, and the step keeps its own status",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: a") } },
    model: { a: [fail("oops")], b: [done("mended")] },
    run: { flow: "f", task: "go" },
    expect({ run, of }) {
      assert.deepEqual([run.status, run.error], ["succeeded", undefined]);
      assert.deepEqual([run.steps.x.status, run.steps.x.source], ["error", "agent_finish_error"]);
      assert.deepEqual(of("branch.taken").map((e) => [e.step, e.target]), [["x", "rescue"]]);
    },
  },
  {
    rule: "F33", name: "408, 409, 500 and 529 are asked again; 400, 401, 403, 404 and 422 are final at once",
    catalog: { agents: base, flows: { "f.yaml": one("a") } },
    timeoutMs: 60_000,
    async expect({ api, model }) {
      for (const status of [400, 401, 403, 404, 422]) {
        model.reset({ a: [{ error: { status } }, done()] });
        const { run } = await follow(api, "f");
        assert.deepEqual([run.status, run.error.source, model.requests.length], ["failed", "api_error", 1], String(status));
      }
      for (const status of [408, 409, 500, 529]) {
        model.reset({ a: [{ error: { status } }, done("then")] });
        const { run, of } = await follow(api, "f");
        assert.deepEqual([run.status, model.requests.length], ["succeeded", 2], String(status));
        assert.equal(of("model.failed")[0].status, status);
      }
    },
  },
  {
    rule: "F33", name: "a provider that stays down is asked again and again, then api_error, hard; meanwhile the run is waiting, and no call is open",
    // Models of their own: a Retry-After stops all calls to a model until then [R31].
    catalog: { agents: { ...base, ...agents(agent("down")) }, flows: { "f.yaml": rescued("type: agent, agent: down") } },
    model: { down: [], b: [done()] },
    timeoutMs: 40_000,
    async expect({ api, model }) {
      const down = { error: { status: 503, retryAfter: 1 } };
      // The last answer ends the tries: all eight of them would take two minutes.
      model.reset({ down: [down, down, down, { error: { status: 503, retryAfter: 121 } }], b: [done()] });
      const { run, of } = await follow(api, "f", {}, [], 35_000);
      assert.deepEqual([run.status, run.error.source, run.error.step], ["failed", "api_error", "x"]);
      assert.equal(model.requests.length, 4);
      assert.deepEqual(of("model.failed").map((e) => e.attempt), [1, 2, 3, 4]);
      // The stop that the provider asked for may end a moment after the wait for it.
      assert.deepEqual(of("run.waiting").map((e) => e.reason).filter((why) => why !== "pace"), ["retry", "retry", "retry"]);
      assert.equal(run.steps.rescue.status, "canceled");
    },
  },
  {
    rule: "F33", name: "a Retry-After beyond two minutes is final",
    catalog: { agents: agents(agent("late")), flows: { "f.yaml": one("late") } },
    model: { late: [{ error: { status: 503, retryAfter: 121 } }, done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.deepEqual([run.status, run.error.source, requests.length], ["failed", "api_error", 1]);
    },
  },
  {
    rule: "F34", name: "cancel withdraws open questions and ends exactly once; an answer after it is refused",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: x, type: agent, agent: asker }\n  - { id: y, type: agent, agent: slow }\n  - { id: z, type: agent, agent: b, blockedBy: [x, y] }\n") } },
    model: { asker: [call("ask_user", { question: "colour?", type: "input" }), done()], slow: [{ ...done(), delayMs: 9_000 }], b: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go", autonomous: false });
      const q = await until("the question", async () => (await pending(api, id))[0]);
      await until("the slow call", () => asksOf(model.requests, "slow").length);
      const answers = await Promise.all([1, 2, 3].map(() => api.raw("POST", `/v1/runs/${id}/cancel`, {})));
      assert.deepEqual(answers.map((r) => r.status), [200, 200, 200]);
      const run = await api.settle(id, [], 4_000);
      assert.equal(run.status, "canceled");
      assert.deepEqual(statuses(run), { x: "canceled", y: "canceled", z: "canceled" });
      assert.deepEqual([run.pending, (await api.get(`/v1/runs/${id}/interactions`)).data.map((i) => i.status)], [0, ["withdrawn"]]);
      const late = await answerOf(api.raw("POST", `/v1/runs/${id}/interactions/${q.id}`, { answer: "red" }));
      assert.equal(late.status, 409, late.text);
      assert.equal((await api.events(id)).filter((e) => e.type === "run.ended").length, 1);
      await until("the abort", () => model.aborted === 1, 4_000);
    },
  },
  {
    rule: "F35", name: "retry runs a step again after a soft failure, before on_error, its pause doubling",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: a, retry: { max: 2, backoff: 300 }") } },
    model: { a: [fail("1"), fail("2"), done("third time")], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual([run.steps.x.status, run.steps.x.summary, run.steps.next.status], ["complete", "third time", "complete"]);
      assert.equal(run.steps.rescue.status, "skipped");
      const at = asksOf(requests, "a").map((r) => r.at);
      assert.equal(at.length, 3);
      assert.ok(at[1] - at[0] >= 280, `${at[1] - at[0]} ms`);
      assert.ok(at[2] - at[1] >= 580, `${at[2] - at[1]} ms`);
    },
  },
  {
    rule: "F35", name: "when the tries are used up the failure counts; blocked and hard failures are not retried",
    catalog: { agents: base, flows: { "f.yaml": rescued("type: agent, agent: a, retry: { max: 1, backoff: 1 }"), "g.yaml": one("a", ", retry: { max: 3, backoff: 1 }").replace("name: f", "name: g") } },
    async expect({ api, model }) {
      model.reset({ a: [fail("1"), fail("2"), done()], b: [done()] });
      const f = (await follow(api, "f")).run;
      assert.deepEqual([f.status, f.steps.x.status, f.steps.x.summary, f.steps.rescue.status], ["succeeded", "error", "2", "complete"]);
      assert.equal(asksOf(model.requests, "a").length, 2);
      model.reset({ a: [{ finish: { status: "blocked", summary: "no" } }, done()] });
      assert.equal((await follow(api, "g")).run.status, "failed");
      assert.equal(model.requests.length, 1);
      model.reset({ a: [{ error: { status: 401 } }, done()] });
      assert.equal((await follow(api, "g")).run.status, "failed");
      assert.equal(model.requests.length, 1);
    },
  },
  {
    rule: "F35", name: "the default backoff is a second, and the next step waits for the last try",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `  - { id: x, type: agent, agent: a, retry: { max: 1 } }\n  - { id: y, type: agent, agent: b, blockedBy: x, task: "[${ref("result.x.summary")}]" }\n`) } },
    model: { a: [fail("1"), done("good")], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      const at = asksOf(requests, "a").map((r) => r.at);
      assert.ok(at[1] - at[0] >= 950, `${at[1] - at[0]} ms`);
      assert.match(asksOf(requests, "b")[0].user, /\[good\]/);
      assert.equal(asksOf(requests, "b").length, 1);
    },
  },
  {
    rule: "F35", name: "retry is for every kind of step: a handler, a child run, a decision",
    catalog: { agents: agents(agent("a"), agent("b"), agent("judge")), flows: {
      "child.yaml": flow("child", "  - { id: s, type: agent, agent: a }\n"),
      "f.yaml": flow("f", "  - { id: sub, type: flow-ref, flow: child, retry: { max: 2, backoff: 1 } }\n"),
      "g.yaml": flow("g", "  - { id: pick, type: agent-decision, agent: judge, branches: { l: x, r: y }, retry: { max: 1, backoff: 1 } }\n  - { id: x, type: agent, agent: b }\n  - { id: y, type: agent, agent: b }\n"),
      "h.yaml": flow("h", `  - { id: n, type: code, inputs: { id: "${ref("run.id")}" }, outputs: [n], retry: { max: 2, backoff: 1 }, on_error: r }\n  - { id: w, type: wait, for: 1 }\n  - { id: r, type: agent, agent: b }\n`) },
      code: { "h/n.ts": "export default (input: { id: string }) => { throw new Error(`no luck in ${input.id}`) }\n" } },
    model: { a: [fail("1"), fail("2"), done("third")], judge: [fail("dizzy"), done("so", { branch: "r" })], b: [done()] },
    async expect({ api, model }) {
      const f = (await follow(api, "f")).run;
      assert.deepEqual([f.status, f.steps.sub.summary, f.steps.sub.pass, f.children.length], ["succeeded", "third", 3, 3], JSON.stringify(f.error));
      const g = (await follow(api, "g")).run;
      assert.deepEqual([g.status, g.steps.pick.branch, asksOf(model.requests, "judge").length], ["succeeded", "r", 2]);
      const h = (await follow(api, "h")).run;
      assert.deepEqual([h.status, h.steps.n.status, h.steps.n.pass, h.steps.r.status], ["succeeded", "error", 3, "complete"]);
    },
  },
  {
    rule: "F30", name: "a fork without an answer in time is a step_timeout; its question closes",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: q, type: fork, question: '?', options: [l, r], branches: { l: one, r: two }, timeout: 3s, on_error: late }\n  - { id: one, type: agent, agent: a }\n  - { id: two, type: agent, agent: b }\n  - { id: gap, type: wait, for: 1 }\n  - { id: late, type: agent, agent: c }\n") } },
    model: { a: [done()], b: [done()], c: [done("nobody came")] },
    async expect({ api }) {
      const id = await api.start("f", { task: "go" });
      await until("the question", async () => (await pending(api, id)).length === 1);
      const run = await until("the end", async () => { const r = await api.run(id); return r.ended !== undefined && r; }, 9_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(statuses(run), { q: "error", one: "skipped", two: "skipped", gap: "skipped", late: "complete" });
      assert.equal(run.steps.q.source, "step_timeout");
      const [q] = (await api.get(`/v1/runs/${id}/interactions`)).data;
      assert.ok(["withdrawn", "expired"].includes(q.status), q.status);
      assert.equal(run.pending, 0);
    },
  },
];
