// Computes the tenant's registered tools under a possible catalog [F79]: agents that are written together with their tools are checked, and
// tried by the gate, against those tools.

import { canonical } from "../../../core/json.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import { atOnce } from "../../at-once.ts"
import { sha256 } from "../../sha256.ts"
import type { Bodies } from "../catalog-bodies.ts"
import type { StoredFile } from "../catalog-entry.ts"
import { localEntry } from "../catalog-place.ts"
import { CheckedBodies } from "../check/checked-bodies.ts"
import { specOf, type Registered } from "../registered-tools.ts"
import { checkConfig } from "./config-value.ts"

export interface MadeTools {
  readonly registered: readonly Registered[]
  readonly specs: readonly ToolSpec[]
  /** Names of registered tools that no file makes any longer. */
  readonly gone: ReadonlySet<string>
  /** Changed files that have errors, so nobody knows what they make. */
  readonly broken: readonly string[]
}

/** The tools under the changed files; undefined: the tools do not change. */
export async function madeTools(
  rows: readonly StoredFile[],
  now: { readonly rows: readonly StoredFile[]; readonly registered: readonly Registered[] },
  bodies: Bodies,
): Promise<MadeTools | undefined> {
  const isTool = ({ kind }: StoredFile): boolean => kind === "tool"
  const before = new Map(now.rows.filter(isTool).map(({ id, hash }) => [id, hash]))
  const after = new Map(rows.filter(isTool).map((row) => [row.id, row]))
  const changed = [...after.values()].filter(({ id, hash }) => before.get(id) !== hash)
  const left = [...before.keys()].filter((id) => !after.has(id))
  if (changed.length + left.length === 0) return undefined
  const checked = new CheckedBodies(bodies)
  const broken: string[] = []
  const made = await atOnce(changed, async (row) => {
    const { value } = await checked.load(localEntry("tool", row), "", (text) => checkConfig("tool", row.id, text))
    if (value === undefined) broken.push(row.path)
    return value?.kind === "tool" && value.value.type !== "mcp" ? value.value.defs : []
  })
  const defs = new Map(made.flat().map((def) => [def.name, def]))
  const stale = new Set([...left, ...changed.map(({ id }) => id)])
  const kept = now.registered.filter(({ name, file }) => !defs.has(name) && (file === undefined || !stale.has(file)))
  const fresh = await atOnce([...defs.values()], async (def) => ({ name: def.name, hash: await sha256(canonical(def)) }))
  const registered = [...kept, ...fresh]
  const names = new Set(registered.map(({ name }) => name))
  return {
    registered,
    specs: [...defs.values()].map(specOf),
    broken: broken.toSorted(),
    gone: new Set(now.registered.flatMap(({ name }) => (names.has(name) && !defs.has(name) ? [] : [name]))),
  }
}
