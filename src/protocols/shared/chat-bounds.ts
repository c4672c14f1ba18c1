// Limits the access of a chat token [P9]: to a single thread of a flow, and to the members of a start in core/run/start-members.ts. The
// path decides which flow (http/middleware/token-caller.ts); everything in a body is judged here, for every protocol.

import { isObject } from "../../core/json.ts"
import { stricter } from "../../core/money/amount.ts"
import { closedMember, openMembers, whoSets } from "../../core/run/start-members.ts"
import type { Answer } from "../../core/run/signal.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { StartBody } from "../../api/run/runs.ts"
import { check } from "../../http/middleware/body.ts"
import type { Call } from "../../http/middleware/call.ts"
import { NOT_FOUND, type Refusal } from "../../http/middleware/problem.ts"

/** The refusal of a thread; undefined: the caller may use it. */
export function strangeThread(c: Call, thread: string | undefined): Refusal | undefined {
  const { chat } = c.get("caller")
  return chat === undefined || chat.thread === thread ? undefined : NOT_FOUND
}

/** The start within this caller's rights. */
export function boundStart(c: Call, start: Readonly<Record<string, unknown>>): Result<Readonly<Record<string, unknown>>, Refusal> {
  const { chat } = c.get("caller")
  // With a key, the start's own schema judges them.
  if (chat === undefined) return ok(start)
  const closed = closedMember("chat", start)
  if (closed !== undefined) {
    const open = openMembers("chat")
      .map((name) => `\`${name}\``)
      .join(" and ")
    return forbidden(`A chat token cannot set \`${closed}\` of a run, only ${open}: leave it out; ${whoSets(closed)}.`)
  }
  if (chat.budget === undefined) return ok(start)
  if (start["budget"] === undefined) return ok({ ...start, budget: chat.budget })
  const asked = check(StartBody, { budget: start["budget"] })
  return asked.ok ? ok({ ...start, budget: stricter(chat.budget, asked.value.budget ?? {}) }) : asked
}

const forbidden = (detail: string): { readonly ok: false; readonly error: Refusal } => err({ code: "forbidden", detail })

/** Refuses answers that raise a budget, so that no run of a page spends more than its token allows. */
export const raised = (c: Call, body: Answer): Refusal | undefined =>
  c.get("caller").chat !== undefined && isObject(body.answer) && "raise" in body.answer
    ? { code: "forbidden", detail: "A chat token cannot raise a budget: answer with a key." }
    : undefined

const OWNERS: ReadonlySet<string> = new Set(["invalid_flow", "unknown_agent", "no_price", "no_model", "unsupported"])

/** Replaces a refusal that may quote the flow's files, which a page must not see. */
export const shownRefusal = (c: Call, refusal: Refusal): Refusal =>
  c.get("caller").chat === undefined || !OWNERS.has(refusal.code)
    ? refusal
    : { code: refusal.code, detail: "This chat cannot start a run now: its owner must fix the flow." }
