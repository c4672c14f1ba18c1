// Every number at the top of a file of src is a bound that `npm run limits` prints, or has a reason not to be; docs/LIMITS.md is current.

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { constants, constantsIn, faults, list, renderPage, untested, valueOf } from "../../scripts/limits.ts"

describe("the page of limits", () => {
  const all = constants()

  test("[H3] is what the constants, the routes and the tools say", () => {
    expect(readFileSync(new URL("../../docs/LIMITS.md", import.meta.url), "utf8")).toBe(renderPage(all))
  })

  test("[H3] prints every bound, member and argument with its value", () => {
    const lines = list(all)
    expect(lines.filter((line) => line.includes(". src/") && !/^-?[0-9,.]+ /.test(line))).toEqual([])
    expect(lines).toContain("startRun `task`: 1,000,000 characters")
    expect(lines).toContain("tool ask_user `options`: 100 items")
    expect(lines.length).toBeGreaterThan(1_000)
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
      "core/new.ts MAX_NEW: no comment says `limit: what → what answers beyond it`, and not-limits.ts does not say why",
      "core/new.ts MORE: no comment says `limit: what → what answers beyond it`, and not-limits.ts does not say why",
      "core/new.ts MOST_TEXT: no comment says `limit: what → what answers beyond it`, and not-limits.ts does not say why",
    ])
    expect(fresh.map((one) => valueOf(one, fresh))).toEqual([20, 2, undefined, 5_000])
    const told = constantsIn(
      "core/new.ts",
      "const A = 1 // limit: names of a list → the rest is cut\n/** [H3] Limit: bytes\n *  of a body → 413. */\nexport const B = 2\n// Why.\nconst C = 3\n",
    )
    expect(told.map(({ limit }) => limit)).toEqual([
      { bounds: "names of a list", beyond: "the rest is cut" },
      { bounds: "bytes of a body", beyond: "413" },
      undefined,
    ])
  })

  test("[H3] bounds that no test passes yet become fewer, never more", () => {
    expect(untested(all).length).toBeLessThanOrEqual(LEFT)
  })
})

const LEFT = 40
