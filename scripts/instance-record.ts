// Stores the immutable facts about a separate instance [N1, N2] in instances/NAME.json: its first deploy writes them, to be committed.
// Later deploys from any machine follow it; without it, a deploy from another checkout could place the instance elsewhere, and its data
// would seem lost.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { Trouble } from "../local/trouble.ts"

export type Jurisdiction = "eu" | "us"

export const recordOf = (name: string): string => `instances/${name}.json`

/** The instance's jurisdiction; null: none; undefined: never deployed, as far as this checkout knows. */
export function placeOf(root: string, name: string): Jurisdiction | null | undefined {
  const file = path.join(root, recordOf(name))
  if (!existsSync(file)) return undefined
  const record: unknown = parsed(readFileSync(file, "utf8"))
  const place = typeof record === "object" && record !== null && "jurisdiction" in record ? record.jurisdiction : undefined
  if (place === "eu" || place === "us" || place === null) return place
  throw new Trouble(`${recordOf(name)} does not give the instance's jurisdiction: write {"jurisdiction": "eu"}, "us" or null`)
}

export function keepPlace(root: string, name: string, jurisdiction: Jurisdiction | null): void {
  const file = path.join(root, recordOf(name))
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ jurisdiction }, null, 2)}\n`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
