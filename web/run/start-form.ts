// The fields of a form for a flow's inputs, and the values in them.

import type { InputSpec } from "../../src/core/flow/flow.ts"
import type { Json, JsonObject } from "../../src/core/json.ts"

/** A field of the form, with the typed value. */
export type Field = string

export interface StartValues {
  readonly values: JsonObject
  /** Name → what is wrong. */
  readonly faults: Readonly<Record<string, string>>
}

/** Leaves out empty fields, so the flow's defaults apply. */
export function valuesOf(specs: Readonly<Record<string, InputSpec>>, given: Readonly<Record<string, Field>>): StartValues {
  const values: [string, Json][] = []
  const faults: [string, string][] = []
  for (const [name, { type, required, default: otherwise }] of Object.entries(specs)) {
    const text = given[name] ?? ""
    if (text.trim() === "") {
      if (required && otherwise === undefined) faults.push([name, `The flow needs ${name}.`])
      continue
    }
    const value = valueOf(type, text)
    if (value === undefined) faults.push([name, WRONG[type]])
    else values.push([name, value])
  }
  return { values: Object.fromEntries(values), faults: Object.fromEntries(faults) }
}

const WRONG: Readonly<Record<InputSpec["type"], string>> = {
  string: "This is not text.",
  number: "This is not a number.",
  boolean: "This is neither true nor false.",
  object: "This is not a JSON object.",
  array: "This is not a JSON array.",
}

function valueOf(type: InputSpec["type"], text: string): Json | undefined {
  if (type === "string") return text
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined
  const value = jsonOf(text)
  if (type === "number") return typeof value === "number" ? value : undefined
  if (type === "array") return Array.isArray(value) ? value : undefined
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export const fieldText = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value)
