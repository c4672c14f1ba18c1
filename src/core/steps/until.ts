// Reads `until` [V23]: when the result of a step is good enough. What the scorer is, the check of the flow knows.

import { defined } from "../defined.ts"
import type { UntilSpec } from "../flow/flow.ts"
import { fieldsOf, warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { keysOf, UNTIL_FIELDS, type FieldSpec } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import type { Report } from "../flow/parse/report.ts"

export const UNTIL = {
  kind: "mapping",
  fields: UNTIL_FIELDS,
  about: "runs the step again until a scorer finds its result good enough",
} as const satisfies FieldSpec

export function readUntil(fields: Fields, report: Report): UntilSpec | undefined {
  const map = fields.map("until")
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, "FV-UNTIL", `${fields.where}, until`, fields.keyAt("until"))
  warnUnknown(inner, report, "FV", keysOf(UNTIL_FIELDS))
  const { scorer, at_least, rounds, from } = readFields(inner, UNTIL_FIELDS)
  if (!inner.has("at_least")) inner.wrong(inner.keyAt("at_least"), `"at_least" is missing`, "at_least: NUMBER, above 0 and at most 1")
  return at_least === undefined ? undefined : { scorer: scorer.trim(), at_least, rounds, ...defined({ from }) }
}
