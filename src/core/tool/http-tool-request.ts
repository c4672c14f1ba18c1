// Builds the request of a call of an HTTP tool [T26], and the request that undoes it [K35].

import { defined } from "../defined.ts"
import { expandBody, expandHeaders, expandUrl, formOf, multipartOf, Unfit } from "./http-template.ts"
import { isObject, type JsonObject } from "../json.ts"
import type { HttpToolDef } from "./tool-def.ts"

export const LOOKING: ReadonlySet<string> = new Set(["GET", "HEAD"])

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Throws Unfit if these arguments make no valid request. */
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

export const isForm = (type: string | undefined): boolean => type !== undefined && /x-www-form-urlencoded|^multipart\/form-data/i.test(type)

/** [K35] The tool that undoes a call: its arguments are those of the call, plus the call's answer under `RESULT`. */
export const undoDef = (def: HttpToolDef): HttpToolDef | undefined =>
  def.undo && { ...def, request: { ...def.undo, ...defined({ styles: def.request.styles }) } }

export const authHeader = (auth: NonNullable<HttpToolDef["auth"]>): string => (auth.header ?? "authorization").toLowerCase()

/** The header that carries a secret. */
export function secretHeader(auth: NonNullable<HttpToolDef["auth"]>, secret: string): Record<string, string> {
  const name = authHeader(auth)
  const scheme = auth.scheme ?? (name === "authorization" ? "Bearer" : "")
  return { [name]: scheme === "" ? secret : `${scheme} ${secret}` }
}
