// Lists what has changed on the server since a project's last apply [F78]: who changed which file, and when.

import { defined } from "../../core/defined.ts"
import type { Drift, DriftRow, ApplyOutcome } from "../../ports/tenant/authoring/apply.ts"
import type { CatalogStore, PathChange } from "./catalog-entry.ts"

/** Limit: revisions since the last apply that a plan looks at → `more: true`. */
export const MAX_DRIFT_REVISIONS = 1_000
/** Limit: files of drift that a plan lists → `more: true`. */
export const MAX_DRIFT = 2_000

export function driftOf(store: CatalogStore, project: string, outcome: Omit<ApplyOutcome, "breaks">): Drift {
  const since = store.lastApply(project)
  if (since === undefined) return { since: null, changes: [], more: false }
  const latest = store.revision()
  const revisions = store.revisions(latest + 1, Math.min(latest - since, MAX_DRIFT_REVISIONS))
  const after = (revisions.at(-1)?.revision ?? latest + 1) - 1
  const made = new Map(revisions.map((revision) => [revision.revision, revision]))
  const touched = new Set([...outcome.added, ...outcome.changed, ...outcome.removed])
  const read = store.changes(after, latest, 2 * MAX_DRIFT + 1)
  const changes = lastOf(read).flatMap(({ path, before, after: is, revision }): DriftRow[] => {
    const by = made.get(revision)
    if (before?.hash === is?.hash || !by) return []
    const status = before === undefined ? "added" : is === undefined ? "removed" : "changed"
    return [{ path, status, revision, at: by.at, by: by.by ?? null, action: by.action, overwritten: touched.has(path) }]
  })
  const more = after > since || read.length > 2 * MAX_DRIFT || changes.length > MAX_DRIFT
  return { since, changes: changes.slice(0, MAX_DRIFT), more }
}

/** One change for each path, from before the first to after the last, with the revision of the last. */
function lastOf(changes: readonly (PathChange & { readonly revision: number })[]): readonly (PathChange & { readonly revision: number })[] {
  const paths = new Map<string, PathChange & { readonly revision: number }>()
  for (const change of changes) {
    const first = paths.get(change.path)
    const { before: _before, ...last } = change
    const before = first ? first.before : change.before
    paths.set(change.path, { ...last, ...defined({ before }) })
  }
  return [...paths.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}
