// The family of a run as a tree.

import { expect, test } from "vitest"
import { isAgain, MOST_KIN, treeOf, type Kin } from "../../web/run/fork-tree.ts"

const kin = (id: string, source?: string, seq = 40): Kin => ({ id, ...(source === undefined ? {} : { fork: { run: source, seq } }) })
const linesOf = (tree: ReturnType<typeof treeOf>): string[] =>
  tree.places.map(
    ({ kin: one, more, parent, column, row }) =>
      `${column},${row} ${one?.id ?? `${more} more`}${parent === undefined ? "" : ` < ${parent}`}`,
  )

test("[K15] sources stand left of their forks, and a source in the middle of its forks", () => {
  const path = [kin("a"), kin("b", "a")]
  const forks = new Map([
    ["a", [kin("x", "a"), kin("b", "a"), kin("y", "a")]],
    ["b", [kin("p", "b"), kin("q", "b")]],
  ])
  const tree = treeOf(path, forks)
  expect(linesOf(tree)).toEqual(["0,1.5 a", "1,0 x < a", "1,1.5 b < a", "1,3 y < a", "2,1 p < b", "2,2 q < b"])
  expect([tree.columns, tree.rows, tree.count]).toEqual([3, 4, 6])
})

test("[K15] a run without kin is one box", () => {
  expect(linesOf(treeOf([kin("a")], new Map()))).toEqual(["0,0 a"])
})

test("[K15] the path is whole, also where the list of a source's forks ends before it", () => {
  expect(linesOf(treeOf([kin("a"), kin("b", "a")], new Map([["a", [kin("x", "a")]]])))).toEqual(["0,0.5 a", "1,0 b < a", "1,1 x < a"])
})

test("[K15] of a large family the path to the run is drawn, and how many more there are", () => {
  const many = Array.from({ length: MOST_KIN }, (_, i) => kin(`x${i}`, "a"))
  const tree = treeOf([kin("a"), kin("x3", "a")], new Map([["a", many]]))
  expect(linesOf(tree)).toEqual(["0,0.5 a", "1,0 x3 < a", "1,1 11 more < a"])
  expect(tree.count).toBe(MOST_KIN + 1)
})

test("[K15] what is left out is drawn as soon as it is asked for", () => {
  const many = Array.from({ length: MOST_KIN }, (_, i) => kin(`x${i}`, "a"))
  const tree = treeOf([kin("a"), kin("x3", "a")], new Map([["a", many]]), new Set(["a"]))
  expect(linesOf(tree)).toHaveLength(MOST_KIN + 1)
  expect(tree.rows).toBe(MOST_KIN)
})

test("[K15] what was forked from the first event was run again", () => {
  expect(isAgain(kin("b", "a", 1))).toBe(true)
  expect(isAgain(kin("b", "a", 2))).toBe(false)
  expect(isAgain(kin("a"))).toBe(false)
})
