// Cuts an account to size [V4]: a text at 64 KiB, and everything beyond 512 KiB together. What a scorer reads most comes first: the answer
// and the output before steps and files.

import type { Json } from "../json.ts"
import { utf8Width } from "../text/utf8.ts"

export const MAX_ACCOUNT_TEXT = 64 * 1024 // limit: bytes of a text of an account → it is cut
export const MAX_ACCOUNT = 512 * 1024 // limit: bytes of all texts of an account → what comes last is cut

/** The order in which members take their part. */
const FIRST = ["flow", "status", "task", "answer", "output", "error", "expected", "criteria", "inputs", "conversation", "branches"] as const

export function bounded<Account extends object>(account: Account): Account {
  const left = { bytes: MAX_ACCOUNT }
  const whole = account as Readonly<Record<string, Json>>
  const cut: Record<string, Json> = {}
  for (const name of [...FIRST, ...Object.keys(whole).filter((one) => !FIRST.some((first) => first === one))])
    cut[name] = shortened(whole[name] ?? null, left)
  return Object.fromEntries(Object.keys(whole).map((name) => [name, cut[name]])) as Account
}

function shortened(value: Json, left: { bytes: number }): Json {
  if (typeof value === "string") return cutText(value, left)
  if (Array.isArray(value)) return value.map((one: Json) => shortened(one, left))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one as Json, left)]))
}

function cutText(text: string, left: { bytes: number }): string {
  const most = Math.min(MAX_ACCOUNT_TEXT, left.bytes)
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const width = utf8Width(text, end)
    if (bytes + width > most) break
    bytes += width
    end += 1
  }
  // The second half of a pair belongs to its first.
  left.bytes -= bytes
  return end === text.length ? text : text.slice(0, end)
}
