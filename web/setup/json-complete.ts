// Says what can stand where the cursor is in a JSON text, by the schema of the document: names of members that are not there yet, and values of a
// choice.

import { fields } from "../chat/ui-message.ts"

type Schema = Readonly<Record<string, unknown>>

export interface JsonOption {
  readonly label: string
  readonly detail?: string
  readonly apply: string
}

interface Level {
  readonly isList: boolean
  readonly names: Set<string>
  name: string | undefined
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

/** `rest`: what stands behind the cursor. A quote that the editor has closed already is not written again. */
export function completeJson(schema: Schema, upTo: string, rest = ""): readonly JsonOption[] {
  const { levels, isName, quoted } = placeAt(upTo)
  if (levels.length === 0) return []
  let here: Schema | undefined = schema
  for (const level of levels.slice(0, -1)) here = here && inner(here, level, schema)
  const last = levels.at(-1)
  if (here === undefined || last === undefined) return []
  const [open, close] = [quoted ? "" : '"', quoted && rest.startsWith('"') ? "" : '"']
  if (isName) {
    const options = propertiesOf(resolved(here, schema), schema)
    return Object.entries(options)
      .filter(([name]) => !last.names.has(name))
      .map(([label, about]) => ({ label, ...detailOf(about, schema), apply: close === "" ? `${open}${label}` : `${open}${label}": ` }))
  }
  const value = inner(here, last, schema)
  return value === undefined ? [] : valuesOf(value, schema).map((label) => ({ label, apply: `${open}${label}${close}` }))
}

/** The objects and lists around the cursor; whether a name is due; whether its quote is open. */
function placeAt(upTo: string): { readonly levels: readonly Level[]; readonly isName: boolean; readonly quoted: boolean } {
  const levels: Level[] = []
  let quoted = false
  let last = ""
  for (const [token] of upTo.matchAll(TOKEN)) {
    const level = levels.at(-1)
    quoted = token.startsWith('"') && (token.length === 1 || !token.endsWith('"'))
    if (token === "{" || token === "[") levels.push({ isList: token === "[", names: new Set(), name: undefined })
    else if (token === "}" || token === "]") levels.pop()
    else if (token === "," && level) level.name = undefined
    else if (token.startsWith('"') && !quoted && level && !level.isList && level.name === undefined) {
      level.name = token.slice(1, -1)
      level.names.add(level.name)
    }
    last = quoted ? last : token
  }
  const level = levels.at(-1)
  const isName = level !== undefined && !level.isList && (last === "{" || last === ",")
  return { levels, isName, quoted }
}

function inner(schema: Schema, { isList, name }: Level, root: Schema): Schema | undefined {
  const here = resolved(schema, root)
  if (isList) return option(here, root, "items")
  if (name === undefined) return undefined
  const named = propertiesOf(here, root)[name]
  return named ?? option(here, root, "additionalProperties")
}

const option = (schema: Schema, root: Schema, member: string): Schema | undefined => {
  for (const one of [schema, ...alternatives(schema, root)])
    if (typeof one[member] === "object" && one[member] !== null) return fields(one[member])
  return undefined
}

const alternatives = (schema: Schema, root: Schema): Schema[] =>
  ["anyOf", "oneOf", "allOf"].flatMap((key) =>
    Array.isArray(schema[key]) ? (schema[key] as unknown[]).map((one) => resolved(fields(one), root)) : [],
  )

const propertiesOf = (schema: Schema, root: Schema): Readonly<Record<string, Schema>> =>
  Object.assign({}, ...[schema, ...alternatives(schema, root)].map((one) => fields(one["properties"]))) as Readonly<Record<string, Schema>>

/** `#/definitions/X` and `#/$defs/X`. */
function resolved(schema: Schema, root: Schema): Schema {
  const ref = schema["$ref"]
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema
  let here: unknown = root
  for (const step of ref.slice(2).split("/")) here = fields(here)[step]
  return fields(here)
}

function valuesOf(schema: Schema, root: Schema): readonly string[] {
  const here = resolved(schema, root)
  return [here, ...alternatives(here, root)].flatMap((one) =>
    (Array.isArray(one["enum"]) ? (one["enum"] as unknown[]) : [one["const"]]).flatMap((value) =>
      typeof value === "string" ? [value] : [],
    ),
  )
}

const detailOf = (schema: Schema, root: Schema): { readonly detail?: string } => {
  const { description } = { ...resolved(schema, root), ...schema }
  return typeof description === "string" ? { detail: description } : {}
}
