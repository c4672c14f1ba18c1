// Says whether a run stands in line, so that its page shows the line instead of steps that have not begun.

import type { ShownRun } from "../use-run.ts"

/** A run that waits for room alone begins in a moment. */
export const isInLine = ({ view: { status, waiting }, story, at }: ShownRun): boolean =>
  at === undefined && status === "queued" && story.status === "queued" && waiting !== undefined && HELD.has(waiting.reason)

const HELD: ReadonlySet<string> = new Set(["debounce", "batch", "delay", "throttle", "concurrency"])
