// Provides the database of the toolkit `catalog` [T43] from a D1 binding. The database does not separate tenants, and a query can read all
// of it, so it is available only to the tenant that DATA_TENANT names.

import type { Json, JsonObject } from "../../core/json.ts"
import type { Data } from "../../ports/data.ts"
import type { Env } from "../platform/env.ts"
import { idOf } from "../platform/jurisdiction.ts"

export type DataEnv = Pick<Env, "DATA" | "DATA_TENANT">

export const noData = (env: DataEnv): string | undefined =>
  env.DATA === undefined
    ? "needs a D1 database: bind it in wrangler.toml ([[d1_databases]], binding = DATA)"
    : (env.DATA_TENANT ?? "") === ""
      ? "has a D1 database, but DATA_TENANT does not name the tenant that may use it"
      : undefined

export function dataOf(env: DataEnv, tenant: string): Data | undefined {
  const { DATA, DATA_TENANT } = env
  if (DATA === undefined || DATA_TENANT !== idOf(tenant)) return undefined
  return {
    async select(sql, values, signal) {
      signal.throwIfAborted()
      const asked = DATA.prepare(sql)
        .bind(...values)
        .all<Record<string, unknown>>()
      // D1 cannot be interrupted: a query that takes too long runs until D1's own limit of 30 s.
      const { results } = await Promise.race([asked, aborted(signal)])
      return results.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])) satisfies JsonObject)
    },
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason ?? new Error("canceled")), { once: true }))

/** Blobs are shown by their size. */
function cell(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return `[${value.length} bytes]`
  return value instanceof ArrayBuffer ? `[${value.byteLength} bytes]` : null
}
