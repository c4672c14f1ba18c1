// Templates: expansion, roots, defaults, places; the values that a flow's own fields put into them [F40–F43, flows.md §1].
import { agent, agents, assert, done, flow, pending } from "../kit.mjs";
import { lastUser } from "../model.mjs";
import { asksOf, check, clean, follow, ref, refused, until } from "../kit-flows.mjs";

const base = agents(agent("a", "outputs:\n  - word\n  - { name: count, type: number }\n  - { name: flag, type: boolean }\n  - { name: rows, type: array }\n  - { name: map, type: object }\n"), agent("b"), agent("c"), agent("judge"));
const full = { word: "W", count: 2.5, flag: false, rows: [1, { k: "v" }], map: { a: null } };
const two = (task, head = "") => flow("f", `
  - { id: first, type: agent, agent: a, task: make }
  - { id: second, type: agent, agent: b, blockedBy: first, task: ${JSON.stringify(task)} }
`, head);

export default [
  {
    rule: "F40", name: "spaces inside the braces are allowed, $${{ stays, unknown forms stay literal in agent bodies",
    catalog: { agents: { ...base, ...agents(agent("b", "", "Body ${{ task }} $${{task}} ${{nobody.knows}} ${{not a form}}\n")) }, flows: { "f.yaml": two("[${{ result.first.word }}] [$${{task}}] [$$ {{x}}]") } },
    model: { a: [done("s", full)], b: [done()] },
    run: { flow: "f", task: "T" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const b = asksOf(requests, "b")[0];
      assert.equal(lastUser(b), "[W] [${{task}}] [$$ {{x}}]");
      assert.match(b.system, /Body T \$\{\{task\}\} \$\{\{nobody\.knows\}\} \$\{\{not a form\}\}/);
    },
  },
  {
    rule: "F40", name: "a known form without a value is empty and leaves a warning that names it",
    catalog: { agents: base, flows: { "f.yaml": two("<${{result.first.artifacts}}><${{result.first.word}}>") } },
    model: { a: [done("s", { ...full, word: undefined })], b: [done()] },
    run: { flow: "f", task: "T" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.equal(lastUser(asksOf(requests, "b")[0]), "<><>");
      const said = of("warning").filter((w) => w.step === "second").map((w) => w.message).join("\n");
      assert.match(said, /result\.first\.artifacts/);
      assert.match(said, /result\.first\.word/);
    },
  },
  {
    rule: "F40", name: "unknown forms are errors in a flow and warnings in an agent's body",
    catalog: { agents: base },
    async expect({ api }) {
      for (const [text, code] of [["${{nobody.x}}", "FV-TPL-PREFIX"], ["${{result}}", "FV-TPL-FORM"], ["${{loop.first.size}}", "FV-TPL-FORM"], ["${{task.more}}", "FV-TPL-FORM"], ["${{run.name}}", "FV-TPL-FORM"], ["${{result.first.map.a}}", "FV-TPL-DEEP"], ["${{not a form}}", "FV-TPL-FORM"]])
        assert.equal((await check(api, two(text))).must(code, "error").line, 5, text);
      const c = await check(api, agent("x", "", "${{task}} ${{nobody.x}} ${{run.name}}\n"), "agent");
      clean(c);
      c.must("AV-TPL-PREFIX", "warning");
      c.must("AV-TPL-FORM", "warning");
    },
  },
  {
    rule: "F40", name: "text from a model, a person or a start is inserted once, in every place",
    catalog: { agents: agents(agent("a"), agent("b", "inputs:\n  - doc\n", "Body [${{input.doc}}]\n")), flows: { "f.yaml": flow("f", `
  - { id: first, type: agent, agent: a }
  - { id: second, type: agent, agent: b, blockedBy: first, inputs: { doc: "${ref("result.first.summary")}" }, task: "see [${ref("input.doc")}] $1 $&" }
`) } },
    model: { a: [done("x ${{task}} $${{task}} $' ${{input.doc}}")], b: [done()] },
    run: { flow: "f", task: "SECRET" },
    expect({ requests }) {
      const b = asksOf(requests, "b")[0];
      assert.equal(lastUser(b), "see [x ${{task}} $${{task}} $' ${{input.doc}}] $1 $&");
      assert.ok(b.system.includes("Body [x ${{task}} $${{task}} $' ${{input.doc}}]"));
    },
  },
  {
    rule: "F41", name: "every root has its value: numbers and booleans as usual, objects and lists as compact JSON",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: first, type: agent, agent: a, task: make }
  - { id: again, type: agent-loop-decision, agent: judge, task: ok?, loop_target: first, exit_target: second, max_iterations: 4 }
  - { id: second, type: agent, agent: b, task: "${["task", "flow.input.topic", "flow.input.n", "flow.input.list", "config.level", "config.deep", "result.first.status", "result.first.word", "result.first.count", "result.first.flag", "result.first.rows", "result.first.map", "loop.again.iteration", "loop.again.max", "run.id"].map(ref).join("|")}" }
`, "inputs: { topic: { type: string }, n: { type: number, default: 3 }, list: { type: array, default: [1, a] } }\nconfig: { level: 7, deep: { x: [true, null] } }") } },
    model: { a: [done("s", full)], judge: [done("j", { branch: "exit" })], b: [done()] },
    run: { flow: "f", task: "T", inputs: { topic: "cats" } },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(lastUser(asksOf(requests, "b")[0]), `T|cats|3|[1,"a"]|7|{"x":[true,null]}|complete|W|2.5|false|[1,{"k":"v"}]|{"a":null}|1|4|${run.id}`);
    },
  },
  {
    rule: "F41", name: "typed inputs: defaults are filled in; missing, mistyped and unknown inputs are 422 with their place",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: b }\n", "inputs: { topic: { type: string, required: true }, n: { type: number, default: 3 }, on: { type: boolean }, list: { type: array }, map: { type: object } }") } },
    model: { b: [done()] },
    async expect({ api, model }) {
      const start = (inputs) => api.raw("POST", "/v1/flows/f/runs", { task: "go", inputs });
      await refused(api.raw("POST", "/v1/flows/f/runs", { task: "go" }), 422, /topic/);
      for (const bad of [{ topic: 5 }, { topic: "t", n: "3" }, { topic: "t", on: "true" }, { topic: "t", list: {} }, { topic: "t", map: [] }, { topic: null }]) {
        const a = await refused(start(bad), 422);
        assert.match(a.body.errors[0].pointer, /^\/inputs\//, a.text);
      }
      assert.match((await refused(start({ topic: "t", topik: 1 }), 422)).text, /topic/);
      await refused(start({ topic: "t", __proto__x: 1 }), 422);
      assert.equal(model.requests.length, 0);
      const { run } = await follow(api, "f", { inputs: { topic: "t", list: [], map: {}, on: false } });
      assert.deepEqual(run.inputs, { topic: "t", n: 3, list: [], map: {}, on: false });
      for (const bad of ["inputs: { a: { type: text } }", "inputs: { a: { type: number, default: x } }", "inputs: { a: string }", "inputs: { 'a b': { type: string } }"]) (await check(api, flow("x", "  - { id: s, type: agent, agent: b }\n", bad))).must("FV-INPUT", "error");
      (await check(api, flow("x", `  - { id: s, type: agent, agent: b, task: "${ref("flow.input.gone")}" }\n`))).must("FV-REF-INPUT", "error");
    },
  },
  {
    rule: "F42", name: "result.ID is the step's last text, else its summary; files are paths joined by commas",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: first, type: agent, agent: a, task: make }
  - { id: mute, type: agent, agent: c, task: make }
  - { id: second, type: agent, agent: b, blockedBy: [first, mute], task: "[${ref("result.first")}][${ref("result.first.fullOutput")}][${ref("result.mute")}][${ref("result.first.files")}][${ref("loop.again.iteration")}]" }
  - { id: again, type: agent-loop-decision, agent: judge, task: ok?, loop_target: first, exit_target: end, max_iterations: 4 }
  - { id: end, type: wait, for: 1 }
`) } },
    model: { a: [{ text: "early" }, { text: "LAST WORDS", ...done("summary", { ...full, files: [{ path: "x.md", action: "created" }, { path: "d/y.md", action: "read" }] }) }], c: [done("only summary")], judge: [done("j", { branch: "exit" })], b: [done()] },
    run: { flow: "f", task: "T" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.match(lastUser(asksOf(requests, "b")[0]), /^\[LAST WORDS\]\[LAST WORDS\]\[only summary\]\[x\.md,\s?d\/y\.md\]\[0\]$/);
    },
  },
  {
    rule: "F42", name: "a step without a task gets the run's task; an empty task becomes Begin.",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: b }\n"), "g.yaml": flow("g", `  - { id: s, type: agent, agent: b, task: " ${ref("task")} " }\n`) } },
    model: { b: [done()] },
    async expect({ api, model }) {
      await follow(api, "f", { task: "RUN TASK" });
      assert.equal(lastUser(model.requests.at(-1)), "RUN TASK");
      await follow(api, "f", { task: "" });
      assert.equal(lastUser(model.requests.at(-1)), "Begin.");
      await follow(api, "g", { task: undefined });
      assert.equal(lastUser(model.requests.at(-1)), "Begin.");
    },
  },
  {
    rule: "F42", name: "task_required: a start without a task is 422 with the flow's own prompt",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: b }\n", "task_required: true\ntask_prompt: What shall be REVIEWED?") } },
    model: { b: [done()] },
    async expect({ api }) {
      for (const task of [undefined, "", "  \n"]) {
        const a = await refused(api.raw("POST", "/v1/flows/f/runs", { task }), 422);
        assert.match(a.body.detail, /What shall be REVIEWED\?/);
      }
      assert.equal((await follow(api, "f", { task: "this" })).run.status, "succeeded");
    },
  },
  {
    rule: "F43", name: "bodies, tasks, inputs, questions, outputs and flow-ref inputs are expanded, a step's inputs first",
    catalog: { agents: agents(agent("a"), agent("b", "inputs:\n  - doc\n", "Body of [${{input.doc}}] for ${{task}}\n")), flows: {
      "child.yaml": flow("child", "  - { id: s, type: agent, agent: a }\n", "inputs: { topic: { type: string, required: true } }"),
      "f.yaml": flow("f", `
  - { id: first, type: agent, agent: a }
  - { id: second, type: agent, agent: b, blockedBy: first, inputs: { doc: "<${ref("result.first.summary")}>" }, task: "read ${ref("input.doc")}" }
  - { id: q, type: fork, question: "Keep ${ref("result.second.summary")}?", options: [y, n], branches: { y: sub, n: end } }
  - { id: sub, type: flow-ref, flow: child, inputs: { topic: "about ${ref("fork.q.answer")}" } }
  - { id: end, type: agent, agent: a }
`, `outputs: { report: "${ref("result.second.summary")} by ${ref("run.id")}", answer: "${ref("fork.q.answer")}", never: "${ref("result.end.artifacts")}" }`) } },
    model: { a: [done("FACTS")], b: [done("DRAFT")] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "T", autonomous: false });
      const q = await until("the question", async () => (await pending(api, id))[0]);
      assert.equal(q.payload.question, "Keep DRAFT?");
      await api.post(`/v1/runs/${id}/interactions/${q.id}`, { answer: "y" });
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const b = asksOf(model.requests, "b")[0];
      assert.equal(lastUser(b), "read <FACTS>");
      assert.match(b.system, /Body of \[<FACTS>\] for T/);
      assert.deepEqual((await api.run(run.children[0])).inputs, { topic: "about y" });
      assert.deepEqual([run.output.report, run.output.answer], [`DRAFT by ${id}`, "y"]);
      assert.ok(!("never" in run.output), `an output of a skipped step is absent: ${JSON.stringify(run.output)}`);
    },
  },
  {
    rule: "F43", name: "without outputs a run returns its last step's finish; with outputs, JSON types are kept where a reference is the whole value",
    catalog: { agents: base, flows: { "f.yaml": two("go on"), "g.yaml": two("go on", `outputs: { n: "${ref("result.first.count")}", rows: "${ref("result.first.rows")}", text: "n=${ref("result.first.count")}" }`).replace("name: f", "name: g") } },
    model: { a: [done("s", full)], b: [done("the end")] },
    async expect({ api }) {
      const f = (await follow(api, "f")).run;
      assert.equal(f.output.summary, "the end");
      assert.equal(f.output.status, "complete");
      const g = (await follow(api, "g")).run;
      assert.equal(g.output.text, "n=2.5");
      assert.deepEqual([g.output.n, g.output.rows], [2.5, full.rows]);
    },
  },
  {
    rule: "F43", name: "single braces and angle brackets are reported with what to write instead",
    catalog: { agents: base },
    async expect({ api }) {
      const one = await check(api, two("use {result.first.summary}"));
      clean(one);
      const d = one.must("FV-TPL-BRACE", "warning");
      assert.equal(d.line, 5);
      assert.match(d.suggestion, /\$\{\{result\.first\.summary\}\}/);
      const angle = (await check(api, two("use <first.summary>"))).must("FV-TPL-ANGLE", "error");
      assert.match(angle.suggestion, /\$\{\{result\.first\.summary\}\}/);
      const body = await check(api, agent("x", "inputs: [doc]\n", "Read {input.doc}. ${{task}}\n"), "agent");
      body.must("AV-BRACE", "warning");
    },
  },
];
