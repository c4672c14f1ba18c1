// Calls a tool on a connected MCP server [T27]: returns its answer, or the questions that a person must answer first.
//
// A server of the 2026 protocol answers with its questions, and gets the replies with the next call. An older one asks during the call, on
// a connection that cannot be held for days: the call is canceled, repeated once a person has answered, and the repeated question is
// answered at once.

import type * as Sdk from "./mcp-library.ts"
import type { Client } from "@modelcontextprotocol/client"
import { defined } from "../../core/defined.ts"
import { isObject, type Json } from "../../core/json.ts"
import { readElicitation, sameQuestion, type AnsweredQuestion, type ServerQuestion } from "../../core/tool/elicitation.ts"
import type { McpAnswer, McpAsks, McpCall, McpProgress } from "../../ports/mcp.ts"
import type { RawResults } from "./mcp-raw.ts"
import { pause } from "../../ports/timers.ts"

/** The client's default of 60 s would cut long calls short; the caller's signal is the real limit. */
const NO_LIMIT = 24 * 60 * 60 * 1000
/** A server that is busy may answer only with its note, to be called again: this often, with this pause (ms). */
const MAX_BUSY = 20 // limit: times that a busy MCP server is called again for one call → the call fails
const PAUSE_MS = 500

type Asking = NonNullable<McpCall["asking"]>

/** Removes secrets that the server may repeat [T32], before its answer is cut or compared. */
export type Cleaning = (value: unknown) => Promise<unknown>

interface Connected {
  readonly client: Client
  readonly raw: RawResults
  readonly sdk: typeof Sdk
  readonly clean: Cleaning
}

export async function callTool(
  { client, sdk, raw, clean }: Connected,
  call: McpCall,
  signal: AbortSignal,
  onProgress?: (progress: McpProgress) => void,
): Promise<McpAnswer | McpAsks> {
  const given = new AbortController()
  const open: ServerQuestion[] = []
  let fault: Error | undefined
  if (call.asking) {
    const { answered } = call.asking
    const left = [...answered]
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const asked = readElicitation(await clean(params))
      if (!asked.ok) fault = unaskable(asked.error)
      else {
        const at = left.findIndex((one) => sameQuestion(one.asked, asked.value))
        const [known] = at < 0 ? [] : left.splice(at, 1)
        if (known) return { ...known.reply }
        open.push({ key: "", asked: asked.value })
      }
      given.abort(new Error("a person is asked first"))
      // No reply: the connection ends here.
      return new Promise<never>(() => {})
    })
  }
  const options = {
    signal: AbortSignal.any([signal, given.signal]),
    timeout: NO_LIMIT,
    allowInputRequired: true,
    ...(call.parameters === undefined
      ? {}
      : { toolDefinition: { name: call.tool, inputSchema: { ...call.parameters, type: "object" as const } } }),
    ...(onProgress === undefined ? {} : { onprogress: (p: Parameters<typeof progressOf>[0]) => onProgress(progressOf(p)) }),
  }
  let note = call.asking && client.getProtocolEra() === "modern" ? retryOf(call.asking) : {}
  try {
    for (let n = 0; ; n++) {
      const result: unknown = await client.callTool({ name: call.tool, arguments: call.args, ...note }, options)
      if (!isObject(result) || result["resultType"] !== "input_required") return answerOf(raw.called)
      const state = result["requestState"]
      const questions = questionsIn(await clean(result["inputRequests"]), call.asking !== undefined)
      if (questions.length > 0) return { questions, ...(typeof state === "string" ? { state } : {}) }
      if (n >= MAX_BUSY || typeof state !== "string") throw new Error(`it asked to be called again ${n + 1} times and gave no answer`)
      note = { requestState: state }
      await pause(PAUSE_MS)
      signal.throwIfAborted()
    }
  } catch (e) {
    if (fault !== undefined) throw fault
    if (open.length > 0 && !signal.aborted) return { questions: open }
    const pages =
      call.asking && sdk.ProtocolError.isInstance(e) && e.code === sdk.ProtocolErrorCode.UrlElicitationRequired
        ? pagesIn(await clean(e.data))
        : []
    if (pages.length > 0) return { questions: pages }
    throw e
  }
}

/** The replies to the last round, as the server named its questions, and its note. */
function retryOf({ answered, state }: Asking): Record<string, unknown> {
  const last = answered.at(-1)?.round
  const replies = answered.filter((one): one is AnsweredQuestion => one.round === last && one.key !== "")
  return {
    ...(replies.length === 0 ? {} : { inputResponses: Object.fromEntries(replies.map(({ key, reply }) => [key, reply])) }),
    ...defined({ requestState: state }),
  }
}

function questionsIn(requests: unknown, askable: boolean): ServerQuestion[] {
  if (!isObject(requests)) return []
  return Object.entries(requests).map(([key, request]) => {
    const method = isObject(request) ? request["method"] : undefined
    if (method !== "elicitation/create")
      throw new Error(`it wants ${typeof method === "string" ? method : "something"} of its caller, which is not supported here`)
    if (!askable) throw new Error("it wants to ask a person, and nobody can be asked here: call the tool in a run")
    const asked = readElicitation(isObject(request) ? request["params"] : undefined)
    if (!asked.ok) throw unaskable(asked.error)
    return { key, asked: asked.value }
  })
}

/** The pages of an older server's refusal: it wants to be called again once a person has been there. */
function pagesIn(data: unknown): ServerQuestion[] {
  const pages = isObject(data) && Array.isArray(data["elicitations"]) ? data["elicitations"] : []
  return pages.map((page) => {
    const asked = readElicitation(isObject(page) ? { ...page, mode: "url" } : page)
    if (!asked.ok) throw unaskable(asked.error)
    return { key: "", asked: asked.value }
  })
}

const unaskable = (why: string): Error => new Error(`it asks a question that cannot be shown to a person: ${why}`)

function answerOf(result: unknown): McpAnswer {
  const { content, structuredContent, isError } = isObject(result) ? result : {}
  return {
    content: partsOf(content),
    ...(structuredContent === undefined ? {} : { structured: jsonOf(structuredContent) }),
    isError: isError === true,
  }
}

/** One part stands for a list of one, and a text for a part. */
function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content
  if (typeof content === "string") return [{ type: "text", text: content }]
  return content === undefined ? [] : [content]
}

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))

const progressOf = (p: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }) => ({
  progress: p.progress,
  ...defined({ total: p.total, message: p.message }),
})
