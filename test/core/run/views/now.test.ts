// Where a run is, for its row in the list [H5]: what is asked comes first, then what works; a failure says why; texts are cut, never within a
// character.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../../src/core/json.ts"
import type { Run } from "../../../../src/core/run/state.ts"
import { nowOf, SHOWN_IN_ROW } from "../../../../src/core/run/views/now.ts"
import { runView } from "../../../../src/core/run/views/view.ts"
import { cutAt } from "../../../../src/core/text/cut-at.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, failed, finish, Shell } from "../../../support/kernel/shell.ts"

const begun = (steps = [agent("a"), agent("b")]): Shell => new Shell(planOf(flowOf(steps)), { autonomous: false })

describe("where a run is", () => {
  test("[H5] the first step that works, with its turn, and how many others work", () => {
    const shell = begun()
    expect(nowOf(shell.run)).toMatchObject({ step: "a", pass: 1, turn: 0, more: 1 })
    shell.reply("a", call("look"))
    shell.returns("a", shell.events("tool.called")[0]?.callId ?? "")
    expect(nowOf(shell.run)).toMatchObject({ step: "a", turn: 1, more: 1 })
    shell.reply("a", finish())
    expect(nowOf(shell.run)).toEqual({ step: "b", pass: 1, turn: 0 })
  })

  test("[H5] of a run that succeeded, what it said or the outputs of its flow, cut", () => {
    const shell = begun([agent("a")])
    shell.reply("a", finish())
    const { output } = shell.run
    expect(nowOf(shell.run)).toEqual({ output: "done" })
    const shown = (given: JsonObject, outputs?: Run["plan"]["flow"]["outputs"]) =>
      nowOf({ ...shell.run, output: given, plan: { ...shell.run.plan, flow: { ...shell.run.plan.flow, ...(outputs && { outputs }) } } })
    expect(shown({ ...(output as JsonObject), summary: " ", outputs: { kind: "refund", usd: 4 } })).toEqual({
      output: "kind: refund, usd: 4",
    })
    expect(shown({ ...(output as JsonObject), summary: " ", outputs: { urgent: true } })).toEqual({ output: "urgent: true" })
    expect(shown({ summary: "x".repeat(400), tags: ["a"] }, { summary: "", tags: "" })).toEqual({ output: "x".repeat(SHOWN_IN_ROW) })
    expect(shown({ files: [] }, { files: "" })).toBeUndefined()
  })

  test("[H5] what is asked comes before what works, and is cut", () => {
    const shell = begun()
    shell.reply("b", call("ask_user", { question: "😀".repeat(150), type: "input" }))
    const now = nowOf(shell.run)
    expect(now).toMatchObject({ step: "b", asks: { id: shell.pending()[0]?.id, kind: "ask_user", text: "😀".repeat(SHOWN_IN_ROW / 2) } })
  })

  test("[H5] why a run failed, and nothing of a canceled one", () => {
    const shell = begun([agent("a")])
    shell.reply("a", failed(`no ${"x".repeat(400)}`))
    const { error } = shell.run
    expect(nowOf(shell.run)).toEqual({ step: "a", source: error?.source, message: error?.message.slice(0, SHOWN_IN_ROW) })
    const other = begun()
    other.tell({ type: "cancel", by: "me" })
    expect(nowOf(other.run)).toBeUndefined()
  })

  test("[H5] what a run below asks, with the step of this run that it belongs to", () => {
    const shell = begun([agent("a")])
    const question = { run: "child", id: "i1", kind: "approval.tool", step: "deep", payload: { tool: "post", args: { n: 1 } }, schema: {} }
    const run: Run = {
      ...shell.run,
      asks: { child: { step: "a", pass: 1, from: 1, waits: true, open: [{ ...question, kind: "approval.tool" }] } },
    }
    expect(nowOf(run)).toMatchObject({ step: "a", asks: { id: "i1", run: "child", kind: "approval.tool", text: 'post {"n":1}' } })
  })

  test("[H5] a step says how many model calls it has had", () => {
    const shell = begun([agent("a")])
    shell.fail("a")
    const { steps } = runView(shell.run)
    expect(steps["a"]).toMatchObject({ model_calls: 1, attempts: 1, retries: 0 })
  })
})

describe("the beginning of a text", () => {
  test("[H5] has at most so many characters, is its beginning, and ends with a whole character", () => {
    for (const text of ["", "abc", "a😀b", "😀😀", "é".repeat(9)])
      for (let most = 0; most <= 10; most++) {
        const cut = cutAt(text, most)
        expect(cut.length).toBeLessThanOrEqual(most)
        expect(text.startsWith(cut)).toBe(true)
        expect(cut.isWellFormed()).toBe(true)
        expect(text.length - cut.length).toBeLessThanOrEqual(Math.max(0, text.length - most) + 1)
      }
  })
})
