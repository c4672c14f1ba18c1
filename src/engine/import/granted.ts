// Reads the grants and denials in a line of tools, in the dialect of its program. Anything not clearly granted is denied.

import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { namesOf } from "./agent-fields.ts"
import type { PowerLine } from "./power-lines.ts"

export interface Granted {
  /** By name; absent: all but the denied. */
  readonly names?: readonly string[]
  readonly denied: readonly string[]
  /** What is said of it, if that is more than the names. */
  readonly why?: string
}

const WRITING = ["write", "edit"]
/** Modes in which an agent of Claude Code has all its tools. */
const OPEN_MODES: ReadonlySet<string> = new Set(["default", "acceptedits", "bypasspermissions", "dontask", "auto", "delegate"])

/** The grants of a line; undefined: it is unreadable. */
export function grantedBy({ power, value, stray }: PowerLine): Granted | undefined {
  if (value === undefined) return undefined
  switch (power) {
    case "grant":
      return isObject(value) ? byRules(value, false) : byList(value, stray)
    case "deny":
      return deniedBy(value, stray)
    case "permission":
      if (isObject(value)) return byRules(value, true)
      if (isOn(value)) return { denied: [] }
      return isOff(value) ? { names: [], denied: [] } : undefined
    case "mode": {
      const mode = typeof value === "string" ? value.trim().toLowerCase() : ""
      if (OPEN_MODES.has(mode)) return { denied: [] }
      return mode === "plan" ? READ_ONLY : undefined
    }
    case "readonly":
      if (isOn(value)) return READ_ONLY
      return isOff(value) ? { denied: [] } : undefined
  }
}

const ALL = /^(?:\*|all|all[ _-]tools)$/i
const READ_ONLY: Granted = { denied: WRITING, why: "denied write and edit: the agent was read-only" }

/** "All but these" in a sentence: the names after it are not granted. */
const EXCEPTS = /\b(?:except|excluding|exclude|without|but|not|no|never|minus|other than)\b/i

function byList(value: Json, stray: boolean): Granted | undefined {
  if (typeof value === "string" && EXCEPTS.test(value)) return undefined
  const items = namesOf(value)
  // A star that stands beside names in a broken head may be anything.
  if (stray && items.length > 1 && items.some((item) => ALL.test(item))) return undefined
  const denied = items.flatMap((item) => /^[!~-]\s*(.+)$/.exec(item)?.[1] ?? [])
  return { names: items.filter((item) => !/^[!~-]/.test(item)), denied }
}

function deniedBy(value: Json, stray: boolean): Granted | undefined {
  const names = isObject(value) ? Object.entries(value).flatMap(([name, on]) => (isOff(on) ? [] : [name])) : namesOf(value)
  // An empty line in a broken head is not known to be empty.
  if (names.length === 0) return stray || !(value === null || value === "" || Array.isArray(value)) ? undefined : { denied: [] }
  return names.some((name) => ALL.test(name)) ? { names: [], denied: [] } : { denied: names }
}

/** Switches (`write: false`), rules (`edit: ask`), or lists under `allow`, `ask` and `deny`. */
function byRules(map: JsonObject, ofPermission: boolean): Granted {
  const entries = Object.entries(map)
  const lists = entries.filter(([key, value]) => /^(?:allow|allowed|ask|deny|denied)$/i.test(key) && !isOn(value) && !isOff(value))
  if (lists.length > 0) {
    const of = (word: RegExp): string[] => lists.flatMap(([key, value]) => (word.test(key) ? namesOf(value) : []))
    return { ...(lists.some(([key]) => /^allow/i.test(key)) ? { names: of(/^allow/i) } : {}), denied: of(/^(?:ask|deny)/i) }
  }
  // The last rule that matches decides, so a star takes back what stands before it.
  const star = entries.findLastIndex(([key]) => key === "*")
  const [, value] = entries[star] ?? []
  const after = entries.slice(star + 1)
  const closed = after.flatMap(([name, on]) => (isOn(on) ? [] : [name]))
  if (value !== undefined && !isOn(value)) return { names: after.flatMap(([name, on]) => (isOn(on) ? [name] : [])), denied: closed }
  const why = ofPermission ? { why: `denied everything not plainly allowed: ${closed.join(", ")}` } : {}
  return { denied: closed, ...(closed.length === 0 ? {} : why) }
}

const isOn = (value: Json | undefined): boolean =>
  value === true || (typeof value === "string" && /^(?:allow|true|on|yes)$/i.test(value.trim()))
const isOff = (value: Json | undefined): boolean =>
  value === false || (typeof value === "string" && /^(?:deny|ask|false|off|no)$/i.test(value.trim()))
