// Imports from elsewhere: files of other programs, MCP servers, OpenAPI documents. Each can be previewed before anything is written.

import type { ImportGiven } from "../api/catalog.ts"
import type { ImportReport } from "../api/doc/catalog.doc.ts"
import type * as shapes from "../api/doc/mcp-servers.doc.ts"
import type { McpConnect, McpServer } from "../api/doc/mcp-servers.doc.ts"
import type { ToolsImported, ToolsPreview } from "../api/doc/tools.doc.ts"
import type { McpServerGiven, mcpServers } from "../api/mcp-servers.ts"
import type { ImportToolsGiven } from "../api/tools.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export interface ImportOptions {
  readonly write?: boolean
  /** What the names of all imported definitions begin with. */
  readonly prefix?: string | undefined
  /** The files have rows for this flow, and become its datasets. */
  readonly flow?: string | undefined
  /** With `flow`: the member of an item of OpenAI evals that has the reference answer. */
  readonly expected?: string | undefined
}

export class Connect extends Part<typeof mcpServers, typeof shapes> {
  /** What happens to each file; nothing is written without `write`. */
  files(given: ImportGiven, { write = false, ...query }: ImportOptions = {}): Promise<ImportReport> {
    return this.json("POST", "/v1/import", { body: given, query: { write, ...query } })
  }
  /** What the operations of a document would be as tools. */
  previewTools(given: ImportToolsGiven): Promise<ToolsPreview> {
    return this.json("POST", "/v1/tools/import", { body: given, query: { dry: 1 } })
  }
  /** All or nothing. */
  registerTools(given: ImportToolsGiven): Promise<ToolsImported> {
    return this.json("POST", "/v1/tools/import", { body: given })
  }
  readonly servers: () => Paged<McpServer> = this.paged("/v1/mcp-servers")
  readonly server: (name: string) => Promise<McpServer> = this.route("GET /v1/mcp-servers/*")
  /** Asks the server for its tools and keeps nothing. */
  previewServer(name: string, given: McpServerGiven): Promise<McpServer> {
    return this.json("PUT", of(name), { body: given, query: { dry: 1 } })
  }
  readonly putServer: (name: string, given: McpServerGiven) => Promise<McpServer> = this.route("PUT /v1/mcp-servers/*")
  /** Only the list that the caller has seen: another hash is a SluiceError `not_pending`. */
  approveServer(name: string, hash: string): Promise<McpServer> {
    return this.json("POST", `${of(name)}/approve`, { body: { hash } })
  }
  readonly deleteServer: (name: string) => Promise<void> = this.route("DELETE /v1/mcp-servers/*")
  /** The page where a person signs in. */
  readonly signInAt: (name: string) => Promise<McpConnect> = this.route("POST /v1/mcp-servers/*/connect")
}

const of = (server: string): string => `/v1/mcp-servers/${part(server)}`
