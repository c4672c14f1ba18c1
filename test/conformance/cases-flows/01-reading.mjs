// Reading a flow file: limits, faults, types, ids [F1–F5].
import { agent, agents, assert, done, flow } from "../kit.mjs";
import { answerOf, check, clean, refused, statuses } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("judge"));
const step = "  - { id: s, type: agent, agent: a }\n";
const ok = flow("x", step);
const withConfig = (n) => flow("x", step, `config:\n${Array.from({ length: n }, (_, i) => `  k${i}: 1`).join("\n")}`);
const nested = (n) => flow("x", step, `config:\n  deep: ${"[".repeat(n)}1${"]".repeat(n)}`);

export default [
  {
    rule: "F1", name: "256 KiB, 2,000 keys and 20 levels are the exact limits",
    catalog: { agents: base },
    async expect({ api }) {
      const padded = (size) => `${ok}# ${"x".repeat(size - ok.length - 2)}`;
      clean(await check(api, padded(262_144)));
      (await check(api, padded(262_145))).must("FV-LIMIT", "error");
      // name, description, config, steps, id, type, agent are seven.
      clean(await check(api, withConfig(1_993)));
      (await check(api, withConfig(1_994))).must("FV-LIMIT", "error");
      clean(await check(api, nested(16)));
      (await check(api, nested(20))).must("FV-LIMIT", "error");
    },
  },
  {
    rule: "F1", name: "aliases, tags, merge keys, dangerous keys, duplicate keys and YAML 1.1 are refused",
    catalog: { agents: base },
    async expect({ api }) {
      for (const [head, code] of [
        ["config: { one: &x 1, two: *x }", "FV-ALIAS"],
        ["config: { one: !!js/function 'f' }", "FV-TAG"],
        ["config: { <<: { a: 1 } }", "FV-KEY"],
        ["config: { __proto__: { a: 1 } }", "FV-KEY"],
        ["config: { constructor: 1 }", "FV-KEY"],
        ["config: { prototype: 1 }", "FV-KEY"],
        ["config: { a: 1, a: 2 }", "FV-DUP-KEY"],
      ]) {
        const c = await check(api, flow("x", step, head));
        assert.equal(c.valid, false, head);
        assert.equal(c.must(code, "error").line, 3, head);
      }
      const old = await check(api, `%YAML 1.1\n---\n${ok}`);
      assert.equal(old.must("FV-DIRECTIVE", "error").line, 1);
    },
  },
  {
    rule: "F1", name: "YAML 1.2: yes and no are words, not booleans",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { yes: one, no: two } }
  - { id: one, type: agent, agent: a }
  - { id: two, type: agent, agent: b }
`) } },
    model: { judge: [done("so", { branch: "no" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(run.steps.pick.branch, "no");
      assert.deepEqual(requests[0].body.tools.find((t) => t.function.name === "finish").function.parameters.properties.branch.enum, ["yes", "no"]);
      assert.deepEqual(statuses(run), { pick: "complete", one: "skipped", two: "complete" });
    },
  },
  {
    rule: "F1", name: "a line that fails only for its @, backtick or colon is text, with a warning",
    catalog: { agents: base },
    async expect({ api }) {
      const wild = await check(api, "---\nname: x\ndescription: Use when: the build is red\nmodel: @planning\ntools: read\n---\nDo it. ${{task}}\n", "agent");
      clean(wild);
      assert.deepEqual(wild.diagnostics.filter((d) => d.code === "AV-TEXT").map((d) => [d.line, d.severity]), [[3, "warning"], [4, "warning"]]);
      const tick = await check(api, `name: x\ndescription: \`make\` it\nsteps:\n${step}`);
      clean(tick);
      assert.equal(tick.must("FV-TEXT", "warning").line, 2);
      assert.equal((await check(api, `name: x\ndescription: "open\nsteps:\n${step}`)).valid, false, "other broken lines stay broken");
    },
  },
  {
    rule: "F2", name: "all faults at once, by line, each at its own key or value, in any key order",
    catalog: { agents: base },
    async expect({ api }) {
      const text = ["name: x", "steps:", "  - agent: nobody", "    on_error: nowhere", "    type: agent", "    id: one", "  - blockedBy: [gone]", "    type: agent", "    agent: a", "    id: one", "    timeout: soon", ""].join("\n");
      const c = await check(api, text);
      assert.equal(c.valid, false);
      assert.equal(c.must("FV-AGENT", "error").line, 3);
      assert.equal(c.find("FV-AGENT").column, 12);
      assert.equal(c.must("FV-ROUTE", "error").line, 4);
      assert.equal(c.must("FV-BLOCK-UNKNOWN", "error").line, 7);
      assert.equal(c.must("FV-ID-DUP", "error").line, 10);
      assert.ok(c.diagnostics.some((d) => d.line === 11 && d.severity === "error"), "timeout: soon");
      c.must("FV-DESC", "error");
      assert.deepEqual(c.diagnostics.map((d) => d.line), c.diagnostics.map((d) => d.line).sort((x, y) => x - y));
      for (const d of c.diagnostics) assert.ok(Number.isInteger(d.line) && d.line >= 1 && d.message.length > 10 && ["error", "warning"].includes(d.severity));
    },
  },
  {
    rule: "F2", name: "no text crashes the check: every answer is a list of diagnostics, quickly",
    catalog: { agents: base }, timeoutMs: 60_000, // for all of them: an endless loop in one never ends
    async expect({ api }) {
      const bomb = `a: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a,*a]`).join("\n")}`;
      const texts = ["", "\n", "[]", "- a", "42", "null", "name: [", "\t\tname: x", "a: b: c: d", `{${'"a":{'.repeat(9_000)}`, "[".repeat(10_000), bomb, "name: \u0000x", "name: x\u0007\ndescription: \u202e", "---\n---\n---", "? ? ? x", "x".repeat(200_000), "{".repeat(100_000), ": ".repeat(50_000), "name: x\nsteps: { a: 1 }", "name: x\nsteps: [null, 1, [], {}]"];
      for (const kind of ["flow", "agent", "skill"]) for (const content of texts) {
        const a = await answerOf(api.raw("POST", "/v1/validate", { kind, content, path: { flow: "flows/x.yaml", agent: "agents/x.md", skill: "skills/x/SKILL.md" }[kind] }));
        assert.equal(a.status, 200, `${kind} ${JSON.stringify(content.slice(0, 40))}: ${a.text.slice(0, 300)}`);
        assert.equal(a.body.valid, false, `${kind} ${JSON.stringify(content.slice(0, 40))}`);
        assert.ok(a.body.diagnostics.some((d) => d.severity === "error"));
      }
    },
  },
  {
    rule: "F3", name: "a misspelled key is an error with the nearest known key, an unknown one a warning; unknown names get the nearest name or the list",
    catalog: { agents: agents(agent("a"), agent("reviewer")) },
    async expect({ api }) {
      const c = await check(api, flow("x", `
  - { id: first, type: agent, agent: reviwer, blockedby: [] }
  - { id: second, type: agent, agent: a, blockedBy: frist, on_error: zzzzzzzz }
  - { id: third, type: agent, agent: a, task: "\${{resutl.first.summary}} \${{result.secnd.summary}}" }
`, "max_concurent: 2\ncolour: red"));
      const told = (d) => `${d.message} ${d.suggestion ?? ""}`;
      assert.equal(c.must("FV-UNKNOWN-KEY").severity, "warning");
      const keys = c.diagnostics.filter((d) => d.code === "FV-MISSPELLED-KEY");
      assert.deepEqual(keys.map((d) => d.severity), ["error", "error"]);
      assert.match(told(keys[0]), /max_concurrent/);
      assert.match(told(keys[1]), /blockedBy/);
      assert.match(told(c.must("FV-AGENT")), /reviewer/);
      assert.match(told(c.must("FV-BLOCK-UNKNOWN")), /first/);
      assert.match(told(c.must("FV-ROUTE")), /first.*second.*third/s, "nothing is near: the short list");
      assert.match(told(c.must("FV-TPL-PREFIX")), /result/);
      assert.match(told(c.must("FV-REF-STEP")), /second/);
    },
  },
  {
    rule: "F4", name: "the seed's types are inferred from their keys, with the line to add; a flow without types runs",
    catalog: { agents: base, flows: { "child.yaml": flow("child", step), "f.yaml": flow("f", `
  - { id: pick, agent: judge, branches: { left: one, right: two } }
  - { id: one, agent: a }
  - { id: two, agent: b }
`) } },
    model: { judge: [done("so", { branch: "left" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, api }) {
      assert.deepEqual(statuses(run), { pick: "complete", one: "complete", two: "skipped" });
      assert.deepEqual([run.steps.pick.type, run.steps.one.type], ["agent-decision", "agent"]);
      const c = await check(api, flow("x", `
  - { id: s1, agent: a }
  - { id: s2, check: s1.summary, present: s3, absent: s3 }
  - { id: s3, path: flows/child.yaml }
  - { id: s4, question: "?", options: [l, r], branches: { l: s5, r: s6 } }
  - { id: s5, agent: judge, branches: { l: s6, r: s7 } }
  - { id: s6, agent: judge, task: again?, loop_target: s1, exit_target: s7, max_iterations: 2 }
  - { id: s7, agent: a }
`));
      assert.deepEqual(c.diagnostics.filter((d) => d.code === "FV-TYPE-INFER").map((d) => [d.line, d.severity, d.suggestion]), [
        [4, "warning", "type: agent"], [5, "warning", "type: conditional"], [6, "warning", "type: flow-ref"], [7, "warning", "type: fork"],
        [8, "warning", "type: agent-decision"], [9, "warning", "type: agent-loop-decision"], [10, "warning", "type: agent"],
      ]);
      clean(c);
    },
  },
  {
    rule: "F4", name: "keys of two types on one step are an error, and our own types must be explicit",
    catalog: { agents: base },
    async expect({ api }) {
      const two = await check(api, flow("x", "  - { id: s, question: '?', options: [l, r], branches: { l: t, r: t }, check: t.summary }\n  - { id: t, type: agent, agent: a }\n"));
      assert.equal(two.must("FV-TYPE-CONFLICT", "error").line, 4);
      const said = await check(api, flow("x", "  - { id: s, type: agent, agent: a, loop_target: t }\n  - { id: t, type: agent, agent: a }\n"));
      said.must("FV-TYPE-CONFLICT", "error");
      for (const [keys, type] of [["outputs: [n]", "code"], ['over: "${{task}}", do: g', "map"], ["for: 1s", "wait"], ["branches: { l: t, r: t }, outputs: [n]", "code-decision"]]) {
        const c = await check(api, flow("x", `  - { id: s, ${keys} }\n  - { id: t, type: agent, agent: a }\n`));
        assert.equal(c.valid, false, keys);
        assert.match(c.must("FV-TYPE-MISSING", "error").suggestion, new RegExp(`type: ${type}$`), keys);
      }
    },
  },
  {
    rule: "F5", name: "a flow's id is its path: folders become colons, its own folder gives the same id, and both at once are an error",
    catalog: { agents: base, flows: { "top.yaml": ok, "legal/nda.yaml": ok, "legal/lease/flow.yaml": ok } },
    model: { a: [done("ran")] },
    async expect({ api }) {
      for (const id of ["top", "legal:nda", "legal:lease"]) {
        assert.equal((await api.raw("GET", `/v1/flows/${id}`)).status, 200, id);
        const run = await api.settle(await api.start(id, { task: "go" }), [], 8_000);
        assert.deepEqual([run.flow, run.steps.s.summary], [id, "ran"]);
      }
      const both = await refused(api.raw("PUT", "/v1/catalog", { flows: { "legal/nda.yaml": ok, "legal/nda/flow.yaml": ok } }), 422, /legal/);
      assert.match(both.text, /CAT-TWICE/);
      assert.equal((await api.raw("GET", "/v1/flows/legal:lease")).status, 200, "nothing was changed");
      await refused(api.raw("PUT", "/v1/catalog", { flows: { "../up.yaml": ok } }), 422);
    },
  },
];
