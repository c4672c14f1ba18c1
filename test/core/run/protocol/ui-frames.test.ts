// A run as the AI SDK's UI message stream [P11, P22]: the order that the SDK relies on, and each text once.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { uiMessageChunkSchema } from "ai"
import type { JsonObject } from "../../../../src/core/json.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { UiFrames } from "../../../../src/protocols/ui/frames.ts"
import type { PiFlowsFrame } from "../../../../src/core/run/views/pi-flows.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { expectCopiesToGoOn, projected } from "../../../support/kernel/projection.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { live } from "../../../support/kernel/world.ts"

const chunksOf = (log: readonly RunEvent[]): JsonObject[] => projected(new UiFrames(), log).map(({ data }) => data)
const types = (chunks: readonly JsonObject[]): string[] =>
  chunks.map(({ type }) => String(type)).filter((type) => !type.startsWith("data-"))

describe("a run as a UI message", () => {
  test("[P22] commentary, calls, the answer, and the end with what the page may want", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "do it" })])))
    shell.reply("a", "hm", call("look", { n: 1 }, "c1"), call("ghost", { n: 1 }, "c2"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", finish({ summary: "over" }))
    const chunks = chunksOf(shell.log)
    expect(types(chunks)).toEqual([
      "start",
      "start-step",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "tool-input-available",
      "tool-input-available",
      "tool-output-error",
      "tool-output-available",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ])
    expect(chunks[0]).toEqual({ type: "start", messageId: "run_1" })
    expect(chunks.find(({ type }) => type === "tool-input-available")).toMatchObject({
      toolName: "look",
      input: { n: 1 },
      dynamic: true,
      providerExecuted: true,
    })
    expect(chunks.findLast(({ type }) => type === "data-step")).toMatchObject({ id: "a", data: { status: "complete", summary: "over" } })
    expect(chunks.at(-1)).toMatchObject({
      finishReason: "stop",
      messageMetadata: { run: "run_1", thread: "run_1", status: "succeeded", seq: shell.log.at(-1)?.seq, usage: { tokens: 30 } },
    })
  })

  test("[P23] an approval asks about its call; a denied call has no other end; what follows is a step of its own", () => {
    for (const decision of ["approve", "reject"] as const) {
      const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
      shell.reply("a", call("put", { n: 1 }, "c1"))
      shell.answer(shell.pending()[0]?.id ?? "", { decision })
      if (decision === "approve") shell.returns("a", "c1")
      shell.reply("a", finish())
      const chunks = chunksOf(shell.log)
      expect(types(chunks)).toEqual([
        "start",
        "start-step",
        "tool-input-available",
        "tool-approval-request",
        "finish-step",
        "start-step",
        "tool-approval-response",
        decision === "approve" ? "tool-output-available" : "tool-output-denied",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
      ])
      expect(chunks.find(({ type }) => type === "tool-approval-request")).toMatchObject({ approvalId: "run_1.i1" })
    }
  })

  test("[P23] a question is one call, for the page to answer", () => {
    const shell = new Shell(planOf(flowOf([agent("a", {})], { autonomous: false })), { autonomous: false })
    shell.reply("a", call("ask_user", { question: "Which?", type: "select", options: ["red", "blue"] }, "c1"))
    shell.answer(shell.pending()[0]?.id ?? "", { answer: "red" })
    const chunks = chunksOf(shell.log)
    expect(chunks.filter(({ type }) => String(type).startsWith("tool-"))).toEqual([
      {
        type: "tool-input-available",
        toolCallId: "run_1.i1",
        toolName: "ask_user",
        input: { agent: "worker", question: "Which?", type: "select", options: ["red", "blue"] },
        dynamic: true,
      },
      { type: "tool-output-available", toolCallId: "run_1.i1", output: { answer: "red" }, dynamic: true },
    ])
  })

  test("[P22] a failed run is an error, a canceled one an abort, and each has an end", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.fail("a", { retryable: false, message: "no key" })
    expect(chunksOf(shell.log).slice(-2)).toMatchObject([
      { type: "error", errorText: expect.stringContaining("no key") },
      { type: "finish", finishReason: "error", messageMetadata: { status: "failed" } },
    ])
    const other = new Shell(planOf(flowOf([agent("a")])))
    other.tell({ type: "cancel", by: "ann" })
    expect(chunksOf(other.log).slice(-2)).toMatchObject([{ type: "abort" }, { type: "finish", messageMetadata: { status: "canceled" } }])
  })

  test("[P9] no prompt is in it", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "SECRET-TASK" })])), { task: "SECRET-START" })
    shell.steer("a", "SECRET-STEER")
    shell.reply("a", finish())
    expect(JSON.stringify(chunksOf(shell.log))).not.toContain("SECRET")
  })
})

/** What the SDK's reader throws at, and what it would show wrongly. */
const wrongs = (chunks: readonly JsonObject[]): string[] => {
  const wrong: string[] = []
  const open = new Set<unknown>()
  const calls = new Set<unknown>()
  const approvals = new Set<unknown>()
  let steps = 0
  for (const [i, { type, id, toolCallId, approvalId }] of chunks.entries()) {
    const said = String(type)
    if ((i === 0) !== (said === "start")) wrong.push(`${said} at ${i}`)
    if ((i === chunks.length - 1) !== (said === "finish")) wrong.push(`${said} at the end`)
    if (said.endsWith("-start") && !said.startsWith("data-")) {
      if (open.has(id)) wrong.push(`${said} twice`)
      open.add(id)
    } else if (/-delta$|^(?:text|reasoning)-end$/.test(said)) {
      if (!open.has(id)) wrong.push(`${said} without its start`)
      if (said.endsWith("-end")) open.delete(id)
    } else if (said === "tool-input-available") {
      if (calls.has(toolCallId)) wrong.push(`the call ${String(toolCallId)} twice`)
      calls.add(toolCallId)
    } else if (toolCallId !== undefined && !calls.has(toolCallId)) wrong.push(`${said} without its call`)
    if (said === "tool-approval-request") approvals.add(approvalId)
    else if (approvalId !== undefined && !approvals.has(approvalId)) wrong.push(`${said} without its request`)
    if (said === "start-step" && steps++ > 0) wrong.push("a step in a step")
    if (said === "finish-step") steps = Math.max(0, steps - 1)
  }
  return open.size === 0 ? wrong : [...wrong, "a text without an end"]
}

test("[P11] the order holds for random runs; a copy tells exactly the rest; each text is told once, with pieces and without", async () => {
  const schema = uiMessageChunkSchema()
  await fc.assert(
    fc.asyncProperty(flows(), fc.nat(2 ** 31), fc.nat(60), fc.array(fc.nat(9), { maxLength: 30 }), async (flow, seed, at, cuts) => {
      const log = roundTrip(live(planOf(flow, CAST), { world: { seed, post: true } }).log)
      const chunks = chunksOf(log)
      expect(wrongs(chunks)).toEqual([])
      for (const chunk of chunks) expect(await schema.validate?.(chunk)).toMatchObject({ success: true })
      expectCopiesToGoOn(() => new UiFrames(), log, at)

      const told = new UiFrames()
      const frames: PiFlowsFrame[] = []
      for (const [i, e] of log.entries()) {
        const cut = cuts[i % Math.max(1, cuts.length)] ?? 0
        if (e.type === "model.replied" && e.text !== "")
          for (const text of [e.text.slice(0, cut), e.text.slice(cut)].filter((piece) => piece !== ""))
            frames.push(...told.said({ step: e.step, turn: e.turn, text }))
        frames.push(...told.frames(e))
      }
      const texts = (all: readonly JsonObject[]): string =>
        all.flatMap(({ type, delta }) => (type === "reasoning-delta" ? [String(delta)] : [])).join("")
      const pieces = frames.map(({ data }) => data)
      expect(wrongs(pieces)).toEqual([])
      expect(texts(pieces)).toBe(texts(chunks))
      expect(texts(chunks)).toBe(log.flatMap((e) => (e.type === "model.replied" ? [e.text] : [])).join(""))
    }),
    { numRuns: amount(60, 25) },
  )
})
