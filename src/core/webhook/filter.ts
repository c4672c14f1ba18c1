// Evaluates filters [W1]: `PATH OP LITERAL` joined by `&&`, over the body. A missing path equals nothing and has no order. The refusal
// shows the first false comparison with both values.

import { isObject, type Json } from "../json.ts"
import { holds, parseCondition, type Comparison, type Literal } from "../tool/policy/condition.ts"
import { follow } from "../text/follow.ts"
import { written } from "../text/member-path.ts"
import { nearest } from "../text/nearest.ts"
import { short } from "../text/pointer.ts"

const FORM = { or: false } as const
/** A path may say where it begins. It must if the body has a member `body` with members of its own. */
const ROOT = "$"
const OTHER_PARTS: readonly string[] = ["headers", "query"]
const MOST_LISTED = 8 // limit: names of members that a filter's reason lists → the reason counts the others

export interface FilterFault {
  readonly message: string
  readonly suggestion: string
}

/** The fault of the filter; undefined: it is valid. */
export function filterFault(filter: string): FilterFault | undefined {
  const read = parseCondition(filter, FORM)
  const example = 'action == "opened" && issue.number > 7'
  if (!read.ok) return { message: `is not a valid filter, at character ${read.error.at + 1}: ${read.error.message}`, suggestion: example }
  const [all = []] = read.value.any
  const unseen = all.find(({ path: [root, part = ""] }) => root === "trigger" && OTHER_PARTS.includes(part))
  if (unseen) return { message: `${written(unseen.path)} never has a value: a filter sees only the body`, suggestion: example }
  const long = all.find((c) => inBody(c.path) !== c.path)
  if (!long) return undefined
  const [root] = long.path
  const own = root === "body" ? `; if the body has a member named body, write ${ROOT}.${written(long.path)}` : ""
  return {
    message: `${written(long.path)} never has a value: a filter's paths begin inside the body${own}`,
    suggestion: all.map((c) => textOf({ ...c, path: inBody(c.path) })).join(" && "),
  }
}

/** The path that was meant by one that begins outside the body, as paths of templates do. */
function inBody(path: readonly string[]): readonly string[] {
  const at = path[0] === "trigger" && path[1] === "body" ? 2 : path[0] === "body" ? 1 : 0
  return at > 0 && path.length > at ? path.slice(at) : path
}

/** Why the filter rejects this body; undefined: it passes. `isForm`: all values are text, so each is converted to the compared type. */
export function heldBack(filter: string | undefined, body: Json, isForm = false): string | undefined {
  if (filter === undefined) return undefined
  const fault = parseCondition(filter, FORM)
  // Filters are checked when a hook is saved.
  if (!fault.ok) return "the filter is invalid, so it rejects everything: write it again"
  const found = (c: Comparison): Json | undefined => {
    const value = valueAt(body, c.path)
    return isForm && typeof value === "string" && c.path[0] !== "payload" ? typed(value, c.literal) : value
  }
  const failed = fault.value.any[0]?.find((c) => !holds(c, found(c)))
  return failed && `the filter's ${short(textOf(failed))} does not hold: ${whyNot(failed, found(failed), body)}`
}

function valueAt(body: Json, path: readonly string[]): Json | undefined {
  const found = follow(body, path)
  return found === undefined && path[0] === ROOT && path.length > 1 ? follow(body, path.slice(1)) : found
}

/** A form's text as the type of the literal, if it is the text of one. */
function typed(text: string, literal: Literal): Json {
  const number = text.trim() === "" ? Number.NaN : Number(text)
  // A number that memory would round stays text, which equals no other one.
  if (typeof literal === "number" && Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number))) return number
  if (typeof literal === "boolean" && (text === "true" || text === "false")) return text === "true"
  return text
}

function whyNot({ path, literal }: Comparison, found: Json | undefined, body: Json): string {
  if (found === undefined) return `the body has no ${short(written(path))}${insteadOf(path, body)}`
  const kind = kindOf(found)
  const shown = typeof found === "object" && found !== null ? kind : short(JSON.stringify(found))
  const differs = literal !== null && found !== null && kindOf(found) !== kindOf(literal)
  return `it is ${shown}${differs ? `, ${kind === shown ? "" : `${kind}, `}and is compared with ${kindOf(literal)}` : ""}`
}

/** What the body has in place of a path that it lacks. */
function insteadOf(path: readonly string[], body: Json): string {
  if (!isObject(body)) return `; it is ${kindOf(body)}`
  if (follow(body, ["payload", ...path]) !== undefined) return `; write payload.${short(written(path))}`
  const depth = path.findIndex((_, i) => follow(body, path.slice(0, i + 1)) === undefined)
  const above = path.slice(0, depth)
  const around = follow(body, above) ?? null
  if (!isObject(around)) return `; ${short(written(above))} is ${kindOf(around)}`
  const near = nearest(path[depth] ?? "", Object.keys(around))
  if (near !== undefined) return `; did you mean ${short(written([...above, near]))}?`
  const names = Object.keys(around)
  const listed = names.slice(0, MOST_LISTED).map(short).join(", ")
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : ""
  return names.length === 0 ? "; it is empty" : `; ${above.length === 0 ? "it" : short(written(above))} has ${listed}${more}`
}

const kindOf = (value: Json | bigint): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : typeof value === "string"
          ? "text"
          : typeof value === "boolean"
            ? "a boolean"
            : "a number"

const textOf = ({ path, op, literal }: Comparison): string =>
  `${inFilter(path)} ${op} ${typeof literal === "bigint" ? String(literal) : JSON.stringify(literal)}`

/** As a filter writes it: its root is no name. */
function inFilter(path: readonly string[]): string {
  const inside = written(path[0] === ROOT ? path.slice(1) : path)
  return path[0] !== ROOT || path.length === 1 ? inside || ROOT : `${ROOT}${inside.startsWith("[") ? "" : "."}${inside}`
}
