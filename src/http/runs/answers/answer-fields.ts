// Renders the form of an MCP server's question on the answer page [Q3, T27], and reads it back. A field's name begins with its type.

import type { QuestionField } from "../../../core/run/question/fields.ts"
import type { Way } from "../../../core/run/question/question.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import { attribute, shown } from "./page-text.ts"

const FIELD = /^field\.(text|number|truth|list)\.(.+)$/s

/** The server that asks. The page to open is a link for the reader; nothing here fetches it. */
export function askerOf({ payload }: InteractionView): string {
  const { tool, host, url, opens } = payload
  const from = `<p>Asked by ${shown(textOf(host) || "a server")} for the tool ${shown(textOf(tool))}. Your answer goes there.</p>`
  if (typeof url !== "string" || !/^https?:/.test(url)) return from
  return `${from}<p>It asks you to open a page of ${shown(textOf(opens))}: <a href="${attribute(url)}" target="_blank" rel="noopener noreferrer">${shown(url)}</a></p>`
}

export const fieldsOf = ({ fields }: Way): string[] => fields.map(fieldOf)

function fieldOf({ name, kind, label: title, about: more, required, options, default: given }: QuestionField): string {
  const label = `${shown(title)}${required ? "" : " (optional)"}`
  const about = more === undefined ? "" : `<br><small>${shown(more)}</small>`
  const named = (read: string): string => `name="${attribute(`field.${read}.${name}`)}"`
  if (kind === "choices") {
    const chosen = Array.isArray(given) ? given : []
    const boxes = options.map(
      ({ value, label: text }) =>
        `<label><input type="checkbox" ${named("list")} value="${attribute(textOf(value))}"${chosen.includes(value) ? " checked" : ""}> ${shown(text)}</label>`,
    )
    return `<fieldset><legend>${label}${about}</legend>${boxes.join("")}</fieldset>`
  }
  if (kind === "yes-no" || kind === "choice") {
    const choices = [{ value: "", label: "" }, ...options].map(
      ({ value, label: text }) =>
        `<option value="${attribute(textOf(value))}"${textOf(value) === textOf(given) ? " selected" : ""}>${shown(text)}</option>`,
    )
    return `<p><label>${label}${about}<br><select ${named(kind === "yes-no" ? "truth" : "text")}>${choices.join("")}</select></label></p>`
  }
  const isNumber = kind === "number" || kind === "integer"
  const type = isNumber ? `type="number" step="${kind === "integer" ? "1" : "any"}"` : 'type="text"'
  const value = given === undefined ? "" : ` value="${attribute(textOf(given))}"`
  return `<p><label>${label}${about}<br><input ${type} ${named(isNumber ? "number" : "text")}${value}></label></p>`
}

/** The filled-in fields by name. An empty field counts as unanswered. */
export function filledIn(form: URLSearchParams): Readonly<Record<string, unknown>> {
  const filled = new Map<string, string | string[]>()
  for (const [field, value] of form) {
    const [, kind, name = ""] = FIELD.exec(field) ?? []
    if (kind === undefined || value === "") continue
    filled.set(name, kind === "list" ? [filled.get(name) ?? [], value].flat() : value)
  }
  return Object.fromEntries(filled)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))
