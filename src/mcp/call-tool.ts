// tools/call of a tool of the main session: one `POST /v1/tools/{name}`, so that policy, denylist, scopes and approvals are the same [T3].
//
// A refusal is a result with isError and the API's message, so a model can read it; only an unknown tool is a protocol error.

import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import { isObject, type JsonObject } from "../core/json.ts"
import { ContentPart } from "../core/run/event-parts.ts"
import type { McpCall } from "../ports/services.ts"

const Outcome = z.object({ content: z.array(ContentPart), isError: z.boolean().optional() })

/** Calls a tool; undefined: the caller has no such tool. */
export async function callTool({ ask }: McpCall, name: string, args: JsonObject): Promise<CallToolResult | undefined> {
  const answer = await ask("POST", `/v1/tools/${encodeURIComponent(name)}`, args)
  if (answer.status === 404) return undefined
  if (!answer.ok) return refused(answer)
  const body: unknown = await answer.json()
  const outcome = Outcome.safeParse(body)
  if (outcome.success) return { content: outcome.data.content, ...(outcome.data.isError === true ? { isError: true } : {}) }
  // The details of the authoring tools are the whole answer, in the seed's shapes.
  return { content: [{ type: "text", text: JSON.stringify(body) }], ...(isObject(body) ? { structuredContent: body } : {}) }
}

const Problem = z.object({ code: z.string(), detail: z.string() })

/** `code: detail`, and when to retry. An internal error is thrown and becomes a protocol error. */
export async function refused(answer: Response): Promise<CallToolResult> {
  const problem = Problem.safeParse(await answer.json().catch(() => undefined))
  if (answer.status >= 500 && answer.status !== 502 && answer.status !== 503) throw new Error(`the API answered ${answer.status}`)
  const { code, detail } = problem.success ? problem.data : { code: String(answer.status), detail: "The request was refused." }
  const later = answer.headers.get("retry-after")
  return errorText(`${code}: ${detail}${later === null ? "" : ` Try again in ${later} s.`}`)
}

export const errorText = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })
