// A tenant's catalog, as its object answers for it. Writes take one argument more than the port: who writes, which the port itself
// knows [F72].

import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import type { Catalog } from "../../../engine/catalog/catalog.ts"
import type { AgentEntry, Bundle, FlowCheckView, Kind, PackageBody, TenantPort, WriteResult } from "../../../ports/catalog.ts"
import type { PolicyStore } from "../policy-store.ts"
import type { ProviderStore } from "../provider-store.ts"
import type { ToolStore } from "./tool-store.ts"

type Answer<Method extends keyof TenantPort> = ReturnType<TenantPort[Method]>

export interface CatalogDeps {
  readonly catalog: Catalog
  readonly providers: ProviderStore
  readonly policies: PolicyStore
  readonly tools: ToolStore
  /** Tools that ship, as this tenant has them. */
  readonly specs: ReadonlyMap<string, ToolSpec>
}

export class CatalogRpc {
  readonly #catalog: Catalog
  readonly #deps: CatalogDeps

  constructor(deps: CatalogDeps) {
    this.#catalog = deps.catalog
    this.#deps = deps
  }

  agents(): Promise<AgentEntry[]> {
    return this.#catalog.agents()
  }

  writeAgent(path: string, content: string, by?: string): Promise<WriteResult> {
    return this.#catalog.write("agent", path, content, by)
  }

  writeFlow(path: string, content: string, by?: string): Promise<WriteResult> {
    return this.#catalog.write("flow", path, content, by)
  }

  validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]> {
    return this.#catalog.validate(kind, content, path)
  }

  put(kind: Kind, path: string, content: string, ifMatch?: string, by?: string): Answer<"put"> {
    return this.#catalog.put(kind, path, content, ifMatch, by)
  }

  read(kind: Kind, id: string, revision?: number): Answer<"read"> {
    return this.#catalog.read(kind, id, revision)
  }

  remove(kind: Kind, id: string, ifMatch?: string, by?: string): Answer<"remove"> {
    return this.#catalog.remove(kind, id, ifMatch, by)
  }

  files(kind?: Kind): Answer<"files"> {
    return this.#catalog.files(kind)
  }

  filesAt(revision: number): Answer<"filesAt"> {
    return this.#catalog.filesAt(revision)
  }

  replace(bundle: Bundle, ifRevision?: number, by?: string): Answer<"replace"> {
    return this.#catalog.replace(bundle, ifRevision, by)
  }

  export(): Answer<"export"> {
    return this.#catalog.export()
  }

  history(query: Parameters<TenantPort["history"]>[0]): Answer<"history"> {
    return this.#catalog.history.list(query)
  }

  diff(query: Parameters<TenantPort["diff"]>[0]): Answer<"diff"> {
    return this.#catalog.history.diff(query)
  }

  rollback(revision: number, ifRevision?: number, by?: string): Answer<"rollback"> {
    return this.#catalog.history.rollback(revision, ifRevision, by)
  }

  packages(): Answer<"packages"> {
    return this.#catalog.packages.list()
  }

  package(name: string): Answer<"package"> {
    return this.#catalog.packages.read(name)
  }

  putPackage(name: string, body: PackageBody, ifMatch?: string, by?: string): Answer<"putPackage"> {
    return this.#catalog.packages.put(name, body, ifMatch, by)
  }

  removePackage(name: string, ifMatch?: string, by?: string): Answer<"removePackage"> {
    return this.#catalog.packages.remove(name, ifMatch, by)
  }

  check(id: string): Promise<FlowCheckView | undefined> {
    const { providers } = this.#deps
    return this.#catalog.check(id, providers.models(), providers.allPrices())
  }

  agentTools(name: string): Answer<"agentTools"> {
    const { providers, policies, tools, specs } = this.#deps
    const all = [...specs.values(), ...tools.specs()]
    return this.#catalog.agentTools(name, { tools: all, policy: policies.policy(), settings: providers.models() })
  }
}
