// Lists the files of one state of a catalog, local > package > built-in [F70]: the file with a name, the files that it hides, and the files
// of a skill or a flow. Reads no bodies, and never changes.

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { CatalogKind } from "../../ports/tenant/catalog.ts"
import { hiddenBy, shadows } from "./catalog-diagnostics.ts"
import { keyOf, splitSkillId, type CatalogEntry } from "./catalog-entry.ts"
import { flowOf, isIndex, layered, sameSource } from "./catalog-layers.ts"

export interface SkillFiles {
  readonly name: string
  readonly index: CatalogEntry
  /** Path in the skill → entry, including SKILL.md. */
  readonly files: ReadonlyMap<string, CatalogEntry>
}

export class CatalogEntries {
  readonly entries: readonly CatalogEntry[]
  readonly skillNames: ReadonlySet<string>
  readonly #hidden: ReadonlyMap<string, readonly CatalogEntry[]>
  readonly #byKey = new Map<string, CatalogEntry>()
  readonly #skills = new Map<string, SkillFiles>()
  /** By flow. */
  readonly #handlers: ReadonlyMap<string, readonly CatalogEntry[]>

  /** `layers`: strongest first. */
  constructor(layers: readonly (readonly CatalogEntry[])[]) {
    const { shown, hidden } = layered(layers)
    this.#hidden = hidden
    this.entries = [...shown].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    for (const entry of this.entries) this.#byKey.set(keyOf(entry.kind, entry.id), entry)
    const inSkill = grouped(this.entries, (e) => (e.kind === "skill" ? splitSkillId(e.id).skill : undefined))
    for (const [name, files] of inSkill) {
      const index = files.find(isIndex)
      if (!index) continue
      const own = files.filter((e) => sameSource(e, index))
      this.#skills.set(name, { name, index, files: new Map(own.map((e) => [splitSkillId(e.id).file, e])) })
    }
    this.#handlers = grouped(this.entries, (e) => (e.kind === "code" ? flowOf(e) : undefined))
    this.skillNames = new Set(this.#skills.keys())
  }

  entry(kind: CatalogKind, id: string): CatalogEntry | undefined {
    return this.#byKey.get(keyOf(kind, id))
  }

  /** Whether the file that is used hides one of a lower tier. */
  hides(kind: CatalogKind, id: string): boolean {
    return this.#hidden.has(keyOf(kind, id))
  }

  /** A rehearsal belongs to the flow it was written for: a flow does not inherit the rehearsal of a flow it hides. */
  rehearsalEntry(flow: CatalogEntry): CatalogEntry | undefined {
    return this.#beside("rehearsal", flow)
  }

  /** [K20] The tests of the flow, by the same rule. */
  testEntry(flow: CatalogEntry): CatalogEntry | undefined {
    return this.#beside("test", flow)
  }

  #beside(kind: "rehearsal" | "test", flow: CatalogEntry): CatalogEntry | undefined {
    const entry = this.entry(kind, flow.id)
    return entry && (entry.tier === "local" || sameSource(entry, flow)) ? entry : undefined
  }

  skillFiles(name: string): SkillFiles | undefined {
    return this.#skills.get(name)
  }

  /** The steps of a flow that have a handler. */
  handled(flow: string): readonly string[] {
    return (this.#handlers.get(flow) ?? []).map((e) => e.id.slice(flow.length + 1))
  }

  /** What a file hides, or what hides it [F70]. For a skill, only SKILL.md reports it. */
  standing(entry: CatalogEntry): readonly Diagnostic[] {
    if (entry.kind === "skill" && !isIndex(entry)) return []
    const used = this.entry(entry.kind, entry.id)
    if (used && !sameSource(used, entry)) return [hiddenBy(entry, used)]
    return (this.#hidden.get(keyOf(entry.kind, entry.id)) ?? []).map((hidden) => shadows(entry, hidden))
  }
}

function grouped(entries: readonly CatalogEntry[], nameOf: (entry: CatalogEntry) => string | undefined): Map<string, CatalogEntry[]> {
  const groups = new Map<string, CatalogEntry[]>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const group = name === undefined ? undefined : groups.get(name)
    if (group) group.push(entry)
    else if (name !== undefined) groups.set(name, [entry])
  }
  return groups
}
