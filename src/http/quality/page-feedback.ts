// Bounds the feedback of a page [V20]: of a run that its token is for, with a thumb, a comment and a text that the answer should have been.

import { MAX_PAGE_COMMENT, MAX_PAGE_CORRECTION } from "../../api/quality/scores.ts"
import { flowAt } from "../runs/begin-run.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, type Refusal } from "../middleware/problem.ts"
import type { RunView } from "../../core/run/views/view.ts"

/** The caller has a token made with `feedback: true`: the door lets no other token in. */
export const isPage = (c: Call): boolean => c.get("caller").view === "public" || c.get("caller").chat !== undefined

const OPEN: ReadonlySet<string> = new Set(["thumb", "comment", "correction"])

/** Why a page may not say this of the run; undefined: it may. */
export function pageRefusal(c: Call, body: Readonly<Record<string, unknown>>, view: Pick<RunView, "flow" | "thread">): Refusal | undefined {
  const { chat } = c.get("caller")
  if (chat && (chat.thread !== view.thread || flowAt(chat.flow)?.flow !== view.flow)) return NOT_FOUND
  const closed = Object.keys(body).find((name) => !OPEN.has(name))
  if (closed !== undefined)
    return { code: "forbidden", detail: `A page cannot give \`${closed}\`, only \`thumb\`, \`comment\` and \`correction\`: use a key.` }
  const { comment, correction } = body
  if (correction !== undefined && typeof correction !== "string")
    return { code: "forbidden", detail: "A page can correct an answer by a text only: use a key for JSON." }
  const faults = [...tooLong("/comment", comment, MAX_PAGE_COMMENT), ...tooLong("/correction", correction, MAX_PAGE_CORRECTION)]
  return faults.length > 0 ? invalid(faults) : undefined
}

const tooLong = (pointer: string, text: unknown, most: number) =>
  typeof text === "string" && text.length > most ? [{ pointer, message: `must have at most ${most} characters from a page` }] : []
