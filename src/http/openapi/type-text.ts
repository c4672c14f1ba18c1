// Renders a JSON Schema as a readable type, with named schemas as links. Constraints that only a validator needs are left out.

import { isObject } from "../../core/json.ts"

export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")

const ROOT = "#/components/schemas/"
/** Deeper levels are shown as `any`, because a reader could not follow them. */
const DEPTH = 6 // limit: levels of a type on the document's page → deeper levels are `any`

/** HTML, already escaped. */
export function typeText(schema: unknown, indent = 0): string {
  if (!isObject(schema) || indent > DEPTH) return "any"
  const ref = schema["$ref"]
  if (typeof ref === "string") return linkTo(ref.slice(ROOT.length))
  for (const [word, sign] of [
    ["anyOf", " | "],
    ["oneOf", " | "],
    ["allOf", " &amp; "],
  ] as const) {
    const all = schema[word]
    if (Array.isArray(all)) return all.map((one) => typeText(one, indent)).join(sign)
  }
  if ("const" in schema) return escape(JSON.stringify(schema["const"]))
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => escape(JSON.stringify(value))).join(" | ")
  const type = schema["type"]
  if (Array.isArray(type)) return type.map(String).join(" | ")
  switch (type) {
    case "array":
      return listText(typeText(schema["items"], indent))
    case "object":
      return objectText(schema, indent)
    case "string":
      return schema["format"] === "date-time" ? "time" : "string"
    case undefined:
      return "any"
    default:
      return String(type) + rangeOf(schema)
  }
}

const listText = (item: string): string => (item.includes(" | ") ? `(${item})[]` : `${item}[]`)

function rangeOf(schema: Readonly<Record<string, unknown>>): string {
  const { minimum, maximum } = schema
  const max = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (minimum === undefined && max === undefined) return ""
  return `(${typeof minimum === "number" ? minimum : ""}…${typeof max === "number" ? max : ""})`
}

function objectText(schema: Readonly<Record<string, unknown>>, indent: number): string {
  const { properties, additionalProperties, required } = schema
  if (!isObject(properties)) return isObject(additionalProperties) ? `{[name]: ${typeText(additionalProperties, indent)}}` : "{…}"
  const needed = new Set(Array.isArray(required) ? required : [])
  const pad = "  ".repeat(indent + 1)
  const rows = Object.entries(properties).map(([name, child]) => {
    const description =
      isObject(child) && typeof child["description"] === "string" ? `  <span class="soft">${escape(child["description"])}</span>` : ""
    return `${pad}${escape(name)}${needed.has(name) ? "" : "?"}: ${typeText(child, indent + 1)}${description}`
  })
  return rows.length === 0 ? "{}" : `{\n${rows.join("\n")}\n${"  ".repeat(indent)}}`
}

export const linkTo = (name: string): string => `<a href="#schema-${escape(name)}">${escape(name)}</a>`
