// [N7] What the disk of the server did is told in the answer, not as an internal error.

import { expect, test } from "vitest"
import { conditionOf } from "../../../src/http/middleware/condition.ts"

const roomy = async (): Promise<boolean> => true

test.each([
  ["database or disk is full: SQLITE_FULL", "is full"],
  ["attempt to write a readonly database: SQLITE_READONLY", "is read-only or fails"],
  ["disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_WRITE)", "is read-only or fails"],
])("[N7] %s", async (message, said) => {
  const refusal = await conditionOf(new Error(message), roomy)
  expect(refusal?.code).toBe("disk_full")
  expect(refusal?.detail).toContain(said)
  expect(refusal?.headers).toEqual({ "retry-after": "30" })
})

test("[N7] what the platform does not explain is the disk's fault only while the disk takes no write", async () => {
  const unexplained = new Error("internal error; reference = abc")
  expect(await conditionOf(unexplained, roomy)).toBeUndefined()
  expect((await conditionOf(unexplained, async () => false))?.code).toBe("disk_full")
})

test("[W3] a promised run that begins late is told with a time to ask again", async () => {
  const late = Object.assign(new Error("it has not begun yet"), { name: "NotBegunError" })
  expect(await conditionOf(late, roomy)).toMatchObject({ code: "not_begun", headers: { "retry-after": "2" } })
})
