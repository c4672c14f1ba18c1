// Converts a webhook delivery's values to a flow's typed inputs [W1]. A query, a header and a form hold only text, so text is read as the
// type that the flow declares, and a number may be an input's text, as for a child [F23c]; a value that cannot be converted stays as it is,
// and the start is refused. Payloads use null for absent values. No input accepts null, so null counts as absent.

import { z } from "zod"
import type { Json, JsonObject } from "../json.ts"
import { gathered } from "../start/batch-items.ts"
import { valueAs } from "../flow/flow-face.ts"

/** A flow's `InputSpec`, as stored with the pins. */
const Typed = z.object({ type: z.enum(["string", "number", "boolean", "object", "array"]) })

/** `specs` is the flow's `inputs` by name. `into`: the input into which the start is gathered; what is given for it is not converted [R10]. */
export function deliveredInputs(specs: JsonObject, given: JsonObject, into?: string): JsonObject {
  const read = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, Json][] => {
      if (value === null) return []
      const spec = Object.hasOwn(specs, name) ? Typed.safeParse(specs[name]) : undefined
      const type = spec?.data?.type
      if (type === undefined || name === into) return [[name, value]]
      return typeof value === "string" && value.trim() === "" && type !== "string" ? [] : [[name, valueAs(value, type)]]
    }),
  )
  return gathered(read, into)
}
