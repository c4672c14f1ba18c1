// Presents a course as a journal to the effects that it performs [K23]: its events, and the workspace that results from them. It is
// read-only, because a course is recorded elsewhere.

import { filesChangedBy } from "../../core/run/steps/changed-files.ts"
import type { Journal } from "../../ports/journal.ts"
import { MemoryIndex } from "../run/memory-store.ts"
import type { Course } from "./course.ts"

export function courseJournal(course: Course): Journal {
  const index = new MemoryIndex()
  let known = 0
  const files = (): MemoryIndex => {
    for (const e of course.events.slice(known)) index.take(filesChangedBy(e), e.at)
    known = course.events.length
    return index
  }
  return {
    commit: () => {
      throw new Error("a course is recorded by its signals")
    },
    read: (after, limit) => course.events.slice(after, after + limit),
    pick: (seqs) => seqs.flatMap((seq) => course.events[seq - 1] ?? []),
    state: () => undefined,
    last: () => course.events.length,
    snapshot: () => undefined,
    cuts: () => [],
    stat: (path) => files().stat(path),
    list: (prefix) => [...files().list(prefix)],
  }
}
