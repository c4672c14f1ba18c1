// Registers, refreshes, approves and removes a tenant's MCP servers [T27]. Agents get the approved tool list. Any other list, including the
// first, waits under its hash until someone approves exactly that list. Registering again approves nothing, unless the request says
// `approve`: a server that waits for its next registration would otherwise choose its own descriptions and effects. The network is used
// outside the tenant's turn, so a slow server blocks no other write; its answer is checked and stored in the turn.

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import {
  isSelected,
  listChange,
  mcpName,
  mcpToolDefs,
  type ListedTool,
  type McpServerSettings,
  type ToolList,
} from "../../core/tool/mcp-tool.ts"
import { toolTokens } from "../../core/tool/tool-tokens.ts"
import type { McpRefusal, McpResult, McpServers, McpServerView, McpToolView } from "../../ports/mcp.ts"
import type { ConnectionShown } from "../../ports/tenant/mcp-connections.ts"
import { MAX_TOOLS, type ToolCatalogPort } from "../../ports/tenant/tool-catalog.ts"
import type { InTurn } from "../in-turn.ts"
import { AuthorityFault } from "./authority-fault.ts"
import type { Connections } from "./mcp-connections.ts"
import { hashed, look, refusal, type HashedList, type LookDeps } from "./mcp-look.ts"

/** A stored server. `list` is the approved list, which is empty until the first approval. */
export interface McpRow extends HashedList {
  readonly name: string
  readonly settings: McpServerSettings
  readonly pending?: HashedList
  /** Milliseconds. */
  readonly checked: number
}

/** Storage of servers. Each call is a single commit. */
export interface McpStore {
  all(): readonly McpRow[]
  one(name: string): McpRow | undefined
  put(row: McpRow): void
  remove(name: string): boolean
}

export interface McpServersDeps extends LookDeps {
  readonly store: McpStore
  /** Must not take the tenant's turn: the turn is taken here. */
  readonly tools: ToolCatalogPort
  readonly connections: Connections
  readonly inTurn: InTurn
  readonly now: () => number
}

export const MAX_SERVERS = 50 // limit: MCP servers of a tenant → 422

export interface PlacedServers extends McpServers {
  /** [F79] A file of the catalog has set it: asks the server for its list, as `put` does. */
  placed(name: string, approve: boolean): Promise<McpResult>
}

export function mcpServers(deps: McpServersDeps): PlacedServers {
  const { store, connections, inTurn, now } = deps

  /** Registers exactly these tools of the server for agents. */
  const offer = async (row: McpRow): Promise<void> => {
    const defs = mcpToolDefs(row.name, row.settings, row.list.tools)
    await deps.tools.register(defs)
    await withdraw(row.name, new Set(defs.map((def) => def.name)))
    store.put(row)
  }
  /** The tenant's limits, which include HTTP tools: a start reads all of them. */
  const tooMuch = async (server: string, list: ToolList): Promise<McpRefusal | undefined> => {
    if (store.one(server) === undefined && store.all().length >= MAX_SERVERS)
      return refusal("unfit", `there are already ${MAX_SERVERS} MCP servers, the maximum: remove one first`)
    const others = (await deps.tools.registered()).filter(({ name }) => !name.startsWith(mcpName(server, "")))
    if (others.length + list.tools.length <= MAX_TOOLS) return undefined
    return refusal("unfit", `with ${list.tools.length} more there would be over ${MAX_TOOLS} tools: select fewer with allow`)
  }
  const withdraw = async (server: string, kept: ReadonlySet<string>): Promise<boolean> => {
    const prefix = mcpName(server, "")
    const gone = (await deps.tools.registered()).filter(({ name }) => name.startsWith(prefix) && !kept.has(name))
    for (const { name } of gone) await deps.tools.unregister(name)
    return gone.length > 0
  }

  const shown = (row: McpRow): McpServerView => viewOf(row, connections.shown(row.name))
  const listed = async (name: string, approve: boolean): Promise<McpResult> => {
    const asked = store.one(name)
    if (!asked) return NOT_FOUND
    const seen = await look(deps, name, asked.settings)
    if (!("hash" in seen)) return seen.code === "connect" ? refusal("unreachable", seen.message) : seen
    return inTurn(async () => {
      const row = store.one(name)
      if (row === undefined) return NOT_FOUND
      if (canonical(row.settings) !== canonical(asked.settings)) return MOVED
      const refused = approve ? await tooMuch(name, seen.list) : undefined
      if (refused) return refused
      const next = rowOf({ name, settings: row.settings, checked: now() }, approve ? seen : row, seen)
      if (approve) await offer(next)
      else store.put(next)
      return { ok: true, server: shown(next) }
    })
  }

  return {
    list: async () => store.all().map(shown),
    get: async (name) => {
      const row = store.one(name)
      return row && shown(row)
    },

    async put(name, given, approve) {
      const seen = await look(deps, name, given)
      if (!("hash" in seen) && seen.code !== "connect") return seen
      const connects = !("hash" in seen)
      const settings: McpServerSettings = connects ? { ...given, auth: given.auth ?? { grant: "authorization_code" } } : given
      return inTurn(async () => {
        const list = "hash" in seen ? seen : await stillApproved(store.one(name), settings)
        const refused = await tooMuch(name, list.list)
        if (refused) return refused
        if (settings.auth?.grant === "authorization_code") await connections.expect(name, settings.url, approve && connects)
        else await connections.forget(name)
        const approved = approve || connects ? list : await stillApproved(store.one(name), settings)
        const row = rowOf({ name, settings, checked: now() }, approved, list)
        await offer(row)
        return { ok: true, server: shown(row) }
      })
    },

    async preview(name, given) {
      const seen = await look(deps, name, given)
      const connects = !("hash" in seen)
      if (connects && seen.code !== "connect") return seen
      const settings: McpServerSettings = connects ? { ...given, auth: given.auth ?? { grant: "authorization_code" } } : given
      const approved = await stillApproved(store.one(name), settings)
      const list = connects ? approved : seen
      const refused = await tooMuch(name, list.list)
      if (refused) return refused
      const connection = connects ? NEEDED : (connections.shown(name) ?? NEEDED)
      const shows = settings.auth?.grant === "authorization_code" ? connection : undefined
      return { ok: true, server: viewOf(rowOf({ name, settings, checked: now() }, approved, list), shows) }
    },

    refresh: (name) => listed(name, false),

    async placed(name, approve) {
      const row = store.one(name)
      if (!row) return NOT_FOUND
      if (row.settings.auth?.grant === "authorization_code") await connections.expect(name, row.settings.url, approve)
      else await connections.forget(name)
      return listed(name, approve)
    },

    async connect(name, asked) {
      const row = store.one(name)
      if (!row) return NOT_FOUND
      const { url, auth } = row.settings
      if (auth?.grant !== "authorization_code")
        return refusal(
          "unfit",
          `${name} is not connected by a person: register it with auth {"grant": "authorization_code"}, or without auth if it asks for OAuth`,
        )
      try {
        const seen = await look(deps, name, { url })
        const challenge = "challenge" in seen ? seen.challenge : undefined
        return { ok: true, url: await connections.begin({ name, url, auth }, asked, challenge) }
      } catch (e) {
        if (!(e instanceof AuthorityFault)) throw e
        return refusal(e.kind === "refused" ? "refused" : "unreachable", `${name} cannot be connected: ${e.message}`)
      }
    },

    async connected(name, returned) {
      try {
        const { approve } = await connections.finish(name, returned)
        const found = await listed(name, approve)
        if (!found.ok) return { ok: true, server: name, waiting: 0, approved: 0, unlisted: found.message }
        return { ok: true, server: name, waiting: found.server.pending?.tools.length ?? 0, approved: found.server.tools.length }
      } catch (e) {
        if (!(e instanceof AuthorityFault)) throw e
        return { ok: false, message: e.message }
      }
    },

    approve: (name, hash) =>
      inTurn(async (): Promise<McpResult> => {
        const found = store.one(name)
        if (!found) return NOT_FOUND
        const { pending, ...row } = found
        if (pending?.hash !== hash) return notPending(name, pending?.hash)
        const refused = await tooMuch(name, pending.list)
        if (refused) return refused
        const next: McpRow = { ...row, ...pending }
        await offer(next)
        return { ok: true, server: shown(next) }
      }),

    remove: (name) =>
      inTurn(async () => {
        // Tools first: a partly removed server can be removed again.
        const had = await withdraw(name, new Set())
        await connections.forget(name)
        return store.remove(name) || had
      }),
  }
}

/** The approved tools that remain valid under these settings: at the same address, and selected by `allow`. */
export async function stillApproved(row: McpRow | undefined, settings: McpServerSettings): Promise<HashedList> {
  const at = row?.settings.url === settings.url ? row.list.tools : []
  return hashed({ tools: at.filter(({ name }) => isSelected(name, settings.allow)), leftOut: [] })
}

/** A list with other words than the approved one waits; one with the same words brings only what was left out. */
function rowOf(row: Pick<McpRow, "name" | "settings" | "checked">, approved: HashedList, seen: HashedList): McpRow {
  if (approved.hash === seen.hash) return { ...row, ...seen }
  return { ...row, list: approved.list, hash: approved.hash, pending: seen }
}

const NEEDED: ConnectionShown = { status: "needed" }
const NOT_FOUND = refusal("not_found", "there is no MCP server of this name")
const MOVED = refusal("not_pending", "the server's settings changed during the request; refresh again")

const notPending = (name: string, pending: string | undefined): McpRefusal =>
  refusal(
    "not_pending",
    pending === undefined
      ? `nothing is waiting for approval: the last known list of ${name} is the approved one`
      : `a different list is waiting: check GET /v1/mcp-servers/${name} and approve ${pending}`,
  )

function viewOf({ name, settings, list, hash, pending, checked }: McpRow, connection: ConnectionShown | undefined): McpServerView {
  const shown = (tools: readonly ListedTool[]): McpToolView[] => mcpToolDefs(name, settings, tools).map(toolView)
  return {
    name,
    ...settings,
    hash,
    tools: shown(list.tools),
    checked: new Date(checked).toISOString(),
    left_out: (pending ?? { list }).list.leftOut,
    ...defined({
      connection,
      pending: pending && { hash: pending.hash, ...listChange(list.tools, pending.list.tools), tools: shown(pending.list.tools) },
    }),
  }
}

const toolView = (def: ReturnType<typeof mcpToolDefs>[number]): McpToolView => ({
  name: def.name,
  ...defined({ label: def.label }),
  description: def.description,
  parameters: def.parameters,
  effect: def.effect,
  tokens: toolTokens(def.name, def.description, def.parameters),
})
