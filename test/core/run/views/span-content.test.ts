// What was said in spans [N9]: only where it is asked for, without secrets, and never more than an attribute may hold.

import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { MAX_CONTENT_CHARS, MAX_TEXT_CHARS, SpanContent } from "../../../../src/core/run/views/span-content.ts"
import { RunSpans, type Span } from "../../../../src/core/run/views/spans.ts"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import { agent, agentOf, flowOf, planOf, tool } from "../../../support/kernel/builders.ts"
import type { WaitStep } from "../../../../src/core/flow/flow.ts"
import { call, finish, replyOf, Shell } from "../../../support/kernel/shell.ts"

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
/** A tool that takes anything. */
const free = tool("free", "read", { parameters: { type: "object" } })
const planWith = (steps: Parameters<typeof flowOf>[0]) =>
  planOf(flowOf(steps), [agentOf("worker", { tools: { kind: "list", names: ["free"] } })], [free])
const redactor = new Redactor([["crm", ["hunter2-hunter2"]]])

function spansOf(shell: Shell, content = true): Span[] {
  const spans = new RunSpans(hash, content ? new SpanContent((value) => redactor.json(value)) : undefined)
  return shell.log.flatMap((e) => spans.take(e))
}
const of = (spans: readonly Span[], what: string): Record<string, unknown>[] =>
  spans.filter((s) => s.attributes["gen_ai.operation.name"] === what).map((s) => s.attributes)
const messages = (attributes: Record<string, unknown> | undefined, name: string): unknown =>
  JSON.parse(String(attributes?.[`gen_ai.${name}.messages`]))

const wait = (id: string, more: Partial<WaitStep>): WaitStep => {
  const { agent: _agent, task: _task, ...step } = agent(id) as unknown as Record<string, unknown>
  return { ...step, type: "wait", inputs: {}, ...more } as unknown as WaitStep
}

describe("the content of spans", () => {
  test("[N9] a chat has what the model read and said, a tool its arguments and result, all without secrets", () => {
    const shell = new Shell(planWith([agent("a", { task: "find hunter2-hunter2" })]))
    shell.reply("a", "I look.", call("free", { n: 1, key: "hunter2-hunter2" }, "c1"))
    shell.returns("a", "c1", "it says hunter2-hunter2")
    shell.reply("a", finish({ summary: "found" }))
    const spans = spansOf(shell)
    const [first, second] = of(spans, "chat")
    const task = { role: "user", parts: [{ type: "text", content: "find [secret:crm]" }] }
    const said = {
      role: "assistant",
      parts: [
        { type: "text", content: "I look." },
        { type: "tool_call", id: "c1", name: "free", arguments: { n: 1, key: "[secret:crm]" } },
      ],
    }
    expect(messages(first, "input")).toEqual([task])
    expect(messages(first, "output")).toEqual([{ ...said, finish_reason: "toolUse" }])
    expect(messages(second, "input")).toEqual([
      task,
      said,
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "it says [secret:crm]" }] },
    ])
    const [ran] = of(spans, "execute_tool")
    expect(ran?.["gen_ai.tool.call.arguments"]).toBe('{"n":1,"key":"[secret:crm]"}')
    expect(ran?.["gen_ai.tool.call.result"]).toBe("it says [secret:crm]")
    expect(messages(of(spans, "invoke_agent")[0], "output")).toEqual([{ role: "assistant", parts: [{ type: "text", content: "found" }] }])
    expect(JSON.stringify(spans)).not.toContain("hunter2")
    expect(JSON.stringify(spansOf(shell, false))).not.toMatch(/look\.|find|found|messages/)
  })

  test("[N9] a long text is cut, and a long conversation keeps its newest messages", () => {
    const shell = new Shell(planWith([agent("a", { task: `first ${"t".repeat(20_000)}` })]))
    for (let n = 1; n <= 12; n++) {
      shell.reply("a", `text ${n} ${"x".repeat(20_000)}`, call("free", { n, pad: "y".repeat(20_000) }, `c${n}`))
      shell.returns("a", `c${n}`, `result ${n} ${"z".repeat(20_000)}`)
    }
    shell.reply("a", finish())
    const spans = spansOf(shell)
    for (const { attributes } of spans)
      for (const [name, value] of Object.entries(attributes))
        if (typeof value === "string") expect([name, value.length <= MAX_CONTENT_CHARS]).toEqual([name, true])
    const last = messages(of(spans, "chat").at(-1), "input") as { role: string; parts: { response?: string }[] }[]
    expect(last.at(-1)?.parts[0]?.response).toMatch(/^result 12 z+…$/)
    expect(last.at(-1)?.parts[0]?.response?.length).toBe(MAX_TEXT_CHARS)
    expect(JSON.stringify(last)).not.toContain("first")
    expect(last.length).toBeGreaterThan(1)
  })

  test("[N9] a message that alone is too large keeps the parts that fit", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", ...Array.from({ length: 20 }, (_, n) => call("free", { n, pad: "y".repeat(7_000) }, `c${n}`)))
    const chat = spansOf(shell).find((s) => s.kind === "client")
    const [said] = messages(chat?.attributes, "output") as { parts: unknown[] }[]
    expect(said?.parts.length).toBe(4)
  })
})

describe("names and waits", () => {
  test("[N9] [K18] a thread is the conversation, the model is the one that the provider names, and the journal replays with it", () => {
    const named = (responseModel: string | undefined) => {
      const shell = new Shell(planOf(flowOf([agent("a")])), { started: { thread: "chat 7" } })
      const reply = { ...replyOf([finish()]), ...(responseModel === undefined ? {} : { responseModel }) }
      shell.tell({ type: "model.reply", key: shell.keys()[0] ?? "", reply, at: shell.now, digests: {} })
      expect(shell.run.status).toBe("succeeded")
      return spansOf(shell, false)
    }
    const spans = named("m-2026-11-20")
    expect(spans.map((s) => s.attributes["gen_ai.conversation.id"])).toEqual(["chat 7", "chat 7", "chat 7"])
    expect(of(spans, "chat")[0]?.["gen_ai.response.model"]).toBe("m-2026-11-20")
    const [chat] = of(named(undefined), "chat")
    expect(chat?.["gen_ai.response.model"]).toBe(chat?.["gen_ai.request.model"])
  })

  test("[N9] a sleep and a signal are spans below their step, with their ends", () => {
    const shell = new Shell(planOf(flowOf([wait("w", { for: "1h" }), wait("s", { signal: "paid", blockedBy: ["w"] })])))
    shell.pass(shell.nextDue() ?? 0)
    shell.tell({ type: "signal", name: "paid", payload: { ok: true }, by: "ann" })
    const waits = spansOf(shell, false).filter((s) => s.name.startsWith("wait ") && s.attributes["sluice.wait"] !== undefined)
    expect(waits.map((s) => [s.name, s.attributes["sluice.wait.end"], s.end > s.start])).toEqual([
      ["wait sleep", "passed", true],
      ["wait signal", "received", expect.any(Boolean)],
    ])
    const open = new Shell(planOf(flowOf([wait("s", { signal: "paid" })])))
    open.tell({ type: "cancel", by: "ann" })
    expect(spansOf(open, false).find((s) => s.name === "wait signal")?.attributes["sluice.wait.end"]).toBe("withdrawn")
  })
})
