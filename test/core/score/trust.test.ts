// What is said of a judge by its agreement with people: versions are never mixed, and few grades are told.

import { expect, test } from "vitest"
import { trustFlags, trustOf, type GradedRun } from "../../../src/core/score/trust.ts"
import { whole } from "../statistics/whole.ts"

const graded = (count: number, version: string, judge: number, grade: number, levels: readonly number[] = [0, 1]): GradedRun[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${version}${judge}${grade}${i}`, version, levels, judge, grade }))

test("[V22] each version has its own pairs and levels, and that of now comes first, also without a pair", () => {
  const runs = [...graded(20, "b", 1, 1), ...graded(20, "b", 0, 0), ...graded(3, "a", 0.5, 0.5, [0, 0.5, 1])]
  const versions = whole(trustOf(runs, "c", [0, 1]))
  expect(versions.map(({ version, pairs }) => [version, pairs])).toEqual([["c", 0], ["a", 3], ["b", 40]]) // prettier-ignore
  expect(versions[1]?.table).toHaveLength(3)
  expect(versions[2]).toMatchObject({ agreement: 1, kappa: 1 })
})

test("[V22] under 30 pairs are few, and a kappa whose upper end is below 0.4 disagrees", () => {
  expect(trustFlags({ pairs: 29, interval: null }, [])).toEqual(["few_grades"])
  expect(trustFlags({ pairs: 30, interval: [0.1, 0.39] }, ["swayed"])).toEqual(["disagrees", "swayed"])
  expect(trustFlags({ pairs: 30, interval: [0.1, 0.4] }, [])).toEqual([])
})
