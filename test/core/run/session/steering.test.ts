// Steering: a person's message goes in before the next model call, and the turn's remaining calls are refused.

import { describe, expect, test } from "vitest"
import { MAX_STEERS } from "../../../../src/core/run/session/admit-session.ts"
import { messages } from "../../../../src/core/run/session/conversation.ts"
import type { Signal } from "../../../../src/core/run/signal.ts"
import { agent, fork, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const one = (): Shell => new Shell(planOf(flowOf([agent("a")], { autonomous: false })))
const steered = (shell: Shell) => shell.events("tool.refused").map((e) => [e.tool, e.code])

function conversation(shell: Shell) {
  const session = shell.state("a").session
  return session
    ? messages(
        session,
        session.seqs.flatMap((seq) => shell.log[seq - 1] ?? []),
      )
    : []
}

describe("steering", () => {
  test("[J24] during a model call: the reply's calls are refused, including a finish, and the message goes in", () => {
    const shell = one()
    shell.steer("a", "turn left")
    expect(shell.events("steer.delivered")).toEqual([])
    shell.reply("a", call("post"), finish())
    expect(steered(shell)).toEqual([
      ["post", "steered"],
      ["finish", "steered"],
    ])
    expect(shell.events("steer.delivered")).toMatchObject([{ step: "a", turn: 1 }])
    expect(shell.events("tool.called")).toEqual([])
    expect(conversation(shell).at(-1)).toEqual({ role: "user", text: "turn left" })
    expect(shell.keys()).toEqual(["a/1/1/model"])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J24] a call that began and was lost in a pause is not skipped: it is made again when the run resumes", () => {
    const shell = one()
    shell.reply("a", call("put"), call("post"))
    shell.tell({ type: "pause", reason: "operator" })
    shell.crash()
    shell.steer("a")
    expect(steered(shell)).toEqual([["post", "steered"]])
    shell.tell({ type: "resume", reason: "operator" })
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
  })

  test("[J24] during a tool call: the call may end, calls that have not begun are refused", () => {
    const shell = one()
    shell.reply("a", call("put"), call("post"), finish())
    shell.steer("a")
    expect(steered(shell)).toEqual([
      ["post", "steered"],
      ["finish", "steered"],
    ])
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    shell.returns("a", "c0")
    expect(shell.keys()).toEqual(["a/1/1/model"])
    expect(conversation(shell).map((t) => t.role)).toEqual(["user", "assistant", "tool", "tool", "tool", "user"])
  })

  test("[J24] a latched finish is taken back", () => {
    const shell = one()
    shell.reply("a", call("look"), finish({ summary: "too early" }))
    shell.steer("a")
    shell.returns("a", "c0")
    expect(shell.state("a").status).toBe("running")
    shell.reply("a", finish({ summary: "now" }))
    expect(shell.state("a").result?.summary).toBe("now")
  })

  test("[J24] an open question stays open", () => {
    const shell = one()
    shell.reply("a", call("ask_user", { question: "?", type: "input" }), finish())
    shell.steer("a")
    expect(shell.pending()).toHaveLength(1)
    expect(steered(shell)).toEqual([["finish", "steered"]])
    shell.answer("i1", { answer: "x" })
    expect(shell.events("steer.delivered")).toHaveLength(1)
    expect(shell.keys()).toEqual(["a/1/1/model"])
  })

  test("[J24] several messages go in together, in their order", () => {
    const shell = one()
    shell.steer("a", "first")
    shell.steer("a", "second")
    shell.reply("a", "hm")
    expect(conversation(shell).slice(-2)).toEqual([
      { role: "user", text: "first" },
      { role: "user", text: "second" },
    ])
    expect(shell.events("reminder.sent")).toEqual([])
  })

  test("[J24] while a retry waits: the message goes in once, before the call is made again", () => {
    const shell = one()
    shell.fail("a")
    shell.steer("a", "left")
    expect(shell.events("steer.delivered")).toHaveLength(1)
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J24] a queued message survives a crash", () => {
    const shell = one()
    shell.steer("a", "left")
    shell.crash()
    expect(shell.events("steer.delivered")).toHaveLength(1)
    expect(conversation(shell).at(-1)).toEqual({ role: "user", text: "left" })
    expect(shell.keys()).toEqual(["a/1/0/model"])
  })

  test("[J24] twenty messages may wait for a session; further messages are refused until its model is called", () => {
    const shell = one()
    shell.fail("a")
    shell.tell({ type: "pause", reason: "operator" })
    for (let i = 0; i < MAX_STEERS; i++) expect(shell.steer("a", `${i}`).ok).toBe(true)
    expect(shell.steer("a", "one too many")).toEqual({ ok: false, error: { code: "too_many" } })
    shell.tell({ type: "resume", reason: "operator" })
    expect(shell.events("steer.delivered")).toHaveLength(MAX_STEERS)
    expect(shell.steer("a", "now").ok).toBe(true)
  })

  test("[H4] a message or signal sent again with its id counts once, even after the end", () => {
    const shell = one()
    const words: Signal[] = [
      { type: "steer", step: "a", id: "st_1", message: "left", by: "ann" },
      { type: "signal", name: "go", payload: 1, by: "ann", id: "sg_1" },
    ]
    for (const word of [...words, ...words]) expect(shell.tell(word).ok).toBe(true)
    shell.crash()
    for (const word of words) expect(shell.tell(word).ok).toBe(true)
    expect([shell.events("steer.queued").length, shell.events("signal.received").length]).toEqual([1, 1])
    shell.tell({ type: "cancel", by: "ann" })
    const { length } = shell.log
    for (const word of words) expect(shell.tell(word).ok).toBe(true)
    expect(shell.log).toHaveLength(length)
  })

  test("[J24] a step without a session cannot be steered, an unknown step is not found", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false })))
    for (const step of ["f", "a"]) expect(shell.steer(step)).toEqual({ ok: false, error: { code: "not_running" } })
    for (const step of ["z", "toString", "__proto__"]) expect(shell.steer(step)).toEqual({ ok: false, error: { code: "not_found" } })
    shell.tell({ type: "cancel", by: "ann" })
    expect(shell.steer("a")).toEqual({ ok: false, error: { code: "run_over" } })
  })
})
