// `sluice restore DIR --server DATA` [O54]: the files of a whole backup, checked byte by byte, in an empty folder. Nothing is written before all of
// them were checked. A restore that is cut off leaves a folder that no server takes, and that the next restore begins anew.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { otherFormat } from "../../src/engine/version.ts"
import { DATA, NUMBER, RESTORING } from "../data-format.ts"
import { Trouble } from "../trouble.ts"
import { isMarkOf, VAULT_MARK } from "../vault-mark.ts"
import { checksumOf, FILES, MANIFEST, readManifest, type BackupList } from "./manifest.ts"
import { synced, syncFolders } from "./synced.ts"

/** Of a disk of its own. */
const NOTHING = new Set(["lost+found"])

export interface Restored {
  readonly from: string
  readonly at: string
  readonly files: number
  readonly bytes: number
  /** The folder knows which VAULT_KEY sealed it. */
  readonly hasMark: boolean
}

export interface RestoreWish {
  /** The name of a backup in the series, or its beginning; undefined: the newest. */
  readonly at?: string | undefined
  /** The VAULT_KEY with which it will be served, if it is known here. */
  readonly vaultKey?: string | undefined
}

export function restore(series: string, data: string, { at, vaultKey }: RestoreWish = {}): Restored {
  const from = chosen(series, at)
  const list = readManifest(from)
  const other = otherFormat(`the backup ${from}`, list.format, "restore it with the version of Sluice that made it")
  if (other !== undefined) throw new Trouble(other, 3)
  check(from, list)
  const mark = list.files.some((file) => file.path === VAULT_MARK) ? readFileSync(path.join(from, FILES, VAULT_MARK), "utf8") : undefined
  if (mark !== undefined && vaultKey && !isMarkOf(mark, vaultKey))
    throw new Trouble(`the backup ${from} was sealed under another VAULT_KEY than the one that is set: set that of then, or none here`, 2)
  const home = emptied(data)
  const sign = path.join(home, RESTORING)
  writeFileSync(sign, `${from}\n`, { mode: 0o600 })
  synced(home)
  for (const { path: name } of list.files) {
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    copyFileSync(path.join(from, FILES, name), file)
    synced(file)
  }
  syncFolders(home)
  rmSync(sign)
  synced(home)
  const bytes = list.files.reduce((sum, file) => sum + file.bytes, 0)
  return { from, at: list.at, files: list.files.length, bytes, hasMark: mark !== undefined }
}

function chosen(series: string, at: string | undefined): string {
  if (!existsSync(series)) throw new Trouble(`there is no folder ${series}: name the one that sluice backup was given`, 2)
  const folder = realpathSync(series)
  if (at === undefined && existsSync(path.join(folder, MANIFEST))) return folder
  const all = readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, MANIFEST)))
    .sort()
  const wanted = at?.replaceAll(/[-:]/g, "") ?? ""
  const fits = all.filter((name) => name.startsWith(wanted))
  const newest = fits.at(-1)
  if (newest === undefined)
    throw new Trouble(
      at === undefined || all.length === 0
        ? `there is no whole backup in ${series}`
        : `there is no backup of ${at} in ${series}: there are ${all.slice(-5).join(", ")}`,
      2,
    )
  return path.join(folder, newest)
}

function check(from: string, { files }: BackupList): void {
  for (const { path: name, bytes, sha256 } of files) {
    const file = path.join(from, FILES, name)
    const found = existsSync(file) ? checksumOf(file) : undefined
    if (found?.bytes === bytes && found.sha256 === sha256) continue
    throw new Trouble(
      `${file} is ${found === undefined ? "missing" : "damaged"}, so nothing was restored: choose another backup with --at`,
      3,
    )
  }
}

/** The data folder, with nothing in it but what a restore that was cut off left. */
function emptied(data: string): string {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const home = realpathSync(data)
  const there = readdirSync(home).filter((name) => !NOTHING.has(name))
  if (there.length === 0) return home
  const own = new Set([...DATA, NUMBER, VAULT_MARK, RESTORING])
  if (!there.includes(RESTORING) || !there.every((name) => own.has(name)))
    throw new Trouble(`${data} is not empty, and a restore goes over nothing: name a new folder`, 2)
  // The sign goes last: until then this is what a restore has left.
  for (const name of there) if (name !== RESTORING) rmSync(path.join(home, name), { recursive: true, force: true })
  return home
}
