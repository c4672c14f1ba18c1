// Keeps room on the data folder's disk for deletions: it deletes a reserve file when the disk is nearly full [N7]. The Worker sees that in
// the same folder, and accepts only reads, deletions and cancels until there is room again.

import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs"
import path from "node:path"

/** Deletions of some hundred runs write less than that into the databases' logs. */
const RESERVE_BYTES = 8 * 1_048_576
/** What a busy server writes between two looks, with a margin. */
const NEARLY_FULL_BYTES = 4 * 1_048_576
/** Room for the reserve itself and for work beside it, so that the server does not go to and fro between the two states. */
const ROOMY_BYTES = 4 * RESERVE_BYTES
const EVERY_MS = 250

/** Measures the free bytes on a folder's disk. */
export type FreeBytes = (folder: string) => number

const freeBytes: FreeBytes = (folder) => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export class DiskReserve {
  readonly #folder: string
  readonly #held: string
  readonly #full: string
  readonly #free: FreeBytes
  #timer: NodeJS.Timeout | undefined

  /** `folder`: it is made, and holds nothing else. */
  constructor(folder: string, free: FreeBytes = freeBytes) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#held = path.join(folder, "held")
    this.#full = path.join(folder, "full")
    this.#free = free
    this.look()
  }

  watch(): void {
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** One look at the disk. What fails is tried again at the next one. */
  look(): void {
    try {
      const free = this.#free(this.#folder)
      if (free < NEARLY_FULL_BYTES) this.#giveUp()
      else if (free >= ROOMY_BYTES && (existsSync(this.#full) || !existsSync(this.#held))) this.#take()
    } catch {
      // A disk that cannot be asked, or one that filled meanwhile.
    }
  }

  /** A rename needs no room where a new file may need some. */
  #giveUp(): void {
    // Both are there after a kill in the middle of taking it back.
    if (existsSync(this.#full)) rmSync(this.#held, { force: true })
    else if (existsSync(this.#held)) {
      renameSync(this.#held, this.#full)
      truncateSync(this.#full, 0)
    } else writeFileSync(this.#full, "")
  }

  #take(): void {
    writeFileSync(this.#held, Buffer.alloc(RESERVE_BYTES))
    rmSync(this.#full, { force: true })
  }
}
