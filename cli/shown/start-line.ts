// Shows a start in one line: its run, its key, and what it waits for. Pure.

import type { StartRow } from "../../src/api/doc/run/starts.doc.ts"
import { plain } from "../../local/show-run.ts"

interface Waiting {
  readonly reason: string
  readonly until?: string
  readonly ahead?: number
  readonly run?: string
}

export function startLine({ run, arrived, state, flow, priority, merged, concurrency, throttle, waiting }: StartRow): string {
  const key = concurrency?.key ?? waiting?.key ?? throttle?.key ?? ""
  const rank = priority === "normal" ? "" : `  ${priority}`
  const made = merged === 1 ? "" : `  ${merged} starts`
  const now = waiting === undefined ? "holds the key" : waitWords(waiting)
  return `${run}  ${arrived}  ${state.padEnd(7)}  ${plain(flow)}${key === "" ? "" : `  ${plain(key)}`}${rank}${made}  ${plain(now)}`
}

export function waitWords({ reason, until, ahead = 0, run }: Waiting): string {
  const before = ahead === 0 ? "next" : `${ahead >= MOST_AHEAD ? `${MOST_AHEAD} or more` : ahead} before it`
  const at = until === undefined ? "" : ` at ${until}`
  switch (reason) {
    case "debounce":
      return `merges with starts like it, begins${at}`
    case "batch":
      return `collects starts, begins${at}`
    case "delay":
      return `begins${at}`
    case "throttle":
      return `${before}${at === "" ? "" : `, one may begin${at}`}`
    case "concurrency":
      return run === undefined ? before : `${before}, ${run} holds the key`
    default:
      return `${before}, waits for room`
  }
}
const MOST_AHEAD = 100
