import { expect, test } from "vitest"
import { weighed } from "../../web/flow/weighed.ts"

test("[F54d] a silenced warning is none of the warnings, and is counted by itself", () => {
  expect(
    weighed([{ severity: "error" }, { severity: "warning" }, { severity: "warning", silenced: "The gate of the shop asks." }]),
  ).toEqual({ errors: 1, warnings: 1, silenced: 1 })
})
