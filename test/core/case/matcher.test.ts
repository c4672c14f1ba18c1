// [K20] What an expectation means: maps as subsets, lists whole, matchers in place of values.

import { describe, expect, test } from "vitest"
import { mismatches } from "../../../src/core/case/matcher.ts"
import type { Json } from "../../../src/core/json.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const at = (expected: Json, found: Json | undefined): string[] => mismatches(expected, found, "", 100).map((m) => m.at)

describe("matching", () => {
  test.each<[Json, Json | undefined]>([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{}, { a: 1 }],
    [
      [1, { a: 1 }],
      [1, { a: 1, b: 2 }],
    ],
    [null, null],
    [null, undefined],
    [{ a: null }, {}],
    [{ a: { matches: "^ab+$" } }, { a: "abbb" }],
    [{ matches: "b" }, "abc"],
    [{ schema: { type: "number", minimum: 3 } }, 4],
    [{ at_most: 3 }, 3],
    [{ at_least: 3, at_most: 5 }, 4],
    [[{ at_least: 1 }], [2]],
    [
      { schema: 1, other: 2 },
      { schema: 1, other: 2 },
    ],
  ])("[K20] %j matches %j", (expected, found) => expect(at(expected, found)).toEqual([]))

  test.each<[Json, Json | undefined, string[]]>([
    [{ a: 1 }, { b: 1 }, ["/a"]],
    [{ a: { b: 1, c: 2 } }, { a: { b: 2 } }, ["/a/b", "/a/c"]],
    [[1], [1, 2], [""]],
    [
      [1, 2],
      [2, 1],
      ["/0", "/1"],
    ],
    [{ a: 1 }, null, [""]],
    ["1", 1, [""]],
    [{ matches: "^x" }, "ax", [""]],
    [{ matches: "1" }, 1, [""]],
    [{ schema: { type: "number" } }, "4", [""]],
    [{ at_most: 3 }, "2", [""]],
    [{ at_most: 3 }, undefined, [""]],
    [{ "a/b~c": 1 }, {}, ["/a~1b~0c"]],
    [{ toString: 1 }, {}, ["/toString"]],
  ])("[K20] %j against %j differs at %j", (expected, found, places) => expect(at(expected, found)).toEqual(places))

  test("[K20] each place says what was expected and what was found", () => {
    expect(mismatches({ n: { at_least: 4 } }, { n: 3 }, "/outputs", 9)).toEqual([{ at: "/outputs/n", expected: { at_least: 4 }, found: 3 }])
    expect(mismatches({ a: 1, b: 2, c: 3 }, {}, "", 2)).toHaveLength(2)
  })

  test("[K20] a hostile pattern costs no more than its effort", () => {
    const spent = cpuClock()
    mismatches({ matches: "(a|a)*(a|a)*(a|a)*b{400}" }, "a".repeat(200_000), "", 9)
    expect(spent()).toBeLessThan(20_000)
  })
})
