// Judges what a bulk does with one run [R44]: it acts, or the run is as it should be, or the act is not for such a run. Pure, so a bulk that is
// interrupted and goes on judges alike.

export const BULK_ACTIONS = ["cancel", "again", "fork", "delete"] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** A run as the tenant's list has it. */
export interface BulkSource {
  readonly status: string
  readonly ended: boolean
}

/** `act`: it is to be done. `isRepeated`: an earlier try may have done it already, and only its answer was lost. */
export type BulkVerdict = "act" | { readonly outcome: "done" | "skipped"; readonly reason?: string }

const skipped = (reason: string): BulkVerdict => ({ outcome: "skipped", reason })

/** Of a run that cannot be found. */
export const DELETED = "it was deleted"

export function bulkVerdict(action: BulkAction, source: BulkSource | undefined, isRepeated: boolean): BulkVerdict {
  switch (action) {
    case "cancel":
      if (!source) return skipped(DELETED)
      if (!source.ended) return "act"
      return isRepeated && source.status === "canceled" ? { outcome: "done" } : skipped("it had ended")
    case "delete":
      if (!source) return isRepeated ? { outcome: "done" } : skipped(DELETED)
      return source.ended ? "act" : skipped("it goes on: cancel it first")
    case "again":
    case "fork":
      // The new run of an earlier try outlives its source.
      if (isRepeated) return "act"
      if (!source) return skipped(DELETED)
      if (source.status === "queued") return skipped("it waits for room and has not begun")
      return action === "fork" || source.ended ? "act" : skipped("it goes on")
  }
}

/** What is left of a quota, and the quota. */
interface Left {
  readonly quota: number
  readonly left: number
}

/** How many runs a bulk may start now: each only while a tenth of the quota is free, which is for everyone else [R44]. */
export const spareOf = (quotas: readonly Left[]): number =>
  Math.max(0, Math.min(...quotas.map(({ quota, left }) => Math.floor(left - quota / 10) + (left >= quota / 10 ? 1 : 0))))
