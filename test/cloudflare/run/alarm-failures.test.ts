// Failures of a run's alarm are counted whatever has failed [J12].

import { expect, test } from "vitest"
import { AlarmFailures } from "../../../src/cloudflare/run/alarm-failures.ts"
import { MapStorage } from "../../contract/machine.ts"

test("[J12] failures are counted also when the disk is full, and the next try has its time", () => {
  const kv = new MapStorage() as unknown as SyncKvStorage
  const { put } = kv
  kv.put = () => {
    throw new Error("database or disk is full: SQLITE_FULL")
  }
  const failures = new AlarmFailures(kv)
  expect([failures.add(), failures.add()]).toEqual([1, 2])
  kv.put = put
  expect(failures.add()).toBe(3)
  expect(new AlarmFailures(kv).add()).toBe(4)
  failures.clear()
  expect(failures.add()).toBe(1)
})
