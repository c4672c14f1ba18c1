// Follows a dotted path into JSON. Only own properties are found: `constructor` is missing unless the data contains it.

import type { Json } from "../json.ts"

export function follow(value: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined
    else at = at[key]
  }
  return at
}
