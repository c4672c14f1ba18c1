// What a run reports of its bodies [F71]: those that it owns, and when it lost an effect that may have stored one without telling anybody.

import { expect, test } from "vitest"
import { RunBodies } from "../../../src/cloudflare/run/run-bodies.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { ListedRun } from "../../../src/ports/tenant/run-list.ts"
import { MapStorage } from "../../contract/machine.ts"

const ROW = { id: "run_1" } as ListedRun
const lost = (seq: number, at: number): RunEvent =>
  ({ type: "action.lost", seq, at, v: 1, prev: "", key: "a/1/model/1", kind: "model", step: "a", attempt: 1 }) as unknown as RunEvent
const named = (seq: number, hash: string): RunEvent => ({ type: "file.put", seq, at: 1, file: { hash } }) as unknown as RunEvent

function house(events: readonly RunEvent[]) {
  const kv = new MapStorage() as unknown as SyncKvStorage
  const journal = { last: () => events.length, read: (after: number) => events.slice(after) }
  return { kv, wake: () => new RunBodies(kv, journal) }
}

test("[F71] a lost effect is reported with the next report, once in each life, and when the run is deleted", () => {
  const { wake } = house([named(1, "h"), lost(2, 70)])
  const bodies = wake()
  const row = bodies.withBodies(ROW)
  expect(row).toMatchObject({ bodies: ["h"], lost: 70 })
  bodies.told(row)
  expect(bodies.withBodies(ROW)).toEqual(ROW)
  expect(wake().owned()).toEqual({ bodies: ["h"], lost: 70 })
})

test("[F71] a report whose mark finds no room is made again", () => {
  const { kv, wake } = house([])
  const bodies = wake()
  bodies.put("h")
  const row = bodies.withBodies(ROW)
  const { put } = kv
  kv.put = () => {
    throw new Error("database or disk is full: SQLITE_FULL")
  }
  expect(() => bodies.told(row)).toThrow("SQLITE_FULL")
  kv.put = put
  expect(bodies.withBodies(ROW)).toMatchObject({ bodies: ["h"] })
})
