// A run's journal as spans [N9]: their tree, names and ids, and that they contain no text from people, models or tools.

import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { RunSpans, type Span } from "../../../../src/core/run/views/spans.ts"
import { stepTrace } from "../../../../src/core/run/views/span-ids.ts"
import { agent, flowOf, fork, planOf } from "../../../support/kernel/builders.ts"
import { call, failed, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

function spansOf(shell: Shell): Span[] {
  const spans = new RunSpans(hash)
  return shell.log.flatMap((e) => spans.take(e))
}
const one = (options?: StartOptions, more = {}): Shell => new Shell(planOf(flowOf([agent("a", { task: "canary-task", ...more })])), options)
/** Each span's name under its parent's name, with its error. */
function tree(spans: readonly Span[]): string[] {
  const name = (id: string | undefined) => spans.find((s) => s.id === id)?.name ?? "-"
  return spans.map((s) => `${name(s.parent)} > ${s.name}${s.failed ? ` ! ${String(s.attributes["error.type"])}` : ""}`)
}

describe("the spans of a run", () => {
  test("[N9] workflow → agent → chat and tools, each span when it ends", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "c1"), call("ghost", { n: 1 }, "c2"))
    shell.returns("a", "c1", "canary-result")
    shell.fail("a")
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", finish({ summary: "canary-summary" }))
    expect(shell.run.status).toBe("succeeded")
    const root = `invoke_workflow ${shell.run.flow}`
    const spans = spansOf(shell)
    const chat = spans.find((s) => s.kind === "client")?.name
    expect(tree(spans)).toEqual([
      `invoke_agent worker > ${chat}`,
      "invoke_agent worker > execute_tool ghost ! refused.undeclared",
      "invoke_agent worker > execute_tool look",
      `invoke_agent worker > ${chat} ! 529`,
      `invoke_agent worker > ${chat}`,
      `${root} > invoke_agent worker`,
      `- > ${root}`,
    ])
    expect(new Set(spans.map((s) => s.trace))).toEqual(new Set([hash("run_1").slice(0, 32)]))
    expect(new Set(spans.map((s) => s.id)).size).toBe(spans.length)
    for (const s of spans) expect([s.start <= s.end, /^[0-9a-f]{16}$/.test(s.id)]).toEqual([true, true])
  })

  test("[N9] spans use the names of the GenAI conventions", () => {
    const shell = one({ started: { tenant: "acme" } })
    shell.reply("a", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1")
    shell.reply("a", finish())
    const by = (what: string) => spansOf(shell).find((s) => s.attributes["gen_ai.operation.name"] === what)?.attributes
    expect(by("invoke_workflow")).toMatchObject({
      "gen_ai.workflow.name": shell.run.flow,
      "sluice.tenant": "acme",
      "sluice.run.id": "run_1",
      "sluice.run.status": "succeeded",
    })
    expect(by("invoke_agent")).toMatchObject({ "gen_ai.agent.name": "worker", "sluice.step.id": "a", "sluice.step.pass": 1 })
    expect(by("chat")).toMatchObject({
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.response.finish_reasons": ["toolUse"],
    })
    expect(by("execute_tool")).toMatchObject({ "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1" })
  })

  test("[N9] the chats of one pass are one conversation, and a wait for a person is a span with its end", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false })))
    shell.tell({ type: "answer", id: shell.run.pending[0] ?? "", body: { answer: "x" }, by: "ann" })
    shell.reply("a", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1")
    shell.reply("a", finish())
    const spans = spansOf(shell)
    const wait = spans.find((s) => s.name === "wait fork")
    expect(wait?.attributes).toEqual({ "sluice.wait": "fork", "sluice.step.id": "f", "sluice.wait.end": "answered" })
    expect(spans.find((s) => s.id === wait?.parent)?.attributes["sluice.step.id"]).toBe("f")
    const chats = spans.filter((s) => s.attributes["gen_ai.operation.name"] === "chat")
    expect(chats.map((s) => s.attributes["gen_ai.conversation.id"])).toEqual(["run_1/a/1", "run_1/a/1"])
    const open = new Shell(planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false })))
    open.tell({ type: "cancel", by: "ann" })
    expect(spansOf(open).find((s) => s.name === "wait fork")?.attributes["sluice.wait.end"]).toBe("withdrawn")
  })

  test("[N9] a model's name leaves out its provider and thinking level", () => {
    const plan = planOf(flowOf([agent("a")]))
    const shell = new Shell(plan, {
      started: {
        pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: { worker: "local/llama3:8b:high" } },
        rehearsed: false,
      },
    })
    shell.reply("a", finish())
    const [chat] = spansOf(shell)
    expect([chat?.name, chat?.attributes["gen_ai.request.model"], chat?.attributes["gen_ai.provider.name"]]).toEqual([
      "chat llama3:8b",
      "llama3:8b",
      "local",
    ])
  })

  test("[N9] spans contain no task, argument, result, summary, error or made-up tool name", () => {
    const shell = one({ task: "canary-run", inputs: { x: "canary-input" } }, { retry: { max: 0 } })
    shell.reply("a", "canary-text", call("look", { n: 1, canary: "canary" }, "c1"), call("canary tool <b>", { n: 1 }, "c2"))
    for (const key of shell.keys().filter((k) => k.includes("/tool/"))) shell.returns("a", key.split("/").at(-1) ?? "", "canary-result")
    shell.fail("a", { message: "canary-failure" })
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", failed("canary-why"))
    expect(shell.run.ended).toBeDefined()
    expect(JSON.stringify(spansOf(shell))).not.toContain("canary")
  })

  test("[N9] a journal read twice, or folded after a crash, gives the same spans", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1")
    shell.reply("a", finish())
    expect(spansOf(shell)).toEqual(spansOf(shell))
  })

  test("[N9] spans that a crash lost, or that are open at the end, still end", () => {
    const shell = one()
    shell.crash()
    shell.tell({ type: "cancel", by: "ann" })
    expect(tree(spansOf(shell)).map((line) => line.replace(/chat\b.*?(?= !|$)/, "chat"))).toEqual([
      "invoke_agent worker > chat ! lost",
      "invoke_agent worker > chat ! canceled",
      `invoke_workflow ${shell.run.flow} > invoke_agent worker`,
      `- > invoke_workflow ${shell.run.flow}`,
    ])
  })

  test("[N9] the span of a failed run names the source of the failure", () => {
    const shell = one()
    shell.reply("a", failed("no"))
    const root = spansOf(shell).at(-1)
    expect([root?.failed, root?.attributes["error.type"]]).toEqual([true, "agent_finish_error"])
  })

  test("[H8] a run continues its caller's trace, and a child run continues its parent's step", () => {
    const trace = { id: "f".repeat(32), parent: "e".repeat(16) }
    const shell = one({ started: { trace } })
    expect(shell.run.trace).toEqual(trace)
    const step = stepTrace(shell.run, "a", 1, hash)
    shell.reply("a", finish())
    const spans = spansOf(shell)
    expect(spans.map((s) => s.trace)).toEqual(spans.map(() => trace.id))
    expect(spans.at(-1)?.parent).toBe(trace.parent)
    expect(step).toEqual({ id: trace.id, parent: spans.find((s) => s.name.startsWith("invoke_agent"))?.id })
    expect(stepTrace({ id: "run_1", trace: { ...trace, sampled: false } }, "a", 1, hash).sampled).toBe(false)
    expect(stepTrace({ id: "run_1" }, "a", 1, hash).id).toBe(hash("run_1").slice(0, 32))
  })
})
