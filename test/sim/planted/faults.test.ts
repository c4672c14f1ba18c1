import { expect, test } from "vitest"
import { FAULTS } from "./faults.ts"
import { misfits } from "./fault.ts"

test("each fault that can be planted fits the code of today", () => {
  expect(FAULTS).toHaveLength(18)
  expect(FAULTS.flatMap(misfits)).toEqual([])
})
