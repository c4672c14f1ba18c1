// Tells that something below a folder may have changed: once for many events, and never while the last word is still being acted on.
//
// One watcher per folder: Node's recursive one watches every file and reads the folder again for each, 32 s for 1,000 new files. Folders that
// appear in one stroke (a git checkout, a rename) are watched from the next call on, and a look at the times of all files every two seconds
// finds what was not told.

import { watch, type FSWatcher } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import path from "node:path"
import { settled } from "./settled.ts"

/** After the last event: an editor writes, renames and touches a file within a few milliseconds. */
const QUIET_MS = 40
/** A long checkout is acted on meanwhile. */
const MOST_MS = 400
const LOOK_MS = 2_000

export interface Watching {
  stop(): void
}

/** Resolves once it watches: a change after that is told. `wantedNow` is asked again after each call. */
export async function watchFolder(folder: string, wantedNow: () => readonly string[], act: () => Promise<void>): Promise<Watching> {
  let wanted = wantedNow()
  let first = 0
  let timer: NodeJS.Timeout | undefined
  let isActing = false
  let isStale = false
  let isOver = false
  let seen = ""
  /** Files that were told since the last call. */
  const touched = new Set<string>()

  const fire = (): void => {
    timer = undefined
    first = 0
    if (isActing) {
      isStale = true
      return
    }
    isActing = true
    void Promise.all([look().then(act).then(more), follow()]).finally(() => {
      isActing = false
      if (isStale && !isOver) {
        isStale = false
        fire()
      }
    })
  }
  /** What the act found out. */
  const more = async (): Promise<void> => {
    const now = wantedNow()
    if (now.join("\n") === wanted.join("\n")) return
    wanted = now
    await follow()
  }
  /** The next look compares with what is about to be read; what changes after it is told again. */
  const look = async (): Promise<void> => {
    const files = [...touched]
    touched.clear()
    await settled(files)
    seen = await printOf(folder, wanted)
  }
  const told = (): void => {
    const now = Date.now()
    first ||= now
    clearTimeout(timer)
    timer = setTimeout(fire, Math.max(0, Math.min(QUIET_MS, first + MOST_MS - now)))
  }
  const watchers = new Map<string, FSWatcher>()
  const follow = async (): Promise<void> => {
    const folders = new Set(await foldersOf(folder, wanted))
    for (const [name, one] of watchers)
      if (!folders.has(name)) {
        one.close()
        watchers.delete(name)
      }
    for (const name of folders) {
      if (isOver || watchers.has(name)) continue
      try {
        const one = watch(name, (event, file) => {
          if (file !== null) touched.add(file === path.basename(name) ? name : path.join(name, file))
          // An editor that renames leaves a watched file's watcher with the old one.
          if (event === "rename" && file === path.basename(name)) {
            one.close()
            watchers.delete(name)
          }
          told()
        })
        // A folder that goes away ends its watcher.
        one.on("error", () => one.close())
        watchers.set(name, one)
      } catch {
        // It is gone again, or there are no watches left: the look remains.
      }
    }
  }
  seen = await printOf(folder, wanted)
  await follow()
  const looks = setInterval(() => {
    void more()
      .then(() => printOf(folder, wanted))
      .then((print) => {
        if (print !== seen) told()
        seen = print
      })
  }, LOOK_MS)
  return {
    stop() {
      isOver = true
      clearInterval(looks)
      clearTimeout(timer)
      for (const one of watchers.values()) one.close()
    },
  }
}

/** The wanted folders with all folders in them; for a wanted file, the file. */
async function foldersOf(folder: string, wanted: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    wanted.map(async (name) => {
      const root = path.join(folder, name)
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
      const below = entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(entry.parentPath, entry.name))
      return (await stat(root).catch(() => undefined)) === undefined ? [] : [root, ...below]
    }),
  )
  return found.flat()
}

/** The names, sizes and times of all files, as one text. */
async function printOf(folder: string, wanted: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    wanted.map(async (name) => {
      const root = path.join(folder, name)
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => undefined)
      const files =
        entries === undefined ? [root] : entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
      return Promise.all(
        files.map(async (file) => {
          const found = await stat(file).catch(() => undefined)
          return found === undefined ? "" : `${file} ${found.size} ${found.mtimeMs}`
        }),
      )
    }),
  )
  return parts.flat().join("\n")
}
