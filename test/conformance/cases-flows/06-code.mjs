// Handlers in the sandbox [F24, F25].
import { agent, agents, assert, done, fail, flow } from "../kit.mjs";
import { answerOf, asksOf, check, follow, putText, ref, refused, statuses, until } from "../kit-flows.mjs";

const base = agents(agent("a", "outputs:\n  - { name: list, type: array }\n  - { name: score, type: number }\n"), agent("b"));
const coded = (more = "", head = "") => flow("f", `  - { id: work, type: code${more} }\n`, head);
/** Runs flow `f` with this handler of step `work`. */
const withHandler = async (api, source, start) => {
  const put = await answerOf(putText(api, "/v1/code/f/work", source));
  assert.equal(put.status, 200, `${source}: ${put.text.slice(0, 400)}`);
  return (await follow(api, "f", start)).run;
};

export default [
  {
    rule: "F24", name: "a handler gets typed inputs and ctx, and its outputs are passed on as JSON; its types are stripped",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: make, type: agent, agent: a }
  - { id: work, type: code, inputs: { list: "${ref("result.make.list")}", score: "${ref("result.make.score")}", top: "${ref("flow.input.top")}", text: "n=${ref("result.make.score")} ${ref("result.make.list")}", sum: "${ref("result.make.summary")}" }, outputs: [kinds, where, rows] }
  - { id: tell, type: agent, agent: b, task: "${ref("result.work.rows")} ${ref("result.work.where")}" }
`, "inputs: { top: { type: object, required: true } }") },
      code: { "f/work.ts": `interface Input { list: string[]; score: number; top: { k: boolean }; text: string; sum: string }
type Ctx = { flow: string; step: string; task: string; signal: AbortSignal; log(m: string): void; setSummary(t: string): void }
export default async function work(input: Input, ctx: Ctx): Promise<Record<string, unknown>> {
  ctx.log("hello" as string); ctx.setSummary(\`made \${input.list.length}\`);
  const kinds = { list: Array.isArray(input.list), score: typeof input.score, top: typeof input.top, k: input.top.k, text: input.text, sum: input.sum, signal: ctx.signal instanceof AbortSignal && !ctx.signal.aborted };
  return { kinds, where: [ctx.flow, ctx.step, ctx.task].join("/"), rows: input.list.map((x: string) => ({ x })) } satisfies Record<string, unknown>;
}
` } },
    model: { a: [done("sum", { list: ["p", "q"], score: 9.5 })], b: [done()] },
    run: { flow: "f", task: "T", inputs: { top: { k: true } } },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const { outputs, summary, status } = run.steps.work;
      assert.deepEqual(outputs.kinds, { list: true, score: "number", top: "object", k: true, text: 'n=9.5 ["p","q"]', sum: "sum", signal: true });
      assert.equal(outputs.where, "f/work/T");
      assert.deepEqual(outputs.rows, [{ x: "p" }, { x: "q" }]);
      assert.deepEqual([summary, status], ["made 2", "complete"]);
      assert.match(asksOf(requests, "b")[0].user, /\[\{"x":"p"\},\{"x":"q"\}\] f\/work\/T/);
    },
  },
  {
    rule: "F24", name: "missing and extra keys, a non-object, non-JSON, a throw: soft, with a message that names the fault; on_error takes over",
    timeoutMs: 60_000,
    catalog: { agents: base, flows: { "f.yaml": coded(", outputs: [n]"), "g.yaml": flow("g", "  - { id: work, type: code, outputs: [n], on_error: rescue }\n  - { id: next, type: wait, for: 1 }\n  - { id: rescue, type: agent, agent: b }\n") }, code: { "g/work.ts": "export default () => { throw new Error('kaboom') }\n" } },
    model: { b: [done()] },
    async expect({ api }) {
      for (const [source, from, words] of [
        ["export default () => ({})", "code_contract", /"?n"?/],
        ["export default () => ({ n: 1, extra: 2 })", "code_contract", /extra/],
        ["export default () => 'text'", "code_contract", /object/],
        ["export default () => ({ n: undefined })", "code_contract", /n/],
        ["export default () => ({ n: () => 1 })", "code_contract", /n/],
        ["export default () => { throw new Error('kaboom 7') }", "code_error", /kaboom 7/],
        ["export default async () => { await null; throw new TypeError('later') }", "code_error", /later/],
      ]) {
        const run = await withHandler(api, source);
        assert.deepEqual([run.status, run.error?.step, run.error?.source], ["failed", "work", from], source);
        assert.match(run.error.message, words, source);
      }
      const g = (await follow(api, "g")).run;
      assert.equal(g.status, "succeeded");
      assert.deepEqual(statuses(g), { work: "error", next: "skipped", rescue: "complete" });
      assert.match(g.steps.work.summary, /kaboom/);
    },
  },
  {
    rule: "F24", name: "an error named FlowHardError is hard, past on_error and retry",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: work, type: code, on_error: rescue, retry: { max: 2, backoff: 1 } }\n  - { id: next, type: wait, for: 1 }\n  - { id: rescue, type: agent, agent: b }\n") } },
    model: { b: [done()] },
    async expect({ api, model }) {
      for (const source of ["export default () => { const e = new Error('stop all'); e.name = 'FlowHardError'; throw e }", "class FlowHardError extends Error { name = 'FlowHardError' }\nexport default () => { throw new FlowHardError('stop all') }"]) {
        const run = await withHandler(api, source);
        assert.deepEqual([run.status, run.error.source], ["failed", "flow_hard_error"]);
        assert.match(run.error.message, /stop all/);
        assert.equal(run.steps.work.pass, 1);
      }
      assert.equal(model.requests.length, 0);
    },
  },
  {
    rule: "F24", name: "a step without a handler fails softly when it runs, and says where to put the handler",
    catalog: { agents: base, flows: { "f.yaml": coded(", outputs: [n]") } },
    async expect({ api }) {
      const flowRow = (await api.get("/v1/flows")).data.find((r) => r.id === "f");
      assert.ok(flowRow.diagnostics.some((d) => d.code === "FV-CODE-HANDLER" && d.severity === "warning"));
      const { run } = await follow(api, "f");
      assert.deepEqual([run.status, run.error.source], ["failed", "code_error"]);
      assert.match(run.error.message, /\/v1\/code\/f\/work/);
    },
  },
  {
    rule: "F24", name: "a timeout ends the step softly with code_timeout, a busy loop too",
    catalog: { agents: base, flows: { "f.yaml": coded(", timeout: 600"), "g.yaml": flow("g", "  - { id: work, type: code }\n") }, code: { "g/work.ts": "export default () => ({})\n" } },
    timeoutMs: 60_000,
    async expect({ api }) {
      for (const source of ["export default () => new Promise(() => {})", "export default (i, ctx) => new Promise((ok) => ctx.signal.addEventListener('abort', () => setTimeout(() => ok({}), 5000)))", "export default () => { for (;;) {} }"]) {
        const run = await withHandler(api, source);
        assert.equal(run.status, "failed", source);
        assert.equal(run.error.source, "code_timeout", `${source}: ${run.error.message}`);
      }
      assert.equal((await follow(api, "g")).run.status, "succeeded", "and the next handler runs");
    },
  },
  {
    rule: "F24", name: "no network, no bindings, no imports, no code from text",
    catalog: { agents: base, flows: { "f.yaml": coded(", outputs: [seen]") } },
    async expect({ api, model }) {
      const source = `export default async (input, ctx) => {
  const seen = {};
  const attempt = async (name, f) => { try { const v = await f(); seen[name] = v === undefined ? "nothing" : "got " + typeof v } catch { seen[name] = "refused" } };
  const g = globalThis;
  await attempt("fetch", async () => (await g["fet" + "ch"]("${model.url}/healthz")).status);
  await attempt("text", () => g["Func" + "tion"]("return 1")());
  await attempt("process", () => g["process"]?.env?.PATH);
  await attempt("env", () => g["env"]);
  return { seen };
}
`;
      const before = model.requests.length;
      const put = await answerOf(putText(api, "/v1/code/f/work", source));
      if (put.status === 200) {
        const { run } = await follow(api, "f");
        assert.equal(run.status, "succeeded", JSON.stringify(run.error));
        for (const name of ["fetch", "text"]) assert.equal(run.steps.work.outputs.seen[name], "refused", name);
        for (const name of ["process", "env"]) assert.match(run.steps.work.outputs.seen[name], /nothing|refused/, name);
      } else assert.equal(put.status, 422);
      assert.equal(model.requests.length, before);
      for (const bad of ['import fs from "node:fs"\nexport default () => ({})', 'export default async () => { await import("cloudflare:workers"); return {} }']) {
        const a = await answerOf(putText(api, "/v1/code/f/work", bad));
        assert.equal(a.status, 422, bad);
      }
    },
  },
  {
    rule: "F24", name: "PUT and GET /v1/code/{flow}/{step}: stored with the flow, checked when written, refused with its line",
    catalog: { agents: base, flows: { "legal/nda.yaml": flow("nda", "  - { id: work, type: code, outputs: [n] }\n") } },
    async expect({ api }) {
      await refused(api.raw("GET", "/v1/code/legal:nda/work"), 404);
      const source = "export default (input: {}, ctx): { n: number } => ({ n: 1 as number })\n";
      const put = await answerOf(putText(api, "/v1/code/legal:nda/work", source));
      assert.deepEqual([put.status, put.body.written, put.body.path], [200, true, "code/legal/nda/work.ts"], put.text);
      const got = await answerOf(api.raw("GET", "/v1/code/legal:nda/work"));
      assert.equal(got.text, source, "as it was written, types and all");
      assert.equal((await follow(api, "legal:nda")).run.steps.work.outputs.n, 1);
      for (const [bad, line] of [["\nexport default (input => {\n", undefined], ["export const x = 1\n", undefined], ["enum E { A }\nexport default () => ({ n: E.A })\n", 1]]) {
        const a = await answerOf(putText(api, "/v1/code/legal:nda/work", bad));
        assert.equal(a.status, 422, bad);
        assert.equal(a.body.written, false);
        const d = a.body.diagnostics.find((x) => x.severity === "error");
        assert.ok(d.line >= 1 && d.message.length > 10, a.text);
        if (line) assert.equal(d.line, line, a.text);
      }
      assert.equal((await answerOf(api.raw("GET", "/v1/code/legal:nda/work"))).text, source, "a refused write changes nothing");
    },
  },
  {
    rule: "F24", name: "a handler whose Input and Output differ from the YAML keys is a drift warning, not an error",
    catalog: { agents: base, flows: {} },
    async expect({ api }) {
      const text = flow("f", `  - { id: work, type: code, inputs: { doc: "${ref("task")}" }, outputs: [title, words] }\n`);
      const handler = "interface Input { readonly doc: string }\ninterface Output { title: string; words: number }\nexport default function work(input: Input): Output { return { title: input.doc, words: 1 } }\n";
      assert.equal((await putText(api, "/v1/flows/f", text)).status, 200);
      const kept = await answerOf(putText(api, "/v1/code/f/work", handler));
      assert.deepEqual(kept.body.diagnostics.filter((x) => /DRIFT/.test(x.code)), [], "they agree");
      const put = await answerOf(putText(api, "/v1/flows/f", text.replace("[title, words]", "[title, pages]")));
      assert.equal(put.status, 200, put.text);
      const listed = (await api.get("/v1/catalog")).data.flatMap((row) => row.diagnostics ?? []);
      const d = [...put.body.diagnostics, ...listed].find((x) => x.code === "FV-DRIFT");
      assert.ok(d, `no FV-DRIFT in ${JSON.stringify(put.body.diagnostics)} nor in the catalog`);
      assert.equal(d.severity, "warning");
      assert.match(`${d.message} ${d.suggestion ?? ""}`, /pages|words/);
    },
  },
  {
    rule: "F24", name: "target names another handler; a run keeps the handler it began with",
    catalog: { agents: agents(agent("a")), flows: { "g.yaml": flow("g", "  - { id: shared, type: code, outputs: [v] }\n"), "f.yaml": flow("f", "  - { id: first, type: agent, agent: a }\n  - { id: work, type: code, outputs: [v], target: code/g/shared.ts }\n") }, code: { "g/shared.ts": "export default () => ({ v: 'old' })\n" } },
    model: { a: [{ ...done(), delayMs: 1_200 }] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("the first call", () => model.requests.length);
      assert.equal((await putText(api, "/v1/code/g/shared", "export default () => ({ v: 'new' })\n")).status, 200);
      const run = await api.settle(id, [], 8_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.equal(run.steps.work.outputs.v, "old");
      assert.equal((await follow(api, "f")).run.steps.work.outputs.v, "new");
    },
  },
  {
    rule: "F24", name: "one text, one isolate: another handler never meets its state",
    catalog: { agents: base, flows: { "f.yaml": flow("f", "  - { id: one, type: code, outputs: [n] }\n  - { id: two, type: code, outputs: [n] }\n") },
      code: { "f/one.ts": "globalThis.secret = (globalThis.secret ?? 0) + 1\nexport default () => ({ n: globalThis.secret })\n", "f/two.ts": "export default () => ({ n: globalThis.secret ?? null })\n" } },
    run: { flow: "f", task: "go" },
    expect({ run }) {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.ok(run.steps.one.outputs.n >= 1, "its own state may be met again");
      assert.equal(run.steps.two.outputs.n, null);
    },
  },
  {
    rule: "F24", name: "names that are invalid for a handler are refused in the flow",
    catalog: { agents: base },
    async expect({ api }) {
      const c = await check(api, flow("x", `
  - id: work
    type: code
    inputs: { the-text: "${ref("task")}" }
    outputs: [ok, ok, "my out", branch, summary]
`));
      c.must("FV-CODE-IN", "error");
      c.must("FV-CODE-OUTDUP", "error");
      c.must("FV-CODE-BRANCH", "error");
      assert.equal(c.diagnostics.filter((d) => d.code === "FV-CODE-OUT").length, 2);
    },
  },
  {
    rule: "F25", name: "a handler's branch routes, with by: code; it is not an output, and a loop back obeys its cap",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: draft, type: agent, agent: b }
  - { id: judge, type: code-decision, inputs: { n: "${ref("loop.judge.iteration")}" }, outputs: [n], branches: { more: draft, fine: good, poor: other }, max_iterations: 2 }
  - { id: good, type: agent, agent: b }
  - { id: other, type: agent, agent: b }
`) }, code: { "f/judge.ts": "export default (input) => ({ n: Number(input.n), branch: Number(input.n) < 1 ? 'more' : 'poor' })\n" } },
    model: { b: [done()] },
    async expect({ api }) {
      const { run, of } = await follow(api, "f");
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(statuses(run), { draft: "complete", judge: "complete", good: "skipped", other: "complete" });
      assert.deepEqual(of("branch.taken").map((e) => [e.branch, e.by]), [["more", "code"], ["poor", "code"]]);
      assert.deepEqual([run.steps.judge.branch, run.steps.judge.outputs], ["poor", { n: 1 }]);
      await api.put("/v1/catalog", { code: { "f/judge.ts": "export default () => ({ n: 0, branch: 'more' })\n" } });
      const capped = await follow(api, "f");
      assert.equal(capped.run.steps.draft.pass, 3);
      assert.deepEqual(capped.of("branch.taken").at(-1).by, "cap");
      assert.equal(capped.run.steps.good.status, "complete");
    },
  },
  {
    rule: "F25", name: "any failure of a code-decision is hard: a throw, a missing or unknown branch, no handler, a timeout",
    catalog: { agents: base, flows: Object.fromEntries([["f", ""], ["g", ", timeout: 500"]].map(([name, more]) => [`${name}.yaml`, flow(name, `  - { id: work, type: code-decision, branches: { l: one, r: two }${more} }\n  - { id: one, type: agent, agent: b }\n  - { id: two, type: agent, agent: b }\n`)])), code: { "g/work.ts": "export default () => new Promise(() => {})\n" } },
    model: { b: [done()] }, timeoutMs: 30_000,
    async expect({ api, model }) {
      const bare = (await follow(api, "f")).run;
      assert.deepEqual([bare.status, bare.error.step, bare.error.source], ["failed", "work", "code_error"]);
      for (const [source, from, words] of [
        ["export default () => ({})", "code_contract", /branch/],
        ["export default () => ({ branch: 'middle' })", "code_contract", /middle.*l.*r/s],
        ["export default () => ({ branch: 'l', more: 1 })", "code_contract", /more/],
        ["export default () => { throw new Error('oh') }", "code_error", /oh/],
      ]) {
        const run = await withHandler(api, source);
        assert.deepEqual([run.status, run.error.source], ["failed", from], source);
        assert.match(run.error.message, words);
      }
      const late = (await follow(api, "g")).run;
      assert.deepEqual([late.status, late.error.source], ["failed", "code_timeout"]);
      assert.equal(model.requests.length, 0);
    },
  },
];
