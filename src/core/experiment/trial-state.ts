// Says how a trial ended [V36]. It is `stopped` only by what is not its variant's doing, and then says nothing about it. Whatever else went wrong
// is the variant's failure and is scored, so that no variant gains by failing.

import type { FailureSource } from "../run/event-parts.ts"
import type { RunView } from "../run/views/view.ts"

export type TrialState = "succeeded" | "failed" | "stopped"

/** `canceled`: why the experiment itself canceled it; a run that takes too long was canceled for its variant's doing. */
export type Canceled = "budget" | "room" | "person" | "time"

/** Failures of the provider and of this build. */
const NOT_ITS_DOING: ReadonlySet<FailureSource> = new Set(["api_error", "engine"])

/** `below`: of the run below whose failure the error passes on. */
export function trialState(
  { status, error }: Pick<RunView, "status" | "error">,
  { canceled, below }: { readonly canceled?: Canceled | undefined; readonly below?: FailureSource | undefined } = {},
): TrialState {
  if (status === "succeeded") return "succeeded"
  if (status === "canceled") return canceled === "time" ? "failed" : "stopped"
  const source = error?.source === "child_failed" ? (below ?? error.source) : error?.source
  return source !== undefined && NOT_ITS_DOING.has(source) ? "stopped" : "failed"
}
