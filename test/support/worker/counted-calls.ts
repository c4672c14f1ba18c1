// Counts what requests cost: calls between objects, and the statements and rows of one tenant's object.

import { runInDurableObject } from "cloudflare:test"
import { vi } from "vitest"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
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
  const calls: string[] = []
  const statements: string[] = []
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const seen: Counted = { calls, statements, rowsWritten: () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0) }
  const [askTenant, askRun, startRun] = [TenantObject.prototype.ask, RunObject.prototype.ask, RunObject.prototype.start]
  const sql = await runInDurableObject(tenantObject(tenant), (_, ctx) => ctx.storage.sql)
  const exec = sql.exec.bind(sql)
  const spies = [
    vi.spyOn(TenantObject.prototype, "ask").mockImplementation(function (this: TenantObject, ...call) {
      calls.push(`tenant ${call[0]}.${call[1]}`)
      return Reflect.apply(askTenant, this, call)
    }),
    vi.spyOn(RunObject.prototype, "ask").mockImplementation(function (this: RunObject, ...call) {
      calls.push(`run ${call[0]}.${call[1]}`)
      return Reflect.apply(askRun, this, call)
    }),
    vi.spyOn(RunObject.prototype, "start").mockImplementation(function (this: RunObject, ...call) {
      calls.push("run start")
      return Reflect.apply(startRun, this, call)
    }),
    vi.spyOn(sql, "exec").mockImplementation((query: string, ...values) => {
      const cursor = exec(query, ...values)
      statements.push(query)
      cursors.push(cursor)
      return cursor
    }),
  ]
  try {
    await work(seen)
    return seen
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
