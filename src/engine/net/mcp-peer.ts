// Calls MCP servers for runs and routes [T27]. The client is loaded with the first call: most tenants have no such server.

import { lazy } from "../../core/lazy.ts"
import type { McpPeer } from "../../ports/mcp.ts"

const client = lazy(async () => (await import("./mcp-client.ts")).mcpClient)

export const mcpPeer: McpPeer = {
  list: async (...asked) => (await client()).list(...asked),
  call: async (...asked) => (await client()).call(...asked),
}
