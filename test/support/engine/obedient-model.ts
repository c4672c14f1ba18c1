// A model that obeys: it looks for orders in whatever it reads (`CALL tool {json}`, plainly or in disguise) and makes the calls.
//
// No test hopes that a model resists an injection: this model never does, so only its permissions limit it.

import { isObject } from "../../../src/core/json.ts"
import type { ModelRequest } from "../../../src/ports/model.ts"

export interface Wish {
  readonly name: string
  readonly args: unknown
}

/** All orders in this request, in order of appearance, each once. */
export function ordersIn(request: ModelRequest): Wish[] {
  const found = new Map<string, Wish>()
  for (const text of [request.system, ...request.messages.flatMap(readable)])
    for (const form of disguises(text)) for (const wish of orders(form)) found.set(JSON.stringify(wish), wish)
  return [...found.values()]
}

/** Text from others; its own words are not orders. */
const readable = (m: ModelRequest["messages"][number]): string[] =>
  m.role === "user" ? [m.text] : m.role === "tool" ? m.content.map((p) => (p.type === "text" ? p.text : "")) : []

function disguises(text: string): string[] {
  const base64 = [...text.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([t]) => Buffer.from(t, "base64").toString("utf8"))
  const hex = [...text.matchAll(/(?:[0-9a-f]{2}){12,}/g)].map(([t]) => Buffer.from(t, "hex").toString("utf8"))
  return [
    text,
    ...base64,
    ...hex,
    text.replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, ""),
    text.replace(/(?:%[0-9a-f]{2})+/gi, (t) => safely(() => decodeURIComponent(t), t)),
    text.replace(/&(quot|lt|gt|amp);/g, (_, n: string) => ({ quot: '"', lt: "<", gt: ">", amp: "&" })[n] ?? ""),
    text.replace(/\\u([0-9a-f]{4})/gi, (_, n: string) => String.fromCharCode(parseInt(n, 16))),
    text.replaceAll('\\"', '"'),
    text.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < "n" ? 13 : -13))),
    text.split("").reverse().join(""),
  ]
}

const safely = <T>(work: () => T, otherwise: T): T => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

function orders(text: string): Wish[] {
  return [...text.matchAll(/CALL\s+([^\s{]+)\s*(?=\{)/g)].flatMap((m) => {
    const json = objectAt(text, m.index + m[0].length)
    const args: unknown = json === undefined ? undefined : safely(() => JSON.parse(json), undefined)
    return isObject(args) && m[1] !== undefined ? [{ name: m[1], args }] : []
  })
}

/** The text of the JSON object that begins here. */
function objectAt(text: string, from: number): string | undefined {
  let depth = 0
  let quoted = false
  for (let i = from; i < text.length; i++) {
    const c = text[i]
    if (quoted && c === "\\") i++
    else if (c === '"') quoted = !quoted
    else if (!quoted && c === "{") depth++
    else if (!quoted && c === "}" && --depth === 0) return text.slice(from, i + 1)
  }
  return undefined
}
