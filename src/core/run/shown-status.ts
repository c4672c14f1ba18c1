// Derives the status of a run that is shown to everyone [J16].

import type { RunStatus } from "./event-parts.ts"

/** The `waiting` reason of a run that has nothing under way itself while its children work. */
export const CHILD_WORKS = "child"

/** [R33] Of a run below a map: nothing goes on without a reply from a batch. */
export const BATCH = "batch"

/** [R30] Of a run that has nothing under way itself while a model call waits for its turn. */
export const PACE = "pace"

/** Shows such a run as running: its children work, or its turn comes, and nobody outside has to do anything. */
export const shownStatus = ({ status, reason }: { readonly status: RunStatus; readonly reason?: string | undefined }): RunStatus =>
  status === "waiting" && (reason === CHILD_WORKS || reason === PACE) ? "running" : status
