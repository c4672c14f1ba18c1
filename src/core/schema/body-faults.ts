// Writes the findings of a zod schema for the API: the place as a JSON Pointer, the expected value, the nearest known name [H3]. A schema's
// own messages are kept; zod's default messages are never shown.

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

/** Returns at most `most` faults. `base`: the place of `value` in the body. */
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

/** The alternative that was meant has the right type, knows most of the fields that were sent, and has the fewest faults. Without one, what
 *  types there are; and if several lack one field each, what these fields are. */
function alternatives(issue: z.core.$ZodIssueInvalidUnion, path: Path, ground: Ground, pointer: string, given: unknown): BodyFault[] {
  if (given === undefined) return [{ pointer, message: "is required" }]
  if (issue.message !== "Invalid input") return [{ pointer, message: issue.message }]
  const isOfType = (branch: readonly Issue[]): boolean => branch.every((i) => i.code !== "invalid_type" || i.path.length > 0)
  const typed = issue.errors.flatMap((branch, i) => (branch.length > 0 && isOfType(branch) ? [{ branch, i }] : []))
  const least = Math.min(...typed.map(({ branch }) => unfit(branch)))
  const meant = typed.filter(({ branch }) => unfit(branch) === least)
  const lacking = meant.flatMap(({ branch: [only, ...more] }) => (only && more.length === 0 && lacks(only, given) ? [only] : []))
  if (meant.length > 1 && lacking.length === meant.length)
    return [{ pointer, message: `needs one of ${[...new Set(lacking.map((i) => String(i.path[0])))].join(", ")}` }]
  const [first] = meant
  if (first) {
    const option = optionAt(ground.schema, path, first.i)
    const strange = first.branch.flatMap((i) => (i.code === "unrecognized_keys" ? i.keys : []))
    const known = meant.flatMap(({ i }) => fieldsAt(optionAt(ground.schema, path, i) ?? z.unknown(), []) ?? [])
    if (meant.length > 1 && strange.length > 0 && known.length > 0)
      return strange.slice(0, ground.most).map((key) => {
        const at = pointer + pointerStep(key)
        const others = Object.keys(given ?? {}).filter((name) => name !== key && known.includes(name))
        if (known.includes(key)) return { pointer: at, message: `cannot be combined with ${others.join(", ")}` }
        return { pointer: at, message: `unknown field ${JSON.stringify(short(key))}`, ...hint(key, [...new Set(known)]) }
      })
    const inside = option ? { schema: option, value: given, most: ground.most, base: pointer } : undefined
    return first.branch.flatMap((inner) =>
      inside ? faultsOf(inner, inner.path, inside) : faultsOf(inner, [...path, ...inner.path], ground),
    )
  }
  const kinds = issue.errors.flatMap((branch) => branch.flatMap((i) => (i.code === "invalid_type" ? [kind(i.expected)] : [])))
  return [{ pointer, message: `must be ${[...new Set(kinds)].join(" or ")}` }]
}

/** A field that an alternative does not know weighs more than any fault within it. */
const unfit = (branch: readonly Issue[]): number =>
  branch.reduce((sum, i) => sum + (i.code === "unrecognized_keys" ? 1_000 * i.keys.length : i.code === "invalid_key" ? 2_000 : 1), 0)

const lacks = (issue: Issue, given: unknown): boolean =>
  (issue.code === "invalid_type" || issue.code === "invalid_value") && issue.path.length === 1 && valueAt(given, issue.path) === undefined

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
export const kind = (type: string): string => KINDS[type] ?? `a ${type}`

function hint(key: string, known: readonly string[] | undefined): { readonly suggestion?: string } {
  if (known === undefined) return {}
  const near = nearest(key, known)
  if (near !== undefined) return { suggestion: `did you mean "${near}"?` }
  return { suggestion: `known fields: ${known.length === 0 ? "none" : known.join(", ")}` }
}

/** The fields of the object at this place; undefined: they are not known. */
function fieldsAt(schema: z.core.$ZodType, path: Path): readonly string[] | undefined {
  const here = schemaAt(schema, path)
  return here instanceof z.ZodObject ? Object.keys(here.shape) : undefined
}

function optionAt(schema: z.core.$ZodType, path: Path, at: number): z.ZodType | undefined {
  const here = schemaAt(schema, path)
  const option = here instanceof z.ZodUnion ? here.options[at] : undefined
  return option instanceof z.ZodType ? option : undefined
}

function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
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
  return here
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
