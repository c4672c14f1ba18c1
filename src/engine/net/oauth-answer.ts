// Prepares an authorization server's answer for the official client [T27]: many servers write null for absent values, which the client
// refuses. Values that servers usually omit and the client demands get their usual value.

import { isObject, type Json } from "../../core/json.ts"

export async function tidied(response: Response): Promise<Response> {
  if (response.body === null || !/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return response
  const text = await response.text()
  return new Response(tidyText(text), { status: response.status, headers: response.headers })
}

const MOST = 64 * 1024 // limit: characters of an authorization server's answer whose nulls are left out → it is read as it is

function tidyText(text: string): string {
  if (text.length > MOST) return text
  try {
    const value: Json = JSON.parse(text)
    if (!isObject(value)) return text
    const given = withoutNull(value)
    return JSON.stringify({ ...usual(given), ...given })
  } catch {
    return text
  }
}

function usual(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (given["access_token"] !== undefined) return { token_type: "Bearer" }
  if (given["authorization_endpoint"] !== undefined) return { response_types_supported: ["code"] }
  return given["client_id"] === undefined ? {} : { redirect_uris: [] }
}

function withoutNull(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, Array.isArray(member) ? member.filter((item) => item !== null) : member]))
}
