// Says what a bulk will do to how many runs [R44]: parts that add up to the selection, told before it begins.

export type BulkAction = "cancel" | "again" | "fork" | "delete"

export interface Part {
  readonly count: number
  readonly does: string
  readonly why?: string
  /** Nothing is done with these. */
  readonly isSkipped?: true
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"])

/** `statuses`: how many runs have each status. */
export function partsOf(action: BulkAction, statuses: Readonly<Record<string, number>>): readonly Part[] {
  const sum = (fits: (status: string) => boolean): number =>
    Object.entries(statuses).reduce((all, [status, count]) => all + (fits(status) ? count : 0), 0)
  const [ended, failed, queued] = [sum((status) => ENDED.has(status)), statuses["failed"] ?? 0, statuses["queued"] ?? 0]
  const live = sum((status) => !ENDED.has(status))
  const parts = {
    cancel: [
      { count: live, does: "are canceled", why: "what they did stays done" },
      { count: ended, does: "are skipped", why: "they have ended", isSkipped: true as const },
    ],
    again: [
      { count: ended, does: "start from the beginning", why: "at full cost, as new runs" },
      { count: live, does: "are skipped", why: "they have not ended", isSkipped: true as const },
    ],
    fork: [
      { count: failed, does: "continue at the step that failed", why: "earlier steps cost nothing" },
      { count: ended - failed + live - queued, does: "start from the beginning", why: "no step of theirs failed" },
      { count: queued, does: "are skipped", why: "they have not begun", isSkipped: true as const },
    ],
    delete: [
      { count: ended, does: "are deleted", why: "with their journals, files and child runs" },
      { count: live, does: "are kept", why: "they have not ended: cancel them first", isSkipped: true as const },
    ],
  } satisfies Readonly<Record<BulkAction, readonly Part[]>>
  return parts[action].filter(({ count }) => count > 0)
}

/** For runs whose statuses are not known: each is looked at when its turn comes. */
export const partsUnread = (action: BulkAction, count: number): readonly Part[] => (count === 0 ? [] : [{ count, ...UNREAD[action] }])

const UNREAD: Readonly<Record<BulkAction, Pick<Part, "does" | "why">>> = {
  cancel: { does: "are canceled", why: "those that have ended by then are skipped" },
  again: { does: "start from the beginning", why: "those that have not ended by then are skipped" },
  fork: { does: "continue at the step that failed", why: "or from the beginning, if none did" },
  delete: { does: "are deleted", why: "those that have not ended by then are kept" },
}

/** How many runs something is done with. */
export const doneBy = (parts: readonly Part[]): number => parts.reduce((sum, { count, isSkipped }) => sum + (isSkipped ? 0 : count), 0)
