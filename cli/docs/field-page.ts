// Shows the JSON Schema of a file as a page: its fields, their types and what they mean. Pure.

type Schema = Readonly<Record<string, unknown>>

/** `name` is the schema's, such as `hook`. */
export function fieldPage(name: string, schema: Schema): string {
  const about = typeof schema["description"] === "string" ? schema["description"] : name
  const parts = wholes(schema).map((one) => tableOf(one))
  const defined = record(schema["definitions"])
  const named = Object.entries(defined).flatMap(([id, one]) =>
    id.startsWith("__") || one["properties"] === undefined ? [] : [`## ${id}\n\n${tableOf(one)}`],
  )
  const file = /(?:[a-z]+\/NAME\.[a-z.]+[a-z]|[a-z]+\.yaml)/.exec(about)?.[0] ?? name
  const head = file === about ? "" : `${about}\n\n`
  return `# Fields of ${file}\n\n${head}${[...parts, ...named].join("\n\n")}\n`
}

/** A file that may have one of several forms has a table for each. */
function wholes(schema: Schema): readonly Schema[] {
  if (schema["properties"] !== undefined) return [schema]
  const forms = list(schema["anyOf"]).concat(list(schema["oneOf"]))
  return forms.flatMap((form) => (form["properties"] === undefined ? [] : [form]))
}

const DEEPEST = 3

function tableOf(schema: Schema): string {
  return ["| field | type | meaning |", "|---|---|---|", ...rowsOf(schema, "", 1)].join("\n")
}

function rowsOf(schema: Schema, before: string, depth: number): readonly string[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  return Object.entries(record(schema["properties"])).flatMap(([key, field]) => {
    const name = `${before}${key}`
    const says = [
      ...(typeof field["description"] === "string" ? [field["description"]] : []),
      ...("default" in field ? [`default: \`${JSON.stringify(field["default"])}\``] : []),
    ]
    const row = `| \`${name}\` | ${cell(`${typeOf(field)}${required.has(key) ? "; required" : ""}`)} | ${cell(says.join("; "))} |`
    return depth >= DEEPEST ? [row] : [row, ...below(field, name, depth)]
  })
}

/** The fields of an object, of the values of a map (`NAME`), and of the items of a list (`[]`). */
function below(field: Schema, name: string, depth: number): readonly string[] {
  const inner = isRecord(field["items"]) ? ([field["items"], `${name}[].`] as const) : valuesOf(field, name)
  const [schema, before] = inner ?? [field, `${name}.`]
  return schema["$ref"] === undefined ? rowsOf(schema, before, depth + 1) : []
}
const valuesOf = (field: Schema, name: string): readonly [Schema, string] | undefined =>
  isRecord(field["additionalProperties"]) && field["properties"] === undefined
    ? [field["additionalProperties"], `${name}.NAME.`]
    : undefined

function typeOf(field: Schema): string {
  if (field["const"] !== undefined) return JSON.stringify(field["const"])
  if (Array.isArray(field["enum"])) return field["enum"].map((one) => JSON.stringify(one)).join(", ")
  const ref = typeof field["$ref"] === "string" ? /^#\/definitions\/(.+)$/.exec(field["$ref"])?.[1] : undefined
  if (ref !== undefined) return ref.startsWith("__") ? "any" : ref
  const forms = list(field["anyOf"]).concat(list(field["oneOf"]))
  if (forms.length > 0) return [...new Set(forms.map((form) => typeOf(form)))].join(", or ")
  const { type } = field as { readonly type?: unknown }
  if (type === "array") return `list of ${typeOf(isRecord(field["items"]) ? field["items"] : {})}`
  // YAML reads a text such as `1` or `yes` as another scalar, and it is taken as text.
  if (Array.isArray(type)) return type.includes("string") && type.includes("number") ? "text" : type.join(", or ")
  if (type === "object" && isRecord(field["additionalProperties"]) && field["properties"] === undefined)
    return `map of ${typeOf(field["additionalProperties"])}`
  return typeof type === "string" ? type : "any"
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
const isRecord = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value)
const record = (value: unknown): Readonly<Record<string, Schema>> => (isRecord(value) ? (value as Readonly<Record<string, Schema>>) : {})
const list = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isRecord) : [])
