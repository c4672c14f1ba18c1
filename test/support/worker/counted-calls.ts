// Counts what requests cost: calls between objects, and the statements and rows of one tenant's object.

import { runInDurableObject } from "cloudflare:test"
import { vi } from "vitest"
import { objectCalls } from "./object-calls.ts"
import { tenantObject } from "./service-client.ts"

export interface Counted {
  /** The calls between objects, in the order of their beginnings. */
  readonly calls: string[]
  /** What the tenant's object asked of its database. */
  readonly statements: string[]
  rowsWritten(): number
}

/** Counts while `work` runs. */
export async function counted(tenant: string, work: (seen: Counted) => Promise<void>): Promise<Counted> {
  const statements: string[] = []
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const sql = await runInDurableObject(tenantObject(tenant), (_, ctx) => ctx.storage.sql)
  const exec = sql.exec.bind(sql)
  const { calls, stop } = objectCalls(tenant)
  const seen: Counted = { calls, statements, rowsWritten: () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0) }
  const executed = vi.spyOn(sql, "exec").mockImplementation((query: string, ...values) => {
    const cursor = exec(query, ...values)
    statements.push(query)
    cursors.push(cursor)
    return cursor
  })
  try {
    await work(seen)
    return seen
  } finally {
    executed.mockRestore()
    stop()
  }
}
