// [P5], [F23], [N3] Families: what a child asks of people its parent knows, each child can be started, and a run that is deleted takes the runs
// below it along.

import type { Rest } from "./rest.ts"

/** A parent has room for so many questions at a time. */
const MOST = 20

export async function belowOf(rest: Rest): Promise<string[]> {
  const wrong: string[] = []
  for (const journal of rest.own) {
    const { run, standing } = journal
    if (standing.isOver || standing.children.size === 0) continue
    const { asks = {} } = await rest.folded(journal)
    const known = new Set(Object.values(asks).flatMap(({ open }) => open.map((it) => `${it.run}/${it.id}`)))
    if (known.size >= MOST) continue
    for (const child of standing.children) {
      const below = rest.journals.of(rest.tenant, child)
      if (!below || below.standing.isOver) continue
      for (const id of below.standing.open.keys())
        if (!known.has(`${child}/${id}`)) wrong.push(`[P5] ${child} asks ${id}, and its parent ${run} does not know it`)
    }
  }
  const former = new Set(rest.former.map(({ run }) => run))
  for (const { run, events } of rest.own)
    for (const e of events)
      if (e.type === "child.ended" && !rest.journals.of(rest.tenant, e.run) && !former.has(e.run))
        wrong.push(`[F23] ${run} could not start its child ${e.run}: ${e.summary}`)
  const gone = new Set(rest.former.filter(({ isLeaving }) => isLeaving).map(({ run }) => run))
  for (const { run, standing } of rest.own) {
    const { parent } = standing.started ?? {}
    // A fork of a child is nobody's child.
    if (!parent || !gone.has(parent.run) || standing.isFork) continue
    wrong.push(`[N3] ${parent.run} is deleted, and its child ${run} is there`)
  }
  return wrong
}
