// An agent's session: turns, parallel calls, reminders, limits, and what its model reads.

import { describe, expect, test } from "vitest"
import { messages, systemPrompt } from "../../../../src/core/run/session/conversation.ts"
import { agent, agentOf, flowOf, loop, planOf } from "../../../support/kernel/builders.ts"
import { call, choose, finish, Shell } from "../../../support/kernel/shell.ts"

const one = (max_turns = 40): Shell => new Shell(planOf(flowOf([agent("a")]), [agentOf("worker", { max_turns })]))

function conversation(shell: Shell, step: string) {
  const session = shell.state(step).session
  if (!session) throw new Error(`${step} has no session`)
  return messages(
    session,
    session.seqs.flatMap((seq) => shell.log[seq - 1] ?? []),
  )
}

describe("turns", () => {
  test("[J1] a key is a pure function of step, pass, turn and call", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "z", 2), agent("z")])))
    expect(shell.keys()).toEqual(["a/1/0/model"])
    shell.reply("a", call("look", { n: 1 }, "x"))
    expect(shell.keys()).toEqual(["a/1/0/tool/x"])
    shell.returns("a", "x")
    expect(shell.keys()).toEqual(["a/1/1/model"])
    shell.reply("a", finish())
    shell.reply("l", choose("loop"))
    expect(shell.keys()).toEqual(["a/2/0/model"])
  })

  test("[J2] action.begun is journaled before its effect leaves the run", () => {
    const shell = one()
    expect(shell.log.map((e) => e.type)).toEqual(["run.started", "step.opened", "action.begun"])
  })

  test("[J20] each model call is one journaled turn with usage, cost and digests", () => {
    const shell = one()
    shell.reply("a", call("look"))
    shell.returns("a", "c0")
    shell.reply("a", finish())
    expect(shell.events("model.replied").map((e) => [e.pass, e.turn, e.usage, e.cost, e.system, e.request])).toEqual([
      [1, 0, { input: 10, output: 5 }, null, "s", "r"],
      [1, 1, { input: 10, output: 5 }, null, "s", "r"],
    ])
    expect(shell.run.usage).toMatchObject({ input: 20, output: 10, usd: null, tool_calls: 1 })
  })

  test("[J22] read-only calls run in parallel, and the next turn waits for all of them", () => {
    const shell = one()
    shell.reply("a", call("look"), call("look", { n: 2 }), call("read", { path: "x" }))
    expect(shell.keys()).toHaveLength(3)
    shell.returns("a", "c2")
    shell.returns("a", "c0")
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
    shell.returns("a", "c1")
    expect(shell.keys()).toEqual(["a/1/1/model"])
  })

  test("[J22] a write waits for the calls before it, and the calls after it wait for the write", () => {
    const shell = one()
    shell.reply("a", call("look"), call("put"), call("look", { n: 2 }), call("put", { n: 2 }))
    const begun: string[][] = []
    for (const id of ["c0", "c1", "c2", "c3"]) {
      begun.push(shell.keys())
      shell.returns("a", id)
    }
    expect(begun).toEqual([["a/1/0/tool/c0"], ["a/1/0/tool/c1"], ["a/1/0/tool/c2"], ["a/1/0/tool/c3"]])
  })

  test("[J22] the model reads the results in its own order", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "x"), call("ghost", { n: 1 }, "y"), call("look", { n: 2 }, "z"))
    shell.returns("a", "z", "last")
    shell.returns("a", "x", "first")
    expect(conversation(shell, "a").map((t) => (t.role === "tool" ? t.callId : t.role))).toEqual(["user", "assistant", "x", "y", "z"])
  })

  test("[J22] equal call ids are told apart, in one message and across turns", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "same"), call("look", { n: 2 }, "same"), call("look", { n: 3 }, ""))
    expect(shell.keys()).toEqual(["a/1/0/tool/call_2", "a/1/0/tool/same", "a/1/0/tool/same_2"])
    for (const id of ["same_2", "call_2", "same"]) shell.returns("a", id, id)
    shell.reply("a", call("look", { n: 1 }, "same"))
    shell.returns("a", "same", "again")
    const answers = conversation(shell, "a").flatMap((t) => (t.role === "tool" ? [JSON.stringify(t.content)] : []))
    expect(answers.map((text) => /"text":"(\w+)"/.exec(text)?.[1])).toEqual(["same", "same_2", "call_2", "again"])
  })

  test("[J22] a call id that could be mistaken for a key is made safe", () => {
    const shell = one()
    shell.reply("a", call("look", { n: 1 }, "x/tool/y"), call("look", { n: 2 }, "y"))
    expect(shell.keys()).toEqual(["a/1/0/tool/x_tool_y", "a/1/0/tool/y"])
  })
})

describe("reminders and limits", () => {
  test("[J22] a turn with only text gets a reminder that names finish and its fields", () => {
    const plan = planOf(flowOf([agent("a")]), [agentOf("worker", { outputs: [{ name: "score", type: "number", required: true }] })])
    const shell = new Shell(plan)
    shell.reply("a", "I am done")
    const [reminder] = shell.events("reminder.sent")
    for (const word of ["finish", "status", "summary", "score"]) expect(reminder?.message).toContain(word)
    expect(conversation(shell, "a").at(-1)).toEqual({ role: "user", text: reminder?.message })
  })

  test("[J22] reminders and rejected finishes share two more tries, then agent_no_finish", () => {
    const shell = one()
    shell.reply("a", "one")
    shell.reply("a", { name: "finish", args: {} })
    expect(shell.state("a").status).toBe("running")
    shell.reply("a", "three")
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "agent_no_finish" } })
    expect(shell.events("reminder.sent")).toHaveLength(1)
  })

  test("[J22] turns with tool calls in between do not restore tries", () => {
    const shell = one()
    for (let i = 0; i < 2; i++) {
      shell.reply("a", "text")
      shell.reply("a", call("look", { n: i }))
      shell.returns("a", "c0")
    }
    shell.reply("a", "text")
    expect(shell.run.error?.source).toBe("agent_no_finish")
  })

  test("[J22] max_turns ends the step, softly", () => {
    const shell = one(2)
    shell.reply("a", call("look"))
    shell.returns("a", "c0")
    shell.reply("a", call("look"))
    expect(shell.run.error?.source).toBe("max_turns")
    expect(shell.events("step.finished")[0]?.hard).toBeUndefined()
    expect(shell.events("tool.called")).toHaveLength(1)
  })

  test("[J22] a finish in the last turn counts, with the calls before it", () => {
    const shell = one(1)
    shell.reply("a", call("look"), finish())
    shell.returns("a", "c0")
    expect(shell.run.status).toBe("succeeded")
  })
})

describe("what the model reads", () => {
  test("[J21] the system prompt is preamble, skills, body and tool rules, in this order", () => {
    const plan = {
      ...planOf(flowOf([agent("a")]), [agentOf("worker", { skills: ["tides"] })]),
      skills: { tides: { name: "tides", description: "", text: "Tides rise." } },
    }
    const session = new Shell(plan).state("a").session
    if (!session) throw new Error("no session")
    const text = systemPrompt(plan, { ...session, preamble: "It was decided." }, { labels: ["x", "y"], several: false })
    const places = ["It was decided.", "Tides rise.", "You are worker.", "x, y"].map((part) => text.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test("[J21] the user message is the expanded task; a refused call and a rejected finish give the reason", () => {
    const shell = one()
    shell.reply("a", call("ghost"))
    shell.reply("a", { name: "finish", args: { status: "complete" } })
    const turns = conversation(shell, "a")
    expect(turns[0]).toEqual({ role: "user", text: "the task" })
    expect(JSON.stringify(turns[2])).toContain("ghost is not among the tools")
    expect(JSON.stringify(turns[4])).toContain("summary")
  })

  test("[J20] a turn repeated after a crash sends the same request", () => {
    const shell = one()
    shell.reply("a", call("look"), call("look", { n: 2 }))
    shell.returns("a", "c1")
    shell.returns("a", "c0")
    const before = JSON.stringify(conversation(shell, "a"))
    shell.crash()
    expect(JSON.stringify(conversation(shell, "a"))).toBe(before)
  })
})
