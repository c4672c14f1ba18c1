// tools/list: the tools that the caller can call now, then the flows that it can start, sorted by name, in pages.
//
// Left out: tools that the key's scopes or the tenant's policy do not allow [T3], and tools that work on a run's files.

import type { ListToolsResult, Tool } from "@modelcontextprotocol/server"
import { z } from "zod"
import { defined } from "../core/defined.ts"
import { absence } from "../core/tool/policy/main-gate.ts"
import type { McpCall } from "../ports/services.ts"
import { offeredFlows } from "../engine/catalog/offered-flows.ts"
import { specOf } from "../engine/catalog/registered-tools.ts"
import { sendsOut } from "../core/tool/reach.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import { ASK } from "./ask-person.ts"
import { flowResults } from "./flow-results.ts"
import { faceOf, flowTool, knownFace, type FlowFace } from "./flow-tool.ts"
import { pageOf, type PageEntry } from "./page-of.ts"
import { dotted, flowName, toolName } from "./tool-names.ts"

interface MainTools {
  /** By the name in the list. */
  readonly listed: ReadonlyMap<string, ToolSpec>
  /** By any other spelling that a call may use. */
  readonly spelled: ReadonlyMap<string, ToolSpec>
  /** Names that begin with "flow_" and are no flows. */
  readonly builtins: ReadonlySet<string>
}

/** The tenant's and the Worker's tools that can be called outside a run. */
export async function mainTools({ services, tenant }: McpCall): Promise<MainTools> {
  const own = (await tenant.registered.registered()).map(({ def }) => specOf(def))
  const asking = services.others?.filter(({ name }) => name === ASK) ?? []
  const main = [...services.tools, ...own].filter((tool) => tool.contexts.includes("main") && !needsFiles(tool))
  const specs = new Map([...main, ...asking, flowResults].map((tool) => [tool.name, tool]))
  const builtins = new Set([...services.tools, flowResults].map(({ name }) => name).filter((name) => name.startsWith("flow_")))
  const listed = new Map<string, ToolSpec>()
  const spelled = new Map<string, ToolSpec>(specs)
  for (const spec of specs.values()) {
    listed.set(await toolName(spec.name, builtins), spec)
    const old = dotted(spec.name)
    if (!spelled.has(old)) spelled.set(old, spec)
  }
  return { listed, spelled, builtins }
}

/** Outside a run there are no files [T20]. */
const needsFiles = (tool: ToolSpec): boolean => tool.groups?.includes("fs") === true || tool.same === "bash"

/** undefined: the cursor is invalid. */
export async function listTools(call: McpCall, cursor: string | undefined): Promise<ListToolsResult | undefined> {
  const tools = await mainTools(call)
  const flows = call.caller.scopes.includes("runs:write") ? await startable(call, tools.builtins) : []
  const shown = flows.map(({ place, name, face }) => {
    return { place: `1 ${place}`, entry: async () => optional(await face(), (of) => flowTool(name, of)) }
  })
  const page = await pageOf([...(await callable(call, tools)), ...shown], cursor)
  return page && { tools: page.data, ...defined({ nextCursor: page.nextCursor }) }
}

const optional = <T, U>(value: T | undefined, use: (value: T) => U): U | undefined => (value === undefined ? undefined : use(value))

const Rows = z.object({ data: z.array(z.object({ name: z.string(), available: z.boolean() })) })

async function callable(call: McpCall, { listed }: MainTools): Promise<PageEntry<Tool>[]> {
  const results = (await mayReadResults(call)) ? [flowResults.name] : []
  const available = new Set([...(await availableNames(call)), ...results])
  return [...listed].flatMap(([name, spec]) =>
    available.has(spec.name) ? [{ place: `0 ${name}`, entry: async () => shownTool(name, spec) }] : [],
  )
}

/** Tells whether flow_results is listed: the key may read runs, and the tenant's policy does not deny it. */
export async function mayReadResults({ caller, tenant }: McpCall): Promise<boolean> {
  return caller.scopes.includes("runs:read") && absence(flowResults, await tenant.settings.rules()) === undefined
}

async function availableNames(call: McpCall): Promise<readonly string[]> {
  if (!call.caller.scopes.includes("tools:call")) return []
  const answer = await call.ask("GET", "/v1/tools")
  if (!answer.ok) throw new Error(`the list of tools answered ${answer.status}`)
  return Rows.parse(await answer.json()).data.flatMap((row) => (row.available ? [row.name] : []))
}

function shownTool(name: string, tool: ToolSpec): Tool {
  const { label, description, parameters, effect, untrusted } = tool
  const title = defined({ title: label })
  return {
    name,
    ...title,
    description,
    // A copy: the library's type is mutable.
    inputSchema: { ...JSON.parse(JSON.stringify(parameters)), type: "object" },
    annotations: { ...title, readOnlyHint: effect !== "write", openWorldHint: sendsOut(tool) || untrusted === true },
  }
}

export interface ListedFlow {
  readonly place: string
  readonly name: string
  readonly id: string
  face(): Promise<FlowFace | undefined>
}

/** For a key that may see them. */
export async function startable({ caller, tenant }: McpCall, builtins: ReadonlySet<string>): Promise<readonly ListedFlow[]> {
  if (!caller.scopes.includes("catalog:read")) return []
  const { data } = await tenant.catalog.files("flow")
  return Promise.all(
    offeredFlows(data).map(async ({ id, hash }) => {
      const name = await flowName(id, builtins)
      const face = async (): Promise<FlowFace | undefined> => {
        const known = knownFace(hash)
        if (known) return known
        const found = await tenant.catalog.read("flow", id)
        return found && faceOf(id, found.content, found.hash)
      }
      return { place: name, name, id, face }
    }),
  )
}
