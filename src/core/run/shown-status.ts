// Derives the status of a run that is shown to everyone [J16].

import type { RunStatus } from "./event-parts.ts"

/** Why a run waits while nothing is under way in its own object and its children work. */
export const CHILD_WORKS = "child"

/** Such a run waits for nothing that anyone could give it: it goes on, in its children. */
export const shownStatus = ({ status, reason }: { readonly status: RunStatus; readonly reason?: string | undefined }): RunStatus =>
  status === "waiting" && reason === CHILD_WORKS ? "running" : status
