// `sluice backup DIR --server DATA` [O54]: the whole data folder of a server as it was at one moment, whether it serves or not.
//
// While it serves, the folder is copied, then what has changed meanwhile; then the runtime halts (../halt.ts), and the rest is copied. What a
// halted process has written is what a killed one leaves, so a restored folder goes on as after a crash [J10]. Without a server, the folder is
// held as a server would hold it, so that none starts meanwhile.
//
// Secrets stay sealed: the VAULT_KEY is not in the folder. A backup has its name when it is whole, and nothing before.

import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { FORMAT, VERSION } from "../../src/engine/version.ts"
import { checkFormat, DATA, NUMBER } from "../data-format.ts"
import { claimDataFolder } from "../data-folder.ts"
import { lockFolder } from "../folder-lock.ts"
import { Trouble } from "../trouble.ts"
import { VAULT_MARK } from "../vault-mark.ts"
import { HaltedServer } from "./halted.ts"
import { checksumOf, FILES, MANIFEST, manifestText, type BackupList } from "./manifest.ts"
import { Mirror } from "./mirror.ts"
import { synced, syncFolders } from "./synced.ts"

/** What is copied of a data folder. The rest is of this machine, or made anew: the lock, the log, the reserve, the cache. */
const COPIED = [...DATA, NUMBER, VAULT_MARK]
const PARTIAL = ".partial"
/** While it serves: the fewest bytes that one more time through is worth, and the most times. */
const WORTH = 33_554_432
const TIMES = 4

export interface Backup {
  /** Absolute. */
  readonly folder: string
  /** The moment that it is of. */
  readonly at: string
  readonly files: number
  readonly bytes: number
  /** Milliseconds; undefined: no server ran. */
  readonly halted: number | undefined
}

/** `series`: a folder for each backup is made in it. */
export async function backUp(data: string, series: string, now: () => Date = () => new Date()): Promise<Backup> {
  const home = existing(data)
  await checkFormat(home)
  mkdirSync(series, { recursive: true, mode: 0o700 })
  const into = realpathSync(series)
  if (`${into}/`.startsWith(`${home}/`))
    throw new Trouble(`${series} is in the data folder: keep backups elsewhere, best on another disk`, 2)
  const lock = await lockFolder(into)
  if (lock === undefined) throw new Trouble(`another backup writes to ${series}: wait for it, or use another folder`, 1)
  try {
    // Of a backup that was killed.
    for (const name of readdirSync(into)) if (name.endsWith(PARTIAL)) rmSync(path.join(into, name), { recursive: true, force: true })
    const partial = path.join(into, `${nameOf(now())}${PARTIAL}`)
    try {
      return await copied({ home, into, partial, now })
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      throw error
    }
  } finally {
    await lock.release()
  }
}

function existing(data: string): string {
  try {
    return realpathSync(data)
  } catch {
    throw new Trouble(`there is no data folder ${data}: name the one that the server was started with`, 2)
  }
}

const nameOf = (at: Date): string => at.toISOString().replaceAll(/[-:]/g, "")

interface Place {
  readonly home: string
  readonly into: string
  readonly partial: string
  readonly now: () => Date
}

async function copied({ home, into, partial, now }: Place): Promise<Backup> {
  mkdirSync(path.join(partial, FILES), { recursive: true, mode: 0o700 })
  chmodSync(partial, 0o700)
  const mirror = new Mirror(home, path.join(partial, FILES), COPIED)
  const server = await HaltedServer.connect(home)
  const { at, halted } = server === undefined ? await copyHeld(home, mirror, now) : await copyServing(server, mirror, now)
  const files = mirror.files().map((file) => {
    const copy = path.join(partial, FILES, file)
    chmodSync(copy, 0o600)
    synced(copy)
    return { path: file, ...checksumOf(copy) }
  })
  const list: BackupList = { backup: 1, sluice: VERSION, format: FORMAT, at: at.toISOString(), halted: halted ?? null, files }
  writeFileSync(path.join(partial, MANIFEST), manifestText(list), { mode: 0o600 })
  synced(path.join(partial, MANIFEST))
  syncFolders(partial)
  const folder = path.join(into, nameOf(at))
  renameSync(partial, folder)
  synced(into)
  return { folder, at: list.at, files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0), halted }
}

interface Copied {
  /** What was committed before is in it. */
  readonly at: Date
  readonly halted: number | undefined
}

async function copyHeld(home: string, mirror: Mirror, now: () => Date): Promise<Copied> {
  const claim = await claimDataFolder(home)
  try {
    const at = now()
    mirror.copy()
    return { at, halted: undefined }
  } finally {
    await claim.release()
  }
}

async function copyServing(server: HaltedServer, mirror: Mirror, now: () => Date): Promise<Copied> {
  try {
    for (let times = 0; times < TIMES && mirror.copy() > WORTH; times++) await new Promise(setImmediate)
    await server.halt()
    const at = now()
    mirror.copy()
    return { at, halted: await server.proceed() }
  } finally {
    server.close()
  }
}
