// Restarts an object whose disk was read-only: SQLite then opens the database for reading, and keeps it so for as long as the object lives,
// even after the disk is writable again.

import { isReadOnly } from "../../engine/disk-full.ts"

export async function reopening<T>(ctx: Pick<DurableObjectState, "abort">, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (e) {
    // Whoever called hears the reason.
    if (isReadOnly(e) && e instanceof Error) ctx.abort(e.message)
    throw e
  }
}
