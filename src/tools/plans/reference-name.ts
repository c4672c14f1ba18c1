// Defines the shared parts of the `references` toolkit [C22, C23]: the name of a reference, and the error for a missing one.

import type { JsonSchema } from "../../core/json.ts"
import type { LookedUp, References } from "../../ports/references.ts"
import type { ToolPowers } from "../../ports/tool.ts"

export const REFERENCE: JsonSchema = {
  type: "object",
  properties: {
    kind: { type: "string", minLength: 1, maxLength: 64, description: "The kind of value." },
    id: { type: "string", minLength: 1, maxLength: 128, description: "Its id, as it was given to you." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
}

export function referencesOf(powers: ToolPowers): References {
  if (powers.references === undefined) throw new Error("references are not available here")
  return powers.references
}

/** The value, or an Error that lists what exists. A missing, an expired and another tenant's reference give the same error. */
export async function foundOr<T>(looked: LookedUp<T>, references: References, kind: string, id: string): Promise<T> {
  if (looked.ok) return looked.value
  if (looked.code === "not_found") throw new Error(`there is no reference ${kind}/${id}: it does not exist or has expired`)
  throw new Error(`there is no kind of reference ${JSON.stringify(kind)}; known: ${(await references.kinds()).join(", ") || "none"}`)
}
