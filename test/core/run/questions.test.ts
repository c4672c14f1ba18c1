// Questions to a person: asked once, answered once, checked against their schema, withdrawn when they are not needed any more.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import type { Answer } from "../../../src/core/run/signal.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../support/kernel/shell.ts"

function asking(args: JsonObject = { question: "Why?", type: "input" }): Shell {
  const shell = new Shell(planOf(flowOf([agent("a"), agent("b")], { autonomous: false })))
  shell.reply("a", call("ask_user", args))
  return shell
}

const told = (shell: Shell): unknown => {
  const part = shell.events("tool.returned").at(-1)?.content[0]
  return part?.type === "text" ? JSON.parse(part.text) : undefined
}

describe("ask_user", () => {
  test("[Q1] a question becomes one pending interaction with payload, schema and step; nothing runs for it", () => {
    const shell = asking()
    expect(shell.pending()).toMatchObject([
      { id: "i1", kind: "ask_user", step: "a", callId: "c0", pass: 1, payload: { agent: "worker", question: "Why?" } },
    ])
    expect(shell.events("tool.called")).toEqual([])
    expect(shell.keys()).toEqual(["b/1/0/model"])
  })

  test("[Q2] the answer is the call's result, and who answered is kept", () => {
    const shell = asking()
    shell.answer("i1", { answer: "because", notes: "really" })
    expect(told(shell)).toEqual({ answer: "because", notes: "really" })
    expect(shell.run.interactions["i1"]).toMatchObject({ status: "answered", by: "ann" })
    expect(shell.keys()).toContain("a/1/1/model")
  })

  test("[Q2] the first answer stands, the second is refused", () => {
    const shell = asking()
    shell.answer("i1", { answer: "one" })
    expect(shell.answer("i1", { answer: "two" })).toEqual({ ok: false, error: { code: "already_answered" } })
    expect(shell.run.interactions["i1"]?.answer).toEqual({ answer: "one" })
  })

  test("[Q2] an unknown id is not found, even a name that every object has, even when the run is over", () => {
    const shell = asking()
    for (const id of ["i2", "", "toString", "__proto__"])
      expect(shell.answer(id, { answer: "x" })).toEqual({ ok: false, error: { code: "not_found" } })
    shell.tell({ type: "cancel", by: "ann" })
    expect(shell.answer("toString", { answer: "x" })).toEqual({ ok: false, error: { code: "not_found" } })
    expect(shell.answer("i1", { answer: "x" })).toEqual({ ok: false, error: { code: "already_answered" } })
  })

  const cases: [JsonObject, Answer[], Answer[]][] = [
    [{ type: "confirm" }, [{ answer: true }, { answer: false }], [{ answer: "yes" }, { answer: 1 }, { answer: "true" }]],
    [
      { type: "input" },
      [{ answer: "" }, { auto: true }, { cancelled: true }],
      [{ answer: 5 }, { custom: "x" }, {}, { answer: "x", auto: true }],
    ],
    [{ type: "select", options: ["x", "5"] }, [{ answer: "5" }], [{ answer: "z" }, { answer: 5 }, { custom: "other" }, { answer: ["x"] }]],
    [
      { type: "select", options: ["x", "y"], allowCustom: true },
      [{ custom: "other" }, { answer: "x" }],
      [{ custom: "" }, { answer: "x", custom: "y" }],
    ],
    [
      { type: "select", options: ["x", "y"], multiSelect: true },
      [{ answer: ["y", "x"] }, { answer: [] }],
      [{ answer: "x" }, { answer: ["x", "x"] }, { answer: ["z"] }],
    ],
    [{ type: "input" }, [], [{ decision: "approve" }, { decision: "edit", args: {} }]],
  ]

  test("[Q2] an answer is checked against the question; an invalid answer leaves it open", () => {
    for (const [args, good, bad] of cases) {
      for (const body of bad) {
        const shell = asking({ question: "?", ...args })
        const refused = shell.answer("i1", body)
        expect(refused, JSON.stringify([args, body])).toMatchObject({ ok: false, error: { code: "invalid" } })
        expect(shell.pending()).toHaveLength(1)
      }
      for (const body of good) expect(asking({ question: "?", ...args }).answer("i1", body).ok, JSON.stringify([args, body])).toBe(true)
    }
  })

  test("[Q2] auto and cancelled reach the agent unchanged", () => {
    const auto = asking()
    auto.answer("i1", { auto: true })
    expect(told(auto)).toEqual({ auto: true })
    const cancelled = asking()
    cancelled.answer("i1", { cancelled: true })
    expect(told(cancelled)).toEqual({ cancelled: true })
    expect(cancelled.run.status).toBe("running")
  })

  test("[J22] several questions of one message are asked at once, beside calls, and a finish waits for all", () => {
    const shell = new Shell(planOf(flowOf([agent("a")], { autonomous: false })))
    const ask = (question: string) => call("ask_user", { question, type: "input" })
    shell.reply("a", ask("one"), call("look"), ask("two"), finish())
    expect(shell.pending().map((i) => i.payload["question"])).toEqual(["one", "two"])
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
    shell.answer("i2", { answer: "2" })
    shell.returns("a", "c1")
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
    shell.answer("i1", { answer: "1" })
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J16] the run waits when nothing is under way, and names the reason", () => {
    const shell = asking()
    expect(shell.run.status).toBe("running")
    shell.fail("b")
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
    shell.answer("i1", { answer: "x" })
    expect(shell.run.status).toBe("running")
    expect(shell.events("run.resumed")).toHaveLength(1)
  })

  test("[J16] an outdated reason is replaced", () => {
    const shell = asking()
    shell.reply("b", finish())
    expect(shell.run.reason).toBe("interaction")
    shell.answer("i1", { answer: "x" })
    shell.fail("a")
    expect(shell.run).toMatchObject({ status: "waiting", reason: "retry" })
  })

  test("[Q1] a question whose step ended is withdrawn and accepts no answer", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("r", { blockedBy: ["a"] })], { autonomous: false })))
    shell.reply("a", call("ask_user", { question: "?", type: "input" }))
    shell.tell({ type: "cancel", by: "ann" })
    expect(shell.run.interactions["i1"]?.status).toBe("withdrawn")
    expect(shell.answer("i1", { answer: "x" })).toEqual({ ok: false, error: { code: "already_answered" } })
    expect(shell.running()).toEqual([])
  })

  test("[J10] a pending question survives a crash with its number", () => {
    const shell = asking()
    shell.crash()
    expect(shell.pending().map((i) => i.id)).toEqual(["i1"])
    shell.answer("i1", { answer: "x" })
    shell.reply("a", call("ask_user", { question: "And?", type: "input" }))
    expect(shell.pending().map((i) => i.id)).toEqual(["i2"])
  })
})
