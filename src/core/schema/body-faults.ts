// What a zod schema found wrong, in the words of the API: the place as a JSON Pointer, what must stand there, the nearest known name [H3].
//
// A schema that has words of its own for a case keeps them; zod's own defaults are never shown.

import { z } from "zod"
import { nearest } from "../text/nearest.ts"
import { pointerStep, short } from "../text/pointer.ts"

export interface BodyFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue

/** At most `most` issues are told; `base`: where `value` stands in the body. */
export function bodyFaults(schema: z.ZodType, value: unknown, issues: readonly Issue[], most: number, base = ""): BodyFault[] {
  return issues.slice(0, most).flatMap((issue) => faultsOf(issue, issue.path, { schema, value, most, base }))
}

interface Ground {
  readonly schema: z.ZodType
  readonly value: unknown
  readonly most: number
  readonly base: string
}

function faultsOf(issue: Issue, path: Path, ground: Ground): BodyFault[] {
  const pointer = ground.base + path.map((p) => pointerStep(typeof p === "symbol" ? p.toString() : p)).join("")
  const given = valueAt(ground.value, path)
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, ground.most).map((key) => ({
        pointer: pointer + pointerStep(key),
        message: `unknown field ${JSON.stringify(short(key))}`,
        ...hint(key, fieldsAt(ground.schema, path)),
      }))
    case "invalid_type":
      return [{ pointer, message: given === undefined ? "is required" : `must be ${kind(issue.expected)}` }]
    case "invalid_value": {
      const values = issue.values.map(String)
      const near = typeof given === "string" ? nearest(given, values) : undefined
      const message = given === undefined ? `is required: one of ${values.join(", ")}` : `must be one of ${values.join(", ")}`
      return [{ pointer, message, ...(near === undefined ? {} : { suggestion: `did you mean "${near}"?` }) }]
    }
    case "invalid_union":
      return alternatives(issue, path, ground, pointer, given)
    case "too_small":
    case "too_big":
      return [{ pointer, message: issue.message.startsWith("Too ") ? size(issue, given) : `${issue.message}${has(issue, given)}` }]
    case "invalid_key": {
      const long = issue.issues.find((inner) => inner.code === "too_big")
      return [{ pointer, message: long ? `the name ${size(long, String(path.at(-1)))}` : "the name is not valid" }]
    }
    default:
      return [{ pointer, message: issue.message }]
  }
}

/** The alternative that has the right type is the one that was meant; without one, what types there are. */
function alternatives(issue: z.core.$ZodIssueInvalidUnion, path: Path, ground: Ground, pointer: string, given: unknown): BodyFault[] {
  if (given === undefined) return [{ pointer, message: "is required" }]
  if (issue.message !== "Invalid input") return [{ pointer, message: issue.message }]
  const isOfType = (branch: readonly Issue[]): boolean => branch.every((i) => i.code !== "invalid_type" || i.path.length > 0)
  const meant = issue.errors.find((branch) => branch.length > 0 && isOfType(branch))
  if (meant) return meant.flatMap((inner) => faultsOf(inner, [...path, ...inner.path], ground))
  const kinds = issue.errors.flatMap((branch) => branch.flatMap((i) => (i.code === "invalid_type" ? [kind(i.expected)] : [])))
  return [{ pointer, message: `must be ${[...new Set(kinds)].join(" or ")}` }]
}

type SizeIssue = z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall

/** For a schema with words of its own: what was sent, since the words say only what is allowed. */
function has(issue: SizeIssue, given: unknown): string {
  const count = issue.code === "too_big" ? countOf(issue, given) : undefined
  return count === undefined ? "" : `, but has ${count}`
}

const countOf = (issue: SizeIssue, given: unknown): number | undefined =>
  (issue.origin === "string" && typeof given === "string") || (issue.origin === "array" && Array.isArray(given)) ? given.length : undefined

function size(issue: SizeIssue, given: unknown): string {
  const most = issue.code === "too_big"
  const limit = String(most ? issue.maximum : issue.minimum)
  const what = issue.origin === "string" ? "characters" : issue.origin === "array" ? "items" : undefined
  if (what === undefined)
    return issue.inclusive === false ? `must be ${most ? "less" : "more"} than ${limit}` : `must be ${limit} at ${most ? "most" : "least"}`
  if (most) return `has ${countOf(issue, given) ?? "more"} ${what}; at most ${limit} are allowed`
  return limit === "1" ? "must not be empty" : `must have at least ${limit} ${what}`
}

const KINDS: Readonly<Record<string, string>> = { int: "a whole number", record: "an object", object: "an object", array: "an array" }
const kind = (type: string): string => KINDS[type] ?? `a ${type}`

function hint(key: string, known: readonly string[] | undefined): { readonly suggestion?: string } {
  if (known === undefined) return {}
  const near = nearest(key, known)
  if (near !== undefined) return { suggestion: `did you mean "${near}"?` }
  return { suggestion: `known fields: ${known.length === 0 ? "none" : known.join(", ")}` }
}

/** The fields of the object at this place; undefined: they are not known. */
function fieldsAt(schema: z.core.$ZodType, path: Path): readonly string[] | undefined {
  let here = bare(schema)
  for (const step of path) {
    const inner =
      here instanceof z.ZodObject
        ? here.shape[String(step)]
        : here instanceof z.ZodArray
          ? here.element
          : here instanceof z.ZodRecord
            ? here.valueType
            : undefined
    if (inner === undefined) return undefined
    here = bare(inner)
  }
  return here instanceof z.ZodObject ? Object.keys(here.shape) : undefined
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  let here = schema
  while (
    here instanceof z.ZodOptional ||
    here instanceof z.ZodExactOptional ||
    here instanceof z.ZodNullable ||
    here instanceof z.ZodDefault
  )
    here = here.unwrap()
  return here instanceof z.ZodPipe ? bare(here.in) : here
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, step)) return undefined
    here = Reflect.get(here, step)
  }
  return here
}
