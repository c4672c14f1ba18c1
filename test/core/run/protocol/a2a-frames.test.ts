// A run as A2A's stream items [P14]: the order of the protocol on random runs, and the same frames from any place.

import fc from "fast-check"
import { expect, test } from "vitest"
import { isObject } from "../../../../src/core/json.ts"
import { A2aFrames } from "../../../../src/protocols/a2a/frames.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { PiFlowsFrame } from "../../../../src/core/run/views/pi-flows.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { expectCopiesToGoOn } from "../../../support/kernel/projection.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { live } from "../../../support/kernel/world.ts"

function framesOf(log: readonly RunEvent[]): PiFlowsFrame[] {
  const projection = new A2aFrames()
  return log.flatMap((e) => projection.frames(e))
}

const kindOf = ({ data: { task, statusUpdate, artifactUpdate } }: PiFlowsFrame): string => {
  if (isObject(task)) return "task"
  if (isObject(statusUpdate) && isObject(statusUpdate["status"])) return String(statusUpdate["status"]["state"]).replace("TASK_STATE_", "")
  return isObject(artifactUpdate) && isObject(artifactUpdate["artifact"]) ? String(artifactUpdate["artifact"]["artifactId"]) : "?"
}

test("[P14] a step, its file, the question, the answer and the end, in this order", () => {
  const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
  shell.reply("a", call("put", { n: 1 }, "c1"))
  shell.answer(shell.pending()[0]?.id ?? "", { decision: "approve" })
  shell.returns("a", "c1")
  shell.reply("a", finish({ summary: "done", files: [{ path: "out/x.md", action: "created" }] }))
  const frames = framesOf(shell.log)
  const kinds = frames.map(kindOf)
  expect(kinds[0]).toBe("task")
  expect(kinds.filter((kind) => kind !== "WORKING")).toEqual(["task", "INPUT_REQUIRED", "file:out/x.md", "answer", "COMPLETED"])
  expect(JSON.stringify(frames[kinds.indexOf("INPUT_REQUIRED")])).toContain(`${shell.run.id}.${Object.keys(shell.run.interactions)[0]}`)
})

const ORDER = (frames: readonly PiFlowsFrame[]): string[] => {
  const wrong: string[] = []
  const kinds = frames.map(kindOf)
  if (kinds.length > 0 && kinds[0] !== "task") wrong.push(`the first is ${kinds[0]}`)
  for (const [i, frame] of frames.entries()) {
    if (Object.keys(frame.data).length !== 1) wrong.push("an item with more than one member")
    if (i > 0 && kinds[i] === "task") wrong.push("two tasks")
    if (kinds[i] === "?") wrong.push("an unknown item")
    const isLast = ["COMPLETED", "FAILED", "CANCELED"].includes(kinds[i] ?? "")
    if (isLast && i !== frames.length - 1) wrong.push(`${kinds[i + 1]} after the end`)
    if (kinds[i] === "answer" && kinds[i + 1] !== "COMPLETED") wrong.push("the answer is not followed by the end")
  }
  return wrong
}

test("[P11] the order holds for random runs, and a copy at any place gives the same frames", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), fc.nat(50), (flow, seed, at) => {
      const { log } = live(planOf(flow, CAST), { world: { seed, post: true } })
      const frames = framesOf(roundTrip(log))
      expect(ORDER(frames)).toEqual([])
      expect(frames).toEqual(framesOf(log))
      expectCopiesToGoOn(() => new A2aFrames(), log, at)
    }),
    { numRuns: 60 },
  )
})
