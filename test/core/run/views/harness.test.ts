// The harness's events, projected from journals that the kernel made [C46]: one whole run, and the order that every run keeps.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { Harness } from "../../../../src/core/run/views/harness.ts"
import type { PiFlowsFrame } from "../../../../src/core/run/views/pi-flows.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { expectCopiesToGoOn } from "../../../support/kernel/projection.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { live } from "../../../support/kernel/world.ts"

function framesOf(log: readonly RunEvent[]): PiFlowsFrame[] {
  const projection = new Harness()
  return log.flatMap((e) => projection.frames(e))
}
const told = (frames: readonly PiFlowsFrame[]): string[] =>
  frames.map(({ event, data }) =>
    event === "custom" ? `custom ${String(data["event_type"])}` : data["state"] === undefined ? event : `${event} ${String(data["state"])}`,
  )

describe("a run as harness events", () => {
  test("[E3] a step starts first, calls come before their results, files and costs before the finish", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "do it" })])))
    shell.reply("a", "hm", call("look", { n: 1 }, "c1"), call("ghost", { n: 1 }, "c2"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", finish({ files: [{ path: "x.md", action: "created" }] }))
    const frames = framesOf(shell.log)
    expect(told(frames)).toEqual([
      "custom run-started",
      "step-start",
      "text",
      "tool-invocation call",
      "tool-invocation call",
      "tool-invocation result",
      "tool-invocation result",
      "data-file-registered",
      "custom step-finished",
      "data-cost-summary",
      "data-latency-summary",
      "finish",
    ])
    expect(frames[3]?.data).toEqual({ stepId: "a", state: "call", toolCallId: "c1", toolName: "look", args: { n: 1 } })
    expect(frames[5]?.data).toMatchObject({ toolCallId: "c2", result: { isError: true, refused: "undeclared" } })
    expect(frames.at(-1)?.data).toMatchObject({ finishReason: "stop", usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } })
    expect(frames.at(-3)?.data).toMatchObject({ usd: null })
  })

  test("[Q3] [E3] a question about a call and its answer come between the call and its result", () => {
    const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
    shell.reply("a", call("put", { n: 1 }, "c1"))
    shell.answer(shell.pending()[0]?.id ?? "", { decision: "approve" })
    shell.returns("a", "c1")
    const frames = told(framesOf(shell.log)).filter((f) => !f.startsWith("custom"))
    expect(frames).toEqual(["step-start", "tool-invocation call", "approval-required", "approval-decision", "tool-invocation result"])
  })

  test("[F30] nothing follows an error", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.fail("a", { retryable: false, message: "no" })
    expect(framesOf(shell.log).at(-1)).toMatchObject({ event: "error", data: { source: "api_error", message: "no" } })
  })
})

const ORDER = (frames: readonly PiFlowsFrame[]): string[] => {
  const wrong: string[] = []
  const started = new Set<unknown>()
  const calls = new Set<string>()
  let over = false
  for (const { event, data } of frames) {
    if (over) wrong.push(`${event} after the end`)
    const step = data["stepId"]
    const id = `${String(step)}/${String(data["toolCallId"])}`
    if (event === "step-start") started.add(step)
    else if (event !== "custom" && typeof step === "string" && event !== "error" && !started.has(step))
      wrong.push(`${event} before step-start`)
    if (event === "tool-invocation" && data["state"] === "call") calls.add(id)
    if (event === "tool-invocation" && data["state"] === "result" && !calls.delete(id)) wrong.push(`a result of ${id} without its call`)
    if ((event === "approval-required" || event === "approval-decision") && data["toolCallId"] !== undefined && !calls.has(id))
      wrong.push(`${event} outside of ${id}`)
    over = event === "error" || event === "finish"
  }
  return wrong
}

test("[E3] the order holds for random runs, and a late reader gets exactly the rest", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), fc.nat(50), (flow, seed, at) => {
      const { log } = live(planOf(flow, CAST), { world: { seed, post: true } })
      const frames = framesOf(roundTrip(log))
      expect(ORDER(frames)).toEqual([])
      expect(frames).toEqual(framesOf(log))
      expectCopiesToGoOn(() => new Harness(), log, at)
    }),
    { numRuns: amount(60, 25) },
  )
})
