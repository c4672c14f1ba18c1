// What a step costs by its position in a long chain [J8], counted: rows, commits, events read, and characters hashed, serialized and kept. Times
// are in bench/growth.ts.

import { expect, test, vi } from "vitest"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { flow, Stand, until } from "../../support/engine/stand.ts"

const STEPS = 200
// Three digits from the start: one width for each id.
const ids = Array.from({ length: STEPS }, (_, i) => `s${100 + i}`)
const chain = ids.map((id, i) => `  - { id: ${id}, type: code, outputs: [n]${i > 0 ? `, blockedBy: ${ids[i - 1]}` : ""} }\n`).join("")

interface Cost {
  hashes: number
  hashed: number
  serialized: number
  parsed: number
  commits: number
  events: number
  /** Events that the conductor reads again. */
  read: number
  /** Of the object's database. */
  statements: number
  rowsRead: number
  stored: number
}
const nothing = (): Cost => ({
  hashes: 0,
  hashed: 0,
  serialized: 0,
  parsed: 0,
  commits: 0,
  events: 0,
  read: 0,
  statements: 0,
  rowsRead: 0,
  stored: 0,
})

interface Costs {
  /** By the step that had begun. */
  readonly steps: readonly Cost[]
  /** Characters of each snapshot's head and of its steps, which stay flat too. */
  readonly snapshots: readonly { readonly at: number; readonly head: number; readonly steps: number }[]
}

/** Each decision is a commit of its own, so that each step pays for what it is. */
async function costs(): Promise<Costs> {
  const stand = new Stand(flow(chain), [])
  const steps: Cost[] = []
  const snapshots: { at: number; head: number; steps: number }[] = []
  let now = nothing()
  for (const [i, id] of ids.entries())
    stand.handlers.set(id, () => {
      steps[i] = now = nothing()
      return { ok: true, value: { n: 7 }, logs: [] }
    })
  const { commit, read, pick } = stand.journal
  const storage = sqliteStorage()
  const { exec } = storage.sql
  storage.sql.exec = ((query: string, ...values: unknown[]) => {
    const cursor = exec(query, ...values)
    now.statements++
    now.rowsRead += cursor.toArray().length
    for (const value of values) now.stored += typeof value === "string" ? value.length : value instanceof ArrayBuffer ? value.byteLength : 0
    return cursor
  }) as typeof exec
  const object = new SqlJournal(storage)
  const kept: { measuring: boolean } = { measuring: true }
  const { stringify, parse } = JSON
  const spies = [
    vi.spyOn(JSON, "stringify").mockImplementation(((...args: Parameters<typeof stringify>) => {
      const text = stringify(...args)
      if (kept.measuring) now.serialized += text?.length ?? 0
      return text
    }) as typeof stringify),
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      if (kept.measuring) now.parsed += text.length
      return parse(text, reviver)
    }),
  ]
  stand.onHash = (text) => {
    now.hashes++
    now.hashed += text.length
  }
  stand.journal.commit = (entry) => {
    now.commits++
    now.events += entry.events.length
    // What the journal of a test does inside is no cost of a run.
    kept.measuring = false
    if (entry.snapshot) {
      const { head, steps: taken } = entry.snapshot
      snapshots.push({ at: entry.events.at(-1)?.seq ?? 0, head: stringify(head).length, steps: stringify(taken).length })
    }
    commit.call(stand.journal, entry)
    object.commit(entry)
    kept.measuring = true
  }
  stand.journal.read = (after, limit) => {
    kept.measuring = false
    const found = read.call(stand.journal, after, limit)
    kept.measuring = true
    now.read += found.length
    return found
  }
  stand.journal.pick = (seqs) => {
    now.read += seqs.length
    return pick.call(stand.journal, seqs)
  }
  try {
    stand.start()
    await until(
      () => stand.journal.last() >= 3 * STEPS + 2,
      () => "the chain does not end",
    )
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  expect(stand.conductor.run.status).toBe("succeeded")
  return { steps, snapshots }
}

test("[J8] step 180 of a chain reads, stores, hashes and serializes what step 10 does", async () => {
  const { steps, snapshots } = await costs()
  expect(steps[180]).toEqual(steps[40])
  expect(steps[40]).toMatchObject({ hashes: 3, commits: 1, events: 3, read: 0, parsed: 0, statements: 1, rowsRead: 0 })
  // A `seq` has two digits at step 10: in three events, and in the cuts of their decisions.
  const { hashed = 0, serialized = 0, stored = 0, ...others } = steps[10] ?? {}
  expect({ ...others, hashed: hashed + 3, serialized: serialized + 3, stored: stored + 6 }).toEqual(steps[40])
  expect(snapshots.length).toBeGreaterThan(4)
  for (const { at, head, steps: taken } of snapshots.slice(1)) {
    expect(head, `the head at ${at}`).toBeLessThanOrEqual((snapshots[0]?.head ?? 0) + 16)
    // Three groups of 24 steps at most.
    expect(taken, `the steps at ${at}`).toBeLessThanOrEqual(3 * 24 * 300)
  }
})
