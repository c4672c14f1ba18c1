// The greatest sizes of what a request carries [H3]: of members that JSON Schema alone does not bound, and those that routes share.
//
// The document shows them as `maxLength`, `maxItems` and `maxProperties`, and as `x-maxChars` where any JSON is allowed. A fault says how
// large the member is and how large it may be.

import { z } from "zod"

/** Characters of a name: of a flow, a scope of the vault, a field. Names have rules of their own, which are stricter. */
export const MAX_NAME = 300 // limit: characters of a name in a request → 422 at the member
/** Limit: characters of an address in a request → 422 at the member. */
export const MAX_URL = 2_048
/** Limit: characters of a file in a request → 422 at the member. */
export const MAX_TEXT = 1_048_576
/** Characters of a JSON value that a tenant stores as a definition: a schema, an approval rule, an authentication. */
export const MAX_DEFINITION = 65_536 // limit: characters of a schema or a rule in a request → 422 at the member
/** Characters of the JSON that a run is given or answers with. */
export const MAX_GIVEN = 1_000_000 // limit: characters of a task, of inputs, of an answer → 422 at the member

export const name = z.string().max(MAX_NAME)
export const url = z.string().max(MAX_URL)

/** A value of this schema whose JSON has at most `chars` characters. */
export const within = <S extends z.ZodType>(schema: S, chars: number): S =>
  schema
    .refine((value) => sizeOf(value) <= chars, {
      error: ({ input }) => `has ${sizeOf(input)} characters of JSON; at most ${chars} are allowed`,
    })
    .meta({ "x-maxChars": chars })

/** A JSON object of any shape. */
export const objectWithin = (chars: number) => within(z.record(z.string(), z.json()), chars)

/** At most `most` members, whose names are of the schema `names`. */
export const recordOf = <V extends z.ZodType>(value: V, most: number, names: z.ZodString = name) =>
  z
    .record(names, value)
    .refine((record) => Object.keys(record).length <= most, {
      error: ({ input }) => `has ${Object.keys(Object(input)).length} members; at most ${most} are allowed`,
    })
    .meta({ maxProperties: most })

const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)
