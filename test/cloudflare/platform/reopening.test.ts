// [N7] A database that was opened on a read-only disk is opened again.

import { expect, test } from "vitest"
import { reopening } from "../../../src/cloudflare/platform/reopening.ts"

const object = (): { readonly reasons: unknown[]; abort(reason?: string): never } => {
  const reasons: unknown[] = []
  return {
    reasons,
    abort(reason) {
      reasons.push(reason)
      throw new Error(reason)
    },
  }
}

test.each(["attempt to write a readonly database: SQLITE_READONLY", "open: Read-only file system"])(
  "[N7] an object that fails with %s begins anew, and its caller hears why",
  async (message) => {
    const ctx = object()
    await expect(reopening(ctx, () => Promise.reject(new Error(message)))).rejects.toThrow(message)
    expect(ctx.reasons).toEqual([message])
  },
)

test("[N7] another fault, and a full disk, leave the object as it is", async () => {
  const ctx = object()
  for (const message of ["database or disk is full: SQLITE_FULL", "no such table: runs"])
    await expect(reopening(ctx, () => Promise.reject(new Error(message)))).rejects.toThrow(message)
  expect(await reopening(ctx, () => 1)).toBe(1)
  expect(ctx.reasons).toEqual([])
})
