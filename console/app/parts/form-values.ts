// Values of a form made of a JSON Schema: what a field shows, and what it stands for. A value that a field cannot show as it is, is JSON.

import { editable, visible } from "../../../web/chat/wording.ts"
import { fields } from "../../../web/chat/ui-message.ts"

export type Schema = Readonly<Record<string, unknown>>
export type FormValues = Readonly<Record<string, unknown>>
/** A field's text; undefined: the field is left out. */
export type Drafts = Readonly<Record<string, string | undefined>>

export type FieldKind = "text" | "lines" | "number" | "yes" | "choice" | "json"

export interface FormField {
  readonly name: string
  readonly kind: FieldKind
  readonly schema: Schema
  readonly isRequired: boolean
  readonly choices: readonly unknown[]
}

/** A longer text gets several lines. */
const LONG = 60

/** The given values in their order, then what else the schema names. */
export function fieldsOf(schema: Schema, given: FormValues): FormField[] {
  const properties = fields(schema["properties"])
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []
  return [...new Set([...Object.keys(given), ...Object.keys(properties)])].map((name) => {
    const about = fields(properties[name])
    const choices = Array.isArray(about["enum"]) ? (about["enum"] as unknown[]) : []
    return { name, kind: kindOf(about, given[name], choices), schema: about, isRequired: required.includes(name), choices }
  })
}

function kindOf({ type, format, maxLength }: Schema, value: unknown, choices: readonly unknown[]): FieldKind {
  if (choices.length > 0 && (value === undefined || choices.includes(value))) return "choice"
  const is = typeof type === "string" ? type : value === null || value === undefined ? "string" : typeof value
  if (is === "boolean" && (value === undefined || typeof value === "boolean")) return "yes"
  if ((is === "number" || is === "integer") && (value === undefined || typeof value === "number")) return "number"
  if (is !== "string" || (value !== undefined && typeof value !== "string")) return "json"
  // What could not be seen in a field is escaped.
  if (typeof value === "string" && visible(value) !== value) return "json"
  const isLong = typeof value === "string" && (value.includes("\n") || value.length > LONG)
  return isLong || format === "textarea" || (typeof maxLength === "number" && maxLength > 1_000) ? "lines" : "text"
}

export function draftOf({ kind, choices, schema }: FormField, value: unknown): string | undefined {
  const given = value === undefined ? schema["default"] : value
  if (given === undefined) return undefined
  if (kind === "choice") return String(choices.indexOf(given))
  if (kind === "json") return editable(given)
  return typeof given === "string" ? given : JSON.stringify(given)
}

export interface Read {
  readonly values: FormValues
  /** Field → what is wrong with it. */
  readonly faults: Readonly<Record<string, string>>
}

export function valuesOf(form: readonly FormField[], drafts: Drafts): Read {
  const values: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const field of form) {
    const draft = drafts[field.name]
    if (draft === undefined || (draft === "" && field.kind !== "text" && field.kind !== "lines")) {
      if (field.isRequired) faults[field.name] = "is needed"
      continue
    }
    const found = valueOf(field, draft)
    if ("fault" in found) faults[field.name] = found.fault
    else values[field.name] = found.value
  }
  return { values, faults }
}

function valueOf({ kind, choices, schema }: FormField, draft: string): { readonly value: unknown } | { readonly fault: string } {
  if (kind === "choice") return { value: choices[Number(draft)] }
  if (kind === "yes") return { value: draft === "true" }
  if (kind === "text" || kind === "lines") return { value: draft }
  if (kind === "number") {
    const value = Number(draft)
    if (!Number.isFinite(value) || draft.trim() === "") return { fault: "is not a number" }
    return schema["type"] === "integer" && !Number.isInteger(value) ? { fault: "is not a whole number" } : { value }
  }
  try {
    return { value: JSON.parse(draft) as unknown }
  } catch {
    return { fault: "is not JSON" }
  }
}
