import path from "node:path"
import { expect, test } from "vitest"
import { misfits } from "./fault.ts"
import { FAULTS } from "./faults.ts"
import { EQUIVALENT } from "./equivalent.ts"
import { EXPLAINED } from "./explained.ts"
import { mutants, plantedAll, sitesBelow } from "./mutate.ts"
import { codeOf } from "../platform/machines.ts"

test("each fault that can be planted fits the code of today", () => {
  expect(FAULTS).toHaveLength(18)
  expect(FAULTS.flatMap(misfits)).toEqual([])
})

const root = path.join(import.meta.dirname, "../../..")

test("a seed makes mutants, the same ones again, each with a name of its own", () => {
  const made = mutants(root, 100, 1)
  expect(made).toHaveLength(100)
  expect(mutants(root, 100, 1).map(({ name }) => name)).toEqual(made.map(({ name }) => name))
  const names = sitesBelow(root).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test("all mutants are in one bundle, each once", async () => {
  const made = mutants(root, 100, 1)
  const texts = plantedAll(root, made).map(({ to }) => to)
  for (const n of made.keys()) expect([n, texts.filter((to) => to.includes(`globalThis.planted(${n})`)).length]).toEqual([n, 1])
  await codeOf(plantedAll(root, made))
})

test("each mutant that is explained, or that nobody could tell from the code, is one of today, and has one place", () => {
  const names = new Set(sitesBelow(root).map(({ name }) => name))
  expect([...Object.keys(EXPLAINED), ...Object.keys(EQUIVALENT)].filter((name) => !names.has(name))).toEqual([])
  expect(Object.keys(EXPLAINED).filter((name) => EQUIVALENT[name] !== undefined)).toEqual([])
})
