// A tenant's MCP servers, asked of its object: a fresh stub for every call, as in tenant-port.ts. Asking a server again and putting
// the same settings again are harmless, so each call may be asked twice when the platform says so.

import type { McpServers } from "../ports/mcp.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface McpRpc {
  listMcp: McpServers["list"]
  getMcp: McpServers["get"]
  putMcp: McpServers["put"]
  refreshMcp: McpServers["refresh"]
  approveMcp: McpServers["approve"]
  removeMcp: McpServers["remove"]
}

export function mcpPort(env: TenantPortEnv, tenant: string): McpServers {
  const ask = asking<McpRpc>(env, tenant)
  return {
    list: () => ask((o) => o.listMcp()),
    get: (name) => ask((o) => o.getMcp(name)),
    put: (name, settings) => ask((o) => o.putMcp(name, settings)),
    refresh: (name) => ask((o) => o.refreshMcp(name)),
    approve: (name, hash) => ask((o) => o.approveMcp(name, hash)),
    remove: (name) => ask((o) => o.removeMcp(name)),
  }
}
