// [V39] Tests expect scores of scorers without a model, and script the judges of `until` [V27].

import { beforeAll, expect, test } from "vitest"
import type { TestReport } from "../../../../src/core/case/test-report.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { agent, ask, call, eventsOf, flow } from "../../../support/worker/house.ts"

const CASES = `cases:
  - name: never good enough
    task: go
    rehearsal:
      write:
        - { last: true, finish: { status: complete, summary: short } }
        - finish: { status: complete, summary: a longer text }
      "@judge/kind/judge":
        - finish: { status: complete, summary: s, reason: curt, level: no }
    expect:
      status: failed
      error: { source: score }
      steps: { write: { passes: 2 } }
      scores: { succeeded: 0 }
  - name: good enough at once
    task: go
    rehearsal: { write: [ { finish: { status: complete, summary: a longer text } } ] }
    expect:
      steps: { write: { passes: 1 } }
      answer: { matches: longer }
      scores: { long: { at_least: 0.5 }, tools-worked: 1, expected: null }
  - name: one that is broken
    task: go
    expect: { scores: { broken: 1 } }
`

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "w.md": agent("w") },
    flows: {
      "scored.yaml": flow("scored", "  - { id: write, type: agent, agent: w, until: { scorer: kind, at_least: 1, rounds: 2 } }\n"),
      "scored.test.yaml": CASES,
    },
    scorers: {
      "kind.yaml": "name: kind\ndescription: Is it kind?\njudge: { rubric: Is it kind?, model: rehearsal/default }\n",
      "long.yaml": "name: long\ndescription: Long enough.\ncode: true\n",
      "long.ts": "export default (account: { answer: string }) => ({ score: account.answer.length > 8 ? 1 : 0 })\n",
      "broken.yaml": "name: broken\ndescription: It throws.\ncode: true\n",
      "broken.ts": "export default () => { throw new Error('nothing works') }\n",
    },
  })
}, 60_000)

test("[V39] [V27] a script says what a judge says, a judge without one gives the best level, and scores are compared", async () => {
  const report = await ask<TestReport>("POST", "/v1/flows/scored/test", {})
  expect(report.cases.slice(0, 2).map(({ failures }) => failures)).toEqual([[], []])
  expect(report.cases[2]?.failures).toMatchObject([{ at: "/scores/broken", expected: 1, found: expect.stringContaining("nothing works") }])
  const [events, others] = [await eventsOf(report.cases[0]?.run ?? ""), await eventsOf(report.cases[1]?.run ?? "")]
  const judged = (of: readonly RunEvent[]) => of.flatMap((e) => (e.type === "step.scored" ? [[e.score, e.level, e.reason]] : []))
  expect(judged(events)).toEqual([
    [0, "no", "curt"],
    [0, "no", "curt"],
  ])
  expect(judged(others)).toEqual([[1, "yes", "rehearsed reason"]])
  const { scores } = await ask<{ scores: { scorer: string; score: number | null }[] }>("GET", `/v1/runs/${report.cases[1]?.run}/scores`)
  expect(scores.map(({ scorer, score }) => [scorer, score])).toEqual([
    ["expected", null],
    ["tools-worked", 1],
    ["long", 1],
  ])
}, 60_000)

test("[V39] a scorer that asks a model, or does not exist, is TV-SCORER, and nothing is written", async () => {
  for (const name of ["kind", "criteria", "nobody"]) {
    const content = `cases:\n  - { name: x, expect: { scores: { ${name}: 1 } } }\n`
    const r = await call("PUT", "/v1/catalog", { flows: { "scored.test.yaml": content } })
    expect(r.status).toBe(422)
    expect(await r.text()).toContain("TV-SCORER")
  }
})
