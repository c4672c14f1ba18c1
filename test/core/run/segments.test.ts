// How a segment runs: which step is next, which steps wait, how many run at once.

import { describe, expect, test } from "vitest"
import { segmentsOf } from "../../../src/core/flow/flow.ts"
import { agent, agentOf, conditional, decision, flowOf, fork, loop, planOf } from "../../support/kernel/builders.ts"
import { failed, finish, Shell } from "../../support/kernel/shell.ts"

describe("segments", () => {
  test("[F10] consecutive agent steps are one segment, every other step is a separate segment", () => {
    const steps = [
      agent("a"),
      agent("b"),
      decision("d", { x: "c" }),
      loop("l", "a", "c", 1),
      agent("c"),
      conditional("k", "a", "e", "e"),
      fork("f", { x: "e" }),
      agent("e"),
    ]
    expect(segmentsOf(steps)).toEqual([[0, 1], [2], [3], [4], [5], [6], [7]])
  })

  test("[F10] the run falls from segment to segment in file order", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), decision("d", { x: "b" }), agent("b")])))
    expect(shell.running()).toEqual(["a"])
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["d"])
    shell.reply("d", finish({ branch: "x" }))
    shell.reply("b", finish({ summary: "all done" }))
    expect(shell.run.status).toBe("succeeded")
    expect(shell.opened()).toEqual(["a", "d", "b"])
  })

  test("[F10] without declared outputs the run returns its last step's finish", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])))
    shell.reply("b", finish({ summary: "second in the file" }))
    shell.reply("a", finish({ summary: "last to end" }))
    expect(shell.run.output).toMatchObject({ step: "b", status: "complete", summary: "second in the file" })
  })

  test("[F40] declared outputs are expanded when the run ends, and a missing value becomes a warning", () => {
    const outputs = { said: "a said ${{result.a.summary}}", gone: "${{result.a.artifacts}}" }
    const shell = new Shell(planOf(flowOf([agent("a")], { outputs })))
    shell.reply("a", finish({ summary: "hello" }))
    expect(shell.run.output).toEqual({ said: "a said hello" })
    expect(shell.events("warning")).toMatchObject([{ code: "template_empty", step: "(outputs)" }])
  })

  test("[K18] a run that an earlier kernel began has an empty text in its place", () => {
    const outputs = { said: "a said ${{result.a.summary}}", gone: "${{result.a.artifacts}}" }
    const shell = new Shell(planOf(flowOf([agent("a")], { outputs })), { started: { kernel: 1 } })
    shell.reply("a", finish({ summary: "hello" }))
    expect(shell.run.output).toEqual({ said: "a said hello", gone: "" })
  })
})

describe("what a hook's mapping lacked", () => {
  const trigger = { kind: "webhook", hook: "h", delivery: "d", missing: ["trigger.body.sender.login", "trigger.body.x"] } as const
  const asked = { ...trigger, missing: [...trigger.missing] }

  test.each([{}, { lease: { granted: { tokens: 1_000 }, until: 1_000_000_000 } }])("[F40] is told when the run begins, %j", (how) => {
    const shell = new Shell(planOf(flowOf([agent("a")])), { started: { trigger: asked, task: "Greet ." }, ...how })
    expect(shell.events("warning")).toEqual([
      expect.objectContaining({
        code: "template_empty",
        message: expect.stringContaining("${{trigger.body.sender.login}}, ${{trigger.body.x}}"),
      }),
    ])
    expect(shell.running()).toEqual(["a"])
  })

  test("[F40] of a delivery that lacks nothing, nothing is told", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])), { started: { trigger: { kind: "webhook", hook: "h", delivery: "d" } } })
    expect(shell.events("warning")).toEqual([])
  })
})

describe("scheduling", () => {
  test("[F11] ready steps start in file order, at most max_concurrent at once", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b"), agent("c"), agent("d")], { max_concurrent: 2 })))
    expect(shell.opened()).toEqual(["a", "b"])
  })

  test("[F11] a finished step frees its slot at once: there are no waves", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b"), agent("c"), agent("d")], { max_concurrent: 2 })))
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["a", "c"])
    shell.reply("c", finish())
    expect(shell.running()).toEqual(["a", "d"])
  })

  test("[F11] a waiting step does not delay a later ready step", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] }), agent("c")], { max_concurrent: 2 })))
    expect(shell.running()).toEqual(["a", "c"])
  })

  test("[F11] a join waits for all steps that it names", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b"), agent("join", { blockedBy: ["a", "b"] })])))
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["b"])
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["join"])
  })

  test("[F12] a failed step unblocks: blockedBy is about completion", () => {
    const shell = new Shell(
      planOf(
        flowOf([
          agent("a", { on_error: "handler" }),
          agent("b"),
          agent("join", { blockedBy: ["b"] }),
          decision("handler", { x: "end" }),
          agent("end"),
        ]),
      ),
    )
    shell.reply("a", failed())
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["join"])
  })

  test("[F12] a skipped step still unblocks", () => {
    const shell = new Shell(
      planOf(flowOf([agent("a", { on_error: "rescue" }), agent("rescue"), agent("join", { blockedBy: ["a", "rescue"] })])),
    )
    shell.reply("a", finish())
    expect(shell.statuses()).toMatchObject({ rescue: "skipped", join: "running" })
  })

  test("[F12] an id outside the segment counts as done", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { blockedBy: ["z"] }), decision("d", { x: "z" }), agent("z")])))
    expect(shell.running()).toEqual(["a"])
  })

  test("[F41] a step sees the results of the steps it waits for, and its own inputs", () => {
    const asks = agent("b", {
      blockedBy: ["a"],
      task: "use ${{input.what}} of ${{flow.input.topic}}",
      inputs: { what: "${{result.a.summary}}" },
    })
    const plan = planOf(flowOf([agent("a"), asks]), [agentOf("worker", { body: "For ${{input.what}}." })])
    const shell = new Shell(plan, { inputs: { topic: "tides" } })
    shell.reply("a", finish({ summary: "moon ${{task}}" }))
    expect(shell.events("step.opened")[1]).toMatchObject({
      task: "use moon ${{task}} of tides",
      body: "For moon ${{task}}.",
      inputs: { what: "moon ${{task}}" },
    })
  })

  test("[F42] a step without a task gets the run's task, and an empty task becomes Begin", () => {
    expect(new Shell(planOf(flowOf([agent("a")])), { task: "sail" }).state("a").session?.task).toBe("sail")
    expect(new Shell(planOf(flowOf([agent("a")])), { task: "  " }).state("a").session?.task).toBe("Begin.")
  })

  test("[F42] a result is the last assistant text, or the summary", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"], task: "${{result.a}} / ${{result.a.summary}}" })])))
    shell.reply("a", "the whole story", finish({ summary: "short" }))
    expect(shell.state("b").session?.task).toBe("the whole story / short")
  })
})
