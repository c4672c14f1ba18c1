// Says what a table of keys offers and explains: its keys with the colon that follows, what they mean, and the values that are fixed.

import type { FieldSpec, FieldTable } from "../../src/core/flow/parse/field-table.ts"

/** `apply`: what is written for it, if that is more than its name. */
export interface Option {
  readonly label: string
  readonly detail?: string
  readonly apply?: string
}

/** Those that must be there come first. */
export function keyOptions(table: FieldTable, taken: readonly string[]): readonly Option[] {
  const free = Object.entries(table).filter(([key]) => !taken.includes(key))
  return free
    .toSorted(([, a], [, b]) => Number(b.required === true) - Number(a.required === true))
    .map(([label, spec]) => ({ label, detail: briefly(spec.about), apply: opening(label, spec) }))
}

/** A detail stands in one line; the whole of it is told when the pointer rests on the key. */
const briefly = (about: string): string => about.split(/[;:]/)[0] ?? about

const opening = (key: string, { kind }: FieldSpec): string => (kind === "list" ? `${key}:\n  - id: ` : `${key}: `)

/** The values that do not depend on what there is; undefined: any. */
export function fixedValues({ kind, values, fallback }: FieldSpec): readonly Option[] | undefined {
  if (values) return values.map((label) => (label === fallback ? { label, detail: "as without it" } : { label }))
  if (kind === "flag")
    return ["true", "false"].map((label) => (label === String(fallback) ? { label, detail: "as without it" } : { label }))
  if (kind === "duration") return ["30s", "5m", "2h", "3d"].map((label) => ({ label }))
  if (kind === "approval") return ["never", "always"].map((label) => ({ label }))
  return undefined
}

/** The table that holds below these keys, from this table on. `-`: an item of a list. */
export function tableBelow(
  table: FieldTable,
  path: readonly string[],
  of: { readonly input: FieldTable; readonly output: FieldTable },
): FieldTable | undefined {
  const [key, ...rest] = path
  if (key === undefined) return table
  const spec = Object.hasOwn(table, key) ? table[key] : undefined
  if (spec?.fields) return tableBelow(spec.fields, rest, of)
  if (spec?.kind === "inputs") return rest.length === 1 ? of.input : undefined
  if (spec?.kind === "outputs") return rest.length === 1 && rest[0] === "-" ? of.output : undefined
  return undefined
}

/** What a key means, with the value that it has where it is left out. */
export function meaningOf({ about, fallback, required, values }: FieldSpec): string {
  const told = `${about.charAt(0).toUpperCase()}${about.slice(1)}`
  const more = [
    ...(values ? [`One of: ${values.join(", ")}`] : []),
    ...(fallback === undefined ? [] : [`Default: ${String(fallback)}`]),
    ...(required ? ["Required"] : []),
  ]
  return [told, ...more].map((one) => `${one}.`).join(" ")
}
