// Forks: a person chooses, or an agent does; the choice reaches the branch's first step.

import { describe, expect, test } from "vitest"
import { compile } from "../../../src/core/run/plan.ts"
import { agent, agentOf, fork, flowOf, planOf, TOOLS } from "../../support/kernel/builders.ts"
import { choose, failed, finish, Shell } from "../../support/kernel/shell.ts"
import { systemPrompt } from "../../../src/core/run/session/conversation.ts"

const steps = (more = {}) => [fork("f", { red: "a", blue: "b" }, more), agent("a"), agent("b")]
const asked = { autonomous: false }

describe("a person chooses", () => {
  test("[F21] the question shows the options with their targets, and no model is called", () => {
    const shell = new Shell(planOf(flowOf(steps(), asked)))
    expect(shell.keys()).toEqual([])
    expect(shell.pending()).toMatchObject([
      {
        id: "i1",
        kind: "fork",
        step: "f",
        payload: {
          question: "Which way?",
          options: [
            { label: "red", target: "a" },
            { label: "blue", target: "b" },
          ],
          allowAuto: false,
        },
      },
    ])
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
  })

  test("[F21] the choice, the question, the notes and who decided reach the branch's first step, once", () => {
    const shell = new Shell(planOf(flowOf(steps(), asked)))
    shell.answer("i1", { answer: "blue", notes: "mind the gap" })
    expect(shell.events("branch.taken")).toMatchObject([{ step: "f", branch: "blue", target: "b", by: "person" }])
    const session = shell.state("b").session
    for (const word of ["Which way?", "blue", "mind the gap", "a person"]) expect(session?.preamble).toContain(word)
    expect(shell.state("b").preamble).toBeUndefined()
    expect(session && systemPrompt(shell.plan, session, undefined)).toContain("mind the gap")
  })

  test("[F35] a step that is retried after a failure reads the choice again", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { red: "a" }), agent("a", { retry: { max: 1, backoff: 0 } })], asked)))
    shell.answer("i1", { answer: "red" })
    const told = shell.state("a").session?.preamble
    shell.reply("a", failed())
    expect(shell.state("a").pass).toBe(2)
    expect(shell.state("a").session?.preamble).toBe(told)
  })

  test("[F41] templates see the answer and the notes", () => {
    const plan = planOf(flowOf([fork("f", { red: "a" }), agent("a", { task: "${{fork.f.answer}}: ${{fork.f.notes}}" })], asked))
    const shell = new Shell(plan)
    shell.answer("i1", { answer: "red", notes: "now" })
    expect(shell.state("a").session?.task).toBe("red: now")
  })

  test("[F21] cancelling the question cancels the run", () => {
    const shell = new Shell(planOf(flowOf(steps(), asked)))
    shell.answer("i1", { cancelled: true })
    expect(shell.run.status).toBe("canceled")
  })

  test("[Q2] an answer that is not an option leaves the question open; auto is refused where no agent is named", () => {
    const shell = new Shell(planOf(flowOf(steps(), asked)))
    expect(shell.answer("i1", { answer: "green" })).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(shell.answer("i1", { auto: true })).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(shell.pending()).toHaveLength(1)
  })

  test("[F21] a person may hand the choice to the agent", () => {
    const shell = new Shell(planOf(flowOf(steps({ agent: "worker" }), asked)))
    expect(shell.pending()[0]?.payload["allowAuto"]).toBe(true)
    shell.answer("i1", { auto: true })
    shell.reply("f", choose("red"))
    expect(shell.events("branch.taken")).toMatchObject([{ branch: "red", by: "agent" }])
    expect(shell.state("a").session?.preamble).toContain("the agent ")
  })

  test("[J8] a snapshot taken while the agent chooses is complete", () => {
    const plan = planOf(flowOf(steps({ agent: "worker" }), asked))
    const shell = new Shell(plan, { snapshotEvery: 1 })
    shell.answer("i1", { auto: true })
    shell.reply("f", "thinking aloud")
    shell.crash()
    shell.reply("f", choose("red"))
    expect(shell.running()).toEqual(["a"])
    const whole = new Shell(plan)
    whole.answer("i1", { auto: true })
    whole.reply("f", "thinking aloud")
    expect(whole.state("f").decider).toBeUndefined()
  })

  test("[F18] a person may go back as often as they like", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), fork("f", { again: "a", stop: "b" }, { max_iterations: 1 }), agent("b")], asked)))
    for (let i = 1; i <= 4; i++) {
      shell.reply("a", finish())
      shell.answer(`i${i}`, { answer: "again" })
      expect(shell.running()).toEqual(["a"])
    }
    expect(shell.events("loop.exhausted")).toEqual([])
  })

  test("[F21] a person needs no decider: the fork works where the built-in agent is missing", () => {
    const { flow, agents } = planOf(flowOf(steps(), asked))
    const shell = new Shell(
      compile({
        flow,
        agents: Object.fromEntries(Object.entries(agents).filter(([name]) => name !== "flow-decision")),
        skills: {},
        tools: TOOLS,
      }),
    )
    shell.answer("i1", { answer: "red" })
    expect(shell.running()).toEqual(["a"])
  })
})

describe("an agent chooses", () => {
  test("[F21] in an autonomous run the built-in decider is asked, with the question and the options", () => {
    const shell = new Shell(planOf(flowOf(steps())))
    expect(shell.state("f").session).toMatchObject({ agent: "flow-decision" })
    expect(shell.state("f").session?.task).toContain("Which way?")
    expect(shell.state("f").session?.task).toContain("- blue")
    shell.reply("f", choose("blue"))
    expect(shell.events("branch.taken")).toMatchObject([{ branch: "blue", by: "agent" }])
    expect(shell.state("b").session?.preamble).toContain("the agent ")
  })

  test("[F21] a named agent replaces the built-in decider, with its own task", () => {
    const plan = planOf(flowOf(steps({ agent: "judge", task: "judge ${{task}}" })), [agentOf("judge")])
    const shell = new Shell(plan)
    expect(shell.state("f").session).toMatchObject({ agent: "judge", task: "judge the task" })
  })

  test("[F18] an agent's way back has a cap", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), fork("f", { again: "a", stop: "b" }, { max_iterations: 1 }), agent("b")])))
    shell.reply("a", finish())
    shell.reply("f", choose("again"))
    shell.reply("a", finish())
    shell.reply("f", choose("again"))
    expect(shell.running()).toEqual(["b"])
    expect(shell.events("branch.taken").at(-1)).toMatchObject({ branch: "stop", by: "cap" })
  })

  test("[F18] without max_iterations an agent has no way back", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), fork("f", { again: "a", stop: "b" }), agent("b")])))
    shell.reply("a", finish())
    shell.reply("f", choose("again"))
    expect(shell.running()).toEqual(["b"])
  })

  test("[F40] text that a question's template inserts is not expanded again in the decider's task", () => {
    const plan = planOf(
      flowOf([agent("a"), fork("f", { red: "b" }, { question: "Is it ${{result.a.summary}}?" }), agent("b")], {
        config: { secret: "s3cret" },
      }),
    )
    const shell = new Shell(plan)
    shell.reply("a", finish({ summary: "${{config.secret}}" }))
    expect(shell.state("f").question).toBe("Is it ${{config.secret}}?")
    expect(shell.state("f").session?.task).toContain("Is it ${{config.secret}}?")
    expect(shell.state("f").session?.task).not.toContain("s3cret")
  })
})
