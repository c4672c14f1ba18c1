// Long work in slices. Requests of one isolate share a thread, and work that only awaits what is already there keeps the thread to
// itself: between two slices a timer lets the others in.

import { pause } from "./deadline.ts"

/** Characters or bytes read, parsed or unpacked: a few milliseconds of work. */
const SLICE = 64 * 1024

export class Slices {
  #done = 0

  /** Call after each piece of work with its size. */
  async after(size: number): Promise<void> {
    this.#done += size
    if (this.#done < SLICE) return
    this.#done = 0
    await pause(0)
  }
}
