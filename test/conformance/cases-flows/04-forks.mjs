// Forks and conditionals [F21, F22].
import { agent, agents, assert, call, done, flow, pending } from "../kit.mjs";
import { toolResult } from "../model.mjs";
import { asksOf, check, ref, refused, statuses, until, withRoles } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("c"), agent("chooser"));
const forked = (more, tail = "") => flow("f", `
  - { id: how, type: fork, question: "How for ${ref("task")}?", options: [Quick, Deep], branches: { Quick: q, Deep: d }${more} }
  - { id: q, type: agent, agent: a }
  - { id: d, type: agent, agent: b }
${tail}`);
const asking = (api, id) => until("a question", async () => (await pending(api, id))[0]);

export default [
  {
    rule: "F21", name: "a person sees each option with its target; notes may be left out; only what the fork offers is taken",
    catalog: { agents: base, flows: { "f.yaml": forked("") } },
    model: { a: [done()], b: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "T" });
      const q = await asking(api, id);
      assert.equal(q.kind, "fork");
      assert.equal(q.step, "how");
      assert.equal(q.payload.question, "How for T?");
      assert.deepEqual(q.payload.options, [{ label: "Quick", target: "q" }, { label: "Deep", target: "d" }]);
      assert.equal((await api.run(id)).status, "waiting");
      const post = (body) => api.raw("POST", `/v1/runs/${id}/interactions/${q.id}`, body);
      for (const bad of [{ answer: "Fast" }, { answer: ["Quick"] }, { auto: true }, { custom: "my own" }, { answer: "quick" }, {}]) await refused(post(bad), 422);
      assert.equal((await pending(api, id)).length, 1, "a wrong answer leaves it open");
      assert.equal((await post({ answer: "Quick" })).status, 200);
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded");
      assert.equal(run.steps.how.branch, "Quick");
      assert.deepEqual(model.requests.map((r) => r.id), ["a"]);
    },
  },
  {
    rule: "F21", name: "a flow whose fork has no agent asks by default; with an agent it does not",
    catalog: { agents: base, flows: { "f.yaml": forked(""), "g.yaml": forked(", agent: chooser").replace("name: f", "name: g") } },
    model: { a: [done()], b: [done()], chooser: [done("so", { branch: "Deep" })] },
    async expect({ api }) {
      const id = await api.start("f", { task: "T" });
      await asking(api, id);
      assert.equal((await api.run(id)).autonomous, false);
      const g = await api.settle(await api.start("g", { task: "T" }), [], 8_000);
      assert.equal(g.autonomous, true);
      assert.deepEqual([g.status, g.steps.d.status, g.steps.q.status], ["succeeded", "complete", "skipped"]);
    },
  },
  {
    rule: "F21", name: "autonomous: the named agent gets the question and the labels, and decides",
    catalog: { agents: base, flows: { "f.yaml": forked(", agent: chooser") } },
    model: { chooser: [done("because", { branch: "Deep" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "TOPIC", autonomous: true },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.match(requests[0].user, /How for TOPIC\?/);
      assert.match(requests[0].user, /Quick/);
      assert.deepEqual(requests[0].body.tools.find((t) => t.function.name === "finish").function.parameters.properties.branch.enum, ["Quick", "Deep"]);
      assert.deepEqual(of("branch.taken").map((e) => [e.branch, e.by]), [["Deep", "agent"]]);
      assert.equal(of("interaction.asked").length, 0);
      const sys = asksOf(requests, "b")[0].system;
      assert.match(sys, /How for TOPIC\?/);
      assert.match(sys, /Deep/);
      assert.match(sys, /chooser|an agent/i, "who decided");
    },
  },
  {
    rule: "F21", name: "autonomous without an agent: the built-in flow-decision decides",
    catalog: { agents: base, flows: { "f.yaml": forked("") } },
    model: { "flow-brain": [done("so", { branch: "Quick" })], a: [done()], b: [done()] },
    async expect({ api, model }) {
      await withRoles(api, { default: "script/flow-brain" }, async () => {
        const id = await api.start("f", { task: "T", autonomous: true });
        const run = await api.settle(id, [], 8_000);
        assert.equal(run.status, "succeeded", JSON.stringify(run.error));
        assert.deepEqual(model.requests.map((r) => r.id), ["flow-brain", "a"]);
        assert.equal((await api.events(id)).find((e) => e.type === "step.opened" && e.step === "how").agent, "flow-decision");
      });
    },
  },
  {
    rule: "F21", name: "let the agent choose: a person hands the question over",
    catalog: { agents: base, flows: { "f.yaml": forked(", agent: chooser") } },
    model: { chooser: [done("so", { branch: "Deep" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [{ auto: true }],
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.id), ["chooser", "b"]);
      assert.deepEqual(of("branch.taken").map((e) => [e.branch, e.by]), [["Deep", "agent"]]);
    },
  },
  {
    rule: "F21", name: "allowCustom: the person's own words go to the agent, which chooses a branch",
    catalog: { agents: base, flows: { "f.yaml": forked(", agent: chooser, allowCustom: true") } },
    model: { chooser: [done("so", { branch: "Quick" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [(q) => { assert.equal(q.payload.allowCustom, true); return { custom: "just SKIM it ${{task}}" }; }],
    async expect({ run, of, requests, api }) {
      assert.equal(run.status, "succeeded");
      assert.match(requests[0].user, /just SKIM it \$\{\{task\}\}/);
      assert.deepEqual(of("branch.taken").map((e) => [e.branch, e.by]), [["Quick", "agent"]]);
      const c = await check(api, forked(", allowCustom: true"));
      assert.match(c.must("FV-FORK-CUSTOM", "error").suggestion, /agent:/);
    },
  },
  {
    rule: "F21", name: "question, choice and notes appear once before the branch's first step, and in fork.ID.answer and .notes",
    catalog: { agents: base, flows: { "f.yaml": forked("", `  - { id: after, type: agent, agent: c, blockedBy: [q, d], task: "[${ref("fork.how.answer")}|${ref("fork.how.notes")}]" }\n`) } },
    model: { a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [{ answer: "Deep", notes: "mind the COST" }],
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      const [first, next] = [asksOf(requests, "b")[0], asksOf(requests, "c")[0]];
      for (const word of [/How for T\?/, /Deep/, /mind the COST/]) assert.match(first.system, word);
      assert.doesNotMatch(next.system, /How for T\?/);
      assert.match(next.user, /\[Deep\|mind the COST\]/);
    },
  },
  {
    rule: "F21", name: "keys without an option, options without a branch, a branch to nowhere: errors",
    catalog: { agents: base },
    async expect({ api }) {
      const c = await check(api, flow("x", `
  - id: how
    type: fork
    question: "?"
    options: [Quick, Deep]
    branches:
      quick: q
      Deep: nowhere
  - { id: q, type: agent, agent: a }
`));
      assert.equal(c.must("FV-FORK-KEY", "error").line, 9);
      assert.equal(c.must("FV-FORK-OPTION", "error").severity, "error");
      assert.equal(c.must("FV-BRANCH", "error").line, 10);
    },
  },
  {
    rule: "F21", name: "multiSelect: the chosen branches run in file order, each once; the others do not run",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: what, type: fork, question: "Which?", options: [C, B, A], branches: { A: one, B: two, C: three }, multiSelect: true }
  - { id: one, type: agent, agent: a }
  - { id: p1, type: wait, for: 1 }
  - { id: two, type: agent, agent: b }
  - { id: p2, type: wait, for: 1 }
  - { id: three, type: agent, agent: c }
`) } },
    model: { a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [(q) => { assert.equal(q.payload.multiSelect, true); return { answer: ["C", "A"] }; }],
    async expect({ run, requests, api }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.id), ["a", "c"]);
      assert.deepEqual([run.steps.one.status, run.steps.two.status, run.steps.three.status], ["complete", "skipped", "complete"]);
      const id = await api.start("f", { task: "T", autonomous: false });
      const q = await asking(api, id);
      for (const bad of [{ answer: [] }, { answer: "A" }, { answer: ["A", "A"] }, { answer: ["A", "X"] }]) await refused(api.raw("POST", `/v1/runs/${id}/interactions/${q.id}`, bad), 422);
    },
  },
  {
    rule: "F21", name: "multiSelect within one segment: chosen branches side by side, each once",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: what, type: fork, question: "Which?", options: [A, B, C], branches: { A: one, B: two, C: three }, multiSelect: true }
  - { id: one, type: agent, agent: a }
  - { id: two, type: agent, agent: b }
  - { id: three, type: agent, agent: c }
  - { id: join, type: agent, agent: chooser, blockedBy: [one, two, three], task: "[${ref("fork.what.answer")}]" }
`) } },
    model: { a: [done()], b: [done()], c: [done()], chooser: [done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [{ answer: ["B", "C"] }],
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { what: "complete", one: "skipped", two: "complete", three: "complete", join: "complete" });
      assert.deepEqual(["a", "b", "c", "chooser"].map((id) => asksOf(requests, id).length), [0, 1, 1, 1]);
      assert.match(asksOf(requests, "chooser")[0].user, /B.*C/);
    },
  },
  {
    rule: "F21", name: "multiSelect: every chosen branch runs, whatever the ends of the others",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: what, type: fork, question: "Which?", options: [A, B, C], branches: { A: one, B: two, C: three }, multiSelect: true }
  - { id: one, type: agent, agent: a, on_complete: far }
  - { id: p1, type: wait, for: 1 }
  - { id: two, type: agent, agent: b, on_complete: near }
  - { id: p2, type: wait, for: 1 }
  - { id: three, type: agent, agent: c }
  - { id: p3, type: wait, for: 1 }
  - { id: near, type: agent, agent: b, task: near }
  - { id: p4, type: wait, for: 1 }
  - { id: far, type: agent, agent: a, task: far }
`) } },
    model: { a: [done(), done()], b: [done(), done()] },
    run: { flow: "f", task: "T", autonomous: false },
    answers: [{ answer: ["B", "A"] }],
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.id), ["a", "b", "b", "a"]);
      assert.deepEqual(["one", "two", "three", "near", "far"].map((id) => run.steps[id].status), ["complete", "complete", "skipped", "complete", "complete"]);
    },
  },
  {
    rule: "F22", name: "a field is present when its trimmed text is not empty; the default field is artifacts",
    timeoutMs: 60_000,
    catalog: { agents: agents(agent("a", "outputs:\n  - word\n  - { name: count, type: number }\n  - { name: flag, type: boolean }\n"), agent("b")), flows: Object.fromEntries(["look", "look.word", "look.count", "look.flag", "look.files", "look.summary"].map((what) => {
      const name = what.replace(".", "-");
      return [`${name}.yaml`, flow(name, `
  - { id: look, type: agent, agent: a }
  - { id: gate, type: conditional, check: ${what}, present: p, absent: n }
  - { id: p, type: agent, agent: b }
  - { id: n, type: agent, agent: b }
`)];
    })) },
    model: { b: [done()] },
    async expect({ api, model }) {
      const branch = async (name, more) => {
        model.reset({ a: [done("sum", { count: 0, flag: false, ...more })], b: [done()] });
        const run = await api.settle(await api.start(name, { task: "go" }), [], 8_000);
        assert.equal(run.status, "succeeded", JSON.stringify(run.error));
        return run.steps.gate.branch;
      };
      assert.equal(await branch("look", {}), "absent");
      assert.equal(await branch("look", { artifacts: "a.md" }), "present");
      assert.equal(await branch("look-word", { word: " \n\t " }), "absent");
      assert.equal(await branch("look-word", { word: "w" }), "present");
      assert.equal(await branch("look-count", {}), "present", "0 is text");
      assert.equal(await branch("look-flag", {}), "present", "false is text");
      assert.equal(await branch("look-files", {}), "absent");
      assert.equal(await branch("look-files", { files: [{ path: "x.md", action: "created" }] }), "present");
      assert.equal(await branch("look-summary", {}), "present");
    },
  },
  {
    rule: "F22", name: "a skipped step is absent for every field but status",
    catalog: { agents: base, flows: Object.fromEntries(["summary", "status"].map((field) => [`${field}.yaml`, flow(field, `
  - { id: pick, type: agent-decision, agent: chooser, branches: { on: gate, visit: x } }
  - { id: x, type: agent, agent: a }
  - { id: gate, type: conditional, check: x.${field}, present: p, absent: n }
  - { id: p, type: agent, agent: b }
  - { id: n, type: agent, agent: c }
`)])) },
    model: { chooser: [done("so", { branch: "on" })], a: [done()], b: [done()], c: [done()] },
    async expect({ api }) {
      for (const [field, branch] of [["summary", "absent"], ["status", "present"]]) {
        const run = await api.settle(await api.start(field, { task: "go" }), [], 8_000);
        assert.deepEqual([run.steps.x.status, run.steps.gate.branch], ["skipped", branch], field);
      }
    },
  },
  {
    rule: "Q1", name: "two agents that ask at once: both questions are open, each names its step, each gets its own answer",
    catalog: { agents: agents(agent("a", "tools: ask_user\n"), agent("b", "tools: ask_user\n")), flows: { "f.yaml": flow("f", "  - { id: x, type: agent, agent: a }\n  - { id: y, type: agent, agent: b }\n") } },
    model: Object.fromEntries(["a", "b"].map((n) => [n, [call("ask_user", { question: `for ${n}?`, type: "input" }), done(n)]])),
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go", autonomous: false });
      const open = await until("two questions", async () => { const list = await pending(api, id); return list.length === 2 && list; });
      for (const q of open) {
        assert.equal(q.payload.agent, { x: "a", y: "b" }[q.step]);
        assert.equal((await api.raw("POST", `/v1/runs/${id}/interactions/${q.id}`, { answer: `to ${q.payload.agent}` })).status, 200);
      }
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded");
      for (const n of ["a", "b"]) assert.deepEqual(JSON.parse(toolResult(asksOf(model.requests, n)[1])), { answer: `to ${n}` });
    },
  },
];
