// [K20] Where the cases of a file begin.

import { expect, test } from "vitest"
import { caseLines } from "../../../src/core/case/case-lines.ts"

test("[K20] each case has its name and the line of its dash, whatever stands between", () => {
  const text =
    "# first\ncases:\n  # a comment\n  - name: one\n    expect: { status: succeeded }\n\n  - expect: { status: failed }\n    name: two\n"
  expect(caseLines(text)).toEqual([
    { name: "one", line: 4 },
    { name: "two", line: 7 },
  ])
  expect(caseLines("cases: [ { name: a }, { name: b } ]")).toEqual([
    { name: "a", line: 1 },
    { name: "b", line: 1 },
  ])
})

test.each(["", "cases:", "cases: 5", "- a", "cases: [ 5, { nam: x }, { name: 7 } ]", "cases: [", "{{{"])(
  "[K20] a file with faults has the cases that can be read: %j",
  (text) => {
    expect(caseLines(text)).toEqual([])
  },
)

test("[K20] no more cases than a file may have are listed", () => {
  const text = `cases:\n${Array.from({ length: 130 }, (_, i) => `  - { name: c${i} }\n`).join("")}`
  expect(caseLines(text)).toHaveLength(100)
})
