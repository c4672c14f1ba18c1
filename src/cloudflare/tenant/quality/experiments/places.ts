// Counts the places of experiments that are under way [V38]. One of the gate that waits has none yet [V42].

import type { TenantSql } from "../../tenant-sql.ts"

export const MOST_AT_ONCE = 5 // limit: experiments of a tenant under way at once → 429 `quota`

export const hasPlace = (sql: TenantSql): boolean => count(sql, "status = 'running'") - waiting(sql) < MOST_AT_ONCE

export const waiting = (sql: TenantSql): number =>
  sql.has("experiment_try") ? (sql.read<{ n: number }>("SELECT count(*) AS n FROM experiment_try WHERE waits = 1")[0]?.n ?? 0) : 0

const count = (sql: TenantSql, where: string): number =>
  sql.has("experiment") ? (sql.read<{ n: number }>(`SELECT count(*) AS n FROM experiment WHERE ${where}`)[0]?.n ?? 0) : 0
