// The form of an MCP server's question on the answer page [Q3, T27], and what a person filled in. A field's name begins with how it is read.

import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { attribute, shown } from "./page-text.ts"

const FIELD = /^field\.(text|number|truth|list)\.(.+)$/s

/** Who asks. The page to open is a link that the reader follows; nothing here fetches it. */
export function askerOf({ payload }: InteractionView): string {
  const { tool, host, url, opens } = payload
  const from = `<p>Asked by ${shown(textOf(host) || "a server")} for the tool ${shown(textOf(tool))}. Your answer goes there.</p>`
  if (typeof url !== "string" || !/^https?:/.test(url)) return from
  return `${from}<p>It asks you to open a page of ${shown(textOf(opens))}: <a href="${attribute(url)}" target="_blank" rel="noopener noreferrer">${shown(url)}</a></p>`
}

export function fieldsOf({ payload }: InteractionView): string[] {
  const { form } = payload
  const properties = isObject(form) && isObject(form["properties"]) ? form["properties"] : {}
  const required = isObject(form) && Array.isArray(form["required"]) ? form["required"] : []
  return Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) ? [fieldOf(name, field as JsonObject, required.includes(name))] : [],
  )
}

function fieldOf(name: string, field: JsonObject, needed: boolean): string {
  const { title, description, default: given } = field
  const label = `${shown(textOf(title) || name)}${needed ? "" : " (optional)"}`
  const about = typeof description === "string" ? `<br><small>${shown(description)}</small>` : ""
  const named = (kind: string): string => `name="${attribute(`field.${kind}.${name}`)}"`
  const items = field["type"] === "array" ? choicesOf(field["items"]) : undefined
  if (items) {
    const chosen = Array.isArray(given) ? given : []
    const boxes = items.map(
      ([value, text]) =>
        `<label><input type="checkbox" ${named("list")} value="${attribute(value)}"${chosen.includes(value) ? " checked" : ""}> ${shown(text)}</label>`,
    )
    return `<fieldset><legend>${label}${about}</legend>${boxes.join("")}</fieldset>`
  }
  const choices =
    field["type"] === "boolean"
      ? ([
          ["true", "Yes"],
          ["false", "No"],
        ] as const)
      : choicesOf(field)
  if (choices) {
    const chosen = given === undefined ? "" : textOf(given)
    const options = [["", ""] as const, ...choices].map(
      ([value, text]) => `<option value="${attribute(value)}"${value === chosen ? " selected" : ""}>${shown(text)}</option>`,
    )
    return `<p><label>${label}${about}<br><select ${named(field["type"] === "boolean" ? "truth" : "text")}>${options.join("")}</select></label></p>`
  }
  const isNumber = field["type"] === "number" || field["type"] === "integer"
  const kind = isNumber ? `type="number" step="${field["type"] === "integer" ? "1" : "any"}"` : 'type="text"'
  const value = given === undefined ? "" : ` value="${attribute(textOf(given))}"`
  return `<p><label>${label}${about}<br><input ${kind} ${named(isNumber ? "number" : "text")}${value}></label></p>`
}

/** The choices of a field with their words; undefined: it is free. */
function choicesOf(field: Json | undefined): readonly (readonly [value: string, words: string])[] | undefined {
  if (!isObject(field)) return undefined
  const { enum: values, enumNames: names } = field
  if (Array.isArray(values))
    return values.map((value, i) => [textOf(value), textOf(Array.isArray(names) ? names[i] : undefined) || textOf(value)])
  const titled = field["oneOf"] ?? field["anyOf"]
  if (!Array.isArray(titled)) return undefined
  return titled.flatMap((one) => (isObject(one) ? [[textOf(one["const"]), textOf(one["title"]) || textOf(one["const"])] as const] : []))
}

/** A field that is left empty is not answered. */
export function filledIn(form: URLSearchParams): JsonObject {
  const filled: JsonObject = {}
  for (const [field, value] of form) {
    const [, kind, name = ""] = FIELD.exec(field) ?? []
    if (kind === undefined || value === "") continue
    const before = Object.hasOwn(filled, name) ? filled[name] : undefined
    const read = kind === "number" ? Number(value) : kind === "truth" ? value === "true" : value
    Object.defineProperty(filled, name, {
      value: kind === "list" ? [...(Array.isArray(before) ? before : []), value] : read,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return filled
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))
