// An object that cannot be emptied keeps its alarm [J12].

import { expect, test } from "vitest"
import { emptied } from "../../../src/cloudflare/run/leaving/run-erasure.ts"

function storageOf(deleteAll: () => Promise<void>) {
  let alarm: number | null = 70
  const storage = {
    getAlarm: async () => alarm,
    setAlarm: async (at: number) => void (alarm = at),
    deleteAlarm: async () => void (alarm = null),
    deleteAll,
  } as unknown as DurableObjectStorage
  return { storage, alarm: () => alarm }
}

test("[J12] an object whose disk is full keeps its rows, and its alarm with them", async () => {
  const full = storageOf(() => Promise.reject(new Error("database or disk is full: SQLITE_FULL")))
  await expect(emptied(full.storage)).rejects.toThrow("SQLITE_FULL")
  expect(full.alarm()).toBe(70)
  const roomy = storageOf(() => Promise.resolve())
  await emptied(roomy.storage)
  expect(roomy.alarm()).toBeNull()
})
