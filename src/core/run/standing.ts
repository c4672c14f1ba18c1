// Says whether a run does nothing but wait for its open children [R14].

import type { HolderStanding } from "../start/ring.ts"
import { CHILD_WORKS } from "./shown-status.ts"
import type { Run } from "./state.ts"

export function standingOf(run: Run): HolderStanding {
  const open = Object.values(run.steps).flatMap((step) => Object.values(step?.children?.open ?? {}))
  const isElsewhere = Object.values(run.steps).some((step) => step?.status === "running" && step.children === undefined)
  return { idle: run.status === "waiting" && run.reason === CHILD_WORKS && !isElsewhere, open }
}
