// What the tools of the toolkit `references` share [C22, C23]: the name of a reference, and what is said when there is none.

import type { JsonSchema } from "../../core/json.ts"
import type { Looked, References } from "../../ports/references.ts"
import type { ToolPowers } from "../../ports/tool.ts"

export const REFERENCE: JsonSchema = {
  type: "object",
  properties: {
    kind: { type: "string", minLength: 1, maxLength: 64, description: "What kind of value it is." },
    id: { type: "string", minLength: 1, maxLength: 128, description: "Its id, as it was given to you." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
}

export function referencesOf(powers: ToolPowers): References {
  if (powers.references === undefined) throw new Error("there are no references here")
  return powers.references
}

/** Its value, or an Error that says what there is. Missing, expired and another's are one. */
export async function foundOr<T>(looked: Looked<T>, references: References, kind: string, id: string): Promise<T> {
  if (looked.ok) return looked.value
  if (looked.code === "not_found") throw new Error(`there is no reference ${kind}/${id}, or not any more`)
  throw new Error(`there is no kind of reference ${JSON.stringify(kind)}; known: ${(await references.kinds()).join(", ") || "none"}`)
}
