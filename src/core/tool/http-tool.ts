// HTTP tools as data [T26]: what a tenant may register, the ToolSpec it becomes, and the request that a call of it makes. Scheme and host
// stand in the definition and nowhere else; a model only ever fills places behind them.

import { z } from "zod"
import { bodyFaults } from "../schema/body-faults.ts"
import { objectWithin, recordOf, within } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"
import { argumentsIn, expandBody, expandHeaders, expandUrl, formOf, multipartOf, readTemplate, RESULT, Unfit } from "./http-template.ts"
import { canonical, isObject, type Json, type JsonObject } from "../json.ts"
import { pointerStep } from "../text/pointer.ts"
import { hiddenIn } from "../text/hidden.ts"
import { hostOf } from "../text/web-address.ts"
import { parseApprovalRule } from "../policy/approval-rule.ts"
import { err, ok, type Result } from "../result.ts"
import { schemaFaults } from "../schema/schema-fault.ts"
import { isOverrideHeader, queryOverrides } from "./method-override.ts"
import type { HttpToolDef } from "./tool-def.ts"
import type { RequestShown, ToolSpec } from "./tool-spec.ts"

export interface ToolFault {
  /** JSON Pointer into the body. */
  readonly pointer: string
  readonly message: string
}

/** A definition is a row of the tenant's object and a part of every run that pins it. */
const MAX_DEFINITION = 64 * 1024
const MAX_TIMEOUT = 600_000
const MOST_FAULTS = 50

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const
const LOOKING: ReadonlySet<string> = new Set(["GET", "HEAD"])

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Of the connection, not of the tool; the guard drops them too. */
const NOT_FOR_TOOLS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/i

const text = (most: number) => z.string().min(1).max(most)
const header = z.string().regex(HEADER_NAME, "is no header name")

/** `30s`, `5m` or milliseconds. */
const duration = () =>
  z
    .union([
      z.number().int(),
      z
        .string()
        .max(9)
        .regex(/^\d{1,6}(ms|s|m)$/, "must be milliseconds, or such as 30s or 5m"),
    ])
    .transform(msOf)

const approvalRule = () =>
  within(z.unknown(), MAX_DEFINITION).transform((value, ctx) => {
    const rule = parseApprovalRule(value)
    if (rule.ok) return rule.value
    ctx.issues.push({ code: "custom", message: rule.error.message, input: value })
    return z.NEVER
  })

const styles = () => recordOf(z.enum(["deep", "members"]), 200, z.string().min(1).max(500)).exactOptional()

const word = () => text(500).exactOptional()
const words = () => z.array(z.string().min(1).max(200)).max(100).exactOptional()
const request = () => ({
  method: z
    .string()
    .max(10)
    .transform((m) => m.toUpperCase())
    .pipe(z.enum(METHODS)),
  url: text(4_000),
  headers: recordOf(z.string().max(4_000), 100, header).exactOptional(),
  body: within(z.json(), MAX_DEFINITION).exactOptional(),
})

export const Registration = later(() =>
  z.strictObject({
    label: text(200).exactOptional(),
    description: text(4_000),
    parameters: objectWithin(MAX_DEFINITION),
    request: z.strictObject({
      ...request(),
      styles: z.strictObject({ query: styles(), body: styles() }).exactOptional(),
    }),
    auth: z
      .strictObject({
        scope: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be the name of a secret's scope"),
        header: header.exactOptional(),
        scheme: z
          .string()
          .regex(/^[A-Za-z0-9_-]{0,40}$/, "must be one word, such as Bearer")
          .exactOptional(),
      })
      .exactOptional(),
    effect: z.enum(["none", "read", "write"]).exactOptional(),
    idempotent: z.boolean().exactOptional(),
    simulate: text(4_000).exactOptional(),
    undo: z.strictObject(request()).exactOptional(),
    untrusted: z.boolean().exactOptional(),
    approval: approvalRule().exactOptional(),
    timeout: duration()
      .pipe(z.number().min(1).max(MAX_TIMEOUT, `must be at most ${MAX_TIMEOUT} ms`))
      .exactOptional(),
    truncate: z.enum(["head", "tail"]).exactOptional(),
    render: z
      .strictObject({
        call: z.strictObject({ label: word(), action: word(), main: word(), hide: words(), long: words() }).exactOptional(),
        result: z.strictObject({ summary: word(), items: word(), item: word(), footer: word() }).exactOptional(),
      })
      .exactOptional(),
  }),
)

/** `name` was judged by the caller; the address is judged further by who knows addresses (engine/address-guard.ts). */
export function readHttpTool(name: string, body: unknown): Result<HttpToolDef, readonly ToolFault[]> {
  const parsed = Registration.safeParse(body)
  if (!parsed.success) return err(bodyFaults(Registration, body, parsed.error.issues, MOST_FAULTS))
  const def = { kind: "http", name, ...parsed.data } satisfies HttpToolDef
  const faults = [
    ...parameterFaults(def.parameters),
    ...requestFaults(def, "/request"),
    ...simulateFaults(def),
    ...undoFaults(def),
    ...hiddenFaults(def),
  ]
  if (canonical(def).length > MAX_DEFINITION) faults.push({ pointer: "", message: `is longer than ${MAX_DEFINITION / 1024} KiB` })
  return faults.length === 0 ? ok(def) : err(faults)
}

function parameterFaults(schema: JsonObject): ToolFault[] {
  if (schema["type"] !== "object") return [{ pointer: "/parameters/type", message: 'must be "object": a tool takes named arguments' }]
  return schemaFaults(schema).map(({ pointer, message }) => ({ pointer: `/parameters${pointer}`, message }))
}

/** Its words are instructions for a model, so a person who registers or imports them must see all of them. */
function hiddenFaults({ label, description, parameters }: HttpToolDef): ToolFault[] {
  return Object.entries({ label, description, parameters }).flatMap(([field, value]) => {
    const hidden = value === undefined ? undefined : hiddenIn(typeof value === "string" ? value : JSON.stringify(value))
    return hidden === undefined
      ? []
      : [{ pointer: `/${field}`, message: `has a character that a reader does not see (${hidden}): remove it` }]
  })
}

/** [K32] */
function simulateFaults({ simulate, parameters }: HttpToolDef): ToolFault[] {
  const template = simulate === undefined ? undefined : readTemplate(simulate)
  if (simulate === undefined || template === undefined) return []
  if (!template.ok) return [{ pointer: "/simulate", message: template.error }]
  return unknownArguments(argumentsIn(simulate), parameters, "/simulate")
}

/** [K35] */
function undoFaults(def: HttpToolDef): ToolFault[] {
  const { undo } = def
  if (undo === undefined) return []
  const faults = requestFaults({ ...def, request: undo }, "/undo")
  const [host, own] = [hostOf(undo.url), hostOf(def.request.url)]
  const isSame = host?.host === own?.host && host?.port === own?.port && /^https:/i.test(undo.url) === /^https:/i.test(def.request.url)
  return isSame ? faults : [...faults, { pointer: "/undo/url", message: "must have the scheme and the host of the tool's own request" }]
}

function unknownArguments(names: readonly string[], { properties: declared }: JsonObject, pointer: string): ToolFault[] {
  return [...new Set(names)].flatMap((name) => {
    const isDeclared = isObject(declared) && Object.hasOwn(declared, name)
    if (isDeclared || (pointer === "/undo" && name === RESULT)) return []
    const what = name === RESULT ? "refers to the result, which only undo may" : `refers to args.${name}, which parameters does not declare`
    return [{ pointer, message: what }]
  })
}

function requestFaults({ request, parameters, auth }: Pick<HttpToolDef, "request" | "parameters" | "auth">, place: string): ToolFault[] {
  const { method, url, headers = {}, body } = request
  const faults: ToolFault[] = []
  const fixed = /^https?:\/\/([^/?#]*)/i.exec(url)
  const at = `${place}/url`
  if (!fixed) faults.push({ pointer: at, message: "must begin with https:// (or http://) and a host" })
  else if (/\$\{\{|[{}]/.test(fixed[1] ?? ""))
    faults.push({ pointer: at, message: "scheme and host are fixed: templates belong in the path and the query" })
  else if (!hostOf(fixed[0])) faults.push({ pointer: at, message: "names no host" })
  if (url.includes("#")) faults.push({ pointer: at, message: "has a fragment, which is never sent" })
  if (/[\s\\]/.test(url.replace(/\$\{\{[^}]*\}\}/g, "")))
    faults.push({ pointer: at, message: "has a space or backslash: percent-encode it" })
  for (const [pointer, one] of [[at, url], ...Object.entries(headers).map(([h, v]) => [`${place}/headers${pointerStep(h)}`, v])] as const) {
    const template = readTemplate(one)
    if (!template.ok) faults.push({ pointer, message: template.error })
  }
  for (const [pointer, one] of textsIn(body ?? null, `${place}/body`)) {
    const template = readTemplate(one)
    if (!template.ok) faults.push({ pointer, message: template.error })
  }
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1]
  if (typeof body === "string" && isForm(type) && !isOneReference(body))
    faults.push({ pointer: `${place}/body`, message: "must be an object: its members become the form's fields, percent-encoded" })
  if (body !== undefined && LOOKING.has(method)) faults.push({ pointer: `${place}/body`, message: `a ${method} has no body` })
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  for (const name of names)
    if (NOT_FOR_TOOLS.test(name)) faults.push({ pointer: `${place}/headers${pointerStep(name)}`, message: "is not for a tool to set" })
  const secret = auth && authHeader(auth)
  if (secret !== undefined && NOT_FOR_TOOLS.test(secret)) faults.push({ pointer: "/auth/header", message: "is not for a tool to set" })
  if (secret !== undefined && names.includes(secret)) faults.push({ pointer: `${place}/headers/${secret}`, message: "is what auth sets" })
  const used = [url, ...Object.values(headers), body ?? null].flatMap(argumentsIn)
  if (place !== "/request") return [...faults, ...unknownArguments(used, parameters, place)]
  const declared = parameters["properties"]
  for (const name of new Set(used))
    if (name === RESULT) faults.push({ pointer: "/request", message: "refers to the result, which only undo may" })
    else if (!isObject(declared) || !Object.hasOwn(declared, name))
      faults.push({ pointer: "/parameters/properties", message: `has no ${JSON.stringify(name)}, which the request refers to` })
  return faults
}

const isForm = (type: string | undefined): boolean => type !== undefined && /x-www-form-urlencoded|^multipart\/form-data/i.test(type)

/** The argument's members are the fields. */
function isOneReference(body: string): boolean {
  const parts = readTemplate(body)
  return parts.ok && parts.value.length === 1 && typeof parts.value[0] !== "string"
}

function textsIn(value: Json, pointer: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[pointer, value]]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, pointer + pointerStep(key)))
}

function msOf(given: number | string): number {
  if (typeof given === "number") return given
  const unit = given.endsWith("ms") ? 1 : given.endsWith("s") ? 1_000 : 60_000
  return Number.parseInt(given, 10) * unit
}

export function httpSpec(def: HttpToolDef): ToolSpec {
  const { name, label, description, parameters, request, auth, approval, timeout, truncate, render } = def
  const looks = LOOKING.has(request.method) && !isOverridden(request)
  return {
    name,
    ...(label === undefined ? {} : { label }),
    description,
    parameters,
    effect: def.effect ?? (looks ? "read" : "write"),
    ...(def.idempotent === undefined ? {} : { idempotent: def.idempotent }),
    ...(def.simulate === undefined ? {} : { simulate: def.simulate }),
    ...(def.undo === undefined ? {} : { undoable: true }),
    preview: (args) => preview(def, args),
    contexts: ["main", "agent"],
    untrusted: def.untrusted ?? true,
    reach: { to: { host: hostOf(request.url)?.host ?? "" }, method: { fixed: looks ? request.method : writing(request.method) } },
    ...(auth === undefined ? {} : { private: true, requiredSecretScopes: [auth.scope] }),
    ...(approval === undefined ? {} : { approval }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(truncate === undefined ? {} : { truncate }),
    ...(render === undefined ? {} : { render }),
  }
}

/** [K31] undefined: these arguments make no request. */
function preview(def: HttpToolDef, args: JsonObject): RequestShown | undefined {
  try {
    const { method, url, body } = expand(def, args)
    const secret = def.auth && authHeader(def.auth)
    return { method, url, ...(secret === undefined ? {} : { secretHeaders: [secret] }), ...(body === undefined ? {} : { body }) }
  } catch (e) {
    if (e instanceof Unfit) return undefined
    throw e
  }
}

/** [K35] The tool that takes a call back: its arguments are those of the call, and its answer under `RESULT`. */
export const undoDef = (def: HttpToolDef): HttpToolDef | undefined =>
  def.undo && { ...def, request: { ...def.undo, ...(def.request.styles === undefined ? {} : { styles: def.request.styles }) } }

/** [G11] A header or a parameter of the definition replaces the method, so what the call does is not known: it counts as a write. */
const isOverridden = ({ url, headers = {} }: HttpToolDef["request"]): boolean =>
  Object.keys(headers).some(isOverrideHeader) || queryOverrides(url.slice(url.indexOf("?") + 1 || url.length))

const writing = (method: string): string => (LOOKING.has(method) ? "POST" : method)

const authHeader = (auth: NonNullable<HttpToolDef["auth"]>): string => (auth.header ?? "authorization").toLowerCase()

/** The header that carries a secret. */
export function secretHeader(auth: NonNullable<HttpToolDef["auth"]>, secret: string): Record<string, string> {
  const name = authHeader(auth)
  const scheme = auth.scheme ?? (name === "authorization" ? "Bearer" : "")
  return { [name]: scheme === "" ? secret : `${scheme} ${secret}` }
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Throws Unfit when these arguments make no request that may be sent. */
export function expand({ request }: HttpToolDef, args: JsonObject): HttpRequest {
  const { method } = request
  const headers = expandHeaders(request.headers ?? {}, args)
  const url = expandUrl(request.url, args, request.styles?.query)
  const body = request.body === undefined ? undefined : expandBody(request.body, args)
  if (body === undefined) return { method, url, headers }
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1]
  // A text that is written around its values is sent as it is; anything else is JSON.
  const isText = typeof body === "string" && given !== undefined && !/json/i.test(given) && !isForm(given)
  if (isText) return { method, url, headers, body }
  if (given !== undefined && isForm(given)) {
    if (!isObject(body)) throw new Unfit("the body must be an object: its members become the form's fields")
    const fields = body as JsonObject
    if (!/^multipart/i.test(given)) return { method, url, headers, body: formOf(fields, request.styles?.body) }
    const { type, body: text } = multipartOf(fields, request.styles?.body)
    const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-type")
    return { method, url, headers: { ...Object.fromEntries(others), "content-type": type }, body: text }
  }
  return {
    method,
    url,
    headers: given === undefined ? { ...headers, "content-type": "application/json" } : headers,
    body: JSON.stringify(body),
  }
}
