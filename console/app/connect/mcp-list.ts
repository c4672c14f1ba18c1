// What a preview of an MCP server shows: its tools, those that agents have already, and what has become of each since.

import type { McpServer } from "../../../src/api/doc/mcp-servers.doc.ts"
import type { McpServerGiven } from "../../../src/api/mcp-servers.ts"

type Tool = McpServer["tools"][number]

export interface ListedTool {
  /** Its name at the server, which `allow` selects it by. */
  readonly key: string
  readonly tool: Tool
  readonly isApproved: boolean
  /** Its words or arguments are not those that were approved. */
  readonly before?: Tool
  readonly isGone: boolean
}

/** `mcp:SERVER:TOOL` */
const keyOf = (server: string, { name }: Tool): string => name.slice(`mcp:${server}:`.length)

export function listedTools({ name, tools, pending }: McpServer): ListedTool[] {
  const approved = new Map(tools.map((tool) => [tool.name, tool]))
  const now = pending?.tools ?? tools
  const names = new Set(now.map((tool) => tool.name))
  // What only reads comes first: it is what most people approve.
  const ordered = [...now.filter(({ effect }) => effect !== "write"), ...now.filter(({ effect }) => effect === "write")]
  return [
    ...ordered.map((tool): ListedTool => {
      const before = approved.get(tool.name)
      const isChanged = before !== undefined && wordsOf(before) !== wordsOf(tool)
      return { key: keyOf(name, tool), tool, isApproved: before !== undefined, isGone: false, ...(isChanged ? { before } : {}) }
    }),
    ...tools
      .filter((tool) => !names.has(tool.name))
      .map((tool): ListedTool => ({ key: keyOf(name, tool), tool, isApproved: true, isGone: true })),
  ]
}

/** All that an approval is about. */
const wordsOf = ({ description, parameters, effect, label }: Tool): string =>
  JSON.stringify([description, parameters, effect, label ?? null])

/** Whether exactly what was shown is what waits. */
export function isAsShown(shown: readonly ListedTool[], chosen: ReadonlySet<string>, server: McpServer): boolean {
  const waits = server.pending?.tools ?? server.tools
  const wanted = shown.filter(({ key, isGone }) => chosen.has(key) && !isGone)
  const byName = new Map(wanted.map(({ tool }) => [tool.name, wordsOf(tool)]))
  return waits.length === wanted.length && waits.every((tool) => byName.get(tool.name) === wordsOf(tool))
}

/** The settings of a server, as they are sent again. */
export function givenOf({ url, auth, effect, untrusted, approval, timeout }: McpServer): McpServerGiven {
  const given = { url, auth, effect, untrusted, approval, timeout }
  return JSON.parse(JSON.stringify(given)) as McpServerGiven
}
