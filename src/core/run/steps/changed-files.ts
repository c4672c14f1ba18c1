// Records a decision's changes to the workspace as facts [K6]: `file.changed` for each file, before the result that brought the change. The
// table of files is the fold of these facts and of the files that the run was given, so a workspace can be read as it was after any event.

import { defined } from "../../defined.ts"
import type { Fact, RunEvent } from "../event.ts"

/** One file after a change; `hash` null: it is deleted, and `size` is 0. */
export interface ChangedFile {
  readonly path: string
  readonly hash: string | null
  readonly size: number
  readonly tainted?: boolean | undefined
  readonly private?: boolean | undefined
}

interface Place {
  readonly step?: string
  readonly callId?: string
}

export const changedFiles = (files: readonly ChangedFile[] | undefined, { step, callId }: Place): Fact[] =>
  (files ?? []).map(({ path, hash, size, tainted, private: isPrivate }) => ({
    type: "file.changed",
    ...defined({ step, callId }),
    path,
    hash,
    size,
    ...(tainted === true ? { tainted: true } : {}),
    ...(isPrivate === true ? { private: true } : {}),
  }))

/** The changes that an event makes to the workspace. The event of a start contains the files that it was given. */
export function filesChangedBy(e: RunEvent): readonly ChangedFile[] {
  if (e.type === "file.changed") return [e]
  if (e.type !== "run.started") return []
  return (e.files ?? []).map(({ path, hash, size, tainted }) => ({
    path,
    hash,
    size,
    ...(tainted === true || e.tainted === true ? { tainted: true } : {}),
    ...(e.private === true ? { private: true } : {}),
  }))
}

/** [F26] The file in which a map collects its results. */
export const collectedPath = (step: string): string => `map/${step}.jsonl`
