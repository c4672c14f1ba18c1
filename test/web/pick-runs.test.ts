// Which runs the preview of a policy is made of.

import { expect, test } from "vitest"
import { pickRuns, type ListedRun } from "../../web/policy/pick-runs.ts"

const run = (id: string, flow: string, calls: number, parent?: string): ListedRun => ({ id, flow, calls, parent })

test("the 30 newest items of a map crowd out no other flow, and count with the run that began them", () => {
  const items = Array.from({ length: 30 }, (_, i) => run(`item${i}`, "lead", 2, "map"))
  const rows = [...items, run("map", "leads", 0), run("silent", "ask", 0), run("refund", "refund", 3), run("older", "refund", 1)]
  const picked = pickRuns(rows, 4)
  expect(picked.map(({ id }) => id)).toEqual(["item0", "refund", "item1", "older"])
  expect(picked[0]).toEqual({ id: "item0", root: "map" })
  expect(pickRuns(rows, 20).map(({ id }) => id)).toContain("older")
})

test("runs that called no tool are no basis", () => {
  expect(pickRuns([run("a", "x", 0), run("b", "x", 0)], 20)).toEqual([])
})
