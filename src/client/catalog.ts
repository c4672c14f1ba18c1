// Reads, writes and checks the tenant's definitions, one by one or all at once.

import type {
  Applied,
  CatalogDiff,
  CatalogList,
  Definition,
  DefinitionKind,
  FileKind,
  PackageRow,
  PackageWhole,
  PackageWritten,
  CatalogPlan,
  Replaced,
  Revision,
  Verdict,
  Written,
} from "../api/doc/catalog.doc.ts"
import type { Bundle, catalog, Merge, Plan, UsedKind } from "../api/catalog.ts"
import type * as usedShapes from "../api/doc/used.doc.ts"
import type { AgentTool, Used } from "../api/doc/used.doc.ts"
import type { drafts } from "../api/drafts.ts"
import type * as shapes from "../api/doc/catalog.doc.ts"
import type * as draftShapes from "../api/doc/drafts.doc.ts"
import type { Draft, DraftWritten } from "../api/doc/drafts.doc.ts"
import { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part, parts, type Ask } from "./transport/transport.ts"

/** The address and media type of each kind of definition; `id` as lists give it. */
const PLACES: Readonly<Record<DefinitionKind, { readonly path: (id: string) => string; readonly type: string }>> = {
  flow: { path: (id) => `/v1/flows/${part(id)}`, type: "application/yaml" },
  rehearsal: { path: (id) => `/v1/flows/${part(id)}/rehearsal`, type: "application/yaml" },
  test: { path: (id) => `/v1/flows/${part(id)}/tests`, type: "application/yaml" },
  agent: { path: (id) => `/v1/agents/${part(id)}`, type: "text/markdown" },
  skill: { path: (id) => `/v1/skills/${parts(id)}`, type: "text/markdown" },
  code: { path: (id) => `/v1/code/${parts(id)}`, type: "text/typescript" },
  scorer: { path: (id) => `/v1/scorers/${part(id)}`, type: "application/yaml" },
  "scorer-code": { path: (id) => `/v1/scorers/${part(id)}/code`, type: "text/typescript" },
}

/** Removes a definition even if it is in use. */
export interface Force {
  readonly force?: boolean
}

export interface Apply {
  /** Whose apply it is; drift is counted from its last one. */
  readonly project?: string
  /** Only if the catalog is at this revision; otherwise a SluiceError `stale`. */
  readonly ifRevision?: number
  /** Past the gate; needs the scope admin. */
  readonly force?: boolean
}

const applying = ({ project, ifRevision, force }: Apply): Ask => ({
  query: { project, force },
  headers: { "if-match": ifRevision === undefined ? undefined : `"r${ifRevision}"` },
})

/** Drafts [F80]: folders for starts that name them, as `flow@draft:NAME`. */
export class Drafts extends Part<typeof drafts, typeof draftShapes> {
  readonly list: () => Paged<Draft> = this.paged("/v1/catalog/drafts")
  readonly get: (name: string) => Promise<Draft> = this.route("GET /v1/catalog/drafts/*")
  /** Replaces the draft as a whole. If a file has an error, the draft stays as it was (SluiceError `not_written`). */
  readonly put: (name: string, plan: Plan) => Promise<DraftWritten> = this.route("PUT /v1/catalog/drafts/*")
  readonly delete: (name: string) => Promise<void> = this.route("DELETE /v1/catalog/drafts/*")
}

export class Catalog extends Part<typeof catalog, typeof shapes & typeof usedShapes> {
  readonly drafts = new Drafts(this.transport)

  /** With `revision`, the catalog as it was then. */
  list(revision?: number): Promise<CatalogList> {
    return this.json("GET", "/v1/catalog", { query: { revision } })
  }
  read(kind: DefinitionKind, id: string, revision?: number): Promise<string> {
    const { path, type } = PLACES[kind]
    return this.transport.text(path(id), { query: { revision }, headers: { accept: `${type}, text/*` } })
  }
  /** The text with its hash, which `put` takes as `ifMatch` in quotes, and its diagnostics. */
  definition(kind: DefinitionKind, id: string, revision?: number): Promise<Definition> {
    return this.json("GET", PLACES[kind].path(id), { query: { revision } })
  }
  /** If the definition has an error, nothing is written and a SluiceError `not_written` lists the errors with their lines. */
  put(kind: DefinitionKind, id: string, content: string, ifMatch?: string): Promise<Written> {
    const { path, type } = PLACES[kind]
    return this.json("PUT", path(id), { body: content, type, headers: { "if-match": ifMatch } })
  }
  /** A definition that others name is removed only with `force`; otherwise a SluiceError `in_use` lists them. */
  remove(kind: DefinitionKind, id: string, { force }: Force = {}): Promise<void> {
    return this.json("DELETE", PLACES[kind].path(id), { query: { force } })
  }
  /** All or nothing. A folder that is left out stays as it is. */
  replace(bundle: Bundle, options: Apply = {}): Promise<Applied> {
    return this.json("PUT", "/v1/catalog", { body: bundle, ...applying(options) })
  }
  /** All or nothing: writes what is given, and deletes only what `delete` names. */
  merge(files: Merge, options: Apply = {}): Promise<Applied> {
    return this.json("PATCH", "/v1/catalog", { body: files, ...applying(options) })
  }
  /** What `replace` or `merge` would do, what others have changed since the project's last apply, and what the gate says. */
  plan(plan: Plan, options: Omit<Apply, "force"> = {}): Promise<CatalogPlan> {
    return this.json("POST", "/v1/catalog/plan", { body: plan, ...applying(options) })
  }
  /** The bundle that `replace` takes. */
  export(): Promise<Required<Bundle>> {
    return this.json("GET", "/v1/catalog/export")
  }
  /** Agents or skills, each with what names it. `id`: this one alone. */
  used(kind: UsedKind = "agent", id?: string): Paged<Used> {
    return new Paged(this.transport, "/v1/catalog/used", { kind, id })
  }
  /** Which tools the agent's next run would have, and why; `place`: in this step. */
  readonly tools: (agent: string, place?: { readonly flow?: string; readonly step?: string }) => Paged<AgentTool> =
    this.paged("/v1/agents/*/tools")
  /** `path` gives the id of a flow or the location of a skill file. */
  validate(kind: FileKind, content: string, path?: string): Promise<Verdict> {
    return this.json("POST", "/v1/validate", { body: { kind, content, path } })
  }
  /** The catalog's revisions, newest first. */
  history(limit?: number): Paged<Revision> {
    return new Paged(this.transport, "/v1/catalog/history", { limit })
  }
  /** What differs between two revisions; by default between the current one and the one before. */
  readonly diff: (query?: { readonly from?: number; readonly to?: number; readonly path?: string }) => Promise<CatalogDiff> =
    this.route("GET /v1/catalog/diff")
  rollback(revision: number): Promise<Replaced> {
    return this.json("POST", "/v1/catalog/rollback", { body: { revision } })
  }
}

/** Registered packages [F70], the tier between the tenant's own files and the built-in ones. A package is written and removed as a whole. */
export class Packages extends Part<typeof catalog, typeof shapes> {
  /** In the order of registration: if two packages define the same name, the first one counts. */
  readonly list: () => Paged<PackageRow> = this.paged("/v1/packages")
  readonly get: (name: string) => Promise<PackageWhole> = this.route("GET /v1/packages/*")
  /** If a file has an error, nothing is written (SluiceError `not_written`). `ifMatch`: replaces only the package with this hash. */
  put(name: string, bundle: { readonly version: string } & Bundle, ifMatch?: string): Promise<PackageWritten> {
    return this.json("PUT", `/v1/packages/${part(name)}`, { body: bundle, headers: { "if-match": quoted(ifMatch) } })
  }
  /** What `put` would answer, at the revision of now. Nothing is written. */
  dry(name: string, bundle: { readonly version: string } & Bundle, ifMatch?: string): Promise<PackageWritten> {
    const ask = { body: bundle, query: { dry: 1 }, headers: { "if-match": quoted(ifMatch) } }
    return this.json("PUT", `/v1/packages/${part(name)}`, ask)
  }
  delete(name: string, ifMatch?: string): Promise<void> {
    return this.json("DELETE", `/v1/packages/${part(name)}`, { headers: { "if-match": quoted(ifMatch) } })
  }
}

/** A hash as an ETag. */
const quoted = (hash: string | undefined): string | undefined => (hash === undefined ? undefined : `"${hash}"`)
