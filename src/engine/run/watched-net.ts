// Watches the network of one call [K31]: if a request that may change something left without an answer, its effect is unknown, and the
// ledger says so.

import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Net, NetRequest } from "../../ports/net.ts"
import type { CallOutcome } from "./call/execute-tool.ts"

export interface Watched {
  /** Has a request left that may have changed something? */
  hasSent(): boolean
  readonly net: { readonly net?: Net }
  isUnclear(outcome: Pick<CallOutcome, "isError" | "stopped">): boolean
}

/** The connection was never made, so nothing was sent. */
const NOT_SENT = /^address refused|connection refused|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|getaddrinfo|DNS/i

export function watched(net: Net | undefined, { groups }: Pick<ToolSpec, "groups">): Watched {
  // A tool that needs no network of its own: an end that it did not choose says nothing.
  if (net === undefined) return { net: {}, hasSent: () => false, isUnclear: ({ isError, stopped }) => isError && stopped === true }
  let open = 0
  let unanswered = false
  let sent = false
  const follow = async <T>(request: Omit<NetRequest, "maxBytes" | "timeout">, send: () => Promise<T>): Promise<T> => {
    if (!mayChange(request, groups?.includes("mcp") === true)) return send()
    open += 1
    sent = true
    try {
      return await send()
    } catch (e) {
      if (!(e instanceof Error && NOT_SENT.test(reasonOf(e)))) unanswered = true
      throw e
    } finally {
      open -= 1
    }
  }
  const { open: stream } = net
  return {
    hasSent: () => sent,
    net: {
      net: {
        fetch: (request, signal) => follow(request, () => net.fetch(request, signal)),
        ...(stream ? { open: (request, signal) => follow(request, () => stream.call(net, request, signal)) } : {}),
      },
    },
    // A stream's head is an answer, but not yet that of the call.
    isUnclear: ({ isError, stopped }) => isError && (unanswered || open > 0 || (stopped === true && sent)),
  }
}

/** MCP begins a connection with requests that change nothing. */
const mayChange = ({ method = "GET", body }: Pick<NetRequest, "method" | "body">, isMcp: boolean): boolean =>
  isMcp ? typeof body === "string" && body.includes('"tools/call"') : !/^(get|head)$/i.test(method)

const reasonOf = (e: Error): string => `${e.message}${e.cause instanceof Error ? ` ${e.cause.message}` : ""}`
