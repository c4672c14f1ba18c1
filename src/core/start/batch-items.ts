// Reads what a start gives for a batch's input [R10]: a list is its items, anything else is one item.

import type { Json, JsonObject } from "../json.ts"

export const itemsOf = (given: Json): readonly Json[] => (Array.isArray(given) ? given : [given])

/** The inputs with that one as a list; each start is checked by itself with it. */
export const gathered = (inputs: JsonObject, into: string | undefined): JsonObject =>
  into === undefined || !Object.hasOwn(inputs, into) ? inputs : { ...inputs, [into]: [...itemsOf(inputs[into] ?? null)] }
