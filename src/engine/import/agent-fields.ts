// Edits the frontmatter of an imported agent file: fields in order, with a note on each change.

import { stringify } from "yaml"
import type { Json } from "../../core/json.ts"

export type Fields = Map<string, Json>
export type Say = (change: string) => void

const fieldText = (key: string, value: Json): string => stringify({ [key]: value }, { lineWidth: 0 })

export const fileOf = (fields: Fields, body: string): string =>
  `---\n${[...fields].map(([key, value]) => fieldText(key, value)).join("")}---\n\n${body}\n`

/** A new key goes last, or first if `first`. */
export function set(fields: Fields, key: string, value: Json, first = false): void {
  if (!first || fields.has(key)) {
    fields.set(key, value)
    return
  }
  const others = [...fields]
  fields.clear()
  for (const [k, v] of [[key, value] as const, ...others]) fields.set(k, v)
}

/** The new key takes the position of the first old key, or goes last. */
export function replace(fields: Fields, old: readonly string[], key: string, value: Json): void {
  const others = [...fields]
  const at = others.findIndex(([k]) => old.includes(k))
  fields.clear()
  others.forEach(([k, v], i) => {
    if (i === at) fields.set(key, value)
    else if (!old.includes(k)) fields.set(k, v)
  })
  if (at < 0) fields.set(key, value)
}

/** The names in a list, or in a text separated by commas or line breaks. */
export function namesOf(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => (typeof item === "string" ? [item.trim()] : [])).filter((item) => item !== "")
  if (typeof value !== "string") return []
  return listedIn(value)
    .map((item) => unwrapped(item.trim()))
    .filter((item) => item !== "")
}

/** Commas inside parentheses belong to the tool: `Bash(git add, git commit)`. Read from the end, so that an unclosed parenthesis is harmless. */
function listedIn(text: string): string[] {
  const items: string[] = []
  let end = text.length
  let inside = false
  for (let i = text.length - 1; i >= 0; i--) {
    const char = text.charAt(i)
    if (char === ")") inside = true
    else if (char === "(") inside = false
    else if ((char === "," || char === "\n") && !inside) {
      items.push(text.slice(i + 1, end))
      end = i
    }
  }
  items.push(text.slice(0, end))
  return items.reverse()
}

/** Removes quotes and brackets at both ends. */
function unwrapped(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && `"'[`.includes(text.charAt(from))) from++
  while (to > from && `"']`.includes(text.charAt(to - 1))) to--
  return text.slice(from, to)
}
