// Builds the initial workspace of a run: the files of its start, as changes for the start's own commit [J14].

import type { StartFile } from "../../../core/run/event-parts.ts"
import type { StartRequest } from "../../../ports/run.ts"
import type { FileChange, FileEntry } from "../../../ports/workspace.ts"
import { isUnder, type WorkspaceIndex } from "../call/staged-workspace.ts"

/** A file of a tainted start is tainted, whatever it contains [G11]. */
export const startChanges = ({
  files = [],
  tainted,
  private: isPrivate,
}: Pick<StartRequest, "files" | "tainted" | "private">): FileChange[] =>
  files.map((file) => ({
    path: file.path,
    base: null,
    hash: file.hash,
    size: file.size,
    ...(file.tainted === true || tainted === true ? { tainted: true } : {}),
    ...(isPrivate === true ? { private: true } : {}),
  }))

/** The same files for a run that has not begun, in the form of its workspace's list. */
export const startEntries = (files: readonly StartFile[], at: number): FileEntry[] =>
  files
    .map(({ path, size, hash, tainted }) => ({ path, size, hash, modified: at, ...(tainted === true ? { tainted } : {}) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

/** The index of that workspace. */
export function heldIndex(files: readonly StartFile[], at: number): WorkspaceIndex {
  const entries = startEntries(files, at)
  return {
    stat: (path) => entries.find((file) => file.path === path),
    list: (prefix) => entries.filter((file) => isUnder(file.path, prefix)),
  }
}
