// Which workspace paths an agent may read and write [G7]: globs over normalised paths, the same answer at every door.
//
// No list means every path; an empty list means none. A path that cannot be normalised is never allowed [G10].

import { compileGlob, type GlobMatch } from "../text/glob.ts"
import { normalisePath } from "../text/path.ts"

/** An agent's `access`, or none. */
export interface Access {
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

export function allowedBy(globs: readonly string[] | undefined, path: string): boolean {
  const normal = normalisePath(path)
  return normal.ok && gate(globs)(normal.value)
}

/** The same judgement for many paths, all of them normalised already. */
export function gate(globs: readonly string[] | undefined): GlobMatch {
  if (globs === undefined) return () => true
  const matches = globs.map((glob) => compileGlob(glob))
  return (path) => matches.some((match) => match(path))
}
