// [N7] The launcher keeps room on the disk for what makes room.

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { DiskReserve } from "../../local/disk-reserve.ts"

const MEGABYTE = 1_048_576
let folder: string
let free = 0
let isGone = false
const disk = (): DiskReserve =>
  new DiskReserve(path.join(folder, "reserve"), () => {
    if (isGone) throw new Error("no such disk")
    return free
  })
const has = (name: string): boolean => existsSync(path.join(folder, "reserve", name))

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sluice-reserve-"))
  free = 1_000 * MEGABYTE
  isGone = false
})
afterEach(() => rmSync(folder, { recursive: true }))

test("[N7] on a roomy disk a reserve is held", () => {
  disk()
  expect([has("held"), has("full")]).toEqual([true, false])
  expect(statSync(path.join(folder, "reserve/held")).size).toBe(8 * MEGABYTE)
})

test("[N7] a disk that is nearly full gets the reserve, and the folder says so; with room again it is taken back", () => {
  const reserve = disk()
  free = 3 * MEGABYTE
  reserve.look()
  expect([has("held"), has("full")]).toEqual([false, true])
  expect(statSync(path.join(folder, "reserve/full")).size).toBe(0)
  // What the reserve itself gave back is no room yet.
  free = 11 * MEGABYTE
  reserve.look()
  expect([has("held"), has("full")]).toEqual([false, true])
  free = 40 * MEGABYTE
  reserve.look()
  expect([has("held"), has("full")]).toEqual([true, false])
})

test("[N7] a server that starts on a full disk says so, and one that starts on a small disk takes no reserve", () => {
  free = 2 * MEGABYTE
  disk()
  expect([has("held"), has("full")]).toEqual([false, true])
  rmSync(path.join(folder, "reserve"), { recursive: true })
  free = 20 * MEGABYTE
  disk()
  expect([has("held"), has("full")]).toEqual([false, false])
})

test("[N7] a start after a kill goes on with what it finds", () => {
  disk()
  free = 1 * MEGABYTE
  disk()
  expect([has("held"), has("full")]).toEqual([false, true])
  free = 500 * MEGABYTE
  disk()
  expect([has("held"), has("full")]).toEqual([true, false])
})

test("[N7] a reserve that was being taken back when the server died is given up again", () => {
  disk()
  writeFileSync(path.join(folder, "reserve/full"), "")
  free = 2 * MEGABYTE
  disk()
  expect([has("held"), has("full")]).toEqual([false, true])
})

test("[N7] a disk that cannot be asked changes nothing", () => {
  const reserve = disk()
  isGone = true
  reserve.look()
  expect([has("held"), has("full")]).toEqual([true, false])
})
