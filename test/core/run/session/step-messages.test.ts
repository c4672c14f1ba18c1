// The messages of a step [J21]: read from the journal, so they outlive the step.

import { describe, expect, test } from "vitest"
import { StepMessages } from "../../../../src/core/run/session/step-messages.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, failed, finish, Shell } from "../../../support/kernel/shell.ts"

function said(shell: Shell, step = "a") {
  const messages = new StepMessages(step)
  for (const e of shell.log) messages.take(e)
  return messages
}
const one = (more = {}): Shell => new Shell(planOf(flowOf([agent("a", { task: "do it", ...more })])))

describe("messages of a step", () => {
  test("[J21] task, hash of the system prompt, replies, calls and results in order, even after the end", () => {
    const shell = one()
    shell.reply("a", "hm", call("look", { n: 1 }, "c1"), call("ghost", { n: 1 }, "c2"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", "I only talk.")
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(said(shell).after(0)).toMatchObject([
      { role: "user", kind: "task", text: "do it" },
      { role: "system", sha256: "s" },
      {
        role: "assistant",
        turn: 0,
        text: "hm",
        toolCalls: [
          { id: "c1", name: "look", args: { n: 1 } },
          { id: "c2", name: "ghost" },
        ],
      },
      { role: "tool", callId: "c2", isError: true, refused: "undeclared" },
      { role: "tool", callId: "c1", tool: "look", content: [{ type: "text", text: "seen" }], isError: false },
      { role: "assistant", turn: 1, text: "I only talk.", toolCalls: [] },
      { role: "user", kind: "reminder" },
      { role: "assistant", turn: 2, toolCalls: [{ name: "finish" }] },
    ])
  })

  test("[J24] a person's message appears where the model read it", () => {
    const shell = one()
    shell.steer("a", "left")
    shell.reply("a", call("look", { n: 1 }, "c1"))
    shell.reply("a", finish())
    const messages = said(shell).after(0)
    const steer = messages.find((m) => m.role === "user" && m.kind === "steer")
    expect(steer).toMatchObject({ text: "left", by: "ann", seq: shell.events("steer.delivered")[0]?.seq })
  })

  test("[J21] a new pass is a new conversation", () => {
    const shell = one({ retry: { max: 1, backoff: 1_000 } })
    shell.reply("a", failed("first"))
    shell.pass(shell.nextDue() ?? 0)
    const from = shell.events("step.opened").at(-1)?.seq ?? 0
    expect(
      said(shell)
        .after(0)
        .map((m) => m.seq),
    ).toEqual([from])
  })

  test("[J21] a step that was never opened has no messages", () => {
    const shell = one()
    expect(said(shell, "b").after(0)).toEqual([])
  })
})
