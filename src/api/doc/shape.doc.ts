// Defines how a resource documents its shapes, and the shapes that many resources share. Responses are open objects: fields may be added,
// but never removed or given another type.

import { z } from "zod"
import type { IsoTime } from "../../core/text/iso-time.ts"
import { Amount, Price } from "../../core/money/amount.ts"
import { NoBody } from "../route/route.ts"

/** Descriptions of fields. A pair also describes nested fields: of the object, of a list's items, or of a record's values. */
export interface FieldTexts {
  readonly [field: string]: string | readonly [text: string, below: FieldTexts]
}

/** The document's additions to the schemas of a resource. */
export interface ResourceDoc<Name extends string = string> {
  /** Name in `components.schemas` → schema. */
  readonly shapes: Readonly<Record<Name, z.ZodType>>
  /** Name → a value of that shape. An operation's example is that of its body or its answer. */
  readonly examples: Readonly<Record<string, unknown>>
  /** Of the resource's paths; other resources have them in theirs, too. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly example: string }>>
  /** Descriptions for schemas that are loaded at start, and so carry none themselves. */
  readonly fields?: readonly (readonly [schema: z.ZodType, texts: FieldTexts])[]
}

/** Declares a resource's documentation. The compiler checks the examples against their shapes, and routes against the names of all shapes. */
export const documented = <S extends Readonly<Record<string, z.ZodType>>>(
  doc: Omit<ResourceDoc, "shapes" | "examples"> & { readonly shapes: S; readonly examples: { readonly [K in keyof S]?: z.input<S[K]> } },
): ResourceDoc<keyof S & string> => doc

export const Time: z.ZodType<IsoTime, IsoTime> = z.string().meta({ format: "date-time" })
export const JsonObject = z.record(z.string(), z.json())
export const Hash = z.string().describe("SHA-256, in hexadecimal.")

/** A page of a list [H5]. */
export const pageOf = <T extends z.ZodType>(row: T) =>
  z.object({
    data: z.array(row).describe("The rows of this page."),
    next_cursor: z.string().nullable().describe("Send it as `cursor` to get the next page; null on the last page."),
    complete: z
      .boolean()
      .exactOptional()
      .describe(
        "False if the page ended because it had looked at as many rows as it may: more may follow. Only lists that say so have it.",
      ),
    left_out: z.array(z.string()).exactOptional().describe("Ids of runs on this page that cannot be read; absent if there are none."),
  })
export interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
  readonly complete?: boolean
  readonly left_out?: readonly string[]
}

export const Fault = z.object({
  pointer: z.string().describe("JSON Pointer into the body, or `?name` for a query parameter; empty for the request as a whole."),
  line: z.number().exactOptional().describe("Line in the text that was sent, from 1."),
  column: z.number().exactOptional().describe("Column in that line, from 1."),
  message: z.string().describe("The fault and its remedy."),
  suggestion: z.string().exactOptional().describe("The suggested line or name."),
})

export const Problem = z.object({
  type: z.string().describe("`urn:sluice:problem:` and the code."),
  title: z.string().describe("A short title of the code."),
  status: z.number().describe("The HTTP status."),
  detail: z.string().describe("The fault in this request."),
  instance: z.string().describe("The path of the request."),
  code: z.string().describe("A stable code for programs."),
  errors: z.array(Fault).exactOptional().describe("Each fault in the request."),
})

export const Diagnostic = z.object({
  code: z.string().describe("Stable code, such as FV-BRANCH; docs/DIAGNOSTICS.md lists all of them."),
  line: z.number().describe("Line in the file, from 1."),
  column: z.number().exactOptional().describe("Column in that line, from 1."),
  severity: z.enum(["error", "warning"]).describe("A file with an error is not written; a warning does not prevent it."),
  message: z.string().describe("The fault and its remedy."),
  suggestion: z.string().exactOptional().describe("The suggested line or name."),
  silenced: z.string().exactOptional().describe("Why the file's author silenced this warning, from a comment `sluice-allow`."),
})

export const EFFECTS_TEXT =
  "`live` (default) carries out calls that change something outside; `staged` keeps them and asks at the end; `dry` carries out none."

export const AMOUNT_FIELDS: FieldTexts = {
  usd: "US dollars.",
  tokens: "Input and output tokens together.",
  tool_calls: "Tool calls.",
  steps: "Steps, counted each time that one runs.",
}
export const PRICE_FIELDS: FieldTexts = {
  input: "US dollars per million input tokens.",
  output: "US dollars per million output tokens.",
  cacheRead: "US dollars per million tokens read from the provider's cache.",
  cacheWrite: "US dollars per million tokens written to the provider's cache.",
  batch: "A factor of all these for a call in a batch; by default 0.5 at the provider's own address and 1 at a `baseUrl`.",
}
export const RUN_PRICE_FIELDS: FieldTexts = {
  ...PRICE_FIELDS,
  estimated: "True if no price list has the model, so the price is that of a similar model.",
}

export const shapeDoc = documented({
  shapes: { Amount, Diagnostic, Fault, JsonObject, NoBody, Price, Problem },
  examples: {
    Amount: { usd: 2.5, tokens: 500_000 },
    JsonObject: { key: "value" },
    NoBody: {},
    Price: { input: 3, output: 15 },
    Diagnostic: { code: "FV-BRANCH", line: 12, severity: "error", message: 'the branch "ok" leads to no step: use one of fix, done' },
    Problem: {
      type: "urn:sluice:problem:not_found",
      title: "Not found",
      status: 404,
      detail: "There is nothing at this address that this key can see.",
      instance: "/v1/runs/run_0",
      code: "not_found",
    },
  },
  fields: [
    [Amount, AMOUNT_FIELDS],
    [Price, PRICE_FIELDS],
  ],
})
