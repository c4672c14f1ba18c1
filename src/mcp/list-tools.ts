// tools/list: the tools that the caller can call now, then the flows that it can start, sorted by name, in pages.
//
// Left out: tools that the key's scopes or the tenant's policy do not allow [T3], and tools that work on a run's files.

import type { ListToolsResult, Tool } from "@modelcontextprotocol/server"
import { z } from "zod"
import { hasErrors } from "../core/diagnostic.ts"
import type { McpCall } from "../ports/house.ts"
import { specOf } from "../engine/catalog/registered-tools.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import { faceOf, flowTool, knownFace } from "./flow-tool.ts"
import { flowName, toolNames } from "./tool-names.ts"

/** Each uncached flow of a page is read once. */
const PAGE = 50

/** The tenant's and the Worker's tools that can be called outside a run, by MCP name. */
export async function mainTools({ house, tenant }: McpCall): Promise<ReadonlyMap<string, ToolSpec>> {
  const own = (await tenant.registered.registered()).map(({ def }) => specOf(def))
  const specs = [...house.tools, ...own].filter((tool) => tool.contexts.includes("main") && !needsFiles(tool))
  const byName = new Map(specs.map((tool) => [tool.name, tool]))
  const names = [...toolNames([...byName.keys()])].flatMap(([called, name]): [string, ToolSpec][] => {
    const spec = byName.get(name)
    return spec === undefined ? [] : [[called, spec]]
  })
  return new Map(names)
}

/** Outside a run there are no files [T20]. */
const needsFiles = (tool: ToolSpec): boolean => tool.groups?.includes("fs") === true || tool.same === "bash"

/** undefined: the cursor is invalid. */
export async function listTools(call: McpCall, cursor: string | undefined): Promise<ListToolsResult | undefined> {
  const after = cursor === undefined ? "" : positionOf(cursor)
  if (after === undefined) return undefined
  const tools = await mainTools(call)
  const entries = [...(await callable(call, tools)), ...(await startable(call, tools))].sort((a, b) => (a.place < b.place ? -1 : 1))
  const rest = entries.filter(({ place }) => place > after)
  const shown = rest.slice(0, PAGE)
  const last = shown.at(-1)
  const list = await Promise.all(shown.map(({ tool }) => tool()))
  return {
    tools: list.filter((tool) => tool !== undefined),
    ...(last !== undefined && rest.length > PAGE ? { nextCursor: btoa(last.place) } : {}),
  }
}

interface Entry {
  /** Kind and name: the sort key in the list. */
  readonly place: string
  /** undefined: it was removed in the meantime. */
  tool(): Promise<Tool | undefined>
}

function positionOf(cursor: string): string | undefined {
  try {
    const place = atob(cursor)
    return /^[01] [A-Za-z0-9_.-]+$/.test(place) ? place : undefined
  } catch {
    return undefined
  }
}

const Rows = z.object({ data: z.array(z.object({ name: z.string(), available: z.boolean() })) })

async function callable(call: McpCall, tools: ReadonlyMap<string, ToolSpec>): Promise<Entry[]> {
  if (!call.caller.scopes.includes("tools:call")) return []
  const answer = await call.ask("GET", "/v1/tools")
  if (!answer.ok) throw new Error(`the list of tools answered ${answer.status}`)
  const available = new Set(Rows.parse(await answer.json()).data.flatMap((row) => (row.available ? [row.name] : [])))
  return [...tools].flatMap(([name, spec]) =>
    available.has(spec.name) ? [{ place: `0 ${name}`, tool: async () => shownTool(name, spec) }] : [],
  )
}

function shownTool(name: string, { label, description, parameters, effect, untrusted, reach }: ToolSpec): Tool {
  const title = label === undefined ? {} : { title: label }
  return {
    name,
    ...title,
    description,
    // A copy: the library's type is mutable.
    inputSchema: { ...JSON.parse(JSON.stringify(parameters)), type: "object" },
    annotations: { ...title, readOnlyHint: effect !== "write", openWorldHint: reach !== undefined || untrusted === true },
  }
}

async function startable({ caller, tenant }: McpCall, tools: ReadonlyMap<string, unknown>): Promise<Entry[]> {
  if (!caller.scopes.includes("runs:write") || !caller.scopes.includes("catalog:read")) return []
  const { data } = await tenant.catalog.files("flow")
  return data.flatMap(({ id, hash, diagnostics }) => {
    const name = flowName(id, tools)
    if (name === undefined || hasErrors(diagnostics)) return []
    const tool = async (): Promise<Tool | undefined> => {
      const known = knownFace(hash)
      if (known) return flowTool(name, known)
      const found = await tenant.catalog.read("flow", id)
      const face = found && faceOf(id, found.content, found.hash)
      return face && flowTool(name, face)
    }
    return [{ place: `1 ${name}`, tool }]
  })
}
