// Agent files: fields, outputs, models, grants, checks [F50–F54].
import { agent, agents, assert, call, done, flow } from "../kit.mjs";
import { lastUser, toolResult } from "../model.mjs";
import { asksOf, check, clean, follow, putText, ref, refused, withRoles } from "../kit-flows.mjs";

const bare = (name, front, body = "Do it.\n\n${{task}}\n") => `---\nname: ${name}\ndescription: a test agent\n${front}---\n${body}`;
const one = (name = "a") => ({ "f.yaml": flow("f", `  - { id: s, type: agent, agent: ${name} }\n`) });
const finishOf = (request) => request.body.tools.find((t) => t.function.name === "finish").function.parameters;

export default [
  {
    rule: "F50", name: "every list may be a comma string, an inline list or a block list",
    catalog: { skills: { "docs/SKILL.md": "---\nname: docs\ndescription: d\n---\nx\n", "more/SKILL.md": "---\nname: more\ndescription: d\n---\nx\n" } },
    async expect({ api }) {
      const forms = {
        comma: "tools: read, grep\nskills: docs, more\ninputs: one, two\noutputs: x, y\n",
        inline: "tools: [read, grep]\nskills: [docs, more]\ninputs: [one, two]\noutputs: [x, y]\n",
        block: "tools:\n  - read\n  - grep\nskills:\n  - docs\n  - more\ninputs:\n  - one\n  - two\noutputs:\n  - x\n  - name: y\n",
      };
      await api.put("/v1/catalog", { agents: agents(...Object.entries(forms).map(([name, front]) => bare(name, `model: script/a\n${front}`))) });
      const list = await api.post("/v1/tools/agent_catalog", {});
      for (const name of Object.keys(forms)) {
        const row = list.find((r) => r.name === name);
        assert.deepEqual([row.tools, row.inputs, row.outputs.map((o) => o.name)], [["read", "grep"], ["one", "two"], ["x", "y"]], name);
      }
    },
  },
  {
    rule: "F50", name: "temperature and max_output_tokens reach the provider; access globs may be any list",
    catalog: { agents: agents(agent("a", "temperature: 0.25\nmax_output_tokens: 777\ntools: write\naccess:\n  write: out/**, notes.md\n")), flows: one() },
    model: { a: [{ calls: [{ name: "write", args: { path: "out/x.md", content: "1" } }, { name: "write", args: { path: "src/x.md", content: "2" } }, { name: "write", args: { path: "notes.md", content: "3" } }] }, done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, requests, of, api }) {
      assert.equal(run.status, "succeeded");
      const { body } = requests[0];
      assert.equal(body.temperature, 0.25);
      assert.equal(body.max_tokens ?? body.max_completion_tokens, 777);
      assert.deepEqual(of("tool.refused").map((e) => e.code), ["access"]);
      assert.equal((await api.raw("GET", `/v1/runs/${run.id}/files/src/x.md`)).status, 404);
      assert.equal((await api.raw("GET", `/v1/runs/${run.id}/files/notes.md`)).status, 200);
    },
  },
  {
    rule: "F50", name: "approved_tools and allowed_tools are aliases of tools; 40 turns by default",
    catalog: { agents: agents(bare("a", "model: script/a\napproved_tools: read, ls\n"), bare("b", "model: script/b\nallowed_tools: [read]\n")), flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: a }\n  - { id: t, type: agent, agent: b }\n") } },
    model: { a: (_, n) => call("read", { path: `f${n}` }), b: [done()] },
    run: { flow: "f", task: "go" }, timeoutMs: 40_000,
    expect({ run, requests }) {
      assert.deepEqual([...asksOf(requests, "a")[0].tools].sort(), ["finish", "ls", "read"]);
      assert.deepEqual([...asksOf(requests, "b")[0].tools].sort(), ["finish", "read"]);
      assert.deepEqual([run.status, run.error.source], ["failed", "max_turns"]);
      assert.equal(asksOf(requests, "a").length, 40);
    },
  },
  {
    rule: "F51", name: "a bare output is optional text; type, pattern or required make it required and checked",
    catalog: { agents: agents(agent("a", 'outputs:\n  - note\n  - { name: must, required: true }\n  - { name: n, type: number }\n  - { name: ok, type: boolean }\n  - { name: rows, type: array }\n  - { name: map, type: object }\n  - { name: code, pattern: "^[A-Z]{3}$" }\n')), flows: one() },
    model: { a: [
      done("1", { note: "n" }),
      done("2", { must: "m", n: "many", ok: "maybe", rows: "r", map: [], code: "abc" }),
      done("3", { must: "m", n: 1, ok: true, rows: [1], map: {}, code: "ABC" }),
    ] },
    run: { flow: "f", task: "go" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.steps.s.outputs, { must: "m", n: 1, ok: true, rows: [1], map: {}, code: "ABC" });
      assert.equal(of("finish.rejected").length, 2);
      for (const name of ["must", "n", "ok", "rows", "map", "code"]) {
        assert.match(toolResult(requests[1]), new RegExp(`\\b${name}\\b`), `missing ${name}`);
        if (name !== "must") assert.match(toolResult(requests[2]), new RegExp(`\\b${name}\\b`), `wrong ${name}`);
      }
      const schema = finishOf(requests[0]);
      assert.deepEqual(new Set(schema.required), new Set(["status", "summary", "must", "n", "ok", "rows", "map", "code"]));
      assert.ok(schema.properties.note);
    },
  },
  {
    rule: "F51", name: "a finish needs only status and summary; files defaults to []; outputs cannot use standard field names",
    catalog: { agents: agents(agent("a")), flows: one() },
    model: { a: [{ finish: { status: "complete", summary: "bare" } }] },
    run: { flow: "f", task: "go" },
    async expect({ run, requests, api }) {
      assert.deepEqual([run.status, run.steps.s.summary, run.steps.s.files], ["succeeded", "bare", []]);
      assert.deepEqual(new Set(finishOf(requests[0]).required), new Set(["status", "summary"]));
      for (const name of ["status", "summary", "files", "artifacts", "branch", "fullOutput"]) (await check(api, agent("x", `outputs:\n  - ${name}\n`), "agent")).must("AV-OUTPUT-RESERVED", "error");
      (await check(api, agent("x", "outputs:\n  - { name: a, type: date }\n"), "agent")).must("AV-OUTPUT-TYPE", "error");
    },
  },
  {
    rule: "F52", name: "the tenant maps roles to models; an unmapped role is the default; a step may have its own model",
    catalog: { agents: agents(bare("a", 'model: "@fast"\ntools: read\n'), bare("b", 'model: "@planning"\ntools: read\n'), bare("c", "tools: read\n")), flows: { "f.yaml": flow("f", `
  - { id: a, type: agent, agent: a }
  - { id: b, type: agent, agent: b }
  - { id: c, type: agent, agent: c }
  - { id: d, type: agent, agent: c, model: script/own }
  - { id: e, type: agent, agent: a, model: "@planning" }
`) } },
    model: { "*": [done()] },
    async expect({ api, model }) {
      await withRoles(api, { fast: "script/quick-one", default: "script/usual-one" }, async () => {
        const { run } = await follow(api, "f");
        assert.equal(run.status, "succeeded", JSON.stringify(run.error));
        assert.deepEqual(model.requests.map((r) => r.id).sort(), ["own", "quick-one", "usual-one", "usual-one", "usual-one"]);
      });
    },
  },
  {
    rule: "F52", name: "providers but neither role nor default: the start is 422 and names both settings",
    catalog: { agents: agents(bare("a", 'model: "@fast"\ntools: read\n')), flows: one() },
    async expect({ api }) {
      await withRoles(api, {}, async () => {
        const a = await refused(api.raw("POST", "/v1/flows/f/runs", { task: "go" }), 422, /fast/);
        assert.match(a.text, /default/);
      });
    },
  },
  {
    rule: "F52", name: "split at the first slash; only a known thinking level is removed",
    catalog: { agents: agents(bare("a", "model: script/org/model\ntools: read\n"), bare("b", "model: script/llama:8b\ntools: read\n"), bare("c", "model: script/deep:high\ntools: read\n")), flows: { "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b }\n  - { id: c, type: agent, agent: c }\n") } },
    model: { "*": [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(requests.map((r) => r.id).sort(), ["deep", "llama:8b", "org/model"]);
    },
  },
  {
    rule: "F53", name: "a list and denied_tools, or finish declared, are errors; subagent and the architect's tools are not for everyone",
    catalog: { agents: {} },
    async expect({ api }) {
      for (const list of ["tools", "approved_tools", "allowed_tools"]) (await check(api, bare("x", `model: script/x\n${list}: read\ndenied_tools: []\n`), "agent")).must("AV-TOOLS-BOTH", "error");
      (await check(api, bare("x", "model: script/x\ntools: read, finish\n"), "agent")).must("AV-TOOL-FINISH", "error");
      const unknown = (await check(api, bare("x", "model: script/x\ntools: raed\n"), "agent")).must("AV-TOOL", "error");
      assert.match(`${unknown.message} ${unknown.suggestion}`, /\bread\b/);
      clean(await check(api, bare("x", "model: script/x\ntools: ask_user, skill_read\n"), "agent"));
    },
  },
  {
    rule: "F53", name: "no list grants finish, and skill_read with skills; denied_tools inherits everything inheritable",
    catalog: { agents: agents(bare("a", "model: script/a\n"), bare("b", "model: script/b\nskills: docs\n"), bare("c", "model: script/c\ndenied_tools: []\n"), bare("d", "model: script/d\ndenied_tools: write, edit\n")),
      skills: { "docs/SKILL.md": "---\nname: docs\ndescription: d\n---\nx\n" },
      flows: { "f.yaml": flow("f", ["a", "b", "c", "d"].map((n) => `  - { id: ${n}, type: agent, agent: ${n} }\n`).join("")) } },
    model: { "*": [done()] },
    run: { flow: "f", task: "go", autonomous: false },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      const tools = (id) => [...asksOf(requests, id)[0].tools].sort();
      // Every run that is not autonomous grants ask_user [G1].
      const plain = (id) => tools(id).filter((t) => t !== "ask_user");
      assert.deepEqual(plain("a"), ["finish"]);
      assert.deepEqual(plain("b"), ["finish", "skill_read"]);
      const inherited = plain("c");
      for (const t of ["read", "write", "edit", "ls", "grep", "find", "finish"]) assert.ok(inherited.includes(t), `${t} of ${inherited}`);
      for (const t of ["subagent", "agent_catalog", "agent_write", "flow_write"]) assert.ok(!inherited.includes(t), t);
      assert.deepEqual(plain("d"), inherited.filter((t) => t !== "write" && t !== "edit"));
    },
  },
  {
    rule: "F53", name: "inheriting does not grant ask_user in an autonomous run; the architect's tools come with the role",
    catalog: { agents: agents(bare("a", "model: script/a\ndenied_tools: []\n"), bare("b", "model: script/b\ntools: agent_catalog, read\n"), bare("c", "model: script/c\nrole: architect\ntools: agent_catalog, flow_write\n")),
      flows: { "f.yaml": flow("f", ["a", "b", "c"].map((n) => `  - { id: ${n}, type: agent, agent: ${n} }\n`).join("")) } },
    model: { a: [done()], b: [call("agent_catalog"), done()], c: [call("agent_catalog"), done()] },
    run: { flow: "f", task: "go", autonomous: true },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.ok(!asksOf(requests, "a")[0].tools.includes("ask_user"));
      assert.deepEqual(of("tool.refused").map((e) => [e.step, e.code]), [["b", "role"]]);
      assert.match(toolResult(asksOf(requests, "c")[1]), /flow-architect/);
    },
  },
  {
    rule: "F54a", name: "the checks of flows: code, severity and line of each",
    catalog: { agents: agents(agent("a"), agent("needy", "inputs:\n  - doc\n  - doc_path\n"), agent("judge")) },
    async expect({ api }) {
      const A = (id, more = "") => `  - { id: ${id}, type: agent, agent: a${more} }\n`;
      const table = [
        ["name", "description: d\nsteps:\n" + A("s"), "FV-NAME", "error", 1],
        ["no steps", "name: x\ndescription: d\nsteps: []\n", "FV-STEPS", "error", 3],
        ["not a list", "name: x\ndescription: d\nsteps: s\n", "FV-STEPS", "error", 3],
        ["empty id", flow("x", '  - { id: "", type: agent, agent: a }\n'), "FV-ID-EMPTY", "error", 4],
        ["bad id", flow("x", '  - { id: "a b", type: agent, agent: a }\n'), "FV-ID", "error", 4],
        ["dot id", flow("x", A("v1.2")), "FV-ID-DOT", "warning", 4],
        ["unknown type", flow("x", "  - { id: s, type: agnet, agent: a }\n"), "FV-PARSE", "error", 4],
        ["decision agent", flow("x", "  - { id: s, type: agent-decision, agent: gone, branches: { l: t, r: u } }\n" + A("t") + A("u")), "FV-AGENT-DEC", "error", 4],
        ["fork agent", flow("x", "  - { id: s, type: fork, agent: gone, question: q, options: [l, r], branches: { l: t, r: u } }\n" + A("t") + A("u")), "FV-FORK-AGENT", "error", 4],
        ["waits for a later", flow("x", A("s", ", blockedBy: t") + A("t")), "FV-BLOCK-ORDER", "error", 4],
        ["waits for no agent", flow("x", A("r") + "  - { id: w, type: wait, for: 1 }\n" + A("s", ", blockedBy: w")), "FV-BLOCK-ORDER", "warning", 6],
        ["ring", flow("x", A("s", ", blockedBy: t") + A("t", ", blockedBy: s")), "FV-CYCLE", "error", 4],
        ["one branch", flow("x", "  - { id: s, type: agent-decision, agent: judge, branches: { l: t } }\n" + A("t")), "FV-DEC-MIN", "error", 4],
        ["loop forward", flow("x", A("p") + "  - { id: s, type: agent-loop-decision, agent: judge, task: t, loop_target: t, exit_target: t, max_iterations: 2 }\n" + A("t")), "FV-LOOP-FWD", "warning", 5],
        ["zero cap", flow("x", A("p") + "  - { id: s, type: agent-loop-decision, agent: judge, task: t, loop_target: p, exit_target: t, max_iterations: 0 }\n" + A("t")), "FV-PARSE", "error", 5],
        ["negative", flow("x", A("s"), "max_concurrent: -1"), "FV-PARSE", "error", 3],
        ["unreachable", flow("x", A("s", ", on_complete: u") + "  - { id: w, type: wait, for: 1 }\n" + A("u")), "FV-UNREACHABLE", "warning", 5],
        ["unwired", flow("x", "  - { id: s, type: agent, agent: needy, inputs: { doc: x } }\n"), "FV-IN-UNWIRED", "warning", 4],
        ["extra", flow("x", A("s", ", inputs: { other: x }")), "FV-IN-EXTRA", "warning", 4],
        ["unused", flow("x", "  - { id: s, type: agent, agent: needy, inputs: { doc: x, doc_path: y } }\n"), "FV-IN-UNUSED", "warning", 4],
        ["path without read", flow("x", "  - { id: s, type: agent, agent: needy, inputs: { doc: x, doc_path: y } }\n"), "FV-PATH-READ", "warning", 4],
        ["no field", flow("x", A("s") + A("t", `, blockedBy: s, task: "${ref("result.s.sumary")}"`)), "FV-REF-FIELD", "error", 5],
        ["beside", flow("x", A("s") + A("t", `, task: "${ref("result.s.summary")}"`)), "FV-REF-ORDER", "error", 5],
        ["later", flow("x", A("s", `, task: "${ref("result.t.summary")}"`) + A("t", ", blockedBy: s")), "FV-REF-ORDER", "error", 4],
        ["perhaps skipped", flow("x", "  - { id: p, type: agent-decision, agent: judge, branches: { l: s, r: t } }\n" + A("s") + "  - { id: w, type: wait, for: 1 }\n" + A("t", `, task: "${ref("result.s.summary")}"`)), "FV-REF-ORDER", "warning", 7],
        ["no config", flow("x", A("s", `, task: "${ref("config.nothing")}"`)), "FV-REF-CONFIG", "warning", 4],
        ["no fork", flow("x", A("p") + A("s", `, blockedBy: p, task: "${ref("fork.p.answer")}"`)), "FV-REF-FORK", "error", 5],
        ["exhausted", flow("x", A("p") + "  - { id: s, type: agent-decision, agent: judge, branches: { l: p, r: t }, max_iterations: 1, on_exhausted: q }\n" + A("t")), "FV-EXHAUSTED", "error", 5],
      ];
      for (const [what, text, code, severity, line] of table) {
        const c = await check(api, text);
        const d = c.must(code, severity);
        assert.equal(c.diagnostics.some((x) => x.code === code && x.severity === severity && x.line === line), true, `${what}: ${code} at line ${d.line}, not ${line}`);
        assert.equal(c.valid, !c.errors.length, what);
      }
      clean(await check(api, flow("x", A("p") + "  - { id: f, type: fork, question: q, options: [l, r], branches: { l: s, r: t } }\n" + A("s", `, task: "${ref("fork.f.answer")}"`) + A("t", `, task: "${ref("trigger.body.a.b.c.d")}"`))));
    },
  },
  {
    rule: "F54a", name: "the checks of agents: a file's name, two files with one name, and warnings",
    catalog: { agents: {} },
    async expect({ api }) {
      const at = async (text, code, severity) => (await check(api, text, "agent")).must(code, severity);
      assert.equal((await at("no frontmatter", "AV-FM-MISSING", "error")).line, 1);
      await at("---\nname: x\n", "AV-FM-OPEN", "error");
      assert.equal((await at(bare("y", "model: script/x\ntools: read\n"), "AV-NAME-FILE", "error")).line, 2);
      assert.match((await check(api, bare("y", ""), "agent")).find("AV-NAME-FILE").suggestion, /name: x/);
      await at("---\nname: x\nmodel: script/x\ntools: read\n---\n${{task}}\n", "AV-DESC", "error");
      await at(bare("x", "tools: read\n"), "AV-MODEL", "warning");
      await at(bare("x", "model: script/x\n"), "AV-TOOLS", "warning");
      await at(bare("x", "model: '@nobody'\ntools: read\n"), "AV-MODEL-ROLE", "warning");
      await at(bare("x", "model: script/x\ntools: read\nthinking: hard\n"), "AV-THINKING", "error");
      await at(bare("x", "model: script/x\ntools: read\ninputs: ['a b']\n"), "AV-INPUT", "error");
      await at(bare("x", "model: script/x\ntools: read\ncard: { type: pie }\n"), "AV-CARD-TYPE", "warning");
      await at(bare("x", "model: script/x\ntools: read\ntoools: read\n"), "AV-MISSPELLED-KEY", "error");
      clean(await check(api, bare("x", 'model: "script/x"\ntools: read\ncard: { metric: files }\n'), "agent"));
      await refused(api.raw("PUT", "/v1/catalog", { agents: { "x.md": bare("y", "model: script/x\ntools: read\n") } }), 422, /AV-NAME-FILE/);
      assert.equal((await putText(api, "/v1/agents/x", bare("y", "tools: read\n"))).status, 422);
    },
  },
  {
    rule: "F54a", name: "an old id with a dot is found by the longest match",
    catalog: { agents: agents(agent("a"), agent("b", "outputs:\n  - word\n"), agent("c")), flows: { "f.yaml": flow("f", `
  - { id: v1, type: agent, agent: a }
  - { id: v1.2, type: agent, agent: b }
  - { id: end, type: agent, agent: c, blockedBy: [v1, v1.2], task: "[${ref("result.v1.summary")}][${ref("result.v1.2.word")}][${ref("result.v1.2")}]" }
`) } },
    model: { a: [done("one")], b: [done("two", { word: "W" })], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(lastUser(asksOf(requests, "c")[0]), "[one][W][two]");
    },
  },
  {
    rule: "F52", name: "without any provider a role is the built-in rehearsal model, and the run says that it was rehearsed",
    catalog: { agents: agents(bare("a", 'model: "@fast"\ntools: read\n')), flows: one() },
    async expect({ api, model }) {
      const names = (await api.get("/v1/settings/providers")).data.map((p) => p.name);
      assert.deepEqual(names, ["script"], "the judge needs a tenant of its own");
      try {
        assert.equal((await api.raw("DELETE", "/v1/settings/providers/script?force=1")).status, 204);
        await withRoles(api, {}, async () => {
          const { run } = await follow(api, "f");
          assert.deepEqual([run.status, run.rehearsed, model.requests.length], ["succeeded", true, 0]);
        });
      } finally {
        await api.put("/v1/settings/providers/script", { kind: "openai-compatible", baseUrl: `${model.url}/v1`, apiKey: "test-key" });
      }
    },
  },
];
