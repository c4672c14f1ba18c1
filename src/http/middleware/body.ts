// Reads request bodies once under the limit, then parses and checks them. A fault names its place and the nearest known field [H3].

import type { MiddlewareHandler } from "hono"
import type { z } from "zod"
import type { ObjectSchema } from "../../api/stored.ts"
import { bodyFaults } from "../../core/schema/body-faults.ts"
import { isObject } from "../../core/json.ts"
import { exactJson, mayBeInexact } from "../../core/outside/exact-json.ts"
import { readJson, SMALL, type JsonBounds } from "../../core/outside/json-pieces.ts"
import type { Pieces } from "../../core/pieces.ts"
import { joined } from "../../core/text/joined-bytes.ts"
import { pointerStep, short } from "../../core/text/pointer.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { Breath } from "../../ports/breath.ts"
import type { Call, CallEnv } from "./call.ts"
import { invalid, MAX_FAULTS, refuse, type Fault, type Refusal } from "./problem.ts"

export const BODY_LIMIT = 1_048_576 // limit: bytes of a body → 413 `too_large`
/** Of a JSON body over the usual limit, which is for files: a check of more members takes a second. */
const MAX_VALUES = 200_000 // limit: values of a JSON body of more than 1 MiB → 422
/** Deeper JSON overflows recursive readers behind the door; no real body is this deep. */
const DEPTH_LIMIT = 64 // limit: levels of a JSON body → 422

export const tooLarge = (most: number): Refusal => ({
  code: "too_large",
  detail: `A body must have at most ${most / 1_048_576} MiB (${most} bytes).`,
})

/** The limit of a route with larger bodies. `only`: the member that a body over the usual limit must have. */
export interface LargeBody {
  readonly bytes: number
  readonly only?: string | undefined
}

/** 413 for a body that is, or claims to be, over the limit; checked before anything else [H10]. */
export const limit =
  (largeOf: (method: string, path: string) => LargeBody | undefined): MiddlewareHandler<CallEnv> =>
  async (c, next) => {
    const large = largeOf(c.req.method, c.req.path)
    const most = large?.bytes ?? BODY_LIMIT
    const declared = Number(c.req.header("content-length") ?? Number.NaN)
    const stream = c.req.raw.body
    if (declared > most) {
      if (stream) await drain(stream, most)
      return refuse(c, tooLarge(most))
    }
    // The platform reads a body of known length at once; in pieces, a megabyte takes several times as long.
    const bytes = stream ? await (declared >= 0 ? whole(c.req.raw, most) : read(stream, most)) : ok(new Uint8Array())
    if (!bytes.ok) return refuse(c, bytes.error)
    const isLarge = Math.max(declared || 0, bytes.value.byteLength) > BODY_LIMIT
    if (isLarge && large?.only !== undefined && !names(bytes.value, large.only)) return refuse(c, tooLarge(BODY_LIMIT))
    c.set("body", bytes.value)
    // [N4] What follows takes time with the size: sixty bodies of a megabyte that arrive together pass one after another.
    await new Breath().compute(bytes.value.byteLength, () => undefined)
    return next()
  }

/** Whether JSON text may have this member: its name is somewhere in the text. */
const names = (body: Uint8Array, member: string): boolean => new TextDecoder("latin1").decode(body).includes(`"${member}"`)

const INCOMPLETE: Refusal = { code: "incomplete_body", detail: "The connection closed before the whole body arrived." }

async function whole(request: Request, most: number): Promise<Result<Uint8Array, Refusal>> {
  try {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return bytes.byteLength > most ? err(tooLarge(most)) : ok(bytes)
  } catch {
    return err(INCOMPLETE)
  }
}

async function read(stream: ReadableStream<Uint8Array>, most: number): Promise<Result<Uint8Array, Refusal>> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > most) {
        reader.releaseLock()
        await drain(stream, most)
        return err(tooLarge(most))
      }
      chunks.push(value)
    }
  } catch {
    return err(INCOMPLETE)
  }
  return ok(joined(chunks))
}

/** A client that is still sending would see a reset instead of the answer, so the rest is read and dropped, up to 8 times the limit. */
async function drain(stream: ReadableStream<Uint8Array>, most: number): Promise<void> {
  const reader = stream.getReader()
  try {
    for (let dropped = 0; dropped < 8 * most;) {
      const { done, value } = await reader.read()
      if (done) return
      dropped += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The client is gone, so no one is left to answer.
  }
}

/**
 * [H3] Returns 415 for a compressed body, before its bytes are read as text. This runs for every route. The body is never unpacked here,
 * because a small body may expand to any size.
 */
export function encodedBody(c: Call): Refusal | undefined {
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? ""
  if (encoding === "" || encoding === "identity" || c.get("body").byteLength === 0) return undefined
  return {
    code: "unsupported_media_type",
    detail: `The body is encoded as ${short(encoding)}; send it plain, without \`content-encoding\`.`,
  }
}

/** The media type of a header, without parameters, in lower case. */
const mediaType = (header: string | undefined): string => (header ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

/** What a body is: values that are handed on keep every digit; a definition holds JSON Schemas, whose bounds are numbers of any size. */
type Content = "values" | "definition"

/** A JSON body checked by the schema of an object. No body at all is `{}`. */
export function json<S extends ObjectSchema>(c: Call, schema: S, content: Content = "values"): Result<z.output<S>, Refusal> {
  const parsed = parseJson(c, content)
  if (!parsed.ok) return parsed
  return check(schema, parsed.value)
}

export function parseJson(c: Call, content: Content = "values"): Result<unknown, Refusal> {
  const bytes = c.get("body")
  if (bytes.byteLength === 0) return ok({})
  const read = READ.get(c)
  if (read !== undefined) return read[content]
  const type = mediaType(c.req.header("content-type"))
  if (type !== "" && type !== "application/json" && !type.endsWith("+json")) {
    return err({ code: "unsupported_media_type", detail: `The body is ${type}; send JSON with \`content-type: application/json\`.` })
  }
  const text = decode(bytes)
  if (text === undefined) return err({ code: "malformed_json", detail: "The body is not UTF-8." })
  let value: unknown
  try {
    value = content === "values" ? exactJson(text) : JSON.parse(text)
  } catch (error) {
    const message = messageOf(error, "not JSON")
    const at = /line (\d+) column (\d+)/.exec(message)
    return err({
      code: "malformed_json",
      detail: message,
      errors: [{ pointer: "", ...(at ? { line: Number(at[1]), column: Number(at[2]) } : {}), message }],
    })
  }
  const fault = surface(value)
  return fault ? err(invalid([fault])) : ok(value)
}

const READ = new WeakMap<Call, Readonly<Record<Content, Result<unknown, Refusal>>>>()

/** [N4] Reads a large JSON body in pieces, for the handler that asks for it. A body over the usual limit has a bounded number of values. */
export async function readLargeJson(c: Call, isPlain = encodedBody(c) === undefined): Promise<void> {
  const bytes = c.get("body")
  const type = mediaType(c.req.header("content-type"))
  if (bytes.byteLength <= SMALL || (type !== "" && type !== "application/json" && !type.endsWith("+json")) || !isPlain) return
  const text = decode(bytes)
  // A file without a content type, which is not read as JSON.
  if (text === undefined || !/^\s*[[{]/.test(text)) return
  const bounds = bytes.byteLength > BODY_LIMIT ? { values: MAX_VALUES } : {}
  const breath = new Breath()
  const values = await breath.through(largeJson(text, bounds))
  const definition = mayBeInexact(text) ? await breath.through(largeJson(text, { ...bounds, exact: false })) : values
  READ.set(c, { values, definition })
}

function* largeJson(text: string, bounds: JsonBounds): Pieces<Result<unknown, Refusal>> {
  const read = yield* readJson(text, bounds)
  if (!read.ok) {
    const { message, place } = read.error
    if (place === undefined) return err(invalid([{ pointer: "", message }]))
    return err({ code: "malformed_json", detail: `The body ${message}.`, errors: [{ pointer: "", ...place, message }] })
  }
  const fault = yield* surfacePieces(read.value)
  return fault ? err(invalid([fault])) : read
}

const PLAIN: ReadonlySet<string> = new Set([
  "",
  "application/yaml",
  "application/x-yaml",
  "application/javascript",
  "application/typescript",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
])

/** Any text type. A missing type and the default type of curl count as text. */
export function text(c: Call): Result<string, Refusal> {
  const type = mediaType(c.req.header("content-type"))
  const plain = PLAIN.has(type)
  if (!plain && !type.startsWith("text/") && !type.endsWith("+yaml")) {
    return err({ code: "unsupported_media_type", detail: `The body is ${type}; send the file as text, application/yaml or text/markdown.` })
  }
  const content = decode(c.get("body"))
  return content === undefined ? err({ code: "malformed_text", detail: "The body is not UTF-8." }) : ok(content)
}

export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Refuses what no schema should have to handle: deep nesting, a key that poisons a careless copy, and `1e400`, which is Infinity in memory
 * and null in a journal. It does not recurse, because depth is what it guards against.
 */
export function surface(root: unknown): Fault | undefined {
  const pieces = surfacePieces(root)
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
  }
}

/** Values that are looked at between two rests. */
const AT_ONCE = 4_000

export function* surfacePieces(root: unknown): Pieces<Fault | undefined> {
  let looked = 0
  const open: Spot[] = []
  /** Only what has members is looked into: an entry for each of 200,000 numbers would take ten times as long. */
  const meet = (value: unknown, key: string | number, around: Spot | undefined): Fault | undefined => {
    if (typeof value === "number" && !Number.isFinite(value))
      return { pointer: pointerTo(key, around), message: "is too large for a number" }
    if (typeof value !== "object" || value === null) return undefined
    open.push({ value, depth: around === undefined ? 0 : around.depth + 1, key, around })
    return undefined
  }
  const first = meet(root, "", undefined)
  if (first) return first
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (depth >= DEPTH_LIMIT) return { pointer: "", message: `is nested deeper than ${DEPTH_LIMIT} levels` }
    if (Object.hasOwn(value, "__proto__")) return { pointer: "", message: "must not have the key __proto__" }
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        if (++looked % AT_ONCE === 0) yield AT_ONCE * 20
        const fault = meet(value[i], i, next)
        if (fault) return fault
      }
      continue
    }
    for (const [key, child] of Object.entries(value)) {
      if (++looked % AT_ONCE === 0) yield AT_ONCE * 20
      const fault = meet(child, key, next)
      if (fault) return fault
    }
  }
  return undefined
}

interface Spot {
  readonly value: object
  readonly depth: number
  readonly key: string | number
  readonly around: Spot | undefined
}

const pointerTo = (key: string | number, around: Spot | undefined): string =>
  around === undefined ? "" : pointerTo(around.key, around.around) + pointerStep(key)

export function check<S extends ObjectSchema>(schema: S, value: unknown): Result<z.output<S>, Refusal> {
  if (!isObject(value))
    return err(
      invalid([{ pointer: "", message: `must be a JSON object${"shape" in schema ? ` with ${list(Object.keys(schema.shape))}` : ""}` }]),
    )
  const result = schema.safeParse(value)
  if (result.success) return ok(result.data as z.output<S>)
  return err(invalid(bodyFaults(schema, value, result.error.issues, MAX_FAULTS + 1)))
}

const list = (names: readonly string[]): string => (names.length === 0 ? "no fields" : names.join(", "))
