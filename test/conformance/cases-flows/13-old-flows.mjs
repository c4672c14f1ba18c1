// Files written for the original, from the seed era and the 0.3 line, unchanged: they load and mean the same [F1–F5, F50], or say what to write.
import { agent, agents, assert, done, fail, flow } from "../kit.mjs";
import { asksOf, check, clean, follow, statuses } from "../kit-flows.mjs";

const seedFlow = `name: research
description: Look into a topic and report
max_concurrent: 2
task_required: "true"
task_prompt: What should be looked into?
steps:
  - id: plan
    agent: planner
    task: |
      Plan: \${{task}}
  - id: left
    agent: worker
    blockedBy: plan
    task: "\${{result.plan.summary}}"
    output: notes
    reads: [plan.md]
  - id: right
    agent: worker
    blockedBy:
      - plan
    task: "\${{result.plan.angles}}"
  - id: enough
    agent: judge
    task: Is it enough?
    loop_target: left
    exit_target: write
    max_iterations: "2"
  - id: write
    agent: writer
    inputs:
      notes: "\${{result.left.summary}} + \${{result.right.summary}}"
    on_complete: done
  - id: skipped-over
    check: write.artifacts
    present: done
    absent: done
  - id: done
    agent: worker
    task: "last: \${{result.write}}"
`;
const seedAgents = {
  "planner.md": "---\nname: planner\ndescription: Plans: what to look at\nmodel: script/planner\ntools: read, grep\nthinking: high\noutputs:\n  - angles\ncard:\n  label: Planner\n  metric: files\narchitect:\n  use_when: a plan is needed\n---\nPlan it.\n\n${{task}}\n",
  "worker.md": "---\nname: worker\ndescription: Works\nmodel: script/worker\ntools: read\ninteractive: false\noutput: notes\n---\nWork.\n\n${{task}}\n",
  "judge.md": "---\nname: judge\ndescription: Judges\nmodel: script/judge\ntools: read\n---\n${{task}}\n",
  "writer.md": "---\nname: writer\ndescription: Writes\nmodel: script/writer\ntools: write\ninputs:\n  - notes\n---\nWrite from ${{input.notes}}. ${{task}}\n",
};
const newFlow = `name: nda
description: Review a contract
inputs:
  contract_path: { type: string, required: true }
  rounds: { type: number }
steps:
  - id: read-it
    type: agent
    agent: reader
    inputs: { contract_path: "\${{flow.input.contract_path}}" }
    on_error: give-up
  - id: score
    type: code
    inputs: { clauses: "\${{result.read-it.clauses}}" }
    outputs: [{ name: worst }, { name: total }]
    timeout: 5000
  - id: route
    type: code-decision
    inputs: { worst: "\${{result.score.worst}}" }
    outputs: []
    branches: { fine: sign, risky: review }
  - id: review
    type: agent-decision
    agent: lawyer
    task: "Round \${{loop.review.iteration}} on \${{result.score.worst}}"
    branches: { again: read-it, fine: sign, refuse: give-up }
    max_iterations: 1
    on_exhausted: refuse
  - id: sign
    type: agent
    agent: clerk
    task: "sign, total \${{result.score.total}}"
    on_complete: end
  - id: gap
    type: fork
    question: "Sure?"
    options: [y, n]
    branches: { y: give-up, n: give-up }
    agent: lawyer
  - id: give-up
    type: agent
    agent: clerk
    task: give up
  - id: end
    type: agent
    agent: clerk
    task: archive
    blockedBy: give-up
`;
const newAgents = agents(
  agent("reader", "tools: read\ninputs: [contract_path]\noutputs:\n  - { name: clauses, type: array }\n", "Read ${{input.contract_path}}. ${{task}}\n"),
  agent("lawyer"), agent("clerk"),
);
const score = "interface Input { clauses: { risk: number }[] }\ninterface Output { worst: number; total: number }\nexport default async function (input: Input, ctx: any): Promise<Output> {\n  ctx.setSummary(`scored ${input.clauses.length}`);\n  return { worst: Math.max(...input.clauses.map((c) => c.risk)), total: input.clauses.length };\n}\n";
const route = "export default (input: { worst: number }) => ({ branch: input.worst > 5 ? 'risky' : 'fine' })\n";

export default [
  {
    rule: "F4", name: "a seed flow without types runs unchanged: inference, loop, on_complete, scalars and lists",
    catalog: { agents: seedAgents, flows: { "research.yaml": seedFlow } },
    model: { planner: [done("PLAN", { angles: "ANGLES" })], worker: [done("w1"), done("w2"), done("w3"), done("w4"), done("end")], judge: [done("more", { branch: "left" }), done("ok", { branch: "exit" })], writer: [done("REPORT")] },
    run: { flow: "research", task: "TOPIC" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(statuses(run), { plan: "complete", left: "complete", right: "complete", enough: "complete", write: "complete", "skipped-over": "skipped", done: "complete" });
      assert.deepEqual([run.steps.left.pass, run.steps.right.pass, run.steps.plan.pass], [2, 1, 1]);
      assert.match(requests[0].user, /Plan: TOPIC/);
      assert.deepEqual(of("loop.iteration").map((e) => e.iteration), [1, 2]);
      assert.match(asksOf(requests, "writer")[0].system, /Write from w\d \+ w\d/);
      assert.match(asksOf(requests, "worker").at(-1).user, /last: REPORT/);
    },
  },
  {
    rule: "F5", name: "a flow of the 0.3 line: its own folder with its handlers, typed inputs and outputs",
    catalog: { agents: newAgents, flows: { "legal/nda/flow.yaml": newFlow }, code: { "legal/nda/score.ts": score, "legal/nda/route.ts": route } },
    model: { reader: [done("read", { clauses: [{ risk: 9 }, { risk: 2 }] }), done("read", { clauses: [{ risk: 1 }] })], lawyer: [done("hm", { branch: "again" }), done("ok", { branch: "fine" })], clerk: [done("signed"), done("archived")] },
    run: { flow: "legal:nda", task: "review", inputs: { contract_path: "docs/nda.md" } },
    async expect({ run, requests, api, of }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.match(asksOf(requests, "reader")[0].system, /docs\/nda\.md/);
      assert.equal(run.steps.score.outputs.total, 1, "the second round");
      assert.equal(run.steps.score.summary, "scored 1");
      assert.deepEqual(of("branch.taken").filter((e) => e.step !== "sign").map((e) => [e.step, e.branch]), [["route", "risky"], ["review", "again"], ["route", "fine"]]);
      assert.match(asksOf(requests, "clerk")[0].user, /sign, total 1/);
      assert.deepEqual([run.steps["give-up"].status, run.steps.end.status], ["skipped", "complete"]);
      assert.equal((await api.raw("POST", "/v1/flows/legal:nda/runs", { task: "go" })).status, 422, "contract_path is required");
    },
  },
  {
    rule: "F5", name: "handlers may come among the flows, next to flow.yaml, as in a repository",
    catalog: { agents: newAgents },
    model: { reader: [done("read", { clauses: [{ risk: 1 }] })], lawyer: [done("x")], clerk: [done("signed")] },
    async expect({ api }) {
      await api.put("/v1/catalog", { flows: { "legal/nda/flow.yaml": newFlow, "legal/nda/score.ts": score, "legal/nda/route.ts": route } });
      const { run } = await follow(api, "legal:nda", { inputs: { contract_path: "x.md" } });
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(run.steps.score.outputs.total, 1);
    },
  },
  {
    rule: "F4", name: "types from other systems are refused with equivalent lines",
    catalog: { agents: newAgents },
    async expect({ api }) {
      for (const [type, line] of [["shell", /type: code/], ["loop", /type: agent-loop-decision|type: agent-decision/], ["subflow", /type: flow-ref/], ["foreach", /type: map/], ["sleep", /type: wait/], ["if", /type: conditional/]]) {
        const c = await check(api, flow("x", `  - { id: s, type: ${type}, command: ls }\n  - { id: t, type: agent, agent: clerk }\n`));
        const d = c.must("FV-TYPE-REMOVED", "error");
        assert.equal(d.line, 4);
        assert.match(d.suggestion, line, type);
      }
      clean(await check(api, flow("x", "  - { id: s, type: agent, agent: clerk, output: notes, reads: [a.md] }\n", "auto_end: true")));
    },
  },
  {
    rule: "F50", name: "an agent of the 0.3 line: outputs with type and pattern are required, finish needs no files",
    catalog: { agents: agents(agent("a", 'outputs:\n  - name: verdict\n    pattern: "^(pass|fail)$"\n  - name: count\n    type: number\n')), flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: a, on_error: t }\n  - { id: w, type: wait, for: 1 }\n  - { id: t, type: wait, for: 1 }\n") } },
    model: { a: [fail("cannot count")] },
    async expect({ api, model }) {
      const { run, of } = await follow(api, "f");
      assert.deepEqual([run.status, run.steps.s.status, of("finish.rejected").length], ["succeeded", "error", 0], "one that failed owes no outputs");
      model.reset({ a: [{ finish: { status: "complete", summary: "s" } }, { finish: { status: "complete", summary: "s", verdict: "pass", count: 3 } }] });
      const again = await follow(api, "f");
      assert.deepEqual(again.run.steps.s.outputs, { verdict: "pass", count: 3 });
      assert.equal(again.of("finish.rejected").length, 1);
    },
  },
];
