// Groups of failures [H14]: counted in any order, opened again by what comes back, and never by what was known.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  GROUP_DAYS,
  GROUP_RUNS,
  newGroup,
  sameness,
  withFailure,
  withStatus,
  type Failure,
} from "../../../../src/core/run/failure/group.ts"

const DAY = 86_400_000
const failed = (more: Partial<Failure> = {}): Failure => ({
  run: "r1",
  flow: "f",
  step: "a",
  source: "api_error",
  message: "answered 503",
  rehearsed: false,
  began: 1_000,
  at: 2_000,
  revision: 4,
  ...more,
})

describe("a group of failures", () => {
  test("[H14] is of one flow, step, source and shape; rehearsals are apart", () => {
    expect(sameness(failed({ message: "answered 429", run: "r2" }))).toBe(sameness(failed()))
    const { step: _step, ...stepless } = failed()
    const others = [failed({ flow: "g" }), failed({ step: "b" }), stepless, failed({ source: "guard" }), failed({ rehearsed: true })]
    expect(new Set([failed(), failed({ message: "said 503" }), ...others].map(sameness)).size).toBe(7)
  })

  test("[H14] counts the same in any order, with the first and the last seen", () => {
    const times = fc.array(fc.nat(60 * DAY), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(times, (ats) => {
        const all = ats.map((at, n) => failed({ run: `r${n}`, at, began: at - 1 }))
        const [one, ...rest] = all
        if (one === undefined) return
        const group = rest.reduce(withFailure, newGroup(one))
        expect([group.count, group.first.at, group.last.at]).toEqual([all.length, Math.min(...ats), Math.max(...ats)])
        expect(group.runs.length).toBe(Math.min(GROUP_RUNS, all.length))
        expect(group.runs[0]).toBe(group.last.run)
        const today = Math.floor(Math.max(...ats) / DAY)
        const inOrder = group.days.map(([day]) => day)
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
        expect(group.days.length).toBeLessThanOrEqual(GROUP_DAYS)
        // A day that was still counted when it came is exact.
        expect(group.days.find(([day]) => day === today)?.[1]).toBe(ats.filter((at) => Math.floor(at / DAY) === today).length)
      }),
    )
  })

  test("[H14] a resolved one opens again for a run that began later, or that has a later revision", () => {
    const resolved = withStatus(newGroup(failed()), "resolved", "ann", 10_000)
    expect(resolved).toMatchObject({ status: "resolved", set: { by: "ann", at: 10_000, revision: 4 } })
    const known = withFailure(resolved, failed({ run: "r2", began: 9_000, at: 11_000 }))
    expect(known).toMatchObject({ status: "resolved", count: 2, set: { by: "ann" } })
    const again = withFailure(known, failed({ run: "r3", began: 12_000, at: 13_000 }))
    expect(again).toMatchObject({ status: "open", count: 3, reopened: { run: "r3", at: 13_000 } })
    expect(again.set).toBeUndefined()
    expect(withFailure(resolved, failed({ run: "r4", began: 9_000, at: 11_000, revision: 5 })).status).toBe("open")
  })

  test("[H14] a muted one stays muted", () => {
    const muted = withStatus(newGroup(failed()), "muted", "ann", 10_000)
    expect(withFailure(muted, failed({ began: 20_000, at: 21_000, revision: 9 }))).toMatchObject({ status: "muted", count: 2 })
  })
})
