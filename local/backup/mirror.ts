// Copies the files of a data folder, again and again, until a last time while nothing writes [O54]. Each time copies what may have changed since
// the time before, so that the last one is short.
//
// A file has not changed if size, times and inode are what they were before it was copied, and its last change was then old enough that a second
// one could not have the same time. Bytes are copied, not hashed: checksums are made of the copies, when the server goes on.

import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, type BigIntStats } from "node:fs"
import path from "node:path"

/** File systems note times as roughly as two seconds. */
const ROUGH_MS = 3_000n
/** An index of the log next to it, in memory that processes share. SQLite makes it anew from the log. */
const REMADE = /-shm$/

export class Mirror {
  readonly #from: string
  readonly #to: string
  readonly #names: readonly string[]
  /** Path → how it was before its last copy; undefined: it may have changed meanwhile. */
  readonly #copied = new Map<string, string | undefined>()

  /** `names`: files and folders in `from`. */
  constructor(from: string, to: string, names: readonly string[]) {
    this.#from = from
    this.#to = to
    this.#names = names
  }

  /** Paths of the copied files, in order. */
  files(): string[] {
    return [...this.#copied.keys()].sort()
  }

  /** One time through. Returns the bytes of the files that were copied. */
  copy(now = BigInt(Date.now())): number {
    let bytes = 0
    const there = new Map<string, BigIntStats>()
    for (const name of this.#names) this.#walk(name, there)
    for (const file of this.#copied.keys())
      if (!there.has(file)) {
        rmSync(path.join(this.#to, file), { force: true })
        this.#copied.delete(file)
      }
    for (const [file, seen] of there) {
      const print = printOf(seen)
      if (this.#copied.get(file) === print) continue
      if (this.#copyOne(file)) {
        const isSettled = now - latest(seen) > ROUGH_MS
        this.#copied.set(file, isSettled ? print : undefined)
        bytes += Number(seen.size)
      }
    }
    return bytes
  }

  #walk(name: string, there: Map<string, BigIntStats>): void {
    const seen = lstatSync(path.join(this.#from, name), { bigint: true, throwIfNoEntry: false })
    if (seen?.isDirectory()) {
      mkdirSync(path.join(this.#to, name), { recursive: true, mode: 0o700 })
      for (const inner of namesIn(path.join(this.#from, name))) this.#walk(`${name}/${inner}`, there)
    } else if (seen?.isFile() && !REMADE.test(name)) there.set(name, seen)
  }

  /** false: it went away meanwhile. */
  #copyOne(file: string): boolean {
    try {
      copyFileSync(path.join(this.#from, file), path.join(this.#to, file), constants.COPYFILE_FICLONE)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }
}

const printOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ctimeNs} ${ino}`

const latest = ({ mtimeMs, ctimeMs }: BigIntStats): bigint => (mtimeMs > ctimeMs ? mtimeMs : ctimeMs)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"
