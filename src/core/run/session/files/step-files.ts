// Lists the files of a step: those that its session wrote to the workspace, and those that the agent claims in its finish [F51b].
//
// For a file that this session wrote, the recorded action counts, not the claimed one. Claims are read leniently, because a bad list must
// never fail a run: plain text is a path, and a claim without an action names a file that was read.

import { isObject, type Json } from "../../../json.ts"
import { normalizePath } from "../../../text/path.ts"
import { FileRef, type FileWrite } from "../../event-parts.ts"

/** Files that a step lists without being told by its agent. A shell command can write any number. */
// Limit: files that a step lists without a claim of its agent, and changes that one call's event names → the others are in the
// workspace, and in the list of the run's files.
export const MAX_STEP_FILES = 500

/** The session's files after one more call. */
export function afterWrites(before: readonly FileRef[], writes: readonly FileWrite[]): FileRef[] {
  const files = new Map(before.map((file) => [file.path, file.action]))
  for (const { path, action } of writes) {
    if (action === "removed") files.delete(path)
    else if (files.has(path) || files.size < MAX_STEP_FILES) files.set(path, files.get(path) ?? action)
  }
  return [...files].map(([path, action]) => ({ path, action }))
}

/** The claimed files in their order, then the other written files. */
export function stepFiles(wrote: readonly FileRef[], claims: readonly FileRef[]): FileRef[] {
  const known = new Map(wrote.map((file) => [file.path, file]))
  const files = new Map<string, FileRef>()
  for (const claim of claims) {
    const path = known.has(claim.path) ? claim.path : spelling(claim.path)
    // A file that is listed twice was read and then written, or the like: the first line counts.
    if (!files.has(path)) files.set(path, known.get(path) ?? { ...claim, path })
  }
  for (const file of wrote) if (!files.has(file.path)) files.set(file.path, { ...file, claimed: false })
  return [...files.values()]
}

/** The workspace's spelling of a path; a path that the workspace cannot hold stays as it was written. */
function spelling(path: string): string {
  const normal = normalizePath(path)
  return normal.ok ? normal.value : path
}

export interface Claims {
  readonly files: FileRef[]
  /** How many parts of the value name no file. */
  readonly unread: number
}

/** Reads a finish's `files`: one claim or a list of them. */
export function readClaims(value: Json): Claims {
  const list: readonly Json[] = Array.isArray(value) ? value : value === null ? [] : [value]
  const files = list.flatMap(claimOf)
  return { files, unread: list.length - files.length }
}

function claimOf(value: Json): FileRef[] {
  const said = typeof value === "string" ? { path: value } : isObject(value) ? value : {}
  const path = said["path"]
  if (typeof path !== "string" || path.trim() === "") return []
  return [{ path, action: FileRef.shape.action.safeParse(said["action"]).data ?? "read" }]
}
