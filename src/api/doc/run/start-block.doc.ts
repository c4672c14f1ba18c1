// Describes a `start` block for the document, in the words of the editor's table.

import { z } from "zod"
import { FLOWS_OWN, KEY_OVERLAPS, PRIORITIES } from "../../../core/start/start-block.ts"
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

const pool = z.string().describe("Flows that name the same pool share its keys.")
const key = z.string().describe("The key: what starts share.")
const limit = z.number().describe("How many runs of the key.")

const Delay = z.union([
  z.object({ ms: z.number().describe("Milliseconds after its arrival.") }),
  z.object({ at: z.number().describe("A time, in milliseconds.") }),
])
const template = z.string().exactOptional().describe("The key's template.")

/** Of a flow: what its file says, with milliseconds for durations. */
export const SaidBlock = z.object({
  concurrency: z
    .object({
      key: template,
      limit: z.number().exactOptional().describe("How many runs of the key; 1 if left out."),
      overlap: z.enum(KEY_OVERLAPS).exactOptional().describe("What a start does whose key is held; `queue` if left out."),
      pool: pool.exactOptional(),
    })
    .exactOptional()
    .describe("How many runs of the key may be at work."),
  throttle: z
    .object({
      key: template,
      limit,
      period: z.number().describe("The period, in milliseconds."),
      pool: pool.exactOptional(),
    })
    .exactOptional()
    .describe("How many runs of the key may begin within the period."),
  debounce: z
    .object({
      key: template,
      period: z.number().describe("How long no start may have come, in milliseconds."),
      timeout: z.number().exactOptional().describe("The longest time after the first start, in milliseconds."),
    })
    .exactOptional()
    .describe("The window that the start joins or opens."),
  batch: z
    .object({
      key: template,
      size: z.number().describe("The start with this number ends the window."),
      timeout: z.number().describe("The longest time after the first start, in milliseconds."),
      into: z.string().describe("The input that takes the items."),
    })
    .exactOptional()
    .describe("The window that the start joins or opens."),
  priority: z.enum(PRIORITIES).exactOptional().describe("Who goes first."),
  delay: Delay.exactOptional().describe("The run begins no earlier."),
  expires: z.number().exactOptional().describe("The longest time in line, in milliseconds."),
})

export const ObeyedStart = z.object({
  concurrency: z
    .object({
      pool,
      key,
      limit,
      overlap: z.enum(KEY_OVERLAPS).describe("What a start does whose key is held."),
      named: z.literal(true).exactOptional().describe("The flow's block names the pool."),
    })
    .exactOptional()
    .describe("How many runs of the key may be at work."),
  throttle: z
    .object({ pool, key, limit, period: z.number().describe("The period, in milliseconds.") })
    .exactOptional()
    .describe("How many runs of the key may begin within the period."),
  debounce: z
    .object({
      pool,
      key,
      period: z.number().describe("How long no start may have come, in milliseconds."),
      timeout: z.number().describe("The longest time after the first start, in milliseconds."),
    })
    .exactOptional()
    .describe("The window that the start joins or opens."),
  batch: z
    .object({
      pool,
      key,
      size: z.number().describe("The start with this number ends the window."),
      timeout: z.number().describe("The longest time after the first start, in milliseconds."),
      into: z.string().describe("The input that takes the items."),
    })
    .exactOptional()
    .describe("The window that the start joins or opens."),
  priority: z.enum(PRIORITIES).describe("Who goes first."),
  delay: Delay.exactOptional().describe("The run begins no earlier."),
  expires: z.number().describe("The longest time in line, in milliseconds."),
  own: z.array(z.enum(FLOWS_OWN)).exactOptional().describe("What the flow's own block brings: these follow the flow."),
})
