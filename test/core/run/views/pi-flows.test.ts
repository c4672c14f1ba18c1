// The events of pi-flows, projected from journals that the kernel made [E3].

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { PiFlows, type PiFlowsFrame } from "../../../../src/core/run/views/pi-flows.ts"
import type { Step } from "../../../../src/core/flow/flow.ts"
import { agent, agentOf, decision, flowOf, fork, loop, planOf } from "../../../support/kernel/builders.ts"
import { call, choose, failed, finish, Shell } from "../../../support/kernel/shell.ts"

const framesOf = ({ plan, log }: Shell, from = 0): (PiFlowsFrame & { seq: number })[] => {
  const projection = new PiFlows(plan)
  return log.flatMap((e: RunEvent) => projection.frames(e).map((f) => ({ seq: e.seq, ...f }))).filter((f) => f.seq > from)
}
const named = (frames: readonly PiFlowsFrame[], name: string): PiFlowsFrame["data"][] =>
  frames.filter((f) => f.event === name).map((f) => f.data)
const shellOf = (steps: readonly Step[], more = {}): Shell => new Shell(planOf(flowOf(steps, more), [agentOf("decider")]))

describe("frames", () => {
  test("[E3] a flow begins with its digest, without prompts", () => {
    const shell = shellOf([agent("a", { task: "secret words", on_error: "b" }), loop("b", "a", "c", 2), agent("c")], { autonomous: false })
    expect(framesOf(shell)[0]).toMatchObject({
      event: "flow:flow-started",
      data: {
        flowName: "f",
        task: "the task",
        autonomousMode: false,
        maxConcurrent: 4,
        steps: [
          { id: "a", stepType: "agent", agent: "worker", blockedBy: [], onError: "b" },
          { id: "b", stepType: "agent-loop-decision", agent: "worker", loopTarget: "a", exitTarget: "c" },
          { id: "c", stepType: "agent" },
        ],
      },
    })
    expect(JSON.stringify(framesOf(shell)[0])).not.toContain("secret words")
  })

  test("[E3] every frame names its run, also for a reader that resumes", () => {
    const shell = shellOf([agent("a")])
    shell.reply("a", finish({ summary: "done" }))
    expect(framesOf(shell).map((f) => f.data["runId"])).toEqual(framesOf(shell).map(() => "run_1"))
    const [first, ...rest] = shell.log
    const before = new PiFlows(shell.plan)
    if (first) before.frames(first)
    const copy = before.copy()
    expect(rest.flatMap((e) => copy.frames(e)).every((f) => f.data["runId"] === "run_1")).toBe(true)
  })

  test("[E3] an agent: started, its text, its calls, complete with tokens and duration", () => {
    const shell = shellOf([agent("a")])
    shell.reply("a", "let me look", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", finish({ summary: "done" }))
    const frames = framesOf(shell)
    expect(frames.map((f) => f.event)).toEqual([
      "flow:flow-started",
      "flow:agent-started",
      "flow:assistant-text",
      "flow:subagent-tool-call",
      "flow:subagent-tool-result",
      "flow:agent-complete",
      "flow:complete",
    ])
    expect(frames[1]?.data).toMatchObject({ agentName: "worker", stepId: "a", nodeKind: "agent", config: { name: "worker" } })
    expect(frames[2]?.data).toEqual({ runId: "run_1", agentName: "worker", stepId: "a", text: "let me look" })
    expect(frames[3]?.data).toEqual({ runId: "run_1", agentName: "worker", stepId: "a", toolName: "look", input: { n: 1 } })
    expect(frames[4]?.data).toEqual({ runId: "run_1", agentName: "worker", stepId: "a", toolName: "look", output: "seen", isError: false })
    expect(frames[5]?.data["result"]).toMatchObject({
      success: true,
      status: "complete",
      summary: "done",
      tokens: { input: 20, output: 10 },
    })
    const complete = frames[5]?.data["result"]
    const took = (shell.events("step.finished")[0]?.at ?? 0) - (shell.events("step.opened")[0]?.at ?? 0)
    expect(complete).toMatchObject({ duration: took })
  })

  test("[E3] a failure is reported before its agent is complete, and the flow ends in error with the reason", () => {
    const shell = shellOf([agent("a"), agent("b", { blockedBy: ["a"] })])
    shell.reply("a", failed("broke"))
    const frames = framesOf(shell)
    const names = frames.map((f) => f.event)
    expect(names.indexOf("flow:agent-error")).toBe(names.indexOf("flow:agent-complete") - 1)
    expect(named(frames, "flow:agent-error")).toEqual([{ runId: "run_1", agentName: "worker", stepId: "a", text: "broke" }])
    expect(frames.at(-1)).toMatchObject({
      event: "flow:complete",
      data: { status: "error", stepCount: 1, results: { a: { status: "error", summary: "broke" } }, lastResult: { success: false } },
    })
  })

  test("[E3] a canceled run is aborted", () => {
    const shell = shellOf([agent("a")])
    shell.tell({ type: "cancel", by: "ann" })
    expect(framesOf(shell).at(-1)).toMatchObject({ event: "flow:complete", data: { status: "aborted", stepCount: 0, results: {} } })
  })

  test("[E3] a person's choice at a fork: started, complete with the selection, and kept with the notes", () => {
    const shell = shellOf([fork("f", { x: "a", y: "b" }), agent("a"), agent("b")], { autonomous: false })
    shell.answer("i1", { answer: "y", notes: "mind the gap" })
    const frames = framesOf(shell)
    expect(frames.slice(1, 3)).toMatchObject([
      { event: "flow:agent-started", data: { agentName: "fork", stepId: "f", nodeKind: "fork" } },
      { event: "flow:agent-complete", data: { agentName: "fork", stepId: "f", result: { success: true, summary: "Selected: y" } } },
    ])
    expect(named(frames, "flow:auto-decision")).toEqual([])
    shell.reply("b", finish())
    expect(framesOf(shell).at(-1)?.data).toMatchObject({ forks: { f: { answer: "y", notes: "mind the gap" } } })
  })

  test("[E3] a fork handed to its agent gives two pairs and an automatic decision", () => {
    const shell = shellOf([fork("f", { x: "a", y: "b" }, { agent: "decider" }), agent("a"), agent("b")], { autonomous: false })
    shell.answer("i1", { auto: true })
    shell.reply("f", choose("x"))
    const frames = framesOf(shell).filter((f) => f.data["stepId"] === "f" || f.data["forkId"] === "f")
    expect(frames.map((f) => f.event)).toEqual([
      "flow:agent-started",
      "flow:agent-complete",
      "flow:agent-started",
      "flow:agent-complete",
      "flow:auto-decision",
    ])
    expect(frames.at(-1)?.data).toEqual({ runId: "run_1", forkId: "f", agentName: "decider", chosenBranch: "x", targetStepId: "a" })
  })

  test("[E3] a loop counts, and names an agent step by its agent", () => {
    const shell = shellOf([agent("a"), decision("d", { again: "a", on: "z" }, { max_iterations: 1 }), agent("z")])
    shell.reply("a", finish())
    shell.reply("d", choose("again"))
    expect(named(framesOf(shell), "flow:loop-iteration")).toEqual([
      { runId: "run_1", stepId: "d", iteration: 1, maxIterations: 1, loopTarget: "worker" },
    ])
  })

  test("[E3] refused calls are results, questions are pairs, finish is neither", () => {
    const shell = shellOf([agent("a")], { autonomous: false })
    shell.reply("a", call("ghost", { n: 1 }, "c1"), call("ask_user", { question: "Well?", type: "input" }, "c2"))
    shell.answer("i1", { answer: "so" })
    shell.reply("a", finish())
    const frames = framesOf(shell).filter((f) => f.event.startsWith("flow:subagent"))
    expect(frames.map((f) => [f.event, f.data["toolName"], f.data["isError"]])).toEqual([
      ["flow:subagent-tool-result", "ghost", true],
      ["flow:subagent-tool-call", "ask_user", undefined],
      ["flow:subagent-tool-result", "ask_user", false],
    ])
  })

  test("[E3] a projection that joins late continues as if it had read every event", () => {
    const shell = shellOf([agent("a"), agent("b", { blockedBy: ["a"] })])
    shell.reply("a", "text", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1")
    shell.reply("a", finish())
    shell.reply("b", finish())
    for (const after of shell.log.map((e) => e.seq)) {
      const projection = new PiFlows(shell.plan)
      for (const e of shell.log.slice(0, after)) projection.frames(e)
      const rest = shell.log.slice(after).flatMap((e) => projection.frames(e).map((f) => ({ seq: e.seq, ...f })))
      expect(rest).toEqual(framesOf(shell, after))
    }
  })
})
