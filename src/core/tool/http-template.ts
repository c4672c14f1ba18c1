// Expands the templates of HTTP tools [T26], `${{args.NAME}}` and `${{args.a.b}}`, once into the parts of a request. Inserted values are
// never expanded again: a value that contains a template stays plain text. The request that undoes a call may also refer to its answer, by
// `${{result}}` and `${{result.a.b}}` [K35].

import { canonical, isObject, type Json, type JsonObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"

/** A part of a template text: a string is plain text, a list is the path of a reference. */
type Part = string | readonly string[]

const REFERENCE = /\$\{\{\s*(?:args((?:\.[A-Za-z0-9_-]+)+)|result((?:\.[A-Za-z0-9_-]+)*))\s*\}\}/g

/** The name of the call's answer among the arguments. No argument that a template refers to has this name. */
export const RESULT = "${{result}}"

/** The error names the invalid template. */
export function readTemplate(text: string): Result<readonly Part[], string> {
  const parts: Part[] = []
  let from = 0
  for (const match of text.matchAll(REFERENCE)) {
    const path = (given: string): string[] => given.split(".").slice(1)
    parts.push(text.slice(from, match.index), match[1] === undefined ? [RESULT, ...path(match[2] ?? "")] : path(match[1]))
    from = match.index + match[0].length
  }
  parts.push(text.slice(from))
  const stray = parts.find((part) => typeof part === "string" && part.includes("${{"))
  if (typeof stray !== "string") return ok(parts.filter((part) => part !== ""))
  const at = stray.indexOf("${{")
  return err(`${JSON.stringify(stray.slice(at, at + 60))} is not a valid template: write \${{args.NAME}}`)
}

/** The arguments to which the texts of this value refer. */
export function argumentsIn(value: Json): readonly string[] {
  if (typeof value === "string") {
    const parts = readTemplate(value)
    return parts.ok ? parts.value.flatMap((part) => (typeof part === "string" ? [] : part.slice(0, 1))) : []
  }
  if (Array.isArray(value)) return value.flatMap(argumentsIn)
  return isObject(value) ? Object.values(value).flatMap(argumentsIn) : []
}

/** A fault in the arguments of a tool call; the request is not sent. */
export class Unfit extends Error {}

const partsOf = (text: string): readonly Part[] => {
  const parts = readTemplate(text)
  if (!parts.ok) throw new Unfit(parts.error)
  return parts.value
}

/** Finds own members only: an argument named `constructor` is absent unless the caller gave it. */
function lookUp(args: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = args
  for (const name of path) here = isObject(here) && Object.hasOwn(here, name) ? (here as JsonObject)[name] : undefined
  return here
}

const asText = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : typeof value === "object"
        ? canonical(value)
        : String(value)

const fill = (parts: readonly Part[], args: JsonObject, put: (text: string, path: readonly string[]) => string): string =>
  parts.map((part) => (typeof part === "string" ? part : put(asText(lookUp(args, part)), part))).join("")

const exact = (parts: readonly Part[]): readonly string[] | undefined => {
  const [only] = parts
  return parts.length === 1 && only !== undefined && typeof only !== "string" ? only : undefined
}

/** A text for people and models. */
export const expandText = (template: string, args: JsonObject): string => fill(partsOf(template), args, (text) => text)

/**
 * Percent-encodes the values. In the path, no value may be missing or be `..`. In the query, a missing value drops its pair, and a list
 * repeats the pair.
 */
export function expandUrl(template: string, args: JsonObject, styles: Styles = {}): string {
  const mark = template.indexOf("?")
  const [head, query] = mark < 0 ? [template, undefined] : [template.slice(0, mark), template.slice(mark + 1)]
  const path = fill(partsOf(head), args, (text, name) => {
    if (text === "") throw new Unfit(`${told(name)} is missing or empty, and the address needs it`)
    return encode(text, name)
  })
  for (const segment of path.split("/"))
    if (leadsUp(segment)) throw new Unfit(`${JSON.stringify(segment)} may not be a part of the path: it leads to a parent folder`)
  const pairs = (query ?? "").split("&").flatMap((pair) => expandPair(pair, args, styles))
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
}

function expandPair(pair: string, args: JsonObject, styles: Styles): readonly string[] {
  if (pair === "") return []
  const equals = pair.indexOf("=")
  const whole = exact(partsOf(pair.slice(equals + 1)))
  if (equals < 0 || whole === undefined) return [fill(partsOf(pair), args, encode)]
  const value = lookUp(args, whole)
  const name = fill(partsOf(pair.slice(0, equals)), args, encode)
  const style = styleOf(styles, decoded(pair.slice(0, equals)))
  if (style !== undefined && typeof value === "object" && value !== null) return nested(decoded(name), value, style).map(pairText)
  const values = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  return values.map((one) => `${name}=${encode(asText(one), whole)}`)
}

function encode(text: string, name: readonly string[]): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new Unfit(`${told(name)} is not well-formed text: it has half of a surrogate pair`)
  }
}

const told = ([first = "", ...rest]: readonly string[]): string => [...(first === RESULT ? ["result"] : ["args", first]), ...rest].join(".")

/** Whether the segment contains `.` or `..`, however often the dots or the slashes around them are percent-encoded. */
const leadsUp = (segment: string): boolean =>
  segment
    .replace(/%(?:25)*2e/gi, ".")
    .split(/%(?:25)*(?:2f|5c)/i)
    .some((part) => part === "." || part === "..")

/** Tells whether a text is safe in a header. Other characters could start a new header or end the headers. */
export const isHeaderText = (value: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(value)
export const NO_HEADER_TEXT = "cannot contain line breaks, control characters or characters outside Latin-1"

/** Leaves out a header that is exactly one reference to an absent argument. */
export function expandHeaders(headers: Readonly<Record<string, string>>, args: JsonObject): Record<string, string> {
  const done: Record<string, string> = {}
  for (const [name, template] of Object.entries(headers)) {
    const parts = partsOf(template)
    const whole = exact(parts)
    if (whole !== undefined && lookUp(args, whole) === undefined) continue
    // A template that is one reference has the whole header, and its argument may be several cookies.
    const isValue = whole === undefined && name.toLowerCase() === "cookie"
    const value = fill(parts, args, isValue ? cookieValue : (text) => text)
    if (!isHeaderText(value)) throw new Unfit(`the header ${name} ${NO_HEADER_TEXT}`)
    done[name] = value
  }
  return done
}

/** [T26] A value that begins no other cookie: what ends one, or may not stand in one (RFC 6265), is percent-encoded. */
const cookieValue = (text: string, name: readonly string[]): string =>
  text.replace(/[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+/g, (part) => encode(part, name))

/** A value that is exactly one reference keeps its JSON type; when the argument is absent, the member or item is dropped. undefined: the
 *  whole body is dropped. */
export function expandBody(template: Json, args: JsonObject): Json | undefined {
  if (typeof template === "string") {
    const parts = partsOf(template)
    const whole = exact(parts)
    return whole === undefined ? fill(parts, args, (text) => text) : lookUp(args, whole)
  }
  if (Array.isArray(template)) return template.flatMap((item) => present(expandBody(item, args)))
  if (!isObject(template)) return template
  // On a plain object, assigning `__proto__` would set the prototype.
  const done: JsonObject = Object.create(null)
  for (const [key, value] of Object.entries(template)) {
    const member = expandBody(value, args)
    if (member !== undefined) done[key] = member
  }
  return done
}

const present = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])

/** The way to write an object or a list as pairs: `deep` is `a[b]=c` and `a[0]=b`; `members` is `b=c` for each member. */
export type Style = "deep" | "members"
/** Styles by the name of the parameter or field. */
export type Styles = Readonly<Record<string, Style>>

const styleOf = (styles: Styles, name: string): Style | undefined => (Object.hasOwn(styles, name) ? styles[name] : undefined)

type Pair = readonly [name: string, text: string]

/** The fields of a form. A list repeats its name and an object is JSON, unless a style says otherwise. */
export function fieldsOf(members: JsonObject, styles: Styles = {}): readonly Pair[] {
  return Object.entries(members).flatMap(([name, value]): readonly Pair[] => {
    if (value === undefined || value === null) return []
    const style = styleOf(styles, name)
    if (style !== undefined && typeof value === "object") return nested(name, value, style)
    return (Array.isArray(value) ? value : [value]).map((one) => [name, asText(one)])
  })
}

function nested(name: string, value: Json, style: Style): readonly Pair[] {
  if (value === null) return []
  if (typeof value !== "object") return [[name, asText(value)]]
  return Object.entries(value).flatMap(([key, inside]) =>
    style === "deep"
      ? nested(`${name}[${key}]`, inside, style)
      : Array.isArray(value)
        ? [[name, asText(inside)] as const]
        : [[key, asText(inside)] as const],
  )
}

/** Brackets stay readable, as the servers that use them write them. */
const pairText = ([name, text]: Pair): string =>
  `${encode(name, [name]).replaceAll("%5B", "[").replaceAll("%5D", "]")}=${encode(text, [name])}`

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The body as `application/x-www-form-urlencoded`. */
export const formOf = (members: JsonObject, styles: Styles = {}): string => fieldsOf(members, styles).map(pairText).join("&")

export interface Multipart {
  readonly type: string
  readonly body: string
}

/** The body as `multipart/form-data` of text fields. The boundary occurs in no field, and is the same for the same fields. */
export function multipartOf(members: JsonObject, styles: Styles = {}): Multipart {
  const fields = fieldsOf(members, styles)
  const all = fields.map(([, text]) => text).join("\n")
  let boundary = "sluice-form"
  for (let n = 1; all.includes(boundary); n++) boundary = `sluice-form-${n}`
  const parts = fields.map(([name, text]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${text}\r\n`)
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join("")}--${boundary}--\r\n` }
}

/** As browsers write a field's name. */
const quoted = (name: string): string => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
