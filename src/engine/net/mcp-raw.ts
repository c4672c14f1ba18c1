// Keeps the raw results of an MCP server [T27]. The official client rejects a whole list for one tool that violates the protocol, and a
// whole answer for one unusual part. So it gets a result without the parts that we read ourselves, which are kept here.

import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { isObject } from "../../core/json.ts"

export interface RawResults {
  /** Of every page of the list, in their order. */
  readonly lists: readonly Readonly<Record<string, unknown>>[]
  /** Of the latest call. */
  readonly called: Readonly<Record<string, unknown>> | undefined
}

/** Records the results from now on; the client must be connected. */
export function rawResults(transport: StreamableHTTPClientTransport): RawResults {
  const asked = new Map<unknown, string>()
  const kept: { lists: Record<string, unknown>[]; called: Record<string, unknown> | undefined } = { lists: [], called: undefined }
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!Array.isArray(message) && "method" in message && "id" in message) asked.set(message.id, message.method)
    return send(message, options)
  }
  const take = transport.onmessage?.bind(transport)
  transport.onmessage = (message) => {
    const method = "result" in message ? asked.get(message.id) : undefined
    if (!("result" in message) || method === undefined || !isObject(message.result)) return take?.(message)
    const result = withoutNull(message.result)
    // The client knows what to do with a result that is no end, or says why not.
    if ((result["resultType"] ?? "complete") !== "complete") return take?.({ ...message, result })
    if (method === "tools/list") {
      kept.lists.push(result)
      return take?.({ ...message, result: { ...COMPLETE, tools: [], ...cursorOf(result["nextCursor"]) } })
    }
    if (method !== "tools/call") return take?.({ ...message, result })
    kept.called = result
    return take?.({ ...message, result: { ...COMPLETE, content: [], isError: result["isError"] === true } })
  }
  return kept
}

/** What the protocol of 2026 demands of a result; an older one does not look at it. */
const COMPLETE = { resultType: "complete", ttlMs: 0, cacheScope: "private" }

/** Many servers write null for what is not there. */
const withoutNull = (result: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null))

/** An empty one means that there is no further page. */
const cursorOf = (cursor: unknown): { readonly nextCursor?: string } =>
  (typeof cursor === "string" && cursor !== "") || typeof cursor === "number" ? { nextCursor: String(cursor) } : {}
