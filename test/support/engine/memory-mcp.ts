// A tenant's MCP servers in memory: rows, a tool catalog, and a peer that answers what the test sets.

import type { ToolDef } from "../../../src/core/tool/tool-def.ts"
import { canonical } from "../../../src/core/json.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import { addressJudge } from "../../../src/engine/net/guarded-fetch.ts"
import { mcpConnections, type Connection } from "../../../src/engine/net/mcp-connections.ts"
import { mcpServers, type McpRow, type McpServersDeps } from "../../../src/engine/net/mcp-servers.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type { Net } from "../../../src/ports/net.ts"
import type { McpPeer, McpTarget } from "../../../src/ports/mcp.ts"
import type { RegisteredTool, ToolCatalogPort } from "../../../src/ports/tenant/tool-catalog.ts"

export class MemoryTools implements ToolCatalogPort {
  readonly rows = new Map<string, RegisteredTool>()

  async registered(): Promise<readonly RegisteredTool[]> {
    return [...this.rows.values()]
  }
  async register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]> {
    const made: RegisteredTool[] = []
    for (const def of defs) made.push({ name: def.name, def, hash: await sha256(canonical(def)), at: 0 })
    for (const row of made) this.rows.set(row.name, row)
    return made
  }
  async unregister(name: string): Promise<boolean> {
    return this.rows.delete(name)
  }
  names(): string[] {
    return [...this.rows.keys()].sort()
  }
}

/** `hosts`: private hosts that an authorization server may have. */
export function memoryMcp({ hosts = ["127.0.0.1"], ...more }: Partial<McpServersDeps> & { readonly hosts?: readonly string[] } = {}) {
  const rows = new Map<string, McpRow>()
  const tools = new MemoryTools()
  const clock = { now: Date.UTC(2026, 10, 22) }
  const asked: McpTarget[] = []
  const secrets = new Map<string, string>()
  const connections = new Map<string, Connection>()
  const net: Net = more.net ?? { fetch: () => Promise.reject(new Error("no network here")) }
  const listing = { answer: (): Promise<readonly unknown[]> | readonly unknown[] => [] }
  const peer: McpPeer = {
    async list(target) {
      asked.push(target)
      return listing.answer()
    },
    call: () => Promise.reject(new Error("not called here")),
  }
  const links = mcpConnections({
    store: {
      shown: (name) => {
        const status = connections.get(name)?.status
        return status && { status }
      },
      open: async (name) => connections.get(name),
      put: async (name, connection) => void connections.set(name, JSON.parse(JSON.stringify(connection))),
      remove: (name) => void connections.delete(name),
    },
    ways: { net, judge: addressJudge({ allowedPrivateHosts: hosts }) },
    secret: async (scope) => secrets.get(scope),
    ...(more.patience === undefined ? {} : { patience: more.patience }),
    now: () => clock.now,
  })
  const servers = mcpServers({
    store: {
      all: () => [...rows.values()],
      one: (name) => rows.get(name),
      // A row becomes JSON when it is stored.
      put: (row) => void rows.set(row.name, JSON.parse(JSON.stringify(row))),
      remove: (name) => rows.delete(name),
    },
    tools,
    peer,
    net,
    connections: links,
    vault: async () => Object.fromEntries([...secrets].map(([scope, value]) => [scope, [value]])),
    inTurn: inTurn(),
    now: () => clock.now,
    ...more,
  })
  return { servers, rows, tools, clock, asked, secrets, listing, connections, links }
}
