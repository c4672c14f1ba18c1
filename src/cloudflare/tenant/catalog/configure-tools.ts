// Registers the tools that a revision's files define [F79]: HTTP tools and MCP servers. A tool or a server is known by its name, so a file
// takes over one that was registered by a request, and while the file is there no request changes it.

import { mcpToolDefs } from "../../../core/tool/mcp-tool.ts"
import type { ToolDef } from "../../../core/tool/tool-def.ts"
import type { ConfigChange } from "../../../engine/catalog/config/config-change.ts"
import type { ToolFile } from "../../../engine/catalog/config/tool-file.ts"
import { MAX_SERVERS, stillApproved, type McpRow } from "../../../engine/net/mcp-servers.ts"
import { MAX_TOOL_CHARS, MAX_TOOLS } from "../../../ports/tenant/tool-catalog.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { TenantStores } from "../tenant-stores.ts"
import { McpSql } from "../mcp/mcp-store.ts"

type Stores = Pick<TenantStores, "sql" | "tools" | "connections">

interface Made {
  readonly file: string
  readonly defs: readonly ToolDef[]
  readonly server?: McpRow
}

/**
 * Refuses tools beyond the limits, and stores the definitions; the returned function does the rest, inside the transaction. `look`: fetches
 * the server's tools once the revision is written.
 */
export async function configuringTools(
  { sql, tools, connections }: Stores,
  changes: readonly ConfigChange[],
  look: (server: string, approve: boolean) => void,
): Promise<() => void> {
  const own = changes.filter(({ kind }) => kind === "tool")
  if (own.length === 0) return () => undefined
  const servers = new McpSql(sql)
  const made: Made[] = []
  for (const { id, value } of own) made.push(await madeBy(servers, id, value?.kind === "tool" ? value.value : undefined))
  const files = new Set(own.map(({ id }) => id))
  const stay = (await tools.registered()).filter(({ name, file }) => (file === undefined || !files.has(file)) && !isOfServers(name, made))
  room(stay, made, servers)
  const rows = new Map(await Promise.all(made.map(async ({ file, defs }) => [file, await tools.kept(defs)] as const)))
  return () => {
    for (const { file, server } of made) {
      for (const name of tools.serversOf(file)) {
        if (name === server?.name) continue
        servers.remove(name)
        connections.remove(name)
      }
      tools.place(file, rows.get(file) ?? [], server?.name)
      if (server) servers.put(server)
    }
    for (const { id, value } of own) if (value?.kind === "tool" && value.value.type === "mcp") look(id, value.value.approve)
  }
}

/** A server keeps the list that was approved at its address; the first one is asked for afterward. */
async function madeBy(servers: McpSql, file: string, value: ToolFile | undefined): Promise<Made> {
  if (value === undefined) return { file, defs: [] }
  if (value.type !== "mcp") return { file, defs: value.defs }
  const { settings } = value
  const list = await stillApproved(servers.one(file), settings)
  return { file, defs: mcpToolDefs(file, settings, list.list.tools), server: { name: file, settings, ...list, checked: clock.now() } }
}

const isOfServers = (name: string, made: readonly Made[]): boolean =>
  made.some(({ defs, server }) => (server !== undefined && name.startsWith(`mcp:${server.name}:`)) || defs.some((def) => def.name === name))

function room(stay: readonly { readonly def: ToolDef }[], made: readonly Made[], servers: McpSql): void {
  const all = [...stay.map(({ def }) => def), ...made.flatMap(({ defs }) => defs)]
  const chars = all.reduce((sum, def) => sum + JSON.stringify(def).length, 0)
  const named = new Set(servers.all().map(({ name }) => name))
  for (const { server } of made) if (server) named.add(server.name)
  const why =
    all.length > MAX_TOOLS
      ? `the tenant would have ${all.length} registered tools, and may have ${MAX_TOOLS}`
      : chars > MAX_TOOL_CHARS
        ? `the tenant's registered tools would have ${chars} characters, and may have ${MAX_TOOL_CHARS}`
        : named.size > MAX_SERVERS && named.size > servers.all().length
          ? `the tenant would have ${named.size} MCP servers, and may have ${MAX_SERVERS}`
          : undefined
  if (why === undefined) return
  const error = new Error(`${why}: remove those that are not used; nothing was written`)
  error.name = "QuotaError"
  throw error
}

/** Throws if a file of the catalog defines the tool or server. */
export function unmade(sql: TenantSql, kind: "tool" | "mcp", name: string): void {
  const [row] = sql.read<{ file: string }>("SELECT file FROM made_by_file WHERE kind = ? AND name = ?", kind, name)
  if (row === undefined) return
  const path = sql.pathOf("tool", row.file) ?? `tools/${row.file}.yaml`
  const error = new Error(`The file ${path} of the catalog sets this. Change the file and apply it, or delete the file.`)
  error.name = "OwnedError"
  throw error
}
