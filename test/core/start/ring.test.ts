// A child in line whose key can never become free [R14]: pure, with every run's standing as the test says.

import { expect, test } from "vitest"
import { findRing, type RingFound, type HolderStanding } from "../../../src/core/start/ring.ts"

interface Ground {
  /** Run → what it waits for in line. */
  readonly line: Readonly<Record<string, readonly [key: string, ...holders: string[]] | "other">>
  /** Run → its open children, if it waits for nothing else. A run that is not here works. */
  readonly idle?: Readonly<Record<string, readonly string[]>>
}

function found(child: string, above: readonly string[], { line, idle = {} }: Ground): { readonly said: RingFound; readonly asked: number } {
  const known = new Map<string, HolderStanding | null>()
  for (let asked = 0; ; asked++) {
    const said = findRing(child, above, {
      waits(run) {
        const wait = line[run]
        if (wait === undefined || wait === "other") return wait
        const [key, ...holders] = wait
        return { pool: "p", key, holders }
      },
      standing: (run) => known.get(run),
    })
    if (!said || "ring" in said || asked > 20) return { said, asked }
    for (const run of said.ask) known.set(run, { idle: idle[run] !== undefined, open: idle[run] ?? [] })
  }
}
const ring = (child: string, above: readonly string[], ground: Ground): string | undefined => {
  const { said } = found(child, above, ground)
  return said && "ring" in said ? said.ring : undefined
}

test("[R14] two families that want each other's key are a ring, and the message names it", () => {
  const line = { c1: ["b", "B"], c2: ["a", "A"] } as const
  expect(ring("c2", ["B"], { line, idle: { A: ["c1"] } })).toBe(
    'a ring of keys: c2 waits for the key "a" of "p", which A holds; c1 waits for the key "b" of "p", which B holds, a run above c2',
  )
})

test("[R14] families deeper than one level: who is above counts at any depth, and so does a child of a child", () => {
  const line = { c1: ["b", "B1"], c2: ["a", "A"] } as const
  const idle = { A: ["a1"], a1: ["a2"], a2: ["c1"] }
  expect(ring("c2", ["b3", "b2", "B1", "B"], { line, idle })).toContain("c1 waits for the key")
  // The key that A's family wants is held by someone else, who works.
  expect(ring("c2", ["b3", "b2", "B"], { line, idle })).toBeUndefined()
})

test("[R14] a holder that works, or waits for a person, a time or room, is none", () => {
  const line = { c1: ["b", "B"], c2: ["a", "A"], r: "other" } as const
  expect(ring("c2", ["B"], { line })).toBeUndefined()
  expect(ring("c2", ["B"], { line, idle: { A: ["c1", "w"] } })).toBeUndefined()
  expect(ring("c2", ["B"], { line, idle: { A: ["c1", "r"] } })).toBeUndefined()
  expect(ring("c2", ["B"], { line, idle: { A: [] } })).toBeUndefined()
})

test("[R14] one of the holders that can end is enough, and a start that no run holds up is in no ring", () => {
  const line = { c1: ["b", "B"], c2: ["a", "A", "W"] } as const
  expect(ring("c2", ["B"], { line, idle: { A: ["c1"] } })).toBeUndefined()
  expect(ring("c2", ["B"], { line: { c2: ["a"] } })).toBeUndefined()
})

test("[R14] a ring of three, and one that the child only looks at, are found", () => {
  const line = { c1: ["b", "B"], c2: ["c", "C"], c3: ["a", "A"] } as const
  expect(ring("c3", ["C"], { line, idle: { A: ["c1"], B: ["c2"] } })?.split(";")).toHaveLength(3)
  const other = { c1: ["b", "B"], c2: ["a", "A"], c3: ["a", "A"] } as const
  expect(ring("c3", ["C"], { line: other, idle: { A: ["c1"], B: ["c2"] } })).toContain("which A holds; c1 waits")
})

test("[R14] no more than 200 runs are looked at: beyond them the child waits on", () => {
  const many = Array.from({ length: 250 }, (_, n) => `h${n}`)
  expect(found("c", ["R"], { line: { c: ["k", ...many] } })).toEqual({ said: undefined, asked: 0 })
})
