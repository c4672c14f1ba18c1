// Explains why an MCP server was not registered, listed or connected [T27], as a problem.

import type { McpRefusal } from "../../ports/mcp.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"

export function refuseServer(c: Call, { code, message }: McpRefusal): Response {
  switch (code) {
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "not_pending":
      return refuse(c, { code: "not_pending", detail: message })
    case "unreachable":
      return refuse(c, { code: "mcp_unreachable", detail: message })
    case "refused":
    case "scope":
    case "unfit": {
      const pointer = { refused: "/url", scope: "/auth/scope", unfit: "/allow" }[code]
      return refuse(c, invalid([{ pointer, message }]))
    }
  }
}

/** The refusal of a Worker without a key for encryption. */
export function unsealed(c: Call, e: unknown): Response {
  if (e instanceof Error && /no VAULT_KEY/.test(e.message)) return refuse(c, { code: "not_configured", detail: e.message })
  throw e
}
