// Imports from elsewhere: files of other programs, MCP servers, OpenAPI documents. Each can be previewed before anything is written.

import type { ImportGiven } from "../api/catalog.ts"
import type { ImportReport } from "../api/doc/catalog.doc.ts"
import type { McpConnect, McpServer } from "../api/doc/mcp-servers.doc.ts"
import type { ToolsImported, ToolsPreview } from "../api/doc/tools.doc.ts"
import type { McpServerGiven } from "../api/mcp-servers.ts"
import type { ImportToolsGiven } from "../api/tools.ts"
import { Paged } from "./paged.ts"
import { part, type Transport } from "./transport.ts"

export interface ImportOptions {
  readonly write?: boolean
  /** What the names of all imported definitions begin with. */
  readonly prefix?: string | undefined
}

export class Connect {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** What happens to each file; nothing is written without `write`. */
  files(given: ImportGiven, { write = false, prefix }: ImportOptions = {}): Promise<ImportReport> {
    return this.#transport.json("POST", "/v1/import", { body: given, query: { write: write ? 1 : undefined, prefix } })
  }
  /** What the operations of a document would be as tools. */
  previewTools(given: ImportToolsGiven): Promise<ToolsPreview> {
    return this.#transport.json("POST", "/v1/tools/import", { body: given, query: { dry: 1 } })
  }
  /** All or nothing. */
  registerTools(given: ImportToolsGiven): Promise<ToolsImported> {
    return this.#transport.json("POST", "/v1/tools/import", { body: given })
  }
  servers(): Paged<McpServer> {
    return new Paged(this.#transport, "/v1/mcp-servers")
  }
  server(name: string): Promise<McpServer> {
    return this.#transport.json("GET", of(name))
  }
  /** Asks the server for its tools and keeps nothing. */
  previewServer(name: string, given: McpServerGiven): Promise<McpServer> {
    return this.#transport.json("PUT", of(name), { body: given, query: { dry: 1 } })
  }
  putServer(name: string, given: McpServerGiven): Promise<McpServer> {
    return this.#transport.json("PUT", of(name), { body: given })
  }
  /** Only the list that the caller has seen: another hash is a SluiceError `not_pending`. */
  approveServer(name: string, hash: string): Promise<McpServer> {
    return this.#transport.json("POST", `${of(name)}/approve`, { body: { hash } })
  }
  /** The page where a person signs in. */
  signInAt(name: string): Promise<McpConnect> {
    return this.#transport.json("POST", `${of(name)}/connect`)
  }
}

const of = (server: string): string => `/v1/mcp-servers/${part(server)}`
