// A tenant's MCP servers [T27]: registered, refreshed, approved, unregistered.
//
// Agents get the approved tool list. Any other list, the first one too, waits under its hash until someone
// approves exactly that list. Registering again approves nothing, unless the request says `approve`: a server
// that waits for its next registration would otherwise choose its own descriptions and effects. The network is
// used outside the tenant's turn, so a slow server blocks no other write; its answer is checked and stored in the turn.

import { canonical } from "../../core/json.ts"
import {
  carried,
  isSelected,
  listChange,
  mcpName,
  mcpToolDefs,
  readList,
  type ListedTool,
  type McpServerSettings,
  type ToolList,
} from "../../core/tool/mcp-tool.ts"
import { Redactor } from "../../core/secrets/redact.ts"
import {
  McpFault,
  type McpPeer,
  type McpRefusal,
  type McpResult,
  type McpServers,
  type McpServerView,
  type McpToolView,
} from "../../ports/mcp.ts"
import type { Net } from "../../ports/net.ts"
import type { ToolCatalogPort } from "../../ports/tool-catalog.ts"
import type { InTurn } from "../in-turn.ts"
import { sha256 } from "../sha256.ts"

interface HashedList {
  readonly list: ToolList
  /** SHA-256 of its tools. */
  readonly hash: string
}

/** Its own list is the approved one; it is empty until a first list has been approved. */
export interface McpRow extends HashedList {
  readonly name: string
  readonly settings: McpServerSettings
  readonly pending?: HashedList
  /** Milliseconds. */
  readonly checked: number
}

/** Each call is one commit. */
export interface McpStore {
  all(): readonly McpRow[]
  one(name: string): McpRow | undefined
  put(row: McpRow): void
  remove(name: string): boolean
}

export interface McpServersDeps {
  readonly store: McpStore
  /** Must not take the tenant's turn: the turn is taken here. */
  readonly tools: ToolCatalogPort
  readonly peer: McpPeer
  readonly net: Net
  /** Scope → values, newest first. */
  readonly vault: () => Promise<Readonly<Record<string, readonly string[]>>>
  readonly inTurn: InTurn
  readonly now: () => number
  /** Time limit for listing a server, in milliseconds; default 20 s. */
  readonly patience?: number
}

const PATIENCE = 20_000
const MAX_SERVERS = 50
const MAX_OF_TENANT = 1_000

export function mcpServers(deps: McpServersDeps): McpServers {
  const { store, inTurn, now } = deps

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
    if (others.length + list.tools.length <= MAX_OF_TENANT) return undefined
    return refusal("unfit", `with ${list.tools.length} more there would be over ${MAX_OF_TENANT} tools: select fewer with allow`)
  }
  const withdraw = async (server: string, kept: ReadonlySet<string>): Promise<boolean> => {
    const prefix = mcpName(server, "")
    const gone = (await deps.tools.registered()).filter(({ name }) => name.startsWith(prefix) && !kept.has(name))
    for (const { name } of gone) await deps.tools.unregister(name)
    return gone.length > 0
  }

  return {
    list: async () => store.all().map(viewOf),
    get: async (name) => {
      const row = store.one(name)
      return row && viewOf(row)
    },

    async put(name, settings, approve) {
      const seen = await look(deps, settings)
      if (!("hash" in seen)) return seen
      return inTurn(async () => {
        const refused = await tooMuch(name, seen.list)
        if (refused) return refused
        const approved = approve ? seen : await stillApproved(store.one(name), settings)
        const row = rowOf({ name, settings, checked: now() }, approved, seen)
        await offer(row)
        return { ok: true, server: viewOf(row) }
      })
    },

    async refresh(name) {
      const asked = store.one(name)
      if (!asked) return NOT_FOUND
      const seen = await look(deps, asked.settings)
      if (!("hash" in seen)) return seen
      return inTurn(async () => {
        const row = store.one(name)
        if (row === undefined) return NOT_FOUND
        if (canonical(row.settings) !== canonical(asked.settings)) return MOVED
        const next = rowOf({ name, settings: row.settings, checked: now() }, row, seen)
        store.put(next)
        return { ok: true, server: viewOf(next) }
      })
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
        return { ok: true, server: viewOf(next) }
      }),

    remove: (name) =>
      inTurn(async () => {
        // Tools first: a partly removed server can be removed again.
        const had = await withdraw(name, new Set())
        return store.remove(name) || had
      }),
  }
}

/** What was approved and holds under these settings: at the same address, and no more than `allow` selects now. */
async function stillApproved(row: McpRow | undefined, settings: McpServerSettings): Promise<HashedList> {
  const at = row?.settings.url === settings.url ? row.list.tools : []
  return hashed({ tools: at.filter(({ name }) => isSelected(name, settings.allow)), leftOut: [] })
}

/** A list with other words than the approved one waits; one with the same words brings only what was left out. */
function rowOf(row: Pick<McpRow, "name" | "settings" | "checked">, approved: HashedList, seen: HashedList): McpRow {
  if (approved.hash === seen.hash) return { ...row, ...seen }
  return { ...row, list: approved.list, hash: approved.hash, pending: seen }
}

const hashed = async (list: ToolList): Promise<HashedList> => ({ list, hash: await sha256(canonical(list.tools)) })

async function look(deps: McpServersDeps, settings: McpServerSettings): Promise<HashedList | McpRefusal> {
  const { url, auth, allow } = settings
  const vault = await deps.vault()
  // A server may echo the secret it was sent.
  const redactor = new Redactor(Object.entries(vault))
  const secret = auth === undefined || !Object.hasOwn(vault, auth.scope) ? undefined : vault[auth.scope]?.[0]
  if (auth !== undefined && secret === undefined)
    return refusal("scope", `the vault has no value for the scope ${auth.scope}: store it before registering the server`)
  const patience = deps.patience ?? PATIENCE
  const signal = AbortSignal.timeout(patience)
  try {
    const listed = await deps.peer.list(
      { url, ...(auth === undefined || secret === undefined ? {} : carried(auth, secret)) },
      deps.net,
      signal,
    )
    const list = readList(listed, allow)
    if (!list.ok) return refusal("unfit", redactor.text(`the tools of ${new URL(url).host} cannot be registered: ${list.error}`))
    return await hashed(redactor.json(list.value))
  } catch (e) {
    if (signal.aborted) return refusal("unreachable", `the MCP server at ${new URL(url).host} did not answer within ${patience / 1000} s`)
    if (!(e instanceof McpFault)) throw e
    return refusal(e.kind === "refused" ? "refused" : "unreachable", redactor.text(e.message))
  }
}

const refusal = (code: McpRefusal["code"], message: string): McpRefusal => ({ ok: false, code, message })

const NOT_FOUND = refusal("not_found", "there is no MCP server of this name")
const MOVED = refusal("not_pending", "the server's settings changed during the request; refresh again")

const notPending = (name: string, pending: string | undefined): McpRefusal =>
  refusal(
    "not_pending",
    pending === undefined
      ? `nothing is waiting for approval: the last known list of ${name} is the approved one`
      : `a different list is waiting: check GET /v1/mcp-servers/${name} and approve ${pending}`,
  )

function viewOf({ name, settings, list, hash, pending, checked }: McpRow): McpServerView {
  const shown = (tools: readonly ListedTool[]): McpToolView[] => mcpToolDefs(name, settings, tools).map(toolView)
  return {
    name,
    ...settings,
    hash,
    tools: shown(list.tools),
    checked: new Date(checked).toISOString(),
    left_out: (pending ?? { list }).list.leftOut,
    ...(pending === undefined
      ? {}
      : { pending: { hash: pending.hash, ...listChange(list.tools, pending.list.tools), tools: shown(pending.list.tools) } }),
  }
}

const toolView = (def: ReturnType<typeof mcpToolDefs>[number]): McpToolView => ({
  name: def.name,
  ...(def.label === undefined ? {} : { label: def.label }),
  description: def.description,
  parameters: def.parameters,
  effect: def.effect,
})
