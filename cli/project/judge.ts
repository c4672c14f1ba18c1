// A folder judged offline [F2, F73]: the catalog of the server, in memory, with this folder's files and the built-in ones. All files at once,
// so that agents, skills and flows of the folder see each other.

import { BUILTINS } from "../../src/cloudflare/platform/builtins.gen.ts"
import { hasErrors, sortDiagnostics, type Diagnostic } from "../../src/core/diagnostic.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import type { ToolTraits } from "../../src/core/flow/check/check-trifecta.ts"
import { Catalog } from "../../src/engine/catalog/catalog.ts"
import type { CatalogStore, StoredFile } from "../../src/engine/catalog/catalog-entry.ts"
import { inTurn } from "../../src/engine/in-turn.ts"
import { MemoryBlobs } from "../../src/engine/run/memory-store.ts"
import { specsFor, toolNames } from "../../src/tools/toolbox.ts"
import { atSources, packed, type Packed } from "../handlers/packed.ts"
import { typeFaults } from "../types/check-handlers.ts"
import { toolsOf } from "./own-tools.ts"
import { PROJECT_FILE, readConfig } from "./project.ts"

export interface Judged extends Pick<Packed, "bundle" | "handlers" | "imported"> {
  readonly valid: boolean
  /** Path in the project → what is wrong there, errors and warnings; "" is the project as a whole. */
  readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
}

/** The folder's files with its sluice.yaml, and what its handlers import. */
export async function judge(given: Bundle, folder: string): Promise<Judged> {
  const { value, diagnostics: own } = await readConfig(folder)
  const { diagnostics: faults, ...rest } = await packed(folder, given)
  const tools = await toolsOf(folder, value.tools)
  const { diagnostics: said } = await judged(rest.bundle, tools)
  const types = await typeFaults(folder, given, tools, rest.imported.values())
  const all: Record<string, readonly Diagnostic[]> = own.length === 0 ? {} : { [PROJECT_FILE]: own }
  for (const [path, list] of [...Object.entries(faults), ...Object.entries(atSources(said, rest)), ...Object.entries(types)])
    all[path] = sortDiagnostics([...(all[path] ?? []), ...list])
  return { ...rest, valid: !Object.values(all).some(hasErrors), diagnostics: all }
}

async function judged(bundle: Bundle, tools: readonly string[]): Promise<Pick<Judged, "diagnostics">> {
  const shipped = specsFor("open")
  // Of a project's own tools only the name is known: what they take and do is judged where they run.
  const own = tools.flatMap((name): ToolTraits[] => (shipped.has(name) ? [] : [{ name, contexts: ["agent"] }]))
  const catalog = new Catalog({
    store: new NoRows(),
    blobs: new MemoryBlobs(),
    builtins: BUILTINS,
    tools: [...toolNames(), ...tools],
    traits: () => [...shipped.values(), ...own],
    inTurn: inTurn(),
  })
  const done = await catalog.replace(bundle, undefined, { configures: true })
  return { diagnostics: "stale" in done ? {} : done.diagnostics }
}

/** An empty catalog, which forgets what it is told: only the verdict counts. */
class NoRows implements CatalogStore {
  revision(): number {
    return 0
  }
  files(): readonly StoredFile[] {
    return []
  }
  commit(): number {
    return 1
  }
  revisions(): readonly never[] {
    return []
  }
  changes(): readonly never[] {
    return []
  }
  lastApply(): undefined {
    return undefined
  }
  keepApply(): void {}
}
