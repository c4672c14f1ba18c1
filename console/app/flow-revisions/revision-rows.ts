// The revisions of the catalog as far as they touch a flow: its own file, its tests, rehearsal and code, and the agents that it names.

import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { counted } from "../parts/figures.ts"

/** Whether a path of the catalog belongs to the flow. */
export type Touch = (path: string) => boolean

/** The flow's file and what stands beside it. */
export function ownOf(flow: string, path: string): Touch {
  const base = path.replace(/\.ya?ml$/, "")
  const names = new Set([path, `${base}.yaml`, `${base}.test.yaml`, `${base}.rehearsal.yaml`])
  const code = `code/${flow.replaceAll(":", "/")}/`
  return (one) => names.has(one) || one.startsWith(code)
}

export function touching(own: Touch, graph: GraphView | undefined): Touch {
  const agents = new Set(graph?.nodes.flatMap(({ agent }) => (agent === undefined ? [] : [`agents/${agent}.md`])))
  return (path) => own(path) || agents.has(path)
}

const ACTIONS: Readonly<Record<Revision["action"], string>> = {
  write: "Written",
  remove: "Removed",
  replace: "Catalog replaced",
  merge: "Applied",
  rollback: "Rolled back",
  register: "Package registered",
  unregister: "Package removed",
}

/** What was done, and to which of the flow's files. */
export function whatOf({ action, target, changes, changed }: Revision, touches: Touch): string {
  const did = action === "rollback" && target !== undefined ? `Rolled back to r${target}` : ACTIONS[action]
  const names = changes.flatMap(({ path }) => (touches(path) ? [path.split("/").at(-1) ?? path] : []))
  const [first, ...others] = names
  if (first === undefined) return `${did}: ${counted(changed, "other file")}`
  return `${did}: ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`
}

/** Lines that came and went, from the hunks of differences. */
export function plusMinus(hunks: readonly string[]): { readonly plus: number; readonly minus: number } {
  let [plus, minus] = [0, 0]
  for (const line of hunks.flatMap((hunk) => hunk.split("\n")))
    if (line.startsWith("+")) plus += 1
    else if (line.startsWith("-")) minus += 1
  return { plus, minus }
}
