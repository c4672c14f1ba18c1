// Code that is loaded when it is first needed.

import { expect, test } from "vitest"
import { lazy } from "../../src/core/lazy.ts"

test("[N4] what is loaded once is not asked for again, and a load that fails is tried again", async () => {
  let asked = 0
  const load = lazy(async () => {
    asked += 1
    if (asked === 1) throw new Error("no connection")
    return { asked }
  })
  await expect(load()).rejects.toThrow("no connection")
  expect(await load()).toEqual({ asked: 2 })
  expect(await load()).toEqual({ asked: 2 })
  expect(asked).toBe(2)
})
