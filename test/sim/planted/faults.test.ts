import path from "node:path"
import { expect, test } from "vitest"
import { misfits } from "./fault.ts"
import { FAULTS } from "./faults.ts"
import { mutants } from "./mutate.ts"

test("each fault that can be planted fits the code of today", () => {
  expect(FAULTS).toHaveLength(18)
  expect(FAULTS.flatMap(misfits)).toEqual([])
})

test("a seed makes faults that fit, the same ones again", () => {
  const root = path.join(import.meta.dirname, "../../..")
  const made = mutants(root, 100, 1)
  expect(made).toHaveLength(100)
  expect(made.flatMap(misfits)).toEqual([])
  expect(mutants(root, 100, 1)).toEqual(made)
})
