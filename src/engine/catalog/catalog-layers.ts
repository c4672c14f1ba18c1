// Chooses which file with a name is used: local > package > built-in, and among packages the one registered first [F70]. Related files are
// hidden together: a skill as a whole, a flow with its rehearsal, its tests and its handlers.

import { CATALOG_KINDS } from "../../core/flow/catalog-kinds.ts"
import type { CatalogKind } from "../../ports/tenant/catalog.ts"
import type { CatalogEntry } from "./catalog-entry.ts"
import { SKILL_INDEX, keyOf, splitSkillId } from "./catalog-entry.ts"

export interface Layered {
  readonly shown: readonly CatalogEntry[]
  /** By `keyOf`: the entries that the used file hides, strongest first. */
  readonly hidden: ReadonlyMap<string, readonly CatalogEntry[]>
}

/** `layers`: strongest first. */
export function layered(layers: readonly (readonly CatalogEntry[])[]): Layered {
  const shown: CatalogEntry[] = []
  const hidden = new Map<string, CatalogEntry[]>()
  const taken = new Set<string>()
  for (const layer of layers) {
    const flows = new Set(layer.filter((e) => e.kind === "flow").map((e) => e.id))
    const before = new Set(taken)
    for (const entry of layer) {
      // A rehearsal, tests or a handler without their flow are ignored; only a local file may belong to a flow from another source.
      if (entry.tier !== "local" && !hasFlow(entry, flows)) continue
      const key = keyOf(entry.kind, entry.id)
      const whole = wholeOf(entry)
      if (before.has(key) || (whole !== undefined && before.has(whole))) hidden.set(key, [...(hidden.get(key) ?? []), entry])
      else shown.push(entry)
      taken.add(key)
      if (isIndex(entry)) taken.add(wholeSkill(entry))
    }
  }
  return { shown, hidden }
}

export const isIndex = (entry: { readonly kind: CatalogKind; readonly id: string }): boolean =>
  entry.kind === "skill" && splitSkillId(entry.id).file === SKILL_INDEX

/** Sources: the tenant's own files, each package, and the built-ins. */
export const sameSource = (a: CatalogEntry, b: CatalogEntry): boolean => a.tier === b.tier && a.package === b.package

const wholeSkill = ({ id }: CatalogEntry): string => `whole skill ${splitSkillId(id).skill}`

/** The key that hides this file, besides a file of the same name. */
function wholeOf(entry: CatalogEntry): string | undefined {
  const flow = flowOf(entry)
  // [V1] A handler does not decide for a scorer of a higher tier.
  if (entry.kind === "scorer-code") return keyOf("scorer", entry.id)
  return entry.kind === "skill" ? wholeSkill(entry) : flow && keyOf("flow", flow)
}

function hasFlow(entry: CatalogEntry, flows: ReadonlySet<string>): boolean {
  const flow = flowOf(entry)
  return flow === undefined || flows.has(flow)
}

/** The flow that the file belongs to. */
export const flowOf = ({ kind, id }: Pick<CatalogEntry, "kind" | "id">): string | undefined => CATALOG_KINDS[kind].flowOf?.(id)
