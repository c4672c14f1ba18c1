// Finds the segments of a run's flow: the steps between two places where it can branch, in file order.

import type { Run } from "../state.ts"

export const idsOf = (run: Run, segment: number): readonly string[] => run.plan.members[segment] ?? []
export const segmentOf = (run: Run, id: string): number => run.plan.graph.segmentOf[run.plan.graph.order.get(id) ?? 0] ?? 0
