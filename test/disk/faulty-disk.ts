// A disk that fails when it is told to (disk.c): built with the C compiler of this machine, preloaded into a server's workerd, and switched through
// a page of memory that both share. workerd is linked dynamically, and SQLite in it writes through libc, so nothing else has to be intercepted;
// `sees` shows that it still is so.

import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, realpathSync, rmSync, writeSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

const SOURCE = fileURLToPath(new URL("disk.c", import.meta.url))
const KINDS = ["write", "sync", "open"] as const
export type Kind = (typeof KINDS)[number]
export const { ENOSPC, EROFS, EIO } = os.constants.errno

export interface Said {
  /** The error of a call; 0 and absent: none. */
  readonly error?: number
  /** So many calls have it; absent: all. */
  readonly times?: number
  /** How long a call takes, in milliseconds. */
  readonly ms?: number
}

/** In 32-bit numbers, as in disk.c. */
const SAID = 3
const SEEN_AT = KINDS.length * SAID
const PAGE_BYTES = 4_096

export class FaultyDisk {
  /** Below it everything is on the disk. */
  readonly folder: string
  /** For the environment of the server. */
  readonly settings: Readonly<Record<string, string>>
  readonly #ground: string
  readonly #page: number

  private constructor(ground: string, library: string) {
    this.#ground = ground
    this.folder = path.join(ground, "disk")
    mkdirSync(this.folder)
    const file = path.join(ground, "switch")
    this.#page = openSync(file, "w+")
    writeSync(this.#page, Buffer.alloc(PAGE_BYTES))
    this.settings = { LD_PRELOAD: library, DISK_FOLDER: this.folder, DISK_SWITCH: file }
  }

  /** A text: why there is none on this machine. */
  static build(): FaultyDisk | string {
    if (process.platform !== "linux") return "a library is preloaded on Linux alone"
    const ground = realpathSync(mkdtempSync(path.join(os.tmpdir(), "sluice-faulty-disk-")))
    const library = path.join(ground, "disk.so")
    try {
      execFileSync("cc", ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], { stdio: "pipe" })
    } catch (e) {
      rmSync(ground, { recursive: true })
      if (e instanceof Error && "code" in e && e.code === "ENOENT") return "this machine has no C compiler (cc)"
      throw e
    }
    return new FaultyDisk(ground, library)
  }

  /** From now on. */
  say(kind: Kind, { error = 0, times = -1, ms = 0 }: Said): void {
    const at = KINDS.indexOf(kind) * SAID
    // The error last: the rest holds for it.
    this.#put(at, 0)
    this.#put(at + 1, times)
    this.#put(at + 2, ms)
    this.#put(at, error)
  }

  full(): void {
    for (const kind of ["write", "open"] as const) this.say(kind, { error: ENOSPC })
  }

  readOnly(): void {
    for (const kind of KINDS) this.say(kind, { error: EROFS })
  }

  /** Whatever was said is over. */
  sound(): void {
    for (const kind of KINDS) this.say(kind, {})
  }

  /** Runtimes that have the library in them, and what it has seen of them: since the disk was made. */
  get processes(): number {
    return this.#get(SEEN_AT)
  }

  calls(kind: Kind): number {
    return this.#get(SEEN_AT + 1 + KINDS.indexOf(kind) * 2)
  }

  failed(kind: Kind): number {
    return this.#get(SEEN_AT + 2 + KINDS.indexOf(kind) * 2)
  }

  remove(): void {
    closeSync(this.#page)
    rmSync(this.#ground, { recursive: true, force: true, maxRetries: 5 })
  }

  #put(at: number, value: number): void {
    const number = Buffer.alloc(4)
    number.writeInt32LE(value)
    writeSync(this.#page, number, 0, 4, at * 4)
  }

  #get(at: number): number {
    const number = Buffer.alloc(4)
    readSync(this.#page, number, 0, 4, at * 4)
    return number.readInt32LE()
  }
}
