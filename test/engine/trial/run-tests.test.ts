// [K21] The limits of a flow's tests: their time, and the children that are looked through.

import { describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { runTests } from "../../../src/engine/trial/run-tests.ts"
import type { TrialDeps } from "../../../src/engine/trial/run-case.ts"
import type { RunPort } from "../../../src/ports/run.ts"
import type { TrialCase } from "../../../src/ports/tenant/authoring/trials.ts"

const one = (name: string): TrialCase => ({
  name,
  task: "go",
  inputs: {},
  answers: [],
  expect: {},
  pinned: {
    ok: true,
    pins: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
    flow: { id: "f", autonomous: true, task_required: false, inputs: {} },
    rehearsed: true,
  },
})

function stand(view: (id: string) => Partial<RunView>, wait = 250) {
  let now = 0
  const asked = new Map<string, number>()
  const canceled: string[] = []
  const shown = (id: string): RunView => ({ id, flow: "f", status: "running", pending: 0, children: [], ...view(id) }) as unknown as RunView
  const port = (id: string): RunPort =>
    ({
      start: async () => shown(id),
      view: async () => {
        asked.set(id, (asked.get(id) ?? 0) + 1)
        return shown(id)
      },
      wait: async (ms: number) => {
        now += Math.max(1, Math.min(ms, wait))
        return shown(id)
      },
      cancel: async () => {
        canceled.push(id)
        return shown(id)
      },
      interactions: async () => [],
      events: async () => ({ data: [], ended: true }),
      file: async () => undefined,
    }) as unknown as RunPort
  let ids = 0
  const deps: TrialDeps = {
    tenant: "t",
    by: "k",
    runId: async () => `r${ids++}`,
    run: port,
    keepFiles: async () => ({ ok: true, value: [] }),
    now: () => now,
  }
  return { deps, asked, canceled, time: () => now }
}

describe("the cases", () => {
  test("[K21] a case that is not over in 60 s fails, and its run is canceled", async () => {
    const { deps, canceled, time } = stand(() => ({}))
    const report = await runTests(deps, { ok: true, flow: "f", cases: [one("a")] })
    expect([report.failed, report.cases[0]?.failures[0]?.expected]).toEqual([1, expect.stringContaining("60 s")])
    expect([canceled, time()]).toEqual([["r0"], 60_000])
  })

  test("[K21] reports keep the order of the cases, however they end", async () => {
    const { deps } = stand((id) => ({
      ended: "x",
      status: id === "r1" ? "failed" : "succeeded",
      steps: {},
      usage: { tokens: 0, usd: null, tool_calls: 0 },
    }))
    const cases = [one("a"), { ...one("b"), expect: { status: "failed" } }, { ...one("c"), expect: { status: "canceled" } }]
    const report = await runTests(deps, { ok: true, flow: "f", cases })
    expect([report.passed, report.failed, report.cases.map(({ name }) => name)]).toEqual([2, 1, ["a", "b", "c"]])
  })

  test("[K21] at most 500 children are looked through for questions", async () => {
    const children = Array.from({ length: 700 }, (_, i) => `child${i}`)
    const { deps, asked } = stand((id) => (id === "r0" ? { children } : {}), 60_000)
    await runTests(deps, { ok: true, flow: "f", cases: [one("a")] }, undefined, 100)
    expect(asked.size).toBe(499)
  })
})
