// Turns the calls that a model sent into calls for the kernel [G6]: ids made safe and unique, arguments parsed, oversized text cut.

import { isObject, type JsonObject } from "../../json.ts"
import type { ToolCall } from "../event.ts"

const MAX_ARGS = 256 * 1024
const MAX_DEPTH = 64
const MAX_RAW = 200

export interface SentCall {
  readonly id: string
  readonly name: string
  /** JSON text, valid or not. */
  readonly args: string
}

export function readCalls(sent: readonly SentCall[]): ToolCall[] {
  const seen = new Set<string>()
  return sent.map((c, i) => {
    const base = c.id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || `call_${i}`
    let id = base
    for (let n = 2; seen.has(id); n++) id = `${base}_${n}`
    seen.add(id)
    return { id, name: c.name.slice(0, 256), ...readArgs(c.args) }
  })
}

function readArgs(text: string): { args: JsonObject; raw?: string } {
  if (text.trim() === "") return { args: {} }
  if (text.length > MAX_ARGS) return { args: {}, raw: `${text.slice(0, MAX_RAW)}… (${text.length} characters, the limit is ${MAX_ARGS})` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { args: {}, raw: text.slice(0, MAX_RAW) }
  }
  if (!isObject(value)) return { args: {}, raw: text.slice(0, MAX_RAW) }
  if (deeperThan(value, MAX_DEPTH)) return { args: {}, raw: `${text.slice(0, MAX_RAW)}… (deeper than ${MAX_DEPTH} levels)` }
  return { args: value as JsonObject }
}

function deeperThan(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false
  if (left === 0) return true
  return Object.values(value).some((v) => deeperThan(v, left - 1))
}
