// A model whose reply was cut at its limit of output is told so: not that its arguments are no JSON, nor only that it has not finished.

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { replay } from "../../../support/kernel/replay.ts"
import { call, finish, replyOf, Shell, type Call } from "../../../support/kernel/shell.ts"

const shell = (): Shell => new Shell(planOf(flowOf([agent("a")])))

/** The last call has no end. */
function cut(s: Shell, ...said: (Call | string)[]): void {
  const whole = replyOf(said)
  const toolCalls = whole.toolCalls.map((one, i, all) => (i < all.length - 1 ? one : { ...one, args: {}, raw: '{"path":"a.md","con' }))
  const reply = { ...whole, toolCalls, stopReason: "length" as const, limit: 4_096 }
  expect(s.tell({ type: "model.reply", key: s.flying("a", "/model"), reply, at: s.now }).ok).toBe(true)
}
const CUT = /cut off.*4096 tokens/

describe("a reply that was cut at its limit", () => {
  test("[G6] a call without its end is refused with the reason, and those before it run", () => {
    const s = shell()
    cut(s, call("look"), call("put"))
    expect(s.events("tool.refused").map((e) => [e.callId, e.reason])).toEqual([["c1", expect.stringMatching(CUT)]])
    expect(s.keys()).toEqual(["a/1/0/tool/c0"])
    expect(s.events("model.replied")[0]?.limit).toBe(4_096)
  })

  test("[G6] a finish without its end is rejected with the reason", () => {
    const s = shell()
    cut(s, finish())
    expect(s.events("finish.rejected")[0]?.errors).toEqual([{ path: "", message: expect.stringMatching(CUT) }])
  })

  test("[G6] text or thoughts alone are answered with the reason", () => {
    for (const said of [["a long story"], []]) {
      const s = shell()
      cut(s, ...said)
      expect(s.events("reminder.sent")[0]?.message).toMatch(CUT)
    }
  })

  test("[K18] it replays, and a reply that was not cut has no new member", () => {
    const s = shell()
    cut(s, call("put"))
    s.reply("a", finish())
    expect(replay(s.plan, s.log, (text) => String((JSON.parse(text) as RunEvent).seq)).fault).toBeUndefined()
    expect(s.events("model.replied").at(-1)).not.toHaveProperty("limit")
  })
})
