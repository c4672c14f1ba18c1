// POST /v1/flows/{flow}/chat-token [P9]: a token for a page, which must not have a key. It is signed, not stored, and works while its key does.

import { isoTime } from "../../core/text/iso-time.ts"
import { ChatTokenBody } from "../../api/ui.ts"
import { defined } from "../../core/defined.ts"
import { json } from "../../http/middleware/body.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { lacks } from "../../http/middleware/door.ts"
import { NOT_FOUND, refuse } from "../../http/middleware/problem.ts"
import { flowAt } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"
import { tokenEnd } from "../../http/runs/run-token.ts"

const DEFAULT_SECONDS = 900

export async function makeChatToken(c: Call): Promise<Response> {
  const flow = param(c, "flow")
  const target = flowAt(flow)
  const { chatToken } = c.get("tenant")
  if (!target || !(await isKnownFlow(c, target))) return refuse(c, NOT_FOUND)
  const body = json(c, ChatTokenBody)
  if (!body.ok) return refuse(c, body.error)
  const { thread = `chat-${crypto.randomUUID()}`, ttl = DEFAULT_SECONDS, answer = false, feedback = false, budget, trusted } = body.value
  // A token gives no right that its maker lacks.
  const refused = answer ? lacks(c, "interactions:answer") : undefined
  if (refused) return refused
  const reads = c.get("caller").scopes.includes("runs:read")
  const expires = tokenEnd(c, ttl)
  c.set("shownOnce", ["token"])
  const more = { ...defined({ budget, trusted }), ...(feedback ? { feedback: true as const } : {}) }
  const token = await chatToken({ flow, thread, reads, answer, ...more }, expires)
  return c.json({ token, flow, thread, expires: isoTime(expires) }, 201)
}
