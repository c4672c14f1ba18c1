// Opens an object's database again after a disk was read-only: SQLite opens a file that it may not write for reading, and keeps it so for as long as
// the object lives, also when the disk takes writes again. So the object begins anew.

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
