// Decides which workspace paths an agent may read and write [G7]: globs over normalized paths, applied the same way at every entry point.
//
// No list means every path; an empty list means none. A path that cannot be normalized is never allowed [G10].

import { compileGlob, type GlobMatch } from "../../text/glob.ts"
import { normalizePath } from "../../text/path.ts"

/** The `access` of an agent. */
export interface Access {
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

export function allowedBy(globs: readonly string[] | undefined, path: string): boolean {
  const normal = normalizePath(path)
  return normal.ok && gate(globs)(normal.value)
}

/** The same check for many paths, which must be normalized. */
export function gate(globs: readonly string[] | undefined): GlobMatch {
  if (globs === undefined) return () => true
  const matches = globs.map((glob) => compileGlob(glob))
  return (path) => matches.some((match) => match(path))
}
