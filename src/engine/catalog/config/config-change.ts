// Derives the changes of the tenant's configuration from a write [F79].

import { isConfig } from "../../../core/flow/catalog-kinds.ts"
import type { ConfigKind } from "../../../ports/tenant/catalog.ts"
import { atOnce } from "../../at-once.ts"
import type { Body, Change } from "../catalog-entry.ts"
import type { ConfigValue } from "./config-kinds.ts"
import { checkConfig } from "./config-value.ts"

export interface ConfigChange {
  readonly kind: ConfigKind
  readonly id: string
  /** null: the file is removed. */
  readonly value: ConfigValue | null
}

export const configures = (changes: readonly Change[]): boolean => changes.some(({ kind }) => isConfig(kind))

/** [V40] A key that writes flows writes their datasets too, but for those that the gate relies on. */
export const takesAdmin = (changes: readonly Change[]): boolean => changes.some(({ kind }) => isConfig(kind) && kind !== "dataset")

/** The changes of a write. A restored file that no longer loads changes nothing: the current settings stay [F74]. */
export async function configChanges(
  changes: readonly Change[],
  text: (body: Body) => Promise<string | undefined>,
): Promise<readonly ConfigChange[]> {
  const kept = new Set(changes.flatMap((change) => (change.type === "put" ? [`${change.kind} ${change.id}`] : [])))
  const found = await atOnce(changes, async (change): Promise<readonly ConfigChange[]> => {
    const { kind, id } = change
    if (!isConfig(kind)) return []
    if (change.type === "remove") return kept.has(`${kind} ${id}`) ? [] : [{ kind, id, value: null }]
    const value = checkConfig(kind, id, (await text(change)) ?? "").value
    return value === undefined ? [] : [{ kind, id, value }]
  })
  return found.flat()
}
