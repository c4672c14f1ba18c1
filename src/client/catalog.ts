// The tenant's definitions: read, written and checked one by one, or all at once.

import type { CatalogList, DefinitionKind, Replaced, Verdict, Written } from "../api/catalog.doc.ts"
import type { Bundle } from "../api/catalog.ts"
import { part, parts, type Transport } from "./transport.ts"

/** Where a definition of each kind stands; `id` as lists give it. */
const PLACES: Readonly<Record<DefinitionKind, { readonly path: (id: string) => string; readonly type: string }>> = {
  flow: { path: (id) => `/v1/flows/${part(id)}`, type: "application/yaml" },
  rehearsal: { path: (id) => `/v1/flows/${part(id)}/rehearsal`, type: "application/yaml" },
  agent: { path: (id) => `/v1/agents/${part(id)}`, type: "text/markdown" },
  skill: { path: (id) => `/v1/skills/${parts(id)}`, type: "text/markdown" },
  code: { path: (id) => `/v1/code/${parts(id)}`, type: "text/typescript" },
}

export class Catalog {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** `revision`: as it was then. */
  list(revision?: number): Promise<CatalogList> {
    return this.#transport.json("GET", "/v1/catalog", { query: { revision } })
  }
  read(kind: DefinitionKind, id: string, revision?: number): Promise<string> {
    const { path, type } = PLACES[kind]
    return this.#transport.text(path(id), { query: { revision }, headers: { accept: `${type}, text/*` } })
  }
  /** With an error in it nothing is written: a SluiceError `not_written`, whose `errors` name the lines. */
  put(kind: DefinitionKind, id: string, content: string, ifMatch?: string): Promise<Written> {
    const { path, type } = PLACES[kind]
    return this.#transport.json("PUT", path(id), { body: content, type, headers: { "if-match": ifMatch } })
  }
  remove(kind: DefinitionKind, id: string): Promise<void> {
    return this.#transport.json("DELETE", PLACES[kind].path(id))
  }
  /** All or nothing; a kind that is absent is left alone. */
  replace(bundle: Bundle): Promise<Replaced> {
    return this.#transport.json("PUT", "/v1/catalog", { body: bundle })
  }
  /** What `replace` takes. */
  export(): Promise<Required<Bundle>> {
    return this.#transport.json("GET", "/v1/catalog/export")
  }
  /** `path` tells a flow's id and a skill file's place. */
  validate(kind: DefinitionKind, content: string, path?: string): Promise<Verdict> {
    return this.#transport.json("POST", "/v1/validate", { body: { kind, content, ...(path === undefined ? {} : { path }) } })
  }
  rollback(revision: number): Promise<Replaced> {
    return this.#transport.json("POST", "/v1/catalog/rollback", { body: { revision } })
  }
}
