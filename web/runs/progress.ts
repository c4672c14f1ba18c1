// Says how far a bulk is, in parts that add up to it. Runs that it has started are counted by what became of them.

export interface ProgressPart {
  readonly kind: "succeeded" | "failed" | "skipped" | "underWay" | "toCome"
  readonly words: string
  readonly count: number
}

export interface BulkFigures {
  readonly count: number
  readonly done: number
  readonly skipped: number
  readonly failed: number
  readonly status: string
}

/** `statuses`: how many of the started runs have each; empty for a bulk that starts none. */
export function progressOf(
  { count, done, skipped, failed, status }: BulkFigures,
  statuses: Readonly<Record<string, number>>,
): readonly ProgressPart[] {
  // A run is in the list a moment before or after its item is done.
  const started = Math.min(
    done,
    Object.values(statuses).reduce((sum, one) => sum + one, 0),
  )
  const [failedAgain, canceled] = [Math.min(started, statuses["failed"] ?? 0), statuses["canceled"] ?? 0]
  const over = Math.min(started - failedAgain, (statuses["succeeded"] ?? 0) + canceled)
  const underWay = started === 0 ? 0 : started - failedAgain - over
  return [
    { kind: "succeeded", words: started === 0 ? "Done" : "Succeeded", count: done - failedAgain - underWay },
    { kind: "failed", words: "Failed", count: failed + failedAgain },
    { kind: "skipped", words: "Skipped", count: skipped },
    ...(started === 0 ? [] : [{ kind: "underWay" as const, words: "Under way", count: underWay }]),
    { kind: "toCome", words: status === "stopped" ? "Not begun" : "To come", count: count - done - skipped - failed },
  ]
}
