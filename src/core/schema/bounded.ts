// Defines the maximum sizes of request members [H3]: those that JSON Schema alone cannot express, and those that routes share. The API's
// document shows them as `maxLength`, `maxItems` and `maxProperties`, and as `x-maxChars` where any JSON is allowed. A fault states the
// actual and the maximum size.

import { z } from "zod"

/** Characters of a name: of a flow, a vault scope, a field. Each kind of name also has its own, stricter rules. */
export const MAX_NAME = 300 // limit: characters of a name in a request → 422 at the member
/** Limit: characters of an address in a request → 422 at the member. */
export const MAX_URL = 2_048
/** Limit: characters of a file in a request → 422 at the member. */
export const MAX_TEXT = 1_048_576
/** Characters of a JSON value that a tenant stores as a definition: a schema, an approval rule, an authentication. */
export const MAX_DEFINITION = 65_536 // limit: characters of a schema or a rule in a request → 422 at the member
/** Characters of the JSON of a run's input or output. */
export const MAX_GIVEN = 1_000_000 // limit: characters of a task, of inputs, of an answer → 422 at the member

export const name = z.string().max(MAX_NAME)
export const url = z.string().max(MAX_URL)

/** Limits the JSON of a value of this schema to `chars` characters. */
export const within = <S extends z.ZodType>(schema: S, chars: number): S =>
  schema
    .refine((value) => sizeOf(value) <= chars, {
      error: ({ input }) => `has ${sizeOf(input)} characters of JSON; at most ${chars} are allowed`,
    })
    .meta({ "x-maxChars": chars })

/** A JSON object of any shape. */
export const objectWithin = (chars: number) => within(z.record(z.string(), z.json()), chars)

/** A record of at most `most` members, whose names match the schema `names`. */
export const recordOf = <V extends z.ZodType>(value: V, most: number, names: z.ZodString = name) =>
  z
    .record(names, value)
    .refine((record) => Object.keys(record).length <= most, {
      error: ({ input }) => `has ${Object.keys(Object(input)).length} members; at most ${most} are allowed`,
    })
    .meta({ maxProperties: most })

const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)
