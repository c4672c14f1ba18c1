// [P5], [J12] What a run asks people is known to the run above it, or is going to be told.

import type { Journal, Journals } from "./journals.ts"

export function* askedAbove(
  { run, tenant, standing }: Journal,
  journals: Journals,
  soon: number,
): Generator<readonly [what: string, at: number]> {
  const above = standing.started?.parent?.run
  const parent = above === undefined || standing.isOver || standing.open.size === 0 ? undefined : journals.of(tenant, above)
  if (!parent || parent.isLeaving || parent.standing.isOver || !parent.standing.children.has(run)) return
  const said = parent.events.findLast((e) => e.type === "child.asked" && e.run === run)
  const known = new Set(said?.type === "child.asked" ? said.open.flatMap((it) => (it.run === run ? [it.id] : [])) : [])
  for (const id of standing.open.keys()) if (!known.has(id)) yield [`the question ${id}, for its parent ${parent.run}`, soon]
}
