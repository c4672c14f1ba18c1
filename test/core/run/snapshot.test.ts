// Which steps a snapshot holds: those that changed, with their neighbors.

import { describe, expect, test } from "vitest"
import { restore, takeSnapshot } from "../../../src/core/run/snapshot.ts"
import { newRun, newStep } from "../../../src/core/run/state.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"

const ids = Array.from({ length: 100 }, (_, i) => `s${i}`)
const plan = planOf(flowOf(ids.map((id) => agent(id))))

describe("a snapshot", () => {
  test("[J8] holds the groups of the steps that were touched, whole, and no others", () => {
    const run = newRun(plan)
    for (const id of ids) run.steps[id] = newStep()
    run.touched.add("s0").add("s23").add("s97")
    const { steps, groups } = takeSnapshot(run)
    expect(groups).toEqual({ "0": ids.slice(0, 24), "96": ids.slice(96) })
    expect(Object.keys(steps)).toEqual([...ids.slice(0, 24), ...ids.slice(96)])
  })

  test("[J8] of a run that was restored holds no step until one is touched", () => {
    const run = newRun(plan)
    for (const id of ids) run.steps[id] = newStep()
    const { plan: _, touched: _touched, steps, ...head } = run
    expect(takeSnapshot(restore(plan, { head, steps })).steps).toEqual({})
  })
})
