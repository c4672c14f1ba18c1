// A run as Responses streams [P27]: random runs, as they come, with pieces of texts, and read again.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { ResponsesFrames } from "../../../../src/protocols/responses/frames.ts"
import type { PiFlowsFrame } from "../../../../src/core/run/views/pi-flows.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { expectCopiesToGoOn, projected } from "../../../support/kernel/projection.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { live } from "../../../support/kernel/world.ts"
import { faultsOf, streamsOf } from "../../../support/protocols/responses-order.ts"

const framesOf = (log: readonly RunEvent[]): PiFlowsFrame[] => projected(new ResponsesFrames(), log)

const types = (frames: readonly PiFlowsFrame[]): string[] => frames.map(({ event }) => event.replace("response.", ""))

interface Said {
  readonly type: string
  readonly text?: string
  readonly content?: readonly { readonly text: string }[]
  readonly [name: string]: unknown
}
const outputs = (frames: readonly PiFlowsFrame[]): Said[][] =>
  frames.flatMap(({ event, data }) => {
    const { response } = data
    if (!/\.(completed|failed)$/.test(event) || !response || typeof response !== "object" || Array.isArray(response)) return []
    return "output" in response ? [response["output"] as unknown as Said[]] : []
  })

describe("a run as Responses events", () => {
  test("[P27] cached and reasoning tokens are those of the turns of this response", () => {
    const shell = new Shell(planOf(flowOf([agent("a")], { autonomous: false })))
    shell.reply("a", call("ask_user", { question: "?", type: "input" }, "c1"))
    shell.tell({ type: "answer", id: "i1", body: { answer: "x" }, by: "me" })
    shell.reply("a", finish())
    const usages = [
      { input: 10, output: 8, cacheRead: 4, reasoning: 3 },
      { input: 20, output: 5, cacheRead: 7, cacheWrite: 1, reasoning: 2 },
    ]
    const log = shell.log.map((e) => (e.type === "model.replied" ? { ...e, usage: usages.shift() ?? e.usage } : e))
    const told = framesOf(log).flatMap(({ event, data }) =>
      event === "response.completed" ? [data["response"] as Record<string, unknown>] : [],
    )
    expect(told.map(({ usage }) => usage)).toEqual([
      {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 8,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 18,
      },
      {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 7 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 25,
      },
    ])
  })

  test("[P27] items are added empty, filled and done; the last event has all of them", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "do it" })])))
    shell.reply("a", "hm hm", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", finish({ summary: "the end" }))
    const frames = framesOf(shell.log)
    expect(types(frames)).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "mcp_call.in_progress",
      "mcp_call_arguments.delta",
      "mcp_call_arguments.done",
      "mcp_call.completed",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ])
    expect(outputs(frames)[0]?.map((item) => item.type)).toEqual(["reasoning", "mcp_call", "message"])
    expect(outputs(frames)[0]?.[1]).toMatchObject({ name: "look", arguments: '{"n":1}', output: "seen", error: null, status: "completed" })
    expect(outputs(frames)[0]?.[2]?.content?.[0]?.text).toBe("the end")
    expect(faultsOf(frames)).toEqual([])
  })

  test("[P28] a response ends when a person is asked; the next one has what came of it", () => {
    const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
    shell.reply("a", call("put", { n: 1 }, "c1"))
    const id = shell.pending()[0]?.id ?? ""
    shell.answer(id, { decision: "approve" })
    shell.returns("a", "c1", "put")
    shell.reply("a", finish())
    const frames = framesOf(shell.log)
    const [first, second] = outputs(frames)
    expect(first?.map((item) => [item.type, item["status"]])).toEqual([
      ["mcp_call", "incomplete"],
      ["mcp_approval_request", undefined],
    ])
    expect(second?.[0]).toMatchObject({ type: "mcp_call", output: "put", approval_request_id: first?.[1]?.["id"] })
    expect(streamsOf(frames).map(({ id: one }) => one.replace(/^resp_[^_]+_[^_]+/, ""))).toEqual(["", "_2"])
    expect(faultsOf(frames)).toEqual([])
  })

  test("[P5] one of two calls of a turn is rejected: the run still waits, and so the response ends and asks for the other one again", () => {
    const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
    shell.reply("a", call("put", { n: 1 }, "c1"), call("put", { n: 2 }, "c2"))
    const [one, two] = shell.pending()
    shell.answer(one?.id ?? "", { decision: "reject" })
    let frames = framesOf(shell.log)
    expect(frames.at(-1)?.event).toBe("response.completed")
    expect(
      outputs(frames)[1]
        ?.filter(({ type }) => type === "mcp_approval_request")
        .map((item) => item["arguments"]),
    ).toEqual(['{"n":2}'])
    shell.answer(two?.id ?? "", { decision: "approve" })
    shell.returns("a", "c2")
    shell.reply("a", finish())
    frames = framesOf(shell.log)
    expect(outputs(frames)).toHaveLength(3)
    expect(faultsOf(frames)).toEqual([])
  })

  test("[P27] a long output is cut; when a response has too many texts, later ones are there without their texts", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1", `seen ${"x".repeat(20_000)}`)
    shell.reply("a", finish({ summary: "the end" }))
    const n = 130
    // The same turn many times: a run would compact its conversation on the way.
    const log = shell.log.flatMap((e): RunEvent[] => {
      if (e.type === "model.replied" && e.toolCalls[0]?.name === "look")
        return [{ ...e, toolCalls: Array.from({ length: n }, (_, i) => ({ id: `c${i}`, name: "look", args: { n: i } })) }]
      return e.type === "tool.returned" ? Array.from({ length: n }, (_, i) => ({ ...e, callId: `c${i}` })) : [e]
    })
    const [output] = outputs(framesOf(log))
    expect(output).toHaveLength(n + 1)
    expect(String(output?.[0]?.["output"])).toHaveLength(16_001)
    expect(output?.[n - 1]).toMatchObject({ type: "mcp_call", name: "look", output: "", arguments: "{}" })
    expect(output?.[n]?.content?.[0]?.text).toBe("the end")
  })

  test("[P11] what two models say at once is told in an order that the journal has: first who began first", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])))
    const text = "one two three four"
    const projection = new ResponsesFrames()
    const frames: PiFlowsFrame[] = shell.log.flatMap((e) => projection.frames(e))
    let at = shell.log.length
    const next = (): void => {
      for (const e of shell.log.slice(at)) frames.push(...projection.frames(e))
      at = shell.log.length
    }
    frames.push(...projection.said({ step: "b", turn: 0, text: "six seven " }))
    frames.push(...projection.said({ step: "a", turn: 0, text: "one two th" }))
    expect(frames.filter(({ event }) => event.endsWith("text.delta")).map(({ data }) => data["delta"])).toEqual(["one ", "two "])
    shell.reply("b", "six seven eight", call("look", { n: 1 }, "c1"))
    next()
    frames.push(...projection.said({ step: "a", turn: 0, text: "ree f" }))
    shell.reply("a", text, finish())
    next()
    shell.returns("b", "c1", "seen")
    shell.reply("b", finish())
    next()
    expect(frames).toEqual(framesOf(shell.log))
    expect(saidIn(frames)).toEqual([text, "six seven eight"])
  })

  test("[P11] a model that fails while it writes: its item ends, and the next try has its own", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    const projection = new ResponsesFrames()
    const frames: PiFlowsFrame[] = shell.log.flatMap((e) => projection.frames(e))
    let at = shell.log.length
    frames.push(...projection.said({ step: "a", turn: 0, text: "one two " }))
    shell.fail("a", { retryable: true, message: "trouble" })
    shell.pass(shell.now + 60_000)
    for (const e of shell.log.slice(at)) frames.push(...projection.frames(e))
    at = shell.log.length
    frames.push(...projection.said({ step: "a", turn: 0, text: "six " }))
    shell.reply("a", "six seven", finish())
    for (const e of shell.log.slice(at)) frames.push(...projection.frames(e))
    expect(faultsOf(frames)).toEqual([])
    expect(saidIn(frames)).toEqual(["one two ", "six seven"])
    expect(outputs(frames)[0]?.map((item) => [item.type, item["status"]])).toEqual([
      ["reasoning", "incomplete"],
      ["reasoning", "completed"],
      ["message", "completed"],
    ])
  })

  test("[P27] a canceled run is a failed response with the status cancelled", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.tell({ type: "cancel", by: "p" })
    expect(framesOf(shell.log).at(-1)).toMatchObject({ event: "response.failed", data: { response: { status: "cancelled" } } })
  })
})

test("[P27] random runs: numbers are dense, items have their order, every text comes once; a copy at every place goes on the same", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), fc.nat(80), (flow, seed, at) => {
      const { log } = live(planOf(flow, CAST), { world: { seed, post: true } })
      const frames = framesOf(roundTrip(log))
      expect(faultsOf(frames)).toEqual([])
      const texts = log.flatMap((e) => (e.type === "model.replied" && e.text.trim() !== "" ? [e.text] : []))
      expect(saidIn(frames).sort()).toEqual(texts.sort())
      expect(frames).toEqual(framesOf(log))
      expectCopiesToGoOn(() => new ResponsesFrames(), log, at)
    }),
    { numRuns: amount(60, 25) },
  )
})

test("[P11] random runs with pieces: every text comes once, and the numbers are those of who reads it later", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), fc.array(fc.nat(30), { minLength: 1, maxLength: 20 }), (flow, seed, cuts) => {
      const { log } = live(planOf(flow, CAST), { world: { seed, post: true } })
      const projection = new ResponsesFrames()
      const frames: PiFlowsFrame[] = []
      let n = 0
      for (const [i, e] of log.entries()) {
        // Between its beginning and its reply, a model says a part of its text.
        if (e.type === "action.begun" && e.kind === "model") {
          frames.push(...projection.frames(e))
          const reply = log.slice(i).find((one) => one.type === "model.replied" && one.key === e.key)
          const text = reply?.type === "model.replied" ? reply : undefined
          if (text) {
            const length = cuts[n++ % cuts.length] ?? 0
            for (let from = 0; from < Math.min(length, text.text.length); from += 3)
              frames.push(...projection.said({ step: e.step, turn: text.turn, text: text.text.slice(from, Math.min(from + 3, length)) }))
          }
        } else frames.push(...projection.frames(e))
      }
      expect(faultsOf(frames)).toEqual([])
      const lost = log.some((e) => e.type === "model.failed" || e.type === "action.lost" || e.type === "step.finished")
      if (!lost || frames.length === framesOf(log).length) expect(frames).toEqual(framesOf(log))
      for (const e of log) if (e.type === "model.replied" && e.text.trim() !== "") expect(saidIn(frames)).toContain(e.text)
    }),
    { numRuns: amount(60, 25) },
  )
})

/** The deltas of each reasoning item. */
function saidIn(frames: readonly PiFlowsFrame[]): string[] {
  const texts = new Map<string, string>()
  for (const { event, data } of frames)
    if (event === "response.reasoning_summary_text.delta")
      texts.set(String(data["item_id"]), (texts.get(String(data["item_id"])) ?? "") + String(data["delta"]))
  return [...texts.values()]
}
