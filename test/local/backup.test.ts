// Backup and restore of a whole server [O54], against a Worker that writes without a pause: every value first to one object, then to the next, so
// that a copy that is not of one moment has a value in the second that the first one lacks.

import { existsSync } from "node:fs"
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { backUp } from "../../local/backup/backup.ts"
import { FILES, MANIFEST, readManifest } from "../../local/backup/manifest.ts"
import { Mirror } from "../../local/backup/mirror.ts"
import { restore } from "../../local/backup/restore.ts"
import { claimDataFolder } from "../../local/data-folder.ts"
import { connectToHolder } from "../../local/folder-lock.ts"
import { isStopped } from "../../local/processes.ts"
import { startServer, type Server } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { FORMAT } from "../../src/engine/version.ts"
import { sluice } from "../package/sluice.ts"

const WORKER = `
import { DurableObject } from "cloudflare:workers"
export class TenantObject extends DurableObject {}
export class MemoryObject extends DurableObject {}
export class DirectoryObject extends DurableObject {}
export class RunObject extends DurableObject {
  constructor(ctx, env) { super(ctx, env); ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS n (n INTEGER PRIMARY KEY, text TEXT)") }
  put(n) { this.ctx.storage.sql.exec("INSERT INTO n VALUES (?, ?)", n, "x".repeat(400)) }
  most() { return this.ctx.storage.sql.exec("SELECT count(*) AS count, coalesce(max(n), 0) AS most FROM n").one() }
}
let writes = false
export default { async fetch(request, env, ctx) {
  const { pathname } = new URL(request.url), objects = ["a", "b", "c"].map((name) => env.RUN.getByName(name))
  if (pathname === "/write") {
    writes = true
    ctx.waitUntil((async () => { for (let n = (await objects[0].most()).most + 1; writes; n++) {
      for (const one of objects) await one.put(n)
      // Others are answered too.
      await new Promise((wake) => setTimeout(wake, 1))
    } })())
  }
  if (pathname === "/rest") writes = false
  return Response.json(await Promise.all(objects.map((one) => one.most())))
} }
`

let home: string
let server: Server | undefined
const place = (name: string): string => path.join(home, name)

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-backup-"))
  await writeFile(place("worker.js"), WORKER)
})
afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))

const serve = async (data: string): Promise<Server> =>
  (server = await startServer(readSettings({ PORT: "0", SLUICE_DATA: place(data), SLUICE_LOG: "" }), place("worker.js")))
const counts = async (at = ""): Promise<{ count: number; most: number }[]> => (await fetch(`${server?.url}/${at}`)).json()
const SOON = { timeout: 60_000 }

/** Every value up to the last, in each object; an object is at most one value behind the one that is written before it. */
async function expectOneMoment(atLeast: number): Promise<void> {
  const all = await counts()
  for (const { count, most } of all) expect(count).toBe(most)
  const [a = 0, b = 0, c = 0] = all.map(({ most }) => most)
  expect(
    [a - b, b - c].every((gap) => gap === 0 || gap === 1),
    `${a} ${b} ${c}`,
  ).toBe(true)
  expect(a - c).toBeLessThanOrEqual(1)
  expect(c).toBeGreaterThanOrEqual(atLeast)
}

describe("a backup", () => {
  test("[O54] of a server that writes is of one moment, has all that was answered before, and the server goes on", async () => {
    await serve("writes")
    await counts("write")
    for (let n = 1; n <= 3; n++) {
      await vi.waitFor(async () => expect((await counts())[2]?.most).toBeGreaterThan(n * 40), SOON)
      const [, , before] = await counts()
      const made = await backUp(place("writes"), place("series"))
      expect(made.halted).toBeLessThan(5_000)
      const { most = 0 } = before ?? {}
      await vi.waitFor(async () => expect((await counts())[2]?.most).toBeGreaterThan(most), SOON)
      const written = server
      restore(place("series"), place(`again-${n}`))
      await serve(`again-${n}`)
      await expectOneMoment(most)
      await server?.close()
      server = written
    }
    expect((await readdir(place("series"))).length).toBe(3)
    // What is of this machine alone is not in it.
    const [first = ""] = await readdir(place("series"))
    expect((await readdir(path.join(place("series"), first, FILES))).sort()).toEqual(
      ["do", "format", "kv", "r2"].filter((name) => existsSync(place(`writes/${name}`))),
    )
    expect(readManifest(path.join(place("series"), first)).files.some((file) => file.path.endsWith("-shm"))).toBe(false)
  })

  test("[O54] of a folder that nobody serves is the folder, and none serves it meanwhile", async () => {
    await serve("rests")
    await counts("write")
    await vi.waitFor(async () => expect((await counts())[2]?.most).toBeGreaterThan(20), SOON)
    await counts("rest")
    const last = await counts()
    await server?.close()
    const made = await backUp(place("rests"), place("of-rests"))
    expect(made.halted).toBeUndefined()
    restore(place("of-rests"), place("rested"))
    await serve("rested")
    expect((await counts()).map(({ most }) => most)).toEqual(last.map(({ most }) => most))
    const claim = await claimDataFolder(place("rests"))
    await expect(backUp(place("rests"), place("of-rests"))).rejects.toThrow()
    await claim.release()
    await expect(backUp(place("nowhere"), place("of-rests"))).rejects.toThrow("there is no data folder")
    await expect(backUp(place("rests"), place("rests/backups"))).rejects.toThrow("is in the data folder")
  })

  test("[O54] whoever copies is gone, or too slow, or never speaks: the server goes on", async () => {
    await serve("killed")
    const { workerd } = JSON.parse(await readFile(place("killed/server.json"), "utf8"))
    const halt = async () => {
      const socket = await connectToHolder(place("killed"))
      const said: string[] = []
      socket?.on("data", (text: Buffer) => said.push(...text.toString().trim().split("\n")))
      socket?.write("halt\n")
      await vi.waitFor(() => expect(said).toContain("halted"), SOON)
      expect(isStopped(workerd)).toBe(true)
      return { socket, said }
    }
    // kill -9 closes the socket, and nothing else.
    const killed = await halt()
    killed.socket?.destroy()
    await counts()
    expect(isStopped(workerd)).toBe(false)
    const slow = await halt()
    // A second backup is told.
    const second = await connectToHolder(place("killed"))
    const heard = new Promise<string>((told) => second?.on("data", (text: Buffer) => told(text.toString())))
    second?.write("halt\n")
    expect(await heard).toBe("busy\n")
    // Answered by a runtime that goes on by itself.
    await counts()
    await vi.waitFor(() => expect(slow.said).toEqual(["halted", "late"]), SOON)
    slow.socket?.write("done\n")
    const strange = await connectToHolder(place("killed"))
    strange?.write("GET / HTTP/1.1\n\n")
    await counts()
    for (const one of [slow.socket, second, strange]) one?.destroy()
    // What a killed backup left is no backup, and the next one takes it away.
    await mkdir(place("of-killed/20000101T000000.000Z.partial/data"), { recursive: true })
    const made = await backUp(place("killed"), place("of-killed"))
    expect(await readdir(place("of-killed"))).toEqual([path.basename(made.folder)])
  })

  test("[O54] copies again what may have changed, also within one tick of the clock, and forgets what is gone", async () => {
    const from = place("mirrored")
    await mkdir(path.join(from, "do"), { recursive: true })
    for (const name of ["old", "new", "gone", "x.sqlite-shm"]) await writeFile(path.join(from, "do", name), name)
    const mirror = new Mirror(from, place("mirror"), ["do", "format"])
    const later = BigInt(Date.now()) + 60_000n
    expect(mirror.copy()).toBe(10)
    // They were new: a change of the same size may have left no trace.
    expect(mirror.copy(later)).toBe(10)
    expect(mirror.copy(later)).toBe(0)
    await appendFile(path.join(from, "do/new"), "er")
    await rm(path.join(from, "do/gone"))
    expect(mirror.copy(later)).toBe(5)
    expect(mirror.files()).toEqual(["do/new", "do/old"])
    expect(await readdir(place("mirror/do"))).toEqual(["new", "old"])
    expect(await readFile(place("mirror/do/new"), "utf8")).toBe("newer")
  })
})

describe("a restore", () => {
  let made = ""
  beforeAll(async () => {
    await mkdir(place("small/do/x"), { recursive: true })
    await writeFile(place("small/format"), `${FORMAT}\n`)
    await writeFile(place("small/do/x/a.sqlite"), "rows")
    made = (await backUp(place("small"), place("smalls"), () => new Date("2026-01-02T03:04:05Z"))).folder
  })
  const into = async (): Promise<string> => mkdtemp(place("into-"))

  test("[O54] goes over nothing, and one that was cut off is begun anew and served by nobody", async () => {
    const data = await into()
    await writeFile(path.join(data, "mine"), "")
    expect(() => restore(made, data)).toThrow("is not empty, and a restore goes over nothing")
    expect(await readdir(data)).toEqual(["mine"])
    const cut = await into()
    await mkdir(path.join(cut, "do"))
    await writeFile(path.join(cut, "restoring"), made)
    await expect(claimDataFolder(cut)).rejects.toThrow("was cut off, so not everything is there")
    expect(restore(place("smalls"), cut)).toMatchObject({ from: made, files: 2 })
    expect(await readFile(path.join(cut, "do/x/a.sqlite"), "utf8")).toBe("rows")
    await (await claimDataFolder(cut)).release()
  })

  test("[O54] finds the backup of a time, and says which there are", async () => {
    const later = (await backUp(place("small"), place("smalls"), () => new Date("2026-02-02T03:04:05Z"))).folder
    expect(restore(place("smalls"), await into()).from).toBe(later)
    for (const at of ["2026-01-02", "20260102T0304", "2026-01-02T03:04:05.000Z"])
      expect(restore(place("smalls"), await into(), { at }).from).toBe(made)
    expect(() => restore(place("smalls"), place("x"), { at: "2025" })).toThrow("there is no backup of 2025")
    expect(() => restore(home, place("x"))).toThrow("there is no whole backup in")
    expect(existsSync(place("x"))).toBe(false)
    const { code, err } = await sluice(["restore", place("smalls"), "--server", place("x"), "--at", "1999"])
    expect([code, err]).toEqual([2, expect.stringContaining("there is no backup of 1999")])
  })

  test.each<readonly [string, (copy: string) => Promise<unknown>, string]>([
    ["a byte", (copy) => writeFile(path.join(copy, FILES, "do/x/a.sqlite"), "rowz"), "is damaged"],
    ["a length", (copy) => truncate(path.join(copy, FILES, "do/x/a.sqlite"), 1), "is damaged"],
    ["a missing file", (copy) => rm(path.join(copy, FILES, "format")), "is missing"],
    ["no list", (copy) => rm(path.join(copy, MANIFEST)), "there is no whole backup"],
    ["half a list", (copy) => truncate(path.join(copy, MANIFEST), 40), "is no whole backup"],
    ["a list that was edited", (copy) => edit(copy, (text) => text.replace("2026-01-02", "2026-01-03")), "was changed since the backup"],
  ])("[O54] of a damaged backup writes nothing: %s", async (_, damage, message) => {
    const copy = await mkdtemp(place("damaged-"))
    await mkdir(path.join(copy, FILES, "do/x"), { recursive: true })
    for (const name of [MANIFEST, `${FILES}/format`, `${FILES}/do/x/a.sqlite`])
      await writeFile(path.join(copy, name), await readFile(path.join(made, name)))
    await damage(copy)
    const data = path.join(copy, "into")
    expect(() => restore(copy, data)).toThrow(message)
    expect(existsSync(data)).toBe(false)
  })

  test("[J26] of another format, or for another VAULT_KEY, is refused", async () => {
    await writeFile(place("small/vault"), "0".repeat(64))
    const sealed = (await backUp(place("small"), place("sealed"))).folder
    expect(() => restore(sealed, place("x"), { vaultKey: "w8bX2kq0vPz7RtYcN5hJ3mLs9dFgA1eU" })).toThrow(
      "was sealed under another VAULT_KEY",
    )
    const other = (await import("../../local/backup/manifest.ts")).manifestText({ ...readManifest(sealed), format: FORMAT + 1 })
    await writeFile(path.join(sealed, MANIFEST), other)
    expect(() => restore(sealed, place("x"))).toThrow(`is of format ${FORMAT + 1}, and Sluice`)
    expect(existsSync(place("x"))).toBe(false)
  })
})

async function edit(copy: string, change: (text: string) => string): Promise<void> {
  const file = path.join(copy, MANIFEST)
  await writeFile(file, change(await readFile(file, "utf8")))
}
