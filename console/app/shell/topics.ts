// Tells what an event of the tenant's stream is news of.

import type { FeedEvent } from "../../../src/api/doc/run/feed.doc.ts"
import type { Topic } from "./server-state.ts"

/** Which runs ask, by what the stream said of them last. */
export class Asking {
  readonly #runs = new Set<string>()

  /** Whether what waits for a person may be another than before. */
  changes({ run, pending = 0 }: Pick<FeedEvent, "run" | "pending">): boolean {
    if (run === undefined) return false
    const did = this.#runs.has(run)
    if (pending > 0) this.#runs.add(run)
    else this.#runs.delete(run)
    return did || pending > 0
  }
}

export function topicsOf(event: FeedEvent, asking: Asking): readonly Topic[] {
  switch (event.type) {
    case "run.began":
    case "run.changed":
      return ["runs", ...(asking.changes(event) ? (["asks"] as const) : [])]
    case "run.ended":
      return ["runs", ...(event.status === "failed" ? (["failures"] as const) : []), ...(asking.changes(event) ? (["asks"] as const) : [])]
    case "run.deleted":
      return ["runs", "asks", "answered", "effects", "failures"]
    case "bulk.changed":
      return ["bulk"]
    case "run.scored":
    case "feedback.given":
      return ["runs", "scores", "grading"]
    case "question.asked":
      return ["asks"]
    case "question.answered":
      return ["asks", "answered"]
    case "revision.written":
      return ["catalog"]
    case "draft.written":
    case "draft.removed":
      return ["drafts"]
    default:
      return []
  }
}
