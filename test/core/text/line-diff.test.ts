// The diff of two texts: correct (it turns one into the other), small, and bounded for any texts.

import { describe, expect, test } from "vitest"
import fc from "fast-check"
import { unifiedDiff } from "../../../src/core/text/line-diff.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const plenty = () => ({ left: 10_000_000 })
const diff = (a: string, b: string) => unifiedDiff(a, b, plenty())

/** A minimal `patch`. */
function patched(before: string, hunks: string): string {
  const lines = before === "" ? [] : before.split(/(?<=\n)/)
  const out: string[] = []
  let at = 0
  const rows = hunks === "" ? [] : hunks.split(/(?<=\n)/)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? ""
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(row)
    if (head) {
      const from = head[2] === "0" ? Number(head[1]) : Number(head[1]) - 1
      while (at < from) out.push(lines[at++] ?? "")
      continue
    }
    const bare = rows[i + 1]?.startsWith("\\") ? row.slice(1, -1) : row.slice(1)
    if (row.startsWith("\\")) continue
    if (row.startsWith("+")) out.push(bare)
    else {
      expect(lines[at]).toBe(bare)
      if (row.startsWith(" ")) out.push(bare)
      at++
    }
  }
  return [...out, ...lines.slice(at)].join("")
}

describe("unifiedDiff", () => {
  test("[H5] a file of 500,000 lines is compared without a call of as many arguments", () => {
    const diff = unifiedDiff("", "a\n".repeat(500_000), { left: 10_000_000 })
    expect(diff.split("\n")).toHaveLength(500_002)
  })

  test("[F72] a changed line is shown with three lines around it", () => {
    const lines = (x: string) => ["a", "b", "c", "d", x, "f", "g", "h", "i"].map((l) => `${l}\n`).join("")
    expect(diff(lines("e"), lines("E"))).toBe("@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n")
  })

  test("[F72] distant changes are separate hunks, close ones share a hunk", () => {
    const text = (...marks: number[]) => Array.from({ length: 30 }, (_, i) => `${marks.includes(i) ? "X" : i}\n`).join("")
    expect(diff(text(), text(3, 25)).match(/^@@.*@@$/gm)).toEqual(["@@ -1,7 +1,7 @@", "@@ -23,7 +23,7 @@"])
    expect(diff(text(), text(3, 8)).match(/^@@.*@@$/gm)).toEqual(["@@ -1,12 +1,12 @@"])
  })

  test("[F72] a new text, a removed text, a missing last newline", () => {
    expect(diff("", "a\nb\n")).toBe("@@ -0,0 +1,2 @@\n+a\n+b\n")
    expect(diff("a\n", "")).toBe("@@ -1 +0,0 @@\n-a\n")
    expect(diff("a", "a\n")).toBe("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")
    expect(diff("a\r\n", "a\n")).toBe("@@ -1 +1 @@\n-a\r\n+a\n")
    expect(diff("same", "same")).toBe("")
  })

  test("[F72] it turns one text into the other, and is as short as possible", () => {
    const line = fc.constantFrom("a", "b", "c", "", "+x", "-x", "@@ -1 +1 @@")
    const text = fc.tuple(fc.array(line, { maxLength: 25 }), fc.boolean()).map(([l, end]) => l.join("\n") + (end ? "\n" : ""))
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(patched(a, diff(a, b))).toBe(b)
        // With the budget spent, the diff is longer but still correct.
        expect(patched(a, unifiedDiff(a, b, { left: 0 }))).toBe(b)
        const changed = (d: string) => d.split("\n").filter((l) => /^[+-]/.test(l)).length
        expect(changed(diff(a, b))).toBeLessThanOrEqual(changed(unifiedDiff(a, b, { left: 0 })))
      }),
      { numRuns: 500 },
    )
  })

  test("[F72] two long texts without a common line cost no more than the budget", () => {
    const a = Array.from({ length: 60_000 }, (_, i) => `a${i}\n`).join("")
    const b = Array.from({ length: 60_000 }, (_, i) => `b${i}\n`).join("")
    const budget = { left: 2_000_000 }
    const spent = cpuClock()
    const hunks = unifiedDiff(a, b, budget)
    expect(spent()).toBeLessThan(4_000)
    expect(hunks.startsWith("@@ -1,60000 +1,60000 @@\n")).toBe(true)
    expect(budget.left).toBeGreaterThan(-200_000)
  })
})
