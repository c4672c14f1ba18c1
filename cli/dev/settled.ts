// Waits for a save that is under way: most editors, and Node, empty a file and then write it, and on a busy machine the two are far apart.
// An empty file is given a moment to be filled before it is read.

import { stat } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"

const LOOK_MS = 25
/** A file that is meant to be empty waits this long in all: 0.5 s. */
const MOST_LOOKS = 20

/** Resolves once none of these files is empty, or all the looks are used. */
export async function settled(files: readonly string[], wait: () => Promise<unknown> = () => pause(LOOK_MS)): Promise<void> {
  let empty = files
  for (let look = 0; look < MOST_LOOKS; look++) {
    const isEmpty = await Promise.all(empty.map(hasNoBytes))
    empty = empty.filter((_, i) => isEmpty[i])
    if (empty.length === 0) return
    await wait()
  }
}

async function hasNoBytes(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found?.isFile() === true && found.size === 0
}
