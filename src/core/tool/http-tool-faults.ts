// Checks the definition of an HTTP tool [T26] beyond its shape.

import { argumentsIn, isHeaderText, NO_HEADER_TEXT, readTemplate, RESULT } from "./http-template.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { pointerStep } from "../text/pointer.ts"
import { hiddenIn } from "../text/hidden.ts"
import { hostOf } from "../text/web-address.ts"
import { schemaFaults } from "../schema/schema-fault.ts"
import type { HttpToolDef } from "./tool-def.ts"
import { authHeader, isForm, LOOKING } from "./http-tool-request.ts"

export interface ToolFault {
  /** JSON Pointer into the body. */
  readonly pointer: string
  readonly message: string
}

/** Of the connection, not of the tool; the guard drops them too. */
const NOT_FOR_TOOLS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/i

export function parameterFaults(schema: JsonObject): ToolFault[] {
  if (schema["type"] !== "object") return [{ pointer: "/parameters/type", message: 'must be "object": a tool takes named arguments' }]
  return schemaFaults(schema, { isOwn: true }).map(({ pointer, message }) => ({ pointer: `/parameters${pointer}`, message }))
}

/** Finds hidden characters: a tool's texts are instructions for a model, so the person who registers the tool must see all of them. */
export function hiddenFaults({ label, description, parameters }: HttpToolDef): ToolFault[] {
  return Object.entries({ label, description, parameters }).flatMap(([field, value]) => {
    const hidden = value === undefined ? undefined : hiddenIn(typeof value === "string" ? value : JSON.stringify(value))
    return hidden === undefined ? [] : [{ pointer: `/${field}`, message: `has an invisible character (${hidden}): remove it` }]
  })
}

/** [K32] The faults of a tool's simulated result. */
export function simulateFaults({ simulate, parameters }: HttpToolDef): ToolFault[] {
  const template = simulate === undefined ? undefined : readTemplate(simulate)
  if (simulate === undefined || template === undefined) return []
  if (!template.ok) return [{ pointer: "/simulate", message: template.error }]
  return unknownArguments(argumentsIn(simulate), parameters, "/simulate")
}

/** [K35] The faults of a tool's undo request. */
export function undoFaults(def: HttpToolDef): ToolFault[] {
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
    const what =
      name === RESULT ? "refers to the result, which only undo may do" : `refers to args.${name}, which parameters does not declare`
    return [{ pointer, message: what }]
  })
}

export function requestFaults(
  { request, parameters, auth }: Pick<HttpToolDef, "request" | "parameters" | "auth">,
  place: string,
): ToolFault[] {
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
    else if (pointer !== at && template.value.some((part) => typeof part === "string" && !isHeaderText(part)))
      faults.push({ pointer, message: NO_HEADER_TEXT })
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
  const twice = Object.keys(headers).find((name, i) => names.indexOf(name.toLowerCase()) < i)
  if (twice !== undefined)
    faults.push({ pointer: `${place}/headers${pointerStep(twice)}`, message: "is given twice: header names have no letter case" })
  for (const name of names)
    if (NOT_FOR_TOOLS.test(name)) faults.push({ pointer: `${place}/headers${pointerStep(name)}`, message: "cannot be set by a tool" })
  const secret = auth && authHeader(auth)
  if (secret !== undefined && NOT_FOR_TOOLS.test(secret)) faults.push({ pointer: "/auth/header", message: "cannot be set by a tool" })
  if (secret !== undefined && names.includes(secret)) faults.push({ pointer: `${place}/headers/${secret}`, message: "is set by auth" })
  const used = [url, ...Object.values(headers), body ?? null].flatMap(argumentsIn)
  if (place !== "/request") return [...faults, ...unknownArguments(used, parameters, place)]
  const declared = parameters["properties"]
  for (const name of new Set(used))
    if (name === RESULT) faults.push({ pointer: "/request", message: "refers to the result, which only undo may do" })
    else if (!isObject(declared) || !Object.hasOwn(declared, name))
      faults.push({ pointer: "/parameters/properties", message: `has no ${JSON.stringify(name)}, which the request refers to` })
  return faults
}

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
