import { agent, agents, assert, call, done, echo, fail, flow, getter, poster, world } from "../kit.mjs";
import { withTenants, until } from "../kit-service.mjs";
// Runs of many kinds: a case made of each passes, a backtest is the same, its replay is identical and its receipt holds, with no model asked and no request sent.
const R = (p) => `\${{${p}}}`;
const kinds = {
  "loop with iterations": { flow: flow("f", `
  - { id: w, type: agent, agent: a }
  - { id: l, type: agent-loop-decision, agent: l, task: "again? ${R("result.w.summary")}", loop_target: w, exit_target: z, max_iterations: 3 }
  - { id: z, type: agent, agent: z }
`), model: { a: [call("send", { to: "n1" }), done("one"), call("send", { to: "n2" }), done("two"), done("three")], l: [done("l", { branch: "loop" }), done("l2", { branch: "exit" })], z: [done("Z")] } },
  "map of children": { flow: flow("f", `
  - { id: m, type: map, over: "${R("flow.input.xs")}", do: g, task: "do ${R("item")}", max_concurrent: 1 }
`, "inputs: { xs: { type: array } }\n"), g: flow("g", "  - { id: b, type: agent, agent: a }\n"), inputs: { xs: ["p", "q", "p"] }, model: { a: (req, n) => req.body.messages.some((m) => m.role === "tool") ? done("did " + n) : call("send", { to: `t${n}` }) } },
  "question and approval": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n", "autonomous: false\n"), autonomous: false, answers: [(q) => q.kind === "ask_user" ? { answer: "blue" } : { decision: "reject", feedback: "no" }, (q) => q.kind === "ask_user" ? { answer: "blue" } : { decision: "reject", feedback: "no" }, (q) => ({ decision: "reject", feedback: "no" })], policy: { approvals: { tools: "always" } },
    model: { a: [call("ask_user", { question: "color?", type: "text" }), call("send", { to: "x" }), done("A")] } },
  "failed": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), model: { a: [call("send", { to: "x" }), fail("no way")] } },
  "on_error rescue and retry": { flow: flow("f", "  - { id: a, type: agent, agent: a, retry: { max: 1, backoff: 1 }, on_error: r }\n  - { id: z, type: wait, for: 1 }\n  - { id: r, type: agent, agent: r }\n"), model: { a: [fail("x"), fail("y")], r: [done("R")] } },
  "reminders and refused finish": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), model: { a: [{ text: "thinking" }, { finish: { status: "complete", files: [] } }, { calls: [{ name: "nope", args: { x: 1 } }] }, { calls: [{ name: "send", raw: "{not json" }] }, done("A")] } },
  "tool failures": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), model: { a: [{ calls: [{ name: "bad", args: { to: "x" } }, { name: "send", args: { to: 5 } }, { name: "send", args: {} }] }, done("A")] } },
  "unicode and odd text": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), task: "task: # 'x' \"y\" \t tab\n- line\n--- é 😀 \u2028 ${{task}} end ", model: { a: [call("write", { path: "dir/ünï 1.txt", content: "a\r\nb\n\n  c: 😀\u0085\u2028" }), call("send", { to: "${{secret.x}} ${{task}} : - #", text: "~null" }), done("${{task}} yes: no # \u0001")] } },
  "code and decisions": { flow: flow("f", `
  - { id: d, type: agent-decision, agent: a, branches: { yes: y, no: n } }
  - { id: y, type: agent, agent: z, on_complete: e }
  - { id: n, type: agent, agent: l }
  - { id: e, type: agent, agent: z, task: "T ${R("result.d.summary")}" }
`), model: { a: [call("send", { to: "1" }), done("A", { branch: "yes" })], z: [done("Z1"), done("Z2")], l: [done("L")] } },
  "fork by a person": { flow: flow("f", "  - { id: q, type: fork, question: \"which?\", options: [one, two], branches: { one: x, two: y } }\n  - { id: x, type: agent, agent: a, on_complete: e }\n  - { id: y, type: agent, agent: z, on_complete: e }\n  - { id: e, type: agent, agent: l }\n", "autonomous: false\n"), autonomous: false, answers: [{ answer: "two" }], model: { a: [done("A")], z: [done("Z")], l: [done("L")] } },
  "given files and bash": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), files: { "in.txt": "given\n" }, model: { a: [{ calls: [{ name: "bash", args: { command: "cat in.txt > out.txt && date > /dev/null && echo $RANDOM > r.txt; ls" } }] }, call("send", { to: "x" }), done("A", { files: ["out.txt"] })] } },
  "child then parent": { flow: flow("f", "  - { id: r, type: flow-ref, flow: g, task: \"sub ${{task}}\" }\n  - { id: p, type: agent, agent: z, task: \"${{result.r.summary}} ${{run.id}}\" }\n"), g: flow("g", "  - { id: b, type: agent, agent: a }\n  - { id: b2, type: agent, agent: a, blockedBy: b }\n"), model: { a: [call("send", { to: "c" }), done("B"), done("B2")], z: [call("send", { to: "p" }), done("P")] } },
  "staged": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), effects: "staged", answers: [{ answer: { commit: "all" } }], model: { a: [call("send", { to: "c" }), done("A")] } },
  "staged child": { flow: flow("f", "  - { id: r, type: flow-ref, flow: g, task: s }\n  - { id: p, type: agent, agent: z }\n"), g: flow("g", "  - { id: b, type: agent, agent: a }\n"), effects: "staged", answers: [{ answer: { commit: [] } }], model: { a: [call("send", { to: "c" }), done("A")], z: [call("send", { to: "p" }), done("P")] } },
  "dry": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), effects: "dry", model: { a: [call("send", { to: "c" }), done("A")] } },
  "a fork": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: z, blockedBy: a }\n"), fork: { from: { step: "b" }, effects: "live" }, model: { a: [call("send", { to: "c" }), done("A")], z: [call("send", { to: "p" }), done("Z")] } },
  "rehearsed": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), rehearse: true, model: {} },
  "tainted call approved": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n", "autonomous: false\n"), autonomous: false, answers: [{ decision: "approve" }], model: { a: [call("dirty", { to: "x" }), call("send", { to: "c" }), done("A")] } },
  "arguments that cannot be read": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), model: { a: [{ calls: [{ name: "look", raw: '{"id":1e999}' }, { name: "look", raw: "not json" }, { name: "look", raw: "[1]" }, { name: "look", raw: `${'{"id":'.repeat(70)}1${"}".repeat(70)}` }, { name: "look", args: {} }] }, { calls: [{ name: "finish", raw: '{"status":"complete","summary":"s","files":[],"x":1e999}' }] }, done("A")] } },
  "plan in memory": { flow: flow("f", "  - { id: a, type: agent, agent: a }\n"), model: { a: [call("memory.write", { namespace: "n1", content: "kept" }), call("memory.search", { namespace: "n1", query: "kept" }), done("A")] } },
};
const tools = "tools: send, look, bad, dirty, write, bash, ask_user, memory.write, memory.search\n";
export default Object.entries(kinds).map(([name, k]) => ({
  rule: "K22", name: `${name}: a case of the run passes, a backtest is the same, replay is identical, the receipt holds`, model: {}, timeoutMs: 40_000,
  expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
    const s = await echo((hit, res) => { if (hit.path !== "/bad/send") return undefined; res.writeHead(500).end("no"); return null; });
    try {
      await world(t, { policy: k.policy ?? {}, tools: { send: poster(s.url), look: getter(s.url + "/look"), bad: poster(s.url + "/bad"), dirty: poster(s.url, { untrusted: true, effect: "read" }) }, catalog: { agents: agents(...["a", "l", "z", "r"].map((n) => agent(n, tools))), flows: { "f.yaml": k.flow, ...(k.g ? { "g.yaml": k.g } : {}) } } }, async () => {
        model.reset(k.model); const body = { task: k.task ?? "go", inputs: k.inputs, autonomous: k.autonomous, files: k.files, effects: k.effects, rehearse: k.rehearse };
        let { id } = await t.post("/v1/flows/f/runs", body); let run = await t.settle(id, k.answers ?? [], 12_000); 
        if (k.fork) { model.reset(k.model); id = (await t.post(`/v1/runs/${id}/fork`, k.fork)).id; run = await t.settle(id, [], 9000); }
        assert.ok(["succeeded", "failed"].includes(run.status), `${run.status} ${JSON.stringify(run.error)}`);
        const n = s.hits.length; model.reset({});
        const r = await t.post(`/v1/runs/${id}/test`, { name }); assert.equal(r.case.expect.status, run.status, JSON.stringify(run.error));
        const rep = await t.post("/v1/flows/f/test"); assert.equal(rep.failed, 0, JSON.stringify(rep.cases) + "\n" + JSON.stringify(r.case)); assert.equal(model.requests.length, 0); assert.equal(s.hits.length, n);
        for (const st of Object.keys(run.steps)) if (!r.case.expect.steps[st]) throw new Error("no expectation of " + st);
        const b = await t.post("/v1/flows/f/backtest", { against: { runs: [id] } }); let bt; await until(async () => (bt = await t.get(`/v1/backtests/${b.id}`)).status === "done", 20_000, "backtest"); assert.deepEqual(bt.runs.map((x) => x.result), ["same"], JSON.stringify(bt)); assert.equal(model.requests.length, 0); assert.equal(s.hits.length, n);
        const rp = await t.get(`/v1/runs/${id}/replay`); assert.equal(rp.identical, true, JSON.stringify(rp.first));
        const rc = await (await t.raw("GET", `/v1/runs/${id}/receipt`)).text(); const v = await t.json("POST", "/v1/receipts/verify", rc); assert.equal(v.valid, true, JSON.stringify(v));
      });
    } finally { await s.close(); }
  }),
}));
