// The list of a backup's files with their checksums: what makes a folder a whole backup, and shows each byte that has changed since.

import { createHash } from "node:crypto"
import { readFileSync, closeSync, openSync, readSync } from "node:fs"
import path from "node:path"
import { z } from "zod"
import { Trouble } from "../trouble.ts"

export const MANIFEST = "manifest.json"
/** In a backup: the folder of the copied files. */
export const FILES = "data"

const File = z.strictObject({ path: z.string(), bytes: z.number(), sha256: z.string() })
const Listed = z.strictObject({
  backup: z.literal(1),
  sluice: z.string(),
  /** Of the data folder [J26]. */
  format: z.number(),
  at: z.string(),
  /** Milliseconds for which the server was halted; null: none served. */
  halted: z.number().nullable(),
  files: z.array(File),
})
const Manifest = Listed.extend({ hash: z.string() })

export type BackupFile = z.output<typeof File>
export type BackupList = z.output<typeof Listed>

export const manifestText = (list: BackupList): string => `${JSON.stringify({ ...list, hash: hashOf(list) }, null, 1)}\n`

const hashOf = (list: BackupList): string => createHash("sha256").update(JSON.stringify(list)).digest("hex")

/** The list of the backup in `folder`, if nothing in it has changed. */
export function readManifest(folder: string): BackupList {
  const file = path.join(folder, MANIFEST)
  let found: ReturnType<typeof Manifest.safeParse>
  try {
    found = Manifest.safeParse(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    throw new Trouble(`${folder} is no whole backup, because its ${MANIFEST} is missing or cut off: choose another one with --at`, 3)
  }
  if (!found.success) throw new Trouble(`${file} is damaged, or of a later version of Sluice: choose another backup with --at`, 3)
  const { hash, ...list } = found.data
  if (hash !== hashOf(list)) throw new Trouble(`${file} was changed since the backup: choose another backup with --at`, 3)
  for (const one of list.files)
    if (!isInside(one.path)) throw new Trouble(`${file} names ${one.path}, which is no file of a data folder`, 3)
  return list
}

/** Paths of a manifest have `/`, and lead nowhere else. */
const isInside = (name: string): boolean =>
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..") && !name.includes("\\")

export function checksumOf(file: string): { readonly bytes: number; readonly sha256: string } {
  const hash = createHash("sha256")
  const part = Buffer.allocUnsafe(1_048_576)
  const handle = openSync(file, "r")
  let bytes = 0
  try {
    for (let read = readSync(handle, part); read > 0; read = readSync(handle, part)) {
      hash.update(part.subarray(0, read))
      bytes += read
    }
  } finally {
    closeSync(handle)
  }
  return { bytes, sha256: hash.digest("hex") }
}
