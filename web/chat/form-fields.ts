// The fields of a form that a server asks for: flat values, each by its JSON Schema.

import { labelled } from "./approval-form.ts"
import { h } from "./draw.ts"
import { fields, text } from "./ui-message.ts"
import { visible } from "./wording.ts"

interface Form {
  readonly nodes: readonly HTMLElement[]
  value(): Readonly<Record<string, unknown>>
}

interface Field {
  readonly node: HTMLElement
  /** undefined: left open. */
  value(): unknown
}

export function formFields(schema: Readonly<Record<string, unknown>>): Form {
  const all = Object.entries(fields(schema["properties"])).map(([name, about]) => [name, fieldOf(name, fields(about))] as const)
  return {
    nodes: all.map(([, { node }]) => node),
    value: () => Object.fromEntries(all.flatMap(([name, field]) => (field.value() === undefined ? [] : [[name, field.value()]]))),
  }
}

function fieldOf(name: string, about: Readonly<Record<string, unknown>>): Field {
  const label = visible([text(about["title"]) ?? name, text(about["description"])].filter((word) => word !== undefined).join(": "))
  const { type, default: given } = about
  if (type === "boolean") {
    const box = h("input", { type: "checkbox" })
    box.checked = given === true
    return { node: h("label", { class: "check" }, box, h("span", {}, label)), value: () => box.checked }
  }
  const choices = Array.isArray(about["enum"]) ? (about["enum"] as unknown[]) : undefined
  if (choices) {
    const select = h(
      "select",
      { class: "input" },
      h("option", { value: "" }, "–"),
      ...choices.map((one, i) => h("option", { value: String(i) }, visible(one))),
    )
    const at = choices.indexOf(given)
    if (at >= 0) select.value = String(at)
    return { node: labelled(label, select), value: () => (select.value === "" ? undefined : choices[Number(select.value)]) }
  }
  const isNumber = type === "number" || type === "integer"
  const input = h("input", { class: "input", type: isNumber ? "number" : "text", step: isNumber ? "any" : undefined })
  if (typeof given === "string" || typeof given === "number") input.value = String(given)
  return { node: labelled(label, input), value: () => (input.value === "" ? undefined : isNumber ? Number(input.value) : input.value) }
}
