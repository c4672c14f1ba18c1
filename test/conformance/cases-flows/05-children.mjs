// Child runs and maps [F23, F23b–F23h]. A map is child runs with an index; its list comes from a flow's input or a handler.
import { agent, agents, assert, done, fail, flow, pending } from "../kit.mjs";
import { asksOf, check, clean, follow, ref, refused, statuses, until } from "../kit-flows.mjs";

const base = agents(agent("a", "outputs:\n  - word\n"), agent("b"), agent("c"), agent("bad"), agent("slow"));
const child = flow("child", `
  - { id: work, type: agent, agent: a, task: "${ref("task")}/${ref("flow.input.topic")}/${ref("flow.input.n")}" }
`, `inputs: { topic: { type: string, required: true }, n: { type: number, default: 7 } }\noutputs: { said: "${ref("result.work.word")}", n: "${ref("flow.input.n")}" }`);
const parent = flow("f", `
  - { id: sub, type: flow-ref, flow: child, task: "sub of ${ref("task")}", inputs: { topic: "on ${ref("task")}", n: "${ref("flow.input.count")}" } }
  - { id: after, type: agent, agent: b, task: "[${ref("result.sub")}][${ref("result.sub.summary")}][${ref("result.sub.said")}][${ref("result.sub.n")}]" }
`, "inputs: { count: { type: number, default: 3 } }");

/** A map over the flow's input `list`; `one` runs for each item. */
const mapped = (more = "", tail = "") => flow("f", `
  - { id: each, type: map, over: "${ref("flow.input.list")}", do: one${more} }
${tail}`, "inputs: { list: { type: array, required: true } }");
const one = (agentName = "a") => flow("one", `  - { id: work, type: agent, agent: ${agentName} }\n`);
const fileOf = async (api, id, path) => { const r = await api.raw("GET", `/v1/runs/${id}/files/${path}`); assert.equal(r.status, 200, path); return r.text(); };

export default [
  {
    rule: "F23", name: "a child run: its finish is the step's result, its declared outputs are the step's, inputs keep their types",
    catalog: { agents: base, flows: { "child.yaml": child, "f.yaml": parent } },
    model: { a: [{ text: "long text", ...done("child summary", { word: "W" }) }, ], b: [done()] },
    run: { flow: "f", task: "T", inputs: { count: 5 } },
    async expect({ run, requests, of, api }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.match(asksOf(requests, "a")[0].user, /sub of T\/on T\/5/);
      assert.match(asksOf(requests, "b")[0].user, /\[child summary\]\[W\]\[5\]/);
      assert.deepEqual(run.steps.sub.outputs.said, "W");
      assert.equal(run.steps.sub.summary, "child summary");
      assert.equal(run.children.length, 1);
      const [begun] = of("child.started");
      assert.deepEqual([begun.step, begun.run], ["sub", run.children[0]]);
      assert.deepEqual(of("child.ended").map((e) => [e.step, e.run, e.status]), [["sub", run.children[0], "succeeded"]]);
      const kid = await api.run(run.children[0]);
      assert.deepEqual([kid.flow, kid.status, kid.parent.run, kid.parent.step, kid.trigger.kind], ["child", "succeeded", run.id, "sub", "child"]);
      assert.deepEqual(kid.inputs, { topic: "on T", n: 5 });
      const journal = await api.events(kid.id);
      assert.equal(journal[0].type, "run.started");
      assert.equal(journal[0].seq, 1, "a journal of its own");
    },
  },
  {
    rule: "F23", name: "a path that names a flow file means its id; patterns, templates and unknown flows are refused",
    catalog: { agents: base, flows: { "sub/child.yaml": flow("child", "  - { id: work, type: agent, agent: b }\n"), "f.yaml": flow("f", "  - { id: s, type: flow-ref, path: flows/sub/child.yaml }\n") } },
    model: { b: [done("ran")] },
    run: { flow: "f", task: "T" },
    async expect({ run, api, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(run.steps.s.summary, "ran");
      assert.match(requests[0].user, /T/, "the parent's task when none is said");
      assert.equal((await api.run(run.children[0])).flow, "sub:child");
      for (const [keys, code] of [["path: flows/*.yaml", "FV-FLOW-PATH"], ["path: 'flows/${{task}}.yaml'", "FV-FLOW-PATH"], ["flow: nobody", "FV-FLOW"], ["flow: '${{task}}'", "FV-FLOW-PATH"]]) {
        const c = await check(api, flow("x", `  - { id: s, type: flow-ref, ${keys} }\n`));
        assert.equal(c.must(code, "error").line, 4, keys);
      }
      assert.match((await check(api, flow("x", "  - { id: s, type: flow-ref, flow: 'sub:chidl' }\n"))).must("FV-FLOW").suggestion, /sub:child/);
    },
  },
  {
    rule: "F23", name: "a child's failure is a soft failure of the step: with on_error the run continues",
    catalog: { agents: base, flows: { "child.yaml": flow("child", "  - { id: work, type: agent, agent: bad }\n"),
      "f.yaml": flow("f", "  - { id: sub, type: flow-ref, flow: child }\n"),
      "g.yaml": flow("g", "  - { id: sub, type: flow-ref, flow: child, on_error: rescue }\n  - { id: next, type: wait, for: 1 }\n  - { id: rescue, type: agent, agent: b }\n") } },
    model: { bad: [fail("no disk")], b: [done()] },
    async expect({ api }) {
      const f = await follow(api, "f");
      assert.deepEqual([f.run.status, f.run.error.step, f.run.error.source], ["failed", "sub", "child_failed"]);
      assert.match(f.run.error.message, /no disk/);
      assert.equal((await api.run(f.run.children[0])).status, "failed");
      const g = await follow(api, "g");
      assert.equal(g.run.status, "succeeded");
      assert.deepEqual(statuses(g.run), { sub: "error", next: "skipped", rescue: "complete" });
    },
  },
  {
    rule: "F23c", name: "a missing value leaves a child's typed input at its default; an empty list empties the results file",
    catalog: { agents: { ...base, ...agents(agent("list", "outputs:\n  - { name: list, type: array }\n")) }, flows: {
      "child.yaml": flow("child", `  - { id: work, type: agent, agent: a, task: "[${ref("flow.input.s")}][${ref("flow.input.n")}]" }\n`, "inputs: { s: { type: string, default: d }, n: { type: number, default: 7 } }"),
      "f.yaml": flow("f", `
  - { id: p, type: agent, agent: list }
  - { id: each, type: map, over: "${ref("result.p.list")}", do: child, inputs: { s: "${ref("item.s")}", n: "${ref("item.n")}" } }
  - { id: more, type: agent-decision, agent: b, max_iterations: 1, branches: { again: p, on: end } }
  - { id: end, type: agent, agent: c }
`) } },
    model: { a: [done()], b: [done("b", { branch: "again" })], c: [done()], list: [done("l", { list: [{ s: "x", n: 3 }, { s: "y" }] }), done("l", { list: [] })] },
    run: { flow: "f", task: "T" },
    async expect({ run, requests, of, api }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(asksOf(requests, "a").map((r) => /\[.*\]/.exec(r.user)[0]).sort(), ["[x][3]", "[y][7]"]);
      assert.deepEqual(of("warning").map((e) => [e.step, e.code]), [["each", "template_empty"]], "once, though nothing is wrong with the run");
      assert.deepEqual(run.steps.each.outputs, { total: 0, succeeded: 0, failed: 0, results: [] });
      assert.equal(await fileOf(api, run.id, "map/each.jsonl"), "", "nothing of the first pass is left");
    },
  },
  {
    rule: "F23c", name: "a start that the child's inputs forbid is reported when the flow is written",
    catalog: { agents: base, flows: { "child.yaml": child } },
    async expect({ api }) {
      const missing = await check(api, flow("x", "  - { id: s, type: flow-ref, flow: child }\n"));
      assert.match(missing.must("FV-FLOW-INPUT", "error").message, /topic/);
      const stranger = await check(api, flow("x", "  - { id: s, type: flow-ref, flow: child, inputs: { topic: t, tpic: t } }\n"));
      stranger.must("FV-FLOW-INPUT", "error");
      const typed = await check(api, flow("x", "  - { id: s, type: flow-ref, flow: child, inputs: { topic: t, n: many } }\n"));
      typed.must("FV-FLOW-INPUT", "error");
      clean(await check(api, flow("x", "  - { id: s, type: flow-ref, flow: child, inputs: { topic: t, n: 4 } }\n")));
    },
  },
  {
    rule: "F23d", name: "cancel goes down: the child ends canceled and its model call is aborted",
    catalog: { agents: base, flows: { "child.yaml": flow("child", "  - { id: work, type: agent, agent: slow }\n"), "f.yaml": flow("f", "  - { id: sub, type: flow-ref, flow: child }\n") } },
    model: { slow: [{ ...done(), delayMs: 12_000 }] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("the child's call", () => model.requests.length);
      await api.post(`/v1/runs/${id}/cancel`);
      const run = await api.settle(id, [], 5_000);
      assert.deepEqual([run.status, run.steps.sub.status], ["canceled", "canceled"]);
      const [kid] = run.children;
      await until("the child's end", async () => (await api.run(kid)).status === "canceled", 5_000);
      await until("the abort", () => model.aborted === 1, 4_000);
    },
  },
  {
    rule: "F23d", name: "when the parent fails its children are canceled; a child that asks does not block the answer",
    timeoutMs: 40_000,
    catalog: { agents: base, flows: {
      "child.yaml": flow("child", "  - { id: q, type: fork, question: 'Which?', options: [x, y], branches: { x: one, y: two } }\n  - { id: one, type: agent, agent: a }\n  - { id: two, type: agent, agent: b }\n"),
      "f.yaml": flow("f", "  - { id: sub, type: flow-ref, flow: child }\n"),
      "slow.yaml": flow("slow", "  - { id: w, type: wait, for: 1h }\n"),
      "g.yaml": flow("g", "  - { id: sub, type: flow-ref, flow: slow, timeout: 2s }\n") } },
    model: { a: [done()], b: [done("two ran")] },
    async expect({ api }) {
      const id = await api.start("f", { task: "go", autonomous: false });
      const kid = await until("the child", async () => (await api.run(id)).children[0]);
      const q = await until("its question", async () => (await pending(api, kid))[0]);
      await api.post(`/v1/runs/${kid}/interactions/${q.id}`, { answer: "y" });
      const run = await api.settle(id, [], 8_000);
      assert.deepEqual([run.status, run.steps.sub.summary], ["succeeded", "two ran"]);
      const late = await follow(api, "g", { autonomous: false });
      assert.deepEqual([late.run.status, late.run.error.source], ["failed", "step_timeout"]);
      await until("the child's end", async () => (await api.run(late.run.children[0])).status === "canceled", 5_000);
    },
  },
  {
    rule: "F23e", name: "five runs may be nested below the first, not six; a flow that runs itself without a decision is an error",
    catalog: { agents: base },
    model: { a: [done("deep")] },
    async expect({ api }) {
      const chain = (n) => Object.fromEntries(Array.from({ length: n + 1 }, (_, i) => [`d${i}.yaml`, flow(`d${i}`, i === n ? "  - { id: s, type: agent, agent: a }\n" : `  - { id: s, type: flow-ref, flow: d${i + 1} }\n`)]));
      await api.put("/v1/catalog", { flows: chain(5) });
      const { run } = await follow(api, "d0", {}, [], 15_000);
      assert.deepEqual([run.status, run.steps.s.summary], ["succeeded", "deep"]);
      await refused(api.raw("PUT", "/v1/catalog", { flows: chain(6) }), 422, /FV-FLOW-DEPTH/);
      await refused(api.raw("PUT", "/v1/catalog", { flows: { "me.yaml": flow("me", "  - { id: s, type: flow-ref, flow: me }\n") } }), 422, /FV-FLOW-RECURSION/);
      await refused(api.raw("PUT", "/v1/catalog", { flows: { "p.yaml": flow("p", "  - { id: s, type: flow-ref, flow: q }\n"), "q.yaml": flow("q", "  - { id: s, type: flow-ref, flow: p }\n") } }), 422, /FV-FLOW-RECURSION/);
    },
  },
  {
    rule: "F23e", name: "a flow that runs itself behind a decision is accepted, and stops at the maximum depth",
    catalog: { agents: agents(agent("a"), agent("judge")), flows: { "me.yaml": flow("me", `
  - { id: more, type: agent-decision, agent: judge, branches: { again: s, enough: end } }
  - { id: s, type: flow-ref, flow: me }
  - { id: end, type: agent, agent: a }
`) } },
    model: { judge: (_, n) => done("so", { branch: n < 2 ? "again" : "enough" }), a: [done("bottom")] },
    async expect({ api, model }) {
      const { run } = await follow(api, "me");
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(asksOf(model.requests, "judge").length, 3);
      model.reset({ judge: [done("so", { branch: "again" })], a: [done()] });
      const deep = await follow(api, "me", {}, [], 15_000);
      assert.equal(deep.run.status, "failed");
      assert.equal(deep.run.error.source, "child_failed");
      assert.equal(asksOf(model.requests, "judge").length, 6, "the first and five below");
    },
  },
  {
    rule: "F23", name: "a parent waits while its child waits for a person, and the child's decision branches stay its own",
    catalog: { agents: base, flows: { "child.yaml": child, "f.yaml": flow("f", `
  - { id: sub, type: flow-ref, flow: child, inputs: { topic: x } }
  - { id: gate, type: conditional, check: sub.said, present: p, absent: n }
  - { id: p, type: agent, agent: b }
  - { id: n, type: agent, agent: c }
`) } },
    model: { a: [done("s", { word: "" })], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual([run.steps.gate.branch, run.steps.p.status, run.steps.n.status], ["absent", "skipped", "complete"]);
    },
  },
  {
    rule: "F23f", name: "map: a child for each item, item and index available in task and inputs, results in item order",
    catalog: { agents: base, flows: {
      "one.yaml": flow("one", `  - { id: work, type: agent, agent: a, task: "${ref("task")}" }\n`, `inputs: { row: { type: object, required: true }, at: { type: number, required: true } }\noutputs: { word: "${ref("result.work.word")}", at: "${ref("flow.input.at")}" }`),
      "f.yaml": mapped(`, task: "${ref("index")}:${ref("item.name")}:${ref("task")}", inputs: { row: "${ref("item")}", at: "${ref("index")}" }`, `  - { id: end, type: agent, agent: b, task: "${ref("result.each.total")}/${ref("result.each.succeeded")}/${ref("result.each.failed")}" }\n`) } },
    model: { a: (r) => ({ ...done(`did ${r.user}`, { word: /(\w+):T/.exec(r.user)?.[1] ?? "?" }), delayMs: r.user.includes("0:") ? 400 : 0 }), b: [done()] },
    run: { flow: "f", task: "T", inputs: { list: [{ name: "ann" }, { name: "bob" }, { name: "cy" }] } },
    async expect({ run, requests, api, of }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const { total, succeeded, failed, results } = run.steps.each.outputs;
      assert.deepEqual([total, succeeded, failed], [3, 3, 0]);
      assert.deepEqual(results.map((r) => [r.index, r.status, r.outputs?.word]), [[0, "succeeded", "ann"], [1, "succeeded", "bob"], [2, "succeeded", "cy"]]);
      assert.match(asksOf(requests, "b")[0].user, /3\/3\/0/);
      assert.deepEqual(of("child.started").map((e) => e.index).sort(), [0, 1, 2]);
      const kid = await api.run(results[1].run);
      assert.deepEqual(kid.inputs, { row: { name: "bob" }, at: 1 });
      assert.equal(kid.task, "1:bob:T");
      const lines = (await fileOf(api, run.id, "map/each.jsonl")).trim().split("\n").map((l) => JSON.parse(l));
      assert.deepEqual(lines.map((l) => [l.index, l.status]), [[0, "succeeded"], [1, "succeeded"], [2, "succeeded"]]);
    },
  },
  {
    rule: "F23f", name: "map: 80 items, never more than 20 at once, and each of them once",
    catalog: { agents: base, flows: { "one.yaml": one(), "f.yaml": mapped(", max_concurrent: 20") } },
    model: { a: (r, n) => ({ ...done(r.user), delayMs: 300 + 30 * (n % 10) }) },
    timeoutMs: 180_000,
    async expect({ api, model }) {
      const list = Array.from({ length: 80 }, (_, i) => `item-${i}.`);
      const { run } = await follow(api, "f", { inputs: { list } }, [], 170_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(run.steps.each.outputs.total, 80);
      assert.equal(run.steps.each.outputs.succeeded, 80);
      assert.ok(model.maxRunning <= 20, `${model.maxRunning} at once`);
      assert.ok(model.maxRunning >= 5, `only ${model.maxRunning} at once`);
      assert.deepEqual(new Set(model.requests.map((r) => /item-\d+\./.exec(r.user)?.[0])).size, 80);
      assert.equal(model.requests.length, 80);
      const lines = (await fileOf(api, run.id, "map/each.jsonl")).trim().split("\n").map((l) => JSON.parse(l));
      assert.deepEqual(lines.map((l) => l.index), list.map((_, i) => i));
      assert.equal(lines[57].summary.includes("item-57."), true);
    },
  },
  {
    rule: "F23g", name: "map: tolerate is a count or share of failed children; one more fails the step softly",
    timeoutMs: 60_000,
    catalog: { agents: base, flows: { "one.yaml": one(), "f.yaml": mapped(", tolerate: 2"), "g.yaml": mapped(", tolerate: 50%").replace("name: f", "name: g"),
      "h.yaml": mapped(", on_error: rescue", "  - { id: next, type: wait, for: 1 }\n  - { id: rescue, type: agent, agent: b }\n").replace("name: f", "name: h") } },
    model: { a: (r) => (/bad/.test(r.user) ? fail("no good") : done("fine")), b: [done()] },
    async expect({ api }) {
      const ended = async (name, list) => (await follow(api, name, { inputs: { list } })).run;
      const two = await ended("f", ["bad 1", "ok 2", "bad 3", "ok 4"]);
      assert.equal(two.status, "succeeded", JSON.stringify(two.error));
      assert.deepEqual([two.steps.each.outputs.succeeded, two.steps.each.outputs.failed], [2, 2]);
      assert.deepEqual(two.steps.each.outputs.results.map((r) => r.status), ["failed", "succeeded", "failed", "succeeded"]);
      const three = await ended("f", ["bad 1", "bad 2", "bad 3", "ok 4"]);
      assert.deepEqual([three.status, three.error.step, three.error.source], ["failed", "each", "child_failed"]);
      assert.equal((await ended("g", ["bad 1", "ok 2", "bad 3", "ok 4"])).status, "succeeded");
      assert.equal((await ended("g", ["bad 1", "ok 2", "bad 3"])).status, "failed", "half of three is one");
      const handled = await ended("h", ["ok 1", "bad 2"]);
      assert.equal(handled.status, "succeeded");
      assert.deepEqual(statuses(handled), { each: "error", next: "skipped", rescue: "complete" });
    },
  },
  {
    rule: "F23g", name: "map: too many failures stop it: no further child begins",
    catalog: { agents: base, flows: { "one.yaml": one(), "f.yaml": mapped(", max_concurrent: 1") } },
    model: { a: [done(), fail("second"), done()] },
    async expect({ api, model }) {
      const { run } = await follow(api, "f", { inputs: { list: [1, 2, 3, 4, 5, 6] } });
      assert.deepEqual([run.status, run.error.source], ["failed", "child_failed"]);
      assert.match(run.error.message, /second/);
      assert.equal(model.requests.length, 2);
    },
  },
  {
    rule: "F23h", name: "map: an empty list does nothing; a value that is not a list, or a list that is too long, is a clear failure",
    catalog: { agents: agents(agent("a"), agent("b", "outputs:\n  - { name: list, type: array }\n")), flows: { "one.yaml": one(), "f.yaml": mapped(),
      "g.yaml": flow("g", `  - { id: make, type: agent, agent: b }\n  - { id: each, type: map, over: "${ref("result.make.list")}", do: one }\n`) } },
    model: { a: [done()], b: [done("s", { list: ["p", "q"] })] },
    async expect({ api, model }) {
      const none = (await follow(api, "f", { inputs: { list: [] } })).run;
      assert.deepEqual([none.status, none.steps.each.outputs.total], ["succeeded", 0]);
      assert.equal(model.requests.length, 0);
      const long = (await follow(api, "f", { inputs: { list: Array.from({ length: 10_001 }, () => 1) } })).run;
      assert.equal(long.status, "failed");
      assert.match(long.error.message, /10,?000/);
      assert.equal((await follow(api, "g")).run.steps.each.outputs.total, 2);
      const c = await check(api, flow("x", `  - { id: m, type: map, over: "a ${ref("task")}", do: one }\n  - { id: n, type: map, over: "${ref("task")}", do: one, tolerate: some, max_concurrent: 500 }\n`));
      assert.deepEqual(c.diagnostics.filter((d) => d.code === "FV-MAP-OVER").map((d) => d.line), [4, 5]);
      c.must("FV-MAP-TOLERATE", "error");
      c.must("FV-MAP-CONCURRENT", "error");
      (await check(api, flow("x", `  - { id: s, type: agent, agent: a, task: "${ref("item")}" }\n`))).must("FV-REF-ITEM", "error");
    },
  },
  {
    rule: "F23g", name: "map: cancel ends its children, and no more are begun",
    catalog: { agents: base, flows: { "one.yaml": one("slow"), "f.yaml": mapped(", max_concurrent: 3") } },
    model: { slow: [{ ...done(), delayMs: 12_000 }] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go", inputs: { list: [1, 2, 3, 4, 5, 6, 7] } });
      await until("three calls", () => model.requests.length === 3);
      const kids = (await api.run(id)).children;
      await api.post(`/v1/runs/${id}/cancel`);
      assert.equal((await api.settle(id, [], 5_000)).status, "canceled");
      for (const kid of kids) await until("the child's end", async () => (await api.run(kid)).status === "canceled", 5_000);
      assert.equal(model.requests.length, 3);
    },
  },
];
