// Two runs side by side [K17]: pairs of passes, and the places where outputs differ.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json } from "../../../../src/core/json.ts"
import { differences, pairs } from "../../../../src/core/run/views/compare.ts"
import { Passes, type Pass } from "../../../../src/core/run/views/passes.ts"
import { agent, flowOf, loop, planOf } from "../../../support/kernel/builders.ts"
import { choose, finish, Shell } from "../../../support/kernel/shell.ts"

const passesOf = (shell: Shell): readonly Pass[] => {
  const passes = new Passes()
  for (const e of shell.log) passes.take(e)
  return passes.all
}

describe("passes", () => {
  test("[K17] every pass of a loop is there, with how it ended; what runs is running", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "z", 2), agent("z")])))
    shell.reply("a", finish({ summary: "one" }))
    shell.reply("l", choose("loop"))
    shell.reply("a", finish({ summary: "two" }))
    expect(passesOf(shell).map(({ step, pass, shown }) => [step, pass, shown.status, shown.summary])).toEqual([
      ["a", 1, "complete", "one"],
      ["l", 1, "complete", "done"],
      ["a", 2, "complete", "two"],
      ["l", 2, "running", ""],
    ])
    expect(passesOf(shell)[1]?.shown.branch).toBe("loop")
  })
})

describe("pairs", () => {
  const pass = (step: string, n: number, summary: string): Pass => ({ step, pass: n, shown: { status: "complete", summary, outputs: {} } })

  test("[K17] stand in the order of the first flow, pass by pass, then what only the second one has", () => {
    const a = { steps: ["a", "d", "b"], passes: [pass("a", 1, "x"), pass("d", 1, "x"), pass("a", 2, "y"), pass("b", 1, "x")] }
    const b = { steps: ["x", "b", "a"], passes: [pass("a", 1, "x"), pass("b", 1, "other"), pass("x", 1, "x")] }
    expect(pairs(a, b).map(({ step, pass: n, same, a: one, b: two }) => [step, n, same, one === null, two === null])).toEqual([
      ["a", 1, true, false, false],
      ["a", 2, false, false, true],
      ["d", 1, false, false, true],
      ["b", 1, false, false, false],
      ["x", 1, false, true, false],
    ])
    expect(pairs(a, a).every(({ same }) => same)).toBe(true)
  })
})

describe("differences", () => {
  test("[K17] name each place by a pointer; what is not there is null", () => {
    expect(differences({ a: 1, b: { c: [1, 2] }, "x/y": 1 }, { a: 1, b: { c: [1, 3, 4] }, d: true })).toEqual([
      { pointer: "/b/c/1", a: 2, b: 3 },
      { pointer: "/b/c/2", a: null, b: 4 },
      { pointer: "/x~1y", a: 1, b: null },
      { pointer: "/d", a: null, b: true },
    ])
    expect(differences(undefined, { a: 1 })).toEqual([{ pointer: "", a: null, b: { a: 1 } }])
    expect(differences({ toString: 1 }, {})).toEqual([{ pointer: "/toString", a: 1, b: null }])
  })

  test("[K17] there are none between equal values, and some between others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(differences(a as Json, JSON.parse(JSON.stringify(a)))).toEqual([])
        const found = differences(a as Json, b as Json)
        expect(found.map(({ pointer }) => pointer)).toEqual([...new Set(found.map(({ pointer }) => pointer))])
      }),
    )
  })
})
