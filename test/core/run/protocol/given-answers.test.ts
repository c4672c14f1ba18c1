// What a run has said that a client may send back as history [P2].

import { describe, expect, test } from "vitest"
import { asSaid, markOf, rememberedOf, underKey, underThread } from "../../../../src/core/run/protocol/given-answers.ts"
import type { FactOf } from "../../../../src/core/run/event.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../../support/kernel/builders.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

function ended(started: Partial<FactOf<"run.started">>, summary = "It is done."): Shell {
  const worker = agentOf("worker", { tools: { kind: "list", names: ["ask_user"] } })
  const shell = new Shell(compile({ flow: flowOf([agent("a")], { autonomous: false }), agents: { worker }, skills: {}, tools: TOOLS }), {
    started,
  })
  shell.reply("a", finish({ summary }))
  expect(shell.run.status).toBe("succeeded")
  return shell
}

describe("the tenant remembers", () => {
  test("[P2] an answer under the key that was told, and under the thread that its client names", () => {
    expect(rememberedOf(ended({ asker: "k", thread: "run_1" }).run)).toEqual([underKey("k", "It is done.")])
    expect(rememberedOf(ended({ asker: "k", thread: "t" }).run)).toEqual([
      underKey("k", "It is done."),
      underThread("f", "t", "It is done."),
    ])
    // A page has no key: what it was told is known in its thread alone.
    expect(rememberedOf(ended({ thread: "t" }).run)).toEqual([underThread("f", "t", "It is done.")])
  })

  test("[P2] nothing of a run that neither a message nor a thread brought", () => {
    expect(rememberedOf(ended({}).run)).toEqual([])
    expect(rememberedOf(ended({ asker: "k", thread: "t", parent: { run: "run_0", step: "a", pass: 1, index: 0, depth: 1 } }).run)).toEqual(
      [],
    )
  })

  test("[P2] [G11] of a run that something from outside has reached, only that its thread is marked", () => {
    expect(rememberedOf(ended({ asker: "k", thread: "t", tainted: true }).run)).toEqual([markOf("f", "t")])
    expect(rememberedOf(ended({ asker: "k", thread: "t", origins: ["attachments"] }).run)).toEqual([markOf("f", "t")])
    expect(rememberedOf(ended({ asker: "k", thread: "run_1", tainted: true }).run)).toEqual([])
  })

  test("[P2] a question that it asked, alone and with those beside it", () => {
    const worker = agentOf("worker", { tools: { kind: "list", names: ["ask_user"] } })
    const flow = flowOf([agent("a"), agent("b")], { autonomous: false })
    const shell = new Shell(compile({ flow, agents: { worker }, skills: {}, tools: TOOLS }), { started: { asker: "k", thread: "run_1" } })
    for (const id of ["a", "b"]) shell.reply(id, call("ask_user", { type: "input", question: `${id}?` }, `q${id}`))
    expect(rememberedOf(shell.run)).toEqual(["a?", "b?", "a?\n\nb?"].map((text) => underKey("k", text)))
  })
})

test("[P2] a text is the same however its client sets its white space", () => {
  expect(asSaid(" a\r\n\n b\t c ")).toBe("a b c")
  expect(underKey("k", "a\nb")).toBe(underKey("k", "a b"))
  expect(underKey("k", "ab")).not.toBe(underKey("k", "a b"))
  expect(underKey("k", "a")).not.toBe(underThread("k", "", "a"))
})
