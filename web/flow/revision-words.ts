// The revisions of the catalog as far as they touch a flow: its own file, its tests, rehearsal and code, and the agents that it names; and what
// each did, in words.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"

/** A revision as the API tells it. Hashes of the file before and after; null: there was none. */
export interface Told {
  readonly revision: number
  readonly action: string
  readonly target?: number
  readonly changed: number
  readonly changes: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[]
}

/** Whether a path of the catalog belongs to the flow. */
export type Touch = (path: string) => boolean

/** The flow's file and what stands beside it. */
export function ownOf(flow: string, path: string): Touch {
  const base = path.replace(/\.ya?ml$/, "")
  const names = new Set([path, `${base}.yaml`, `${base}.test.yaml`, `${base}.rehearsal.yaml`])
  const code = `code/${flow.replaceAll(":", "/")}/`
  return (one) => names.has(one) || one.startsWith(code)
}

export function touching(own: Touch, graph: Pick<GraphView, "nodes"> | undefined): Touch {
  const agents = new Set(graph?.nodes.flatMap(({ agent }) => (agent === undefined ? [] : [`agents/${agent}.md`])))
  return (path) => own(path) || agents.has(path)
}

export const ACTIONS: Readonly<Record<string, string>> = {
  write: "Saved",
  remove: "Deleted",
  replace: "Catalog replaced",
  merge: "Saved",
  rollback: "Rolled back",
  register: "Package registered",
  unregister: "Package removed",
}

/** What was done, and to which of the flow's files. `rows`: all that are known, newest first. */
export function whatOf(row: Told, rows: readonly Told[], touches: Touch): string {
  const own = row.changes.filter(({ path }) => touches(path))
  const [first, ...others] = own.map(({ path }) => path.split("/").at(-1) ?? path)
  const did = deedOf(row, rows, touches)
  if (first === undefined) return `${did}: ${row.changed === 1 ? "1 other file" : `${row.changed} other files`}`
  return `${did}: ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`
}

function deedOf(row: Told, rows: readonly Told[], touches: Touch): string {
  const { action, target } = row
  if (action === "rollback" && target !== undefined) return `Rolled back to r${target}`
  const own = row.changes.filter(({ path }) => touches(path))
  if (action !== "write" && action !== "merge") return ACTIONS[action] ?? action
  if (own.length > 0 && own.every(({ before }) => before === null)) return isKnownBefore(own, rows, row) ? "Restored" : "First saved"
  if (own.length > 0 && own.every(({ after }) => after === null)) return "Deleted"
  const back = sameAs(row, rows, touches)
  return back === undefined ? (ACTIONS[action] ?? action) : `Rolled back to r${back}`
}

const isKnownBefore = (own: Told["changes"], rows: readonly Told[], row: Told): boolean =>
  rows.some((one) => one.revision < row.revision && one.changes.some(({ path }) => own.some((mine) => mine.path === path)))

/** The newest earlier revision after which the flow's files were as they are after this one. */
function sameAs(row: Told, rows: readonly Told[], touches: Touch): number | undefined {
  const after = new Map(row.changes.flatMap(({ path, after: hash }) => (touches(path) ? [[path, hash] as const] : [])))
  if (after.size === 0) return undefined
  const now = new Map<string, string | null>()
  let found: number | undefined
  const earlier = rows.filter(({ revision }) => revision < row.revision).toSorted((a, b) => a.revision - b.revision)
  for (const { revision, changes } of earlier) {
    const own = changes.filter(({ path }) => after.has(path))
    for (const { path, after: hash } of own) now.set(path, hash)
    if (own.length > 0 && [...after].every(([path, hash]) => now.get(path) === hash)) found = revision
  }
  return found
}

/** Lines that came and went, from the hunks of differences. */
export function plusMinus(hunks: readonly string[]): { readonly plus: number; readonly minus: number } {
  let [plus, minus] = [0, 0]
  for (const line of hunks.flatMap((hunk) => hunk.split("\n")))
    if (line.startsWith("+")) plus += 1
    else if (line.startsWith("-")) minus += 1
  return { plus, minus }
}
