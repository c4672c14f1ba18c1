// A run as Chat Completions chunks [P25]: a response ends where the run waits for a person, whatever it waited for before.

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { ChatFrames } from "../../../../src/protocols/chat/frames.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, Shell } from "../../../support/kernel/shell.ts"

const ends = (log: readonly RunEvent[]): unknown[] => {
  const projection = new ChatFrames()
  return log.flatMap((e) => projection.frames(e)).flatMap(({ data }) => ("usage" in data ? [data["sluice"]] : []))
}

describe("a run as chat chunks", () => {
  test("[P5] a question that is asked while the run waits for a child ends the response once the run waits for it", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "do it" })], { autonomous: false })))
    shell.reply("a", call("ask_user", { question: "Which?", type: "input" }, "q1"))
    const asked = shell.log.findIndex(({ type }) => type === "interaction.asked")
    const waits = shell.log.findIndex(({ type }) => type === "run.waiting")
    const [before, wait] = [shell.log[asked], shell.log[waits]]
    if (!before || wait?.type !== "run.waiting" || waits < asked) throw new Error("the run asks, then waits")
    expect(ends(shell.log)).toMatchObject([{ asked: [expect.stringMatching(/i1$/)] }])
    const child: RunEvent = { ...wait, seq: before.seq - 1, reason: "child" }
    const log = [...shell.log.slice(0, asked), child, ...shell.log.slice(asked)]
    expect(ends(log)).toHaveLength(1)
  })
})
