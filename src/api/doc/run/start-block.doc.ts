// Describes a `start` block for the document, in the words of the editor's table.

import { START_FIELDS } from "../../../core/flow/parse/field-table.ts"
import type { FieldSpec, FieldTable } from "../../../core/flow/parse/field-table.ts"
import type { FieldTexts } from "../shape.doc.ts"

const sentence = ({ about }: FieldSpec): string => `${about.charAt(0).toUpperCase()}${about.slice(1)}.`

/** `key`: what a key is in this place. A pool is the flow's alone. */
const textsOf = (table: FieldTable, key: string): FieldTexts =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => name !== "pool")
      .map(([name, spec]) => [
        name,
        name === "key" ? key : spec.fields ? ([sentence(spec), textsOf(spec.fields, key)] as const) : sentence(spec),
      ]),
  )

export const START_TEXT =
  "How many starts become how many runs, and when these begin: the nearest place counts, but a flow's `concurrency` and `throttle` are final."

export const GIVEN_START_FIELDS: FieldTexts = {
  ...textsOf(START_FIELDS, "The key, literally."),
  delay: "The run begins no earlier: a duration of at most 30d, or a time (ISO 8601 with `Z` or an offset).",
}
export const TRIGGER_START_FIELDS = textsOf(START_FIELDS, "The key: in a hook a template over the trigger, in a schedule literally.")
