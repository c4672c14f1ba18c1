// Three changes to say, made of this flow: a person who has never asked for one sees what can be said.

import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"

const MOST = 3

export function wishesFor({ nodes, edges }: GraphView): readonly string[] {
  const caught = new Set(edges.flatMap(({ from, kind }) => (kind === "on_error" ? [from] : [])))
  const loop = nodes.find((node) => node.max_iterations !== undefined)
  const branching = nodes.find(({ type }) => type === "agent-decision")
  const open = nodes.find(({ id, type }) => type === "agent" && !caught.has(id))
  const last = nodes.findLast(({ type }) => type === "agent")
  const first = nodes[0]
  const all = [
    ...(loop ? [`Never let ${loop.id} go around more than twice.`] : []),
    ...(branching ? [`If ${branching.id} is not sure, ask a person.`] : []),
    ...(open ? [`If ${open.id} fails, end with a report that says why.`] : []),
    ...(last ? [`Check what ${last.id} writes before the flow ends.`] : []),
    ...(first ? [`Ask a person before ${first.id} begins.`, `Say in its description what ${first.id} needs.`] : []),
    "Give the flow a budget of one dollar.",
  ]
  return all.slice(0, MOST)
}

export const NEW_WISHES: readonly string[] = [
  "Sort support tickets by urgency and draft an answer to the urgent ones.",
  "Read a contract, list what is unusual, and ask a person about each point.",
  "Every page of a list of addresses is read and summed up in a table.",
]
