// docs/LIMITS.md is current, and every number at the top of a file of src is in it or has a reason not to be.

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { constants, constantsIn, faults, renderPage, untested, valueOf } from "../../scripts/limits.ts"

describe("the page of limits", () => {
  const all = constants()

  test("[H3] is what the constants, the routes and the tools say", () => {
    expect(readFileSync(new URL("../../docs/LIMITS.md", import.meta.url), "utf8")).toBe(renderPage())
  })

  test("[H3] has every number of src, or a reason not to, and names tests that exist", () => {
    expect(faults(all)).toEqual([])
    expect(all.length).toBeGreaterThan(400)
  })

  test("[H3] a new number without either fails", () => {
    const fresh = constantsIn(
      "core/new.ts",
      "export const MAX_NEW = 10 * MORE\nconst MORE = 2\nconst NAME = OTHER\nconst MOST_TEXT: number = 5_000\n",
    )
    expect(faults([...all, ...fresh])).toEqual([
      "core/new.ts MAX_NEW: is in no table of scripts/limits, and not-limits.ts does not say why",
      "core/new.ts MORE: is in no table of scripts/limits, and not-limits.ts does not say why",
      "core/new.ts MOST_TEXT: is in no table of scripts/limits, and not-limits.ts does not say why",
    ])
    expect(fresh.map((one) => valueOf(one, fresh))).toEqual([20, 2, undefined, 5_000])
  })

  test("[H3] bounds that no test passes yet become fewer, never more", () => {
    expect(untested().length).toBeLessThanOrEqual(LEFT)
  })
})

const LEFT = 40
