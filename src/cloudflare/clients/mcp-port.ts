// A tenant's MCP servers, asked of its object: a fresh stub for every call, as in tenant-port.ts. Asking a server again and putting
// the same settings again are harmless, so each call may be asked twice when the platform says so.

import type { McpServers } from "../../ports/mcp.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function mcpPort(env: TenantPortEnv, tenant: string): McpServers {
  const ask = asking(env, tenant)
  return {
    list: () => ask((o) => o.mcp.list()),
    get: (name) => ask((o) => o.mcp.get(name)),
    put: (name, settings) => ask((o) => o.mcp.put(name, settings)),
    refresh: (name) => ask((o) => o.mcp.refresh(name)),
    approve: (name, hash) => ask((o) => o.mcp.approve(name, hash)),
    remove: (name) => ask((o) => o.mcp.remove(name)),
  }
}
