// Progress: how far a long simulation has come. Kept in a file, it goes on where it ended.

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Played } from "./play.ts"

interface Kept {
  readonly next: number
  readonly seeds: number
  readonly runs: number
  readonly events: number
  readonly cpu: number
}

export class Progress {
  readonly #file: string | undefined
  readonly #cpuBefore: number
  readonly #since = process.cpuUsage()
  next: number
  seeds: number
  runs: number
  events: number

  private constructor(file: string | undefined, kept: Kept) {
    this.#file = file
    this.#cpuBefore = kept.cpu
    this.next = kept.next
    this.seeds = kept.seeds
    this.runs = kept.runs
    this.events = kept.events
  }

  /** `seed`: where a new one begins. */
  static of(file: string | undefined, seed: number): Progress {
    const none: Kept = { next: seed, seeds: 0, runs: 0, events: 0, cpu: 0 }
    return new Progress(file, file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Kept) : none)
  }

  /** Seconds of CPU. */
  cpu(): number {
    const { user, system } = process.cpuUsage(this.#since)
    return this.#cpuBefore + (user + system) / 1e6
  }

  add({ seed, runs, events }: Played): void {
    this.seeds++
    this.runs += runs
    this.events += events
    this.next = seed + 1
    const kept: Kept = { next: this.next, seeds: this.seeds, runs: this.runs, events: this.events, cpu: this.cpu() }
    if (this.#file !== undefined) writeFileSync(this.#file, `${JSON.stringify(kept)}\n`)
  }
}
