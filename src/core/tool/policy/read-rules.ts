// Reads rules from JSON sent by a caller. Every fault has its JSON Pointer, an unknown field has the nearest known name, and nothing throws.

import { defined } from "../../defined.ts"
import { isObject } from "../../json.ts"
import { nearest } from "../../text/nearest.ts"
import { pointerStep, short } from "../../text/pointer.ts"
import { GROUP_PREFIX, GROUPS } from "./tool-names.ts"

export interface PolicyFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

/** Limits for the entries of a list and the characters of a text: every run's journal contains the policy. */
export const MAX_RULES = 500 // limit: entries of a list of the policy → 422 at the list
const MAX_TEXT = 200 // limit: characters of a name or pattern of the policy → 422 at the entry

export interface Reader {
  readonly faults: PolicyFault[]
  fault(pointer: string, message: string, suggestion?: string): undefined
  /** Reads an object with no other fields than these; undefined when the value is not an object. */
  object(value: unknown, pointer: string, known: readonly string[]): Record<string, unknown> | undefined
  /** Reads a list of texts of 1 to 200 characters each; undefined when absent. */
  texts(value: unknown, pointer: string): readonly string[] | undefined
  choice<T extends string>(value: unknown, pointer: string, choices: readonly T[]): T | undefined
  text(value: unknown, pointer: string): string | undefined
  /** A name, a glob or a group of tools. */
  pattern(value: unknown, pointer: string): string | undefined
  patterns(value: unknown, pointer: string): readonly string[] | undefined
}

export function openReader(): Reader {
  const faults: PolicyFault[] = []
  const fault = (pointer: string, message: string, suggestion?: string): undefined => {
    faults.push({ pointer, message, ...defined({ suggestion }) })
  }
  const reader: Reader = {
    faults,
    fault,
    object(value, pointer, known) {
      if (!isObject(value)) return fault(pointer, "must be a JSON object")
      for (const key of Object.keys(value)) {
        if (known.includes(key)) continue
        const near = nearest(key, known)
        fault(
          `${pointer}${pointerStep(key)}`,
          `unknown field ${short(key)}`,
          `${near === undefined ? "" : `did you mean ${near}? `}known: ${known.join(", ")}`,
        )
      }
      return value
    },
    texts(value, pointer) {
      if (value === undefined) return undefined
      if (!Array.isArray(value)) return fault(pointer, "must be a list of texts")
      if (value.length > MAX_RULES) return fault(pointer, `has more than ${MAX_RULES} entries`)
      return value.map((item: unknown, i) => reader.text(item, `${pointer}/${i}`) ?? "")
    },
    text(value, pointer) {
      if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT) return value.trim()
      return fault(pointer, `must be a text of 1 to ${MAX_TEXT} characters`)
    },
    pattern(value, pointer) {
      const found = reader.text(value, pointer)
      if (found !== undefined) groupFault(reader, found, pointer)
      return found
    },
    choice(value, pointer, choices) {
      if (value === undefined) return undefined
      const found = choices.find((one) => one === value)
      if (found !== undefined) return found
      const near = typeof value === "string" ? nearest(value, choices) : undefined
      return fault(pointer, `must be one of ${choices.join(", ")}`, near === undefined ? undefined : `did you mean ${near}?`)
    },
    patterns(value, pointer) {
      const found = reader.texts(value, pointer)
      found?.forEach((pattern, i) => groupFault(reader, pattern, `${pointer}/${i}`))
      return found
    },
  }
  return reader
}

/** An unknown group would silently match nothing, and a `deny` that matches nothing lets every tool through. */
function groupFault(reader: Reader, pattern: string, pointer: string): void {
  if (!pattern.startsWith(GROUP_PREFIX)) return
  const name = pattern.slice(GROUP_PREFIX.length)
  if (GROUPS.some((g) => g === name)) return
  const near = nearest(name, GROUPS)
  reader.fault(
    pointer,
    `unknown group ${short(name)}`,
    `${near === undefined ? "" : `did you mean group:${near}? `}known: ${GROUPS.map((g) => `group:${g}`).join(", ")}`,
  )
}
