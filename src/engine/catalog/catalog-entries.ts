// CatalogEntries: the files of one state of a catalog, local > package > built-in [F70]: which file has a name, what it hides, and which files
// belong to a skill or a flow. Nothing is read. It never changes.

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { Kind } from "../../ports/tenant/catalog.ts"
import { hiddenBy, shadows } from "./catalog-diagnostics.ts"
import { keyOf, splitSkillId, type Entry } from "./catalog-entry.ts"
import { flowOf, isIndex, layered, sameSource } from "./catalog-layers.ts"

export interface SkillFiles {
  readonly name: string
  readonly index: Entry
  /** Path in the skill → entry, including SKILL.md. */
  readonly files: ReadonlyMap<string, Entry>
}

export class CatalogEntries {
  readonly entries: readonly Entry[]
  readonly skillNames: ReadonlySet<string>
  readonly #hidden: ReadonlyMap<string, readonly Entry[]>
  readonly #byKey = new Map<string, Entry>()
  readonly #skills = new Map<string, SkillFiles>()
  /** By flow. */
  readonly #handlers: ReadonlyMap<string, readonly Entry[]>

  /** `layers`: strongest first. */
  constructor(layers: readonly (readonly Entry[])[]) {
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

  entry(kind: Kind, id: string): Entry | undefined {
    return this.#byKey.get(keyOf(kind, id))
  }

  /** Whether the file that is used hides one of a lower tier. */
  hides(kind: Kind, id: string): boolean {
    return this.#hidden.has(keyOf(kind, id))
  }

  /** A rehearsal belongs to the flow it was written for: a flow does not inherit the rehearsal of a flow it hides. */
  rehearsalEntry(flow: Entry): Entry | undefined {
    return this.#beside("rehearsal", flow)
  }

  /** [K20] The tests of the flow, by the same rule. */
  testEntry(flow: Entry): Entry | undefined {
    return this.#beside("test", flow)
  }

  #beside(kind: "rehearsal" | "test", flow: Entry): Entry | undefined {
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
  standing(entry: Entry): readonly Diagnostic[] {
    if (entry.kind === "skill" && !isIndex(entry)) return []
    const used = this.entry(entry.kind, entry.id)
    if (used && !sameSource(used, entry)) return [hiddenBy(entry, used)]
    return (this.#hidden.get(keyOf(entry.kind, entry.id)) ?? []).map((hidden) => shadows(entry, hidden))
  }
}

function grouped(entries: readonly Entry[], nameOf: (entry: Entry) => string | undefined): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const group = name === undefined ? undefined : groups.get(name)
    if (group) group.push(entry)
    else if (name !== undefined) groups.set(name, [entry])
  }
  return groups
}
