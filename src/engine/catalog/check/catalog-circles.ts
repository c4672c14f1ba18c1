// Reports each cycle of flows once [F23e]. Every flow in it has the fault when checked alone; for many files, 2,000 flows of one cycle
// would repeat it 2,000 times.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import { placeOfPath } from "../catalog-place.ts"
import type { CatalogView } from "../catalog-view.ts"

type Found = ReadonlyMap<string, readonly Diagnostic[]>

/** `found`: path → diagnostics; a path of a package may begin with `packages/NAME/`. */
export async function circlesOnce(view: CatalogView, found: Found): Promise<Found> {
  const named = new Set<string>()
  const kept = new Map<string, readonly Diagnostic[]>()
  for (const [path, list] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const place = list.some(isCircle) ? placeOfPath(path.replace(/^packages\/[^/]+\//, "")) : undefined
    if (place?.ok !== true) {
      kept.set(path, list)
      continue
    }
    const parts = await view.faces.circlesOf(place.value.id)
    const isNew = (d: Diagnostic): boolean => {
      const kind = d.severity === "error" ? "certain" : "likely"
      const name = `${kind} ${parts[kind] ?? path}`
      if (named.has(name)) return false
      named.add(name)
      return true
    }
    kept.set(
      path,
      list.filter((d) => !isCircle(d) || isNew(d)),
    )
  }
  return kept
}

const isCircle = (d: Diagnostic): boolean => d.code === "FV-FLOW-RECURSION"
