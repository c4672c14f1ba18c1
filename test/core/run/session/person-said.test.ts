// What the model reads of the person who let its call go [Q3], and the ids of its calls: unique in the whole conversation.

import { expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { messages } from "../../../../src/core/run/session/conversation.ts"
import { StepMessages } from "../../../../src/core/run/session/step-messages.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, Shell } from "../../../support/kernel/shell.ts"

const plan = planOf(flowOf([agent("a")]))
const RULES = {
  policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, tools: "always" as const } },
  scopes: [],
  version: 0,
}
const asking = (tainted = false): Shell => {
  const shell = new Shell(plan, { rules: RULES, tainted })
  shell.reply("a", call("post", { n: 7 }))
  return shell
}
/** The texts of the results that the next request holds. */
const read = (shell: Shell): string[] => {
  const { session } = shell.state("a")
  const entries = shell.log.filter((e) => session?.seqs.includes(e.seq))
  return messages(session ?? { task: "" }, entries).flatMap((turn) =>
    turn.role === "tool" ? [turn.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")] : [],
  )
}

test("[Q3] an edited call: the agent reads the arguments that ran, and what the person said", () => {
  const shell = asking()
  shell.answer("i1", { decision: "edit", args: { n: 8 }, feedback: "eight is enough" })
  shell.returns("a", "c0", "posted")
  const [told = ""] = read(shell)
  expect(told).toContain('It ran with: {"n":8}')
  expect(told).toContain("said: eight is enough")
  expect(told.endsWith("posted")).toBe(true)
  const view = new StepMessages("a")
  for (const e of shell.log) view.take(e)
  expect(JSON.stringify(view.after(0).find((m) => m.role === "tool"))).toContain("eight is enough")
})

test("[Q3] feedback of an approval is read, and an approval without words adds nothing to the journal", () => {
  const shell = asking()
  shell.answer("i1", { decision: "approve", feedback: "mind the gap" })
  shell.returns("a", "c0", "posted")
  expect(read(shell)).toEqual(["The person who approved this call said: mind the gap\nposted"])
  for (const body of [{ decision: "approve" }, { decision: "approve", feedback: "" }, { decision: "edit", args: { n: 7 } }] as const) {
    const plain = asking()
    plain.answer("i1", body)
    plain.returns("a", "c0", "posted")
    expect([read(plain), plain.events("tool.returned")[0]]).toEqual([
      ["posted"],
      expect.not.objectContaining({ person: expect.anything() }),
    ])
  }
})

test("[Q3] it is read too when the answer was lost, and when the call is kept", () => {
  const lost = asking()
  lost.answer("i1", { decision: "edit", args: { n: 8 } })
  lost.crash()
  expect(read(lost)[0]).toContain('It ran with: {"n":8}')
  const staged = new Shell(plan, { rules: RULES, started: { effects: "staged" } })
  staged.reply("a", call("post", { n: 7 }))
  staged.answer("i1", { decision: "edit", args: { n: 8 }, feedback: "go" })
  expect(read(staged)[0]).toContain("said: go")
})

test("[G11] what a person says to a marked session with an approval is private", () => {
  for (const [tainted, feedback, mark] of [
    [true, "the code is 1234", true],
    [true, undefined, undefined],
    [false, "the code is 1234", undefined],
  ] as const) {
    const shell = asking(tainted)
    shell.answer("i1", { decision: "approve", ...(feedback === undefined ? {} : { feedback }) })
    expect([tainted, feedback, shell.events("interaction.answered")[0]?.private]).toEqual([tainted, feedback, mark])
  }
})

test("[J21] ids that a model repeats are sent as different ones, each with its own result, and the journal keeps the model's", () => {
  const shell = new Shell(plan)
  const long = "x".repeat(64)
  for (let turn = 0; turn < 3; turn++) {
    shell.reply("a", call("look", { n: turn }, "same"), call("look", { n: turn + 10 }, turn === 1 ? "same_2" : long))
    shell.returns("a", "same", `first ${turn}`)
    shell.returns("a", turn === 1 ? "same_2" : long, `second ${turn}`)
  }
  const { session } = shell.state("a")
  const turns = messages(
    session ?? { task: "" },
    shell.log.filter((e) => session?.seqs.includes(e.seq)),
  )
  const ids = turns.flatMap((t) => (t.role === "assistant" ? t.toolCalls.map(({ id }) => id) : []))
  expect([new Set(ids).size, ids.length, ids[0], Math.max(...ids.map((id) => id.length))]).toEqual([6, 6, "same", 64])
  const results = turns.flatMap((t) => (t.role === "tool" ? [[t.callId, t.content[0]?.type === "text" ? t.content[0].text : ""]] : []))
  expect(results).toEqual(ids.map((id, i) => [id, `${i % 2 === 0 ? "first" : "second"} ${Math.floor(i / 2)}`]))
  expect(shell.events("model.replied").map((e) => e.toolCalls[0]?.id)).toEqual(["same", "same", "same"])
})
