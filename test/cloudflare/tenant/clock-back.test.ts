// Times in rows that were written before the clock was set back [J12]: none of them stands still until the clock has caught up.

import { expect, test } from "vitest"
import { tenantStores } from "../../../src/cloudflare/tenant/tenant-stores.ts"
import { DeliveryStore } from "../../../src/cloudflare/tenant/hooks/delivery-store.ts"
import { ScheduleStore } from "../../../src/cloudflare/tenant/schedules/schedule-store.ts"
import { WAITS } from "../../../src/cloudflare/tenant/callbacks/callback-sender.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../support/engine/memory-catalog.ts"

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 5, 1, 12)

function stand() {
  const stores = tenantStores(sqliteStorage(), { ENVIRONMENT: "local" }, "local", { blobs: new FragileBlobs() })
  return { ...stores, schedules: new ScheduleStore(stores.sql), deliveries: new DeliveryStore(stores.sql) }
}

test("[W5] [J12] a schedule fires at its next time by the clock of now, once", () => {
  const { schedules } = stand()
  schedules.create("s1", NOON, { flow: "f", cron: "0 * * * *", zone: "UTC", overlap: "skip", enabled: true } as never)
  expect(schedules.earliest()).toBe(NOON + HOUR)
  expect(schedules.claim("s1", { run: "r1", now: NOON + HOUR, due: 0 }, { at: NOON + HOUR, queued: false })).toBe("started")
  schedules.started("r1")
  schedules.ended("r1")
  expect(schedules.find("s1")?.next).toBe(NOON + 2 * HOUR)
  // Half a day back.
  schedules.mend(NOON - 12 * HOUR, NOON - 12 * HOUR + 300_000)
  expect(schedules.find("s1")?.next).toBe(NOON - 11 * HOUR)
  // With nothing to mend, nothing changes.
  schedules.mend(NOON - 11.5 * HOUR, NOON)
  expect(schedules.find("s1")?.next).toBe(NOON - 11 * HOUR)
})

test("[W5] [S1] a fire whose run was promised is started although its schedule was deleted; then nothing is left of it", () => {
  const { schedules, sql } = stand()
  schedules.create("s1", NOON, { flow: "f", cron: "0 * * * *", zone: "UTC", overlap: "queue", enabled: true } as never)
  expect(schedules.claim("s1", { run: "r1", now: NOON, due: NOON })).toBe("started")
  expect(schedules.claim("s1", { run: "r2", now: NOON, due: NOON })).toBe("queued")
  expect(schedules.remove("s1")).toBe(true)
  expect([schedules.find("s1"), schedules.list(), schedules.remove("s1")]).toEqual([undefined, [], false])
  const [fire, ...more] = schedules.unstarted(NOON, 10)
  expect([fire?.run, more]).toEqual(["r1", []])
  expect(fire && schedules.settings(fire)).toMatchObject({ flow: "f" })
  // It fires no more, whatever was queued.
  expect(schedules.due(NOON + 24 * HOUR, 10)).toEqual([])
  schedules.started("r1")
  expect(["schedule", "schedule_run"].map((table) => sql.read(`SELECT 1 FROM ${table}`))).toEqual([[], []])
})

test("[W5] a time that comes anew after the clock was set back is passed over, for its run is there", () => {
  const { schedules } = stand()
  schedules.create("s1", NOON, { flow: "f", cron: "0 * * * *", zone: "UTC", overlap: "parallel", enabled: true } as never)
  const first = { at: NOON + HOUR, queued: false }
  expect(schedules.claim("s1", { run: "r1", now: NOON + HOUR, due: 0 }, first)).toBe("started")
  schedules.started("r1")
  schedules.ended("r1")
  schedules.mend(NOON + HOUR - 60_000, NOON + HOUR)
  expect(schedules.find("s1")?.next).toBe(NOON + HOUR)
  expect(schedules.claim("s1", { run: "r1", now: NOON + HOUR + 5_000, due: 0 }, first)).toBeUndefined()
  expect(schedules.find("s1")).toMatchObject({ next: NOON + 2 * HOUR, last: { at: NOON + HOUR, run: "r1" } })
  expect(schedules.claim("s1", { run: "r2", now: NOON + 2 * HOUR, due: 0 }, { at: NOON + 2 * HOUR, queued: false })).toBe("started")
})

test("[J12] a start, a message, a place in the queue and a word to a run are due again; what is due later by right stays", () => {
  const { sql, deliveries, schedules, sweeps, callbacks } = stand()
  const times = [NOON + 60_000, NOON + 5 * 24 * HOUR]
  sql.write((rows) => {
    for (const due of times) {
      rows.exec(
        "INSERT INTO delivery (id, hook, at, verdict, duplicates, due, tries, run) VALUES (?, 'h', 1, 'accepted', 0, ?, 1, 'r')",
        `d${due}`,
        due,
      )
      rows.exec("INSERT INTO schedule_run (run, schedule, at, due, tries) VALUES (?, 's', 1, ?, 1)", `r${due}`, due)
      rows.exec("INSERT INTO retention_untold (run, due, tries) VALUES (?, ?, 0)", `r${due}`, due)
    }
    for (const [id, tries, due] of [
      ["soon", 1, NOON + 1_000],
      ["right", 11, NOON + 19 * HOUR],
      ["wrong", 1, NOON + 19 * HOUR],
    ] as const)
      rows.exec(
        `INSERT INTO callback_message (id, run, url, origin, secret, type, body, status, attempts, tries, due, created)
         VALUES (?, 'r', 'u', 'o', '', 't', '', 'pending', 1, ?, ?, 1)`,
        id,
        tries,
        due,
      )
  })
  deliveries.mend(NOON, NOON + 300_000)
  schedules.mend(NOON, NOON + 300_000)
  sweeps.mend(NOON)
  callbacks.mend(NOON, (tries) => NOON + 2 * (WAITS[tries - 1] ?? 0))
  const dues = (table: string): unknown[] => sql.read<{ due: number }>(`SELECT due FROM ${table} ORDER BY due`).map(({ due }) => due)
  for (const table of ["delivery", "schedule_run", "retention_untold"]) expect(dues(table)).toEqual([NOON, NOON + 60_000])
  expect(sql.read("SELECT id FROM callback_message WHERE due > ? ORDER BY id", NOON)).toEqual([{ id: "right" }, { id: "soon" }])
})
