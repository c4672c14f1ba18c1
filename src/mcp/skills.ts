// Implements MCP's Skills extension (SEP-2640): the tenant's skills, each with its files by address, hash and size. The files themselves
// are resources (resources.ts), which the same key reads.
//
// The library's own extension attaches to its high-level server only, so the two methods are here.

import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server"
import { z } from "zod"
import { defined } from "../core/defined.ts"
import type { McpCall } from "../ports/services.ts"
import type { FileRow } from "../ports/tenant/catalog.ts"
import { pageOf } from "./page-of.ts"

export const SKILLS = "io.modelcontextprotocol/skills"
const INDEX = "/SKILL.md"
const LIST = z.looseObject({ cursor: z.string().optional() })
const GET = z.looseObject({ uri: z.string() })
/** Skills change with the catalog, and belong to the tenant. */
const FRESH = { ttlMs: 0, cacheScope: "private" as const }

export function serveSkills(server: Server, call: McpCall): void {
  server.setRequestHandler("skills/list", { params: LIST }, async ({ cursor }) => {
    const files = await filesOf(call)
    const indexes = files.filter(({ id }) => id.endsWith(INDEX))
    const page = await pageOf(
      indexes.map((row) => ({ place: `0 ${row.id}`, entry: async () => skillOf(row, files) })),
      cursor,
    )
    if (!page) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not from this list.")
    return { skills: page.data, ...defined({ nextCursor: page.nextCursor }), ...FRESH }
  })
  server.setRequestHandler("skills/get", { params: GET }, async ({ uri }) => {
    const files = await filesOf(call)
    const found = files.find((row) => row.id.endsWith(INDEX) && uriOf(row) === uri)
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${uri.slice(0, 2_000)}`)
    return { skill: skillOf(found, files), ...FRESH }
  })
}

async function filesOf({ caller, tenant }: McpCall): Promise<readonly FileRow[]> {
  return caller.scopes.includes("catalog:read") ? (await tenant.catalog.files("skill")).data : []
}

const uriOf = ({ id }: Pick<FileRow, "id">): string => `sluice://skills/${id.split("/").map(encodeURIComponent).join("/")}`

function skillOf(index: FileRow, files: readonly FileRow[]) {
  const name = index.id.slice(0, -INDEX.length)
  const resources = files
    .filter(({ id }) => id.startsWith(`${name}/`))
    .map((row) => ({ uri: uriOf(row), digest: `sha256:${row.hash}`, size: row.size }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1))
  return { uri: uriOf(index), frontmatter: { name, description: index.description ?? "" }, resources }
}
