// A tenant's line without other objects: its rows, its gate, and what it tells runs.

import { expect } from "vitest"
import type { StartBlock } from "../../../src/core/start/start-block.ts"
import { LineStore } from "../../../src/cloudflare/tenant/starts/line-store.ts"
import { StartGate } from "../../../src/cloudflare/tenant/starts/start-gate.ts"
import { StartLine } from "../../../src/cloudflare/tenant/starts/start-line.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import type { HeldWord, LineAsk } from "../../../src/ports/tenant/line.ts"
import { DEFAULT_QUOTAS } from "../../../src/ports/tenant/tenants.ts"
import { sqliteStorage } from "./sqlite-storage.ts"

/** A tenant's line. `woken` is the same one after a reset. */
export function lineStand(quotas = { ...DEFAULT_QUOTAS, concurrent_runs: 1_000_000, starts_per_minute: 1_000_000 }) {
  const storage = sqliteStorage()
  const clock = { now: 1_000_000_000 }
  const told: [string, HeldWord][] = []
  const answers = new Map<string, boolean | Error | "silent">()
  const owed = new Set<string>()
  /** Runs that have reported, before the object woke. */
  const live = new Set<string>()
  const work: Promise<unknown>[] = []
  const woken = () => {
    const sql = new TenantSql(storage)
    const gate = new StartGate({
      live: () => [...live],
      startedAfter: () => [],
      quotas: () => quotas,
      full: () => undefined,
      meet: () => false,
      now: () => clock.now,
      pause: async () => undefined,
    })
    const line = new StartLine({
      store: new LineStore(sql),
      tenant: "t",
      gate,
      tell(run, word) {
        told.push([run, word])
        const answer = answers.get(run) ?? true
        if (answer === "silent") return new Promise<boolean>(() => undefined)
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
      },
      supersede: async () => true,
      mark: () => "ground",
      standing: async () => null,
      isOwed: (run) => owed.has(run),
      hasBegun: (run) => live.has(run),
      rules: async () => undefined,
      want: () => undefined,
      later: (promise) => void work.push(promise.catch(() => undefined)),
      now: () => clock.now,
    })
    return { sql, gate, line }
  }
  const settled = async (): Promise<void> => {
    while (work.length > 0) await work.shift()
  }
  return { ...woken(), woken, clock, told, answers, owed, live, settled }
}

export const blockOf = (key: string): StartBlock => ({
  concurrency: { pool: "f", key, limit: 1, overlap: "queue" },
  priority: "normal",
  expires: 86_400_000,
})
export const ask = (run: string, key = "k", kind: LineAsk["kind"] = "api"): LineAsk => ({ run, flow: "f", kind, block: blockOf(key) })
export const come = (line: StartLine, of: LineAsk) => {
  expect(line.arrive(of)).toMatchObject({ ok: true })
  return line.stored(of, false)
}
