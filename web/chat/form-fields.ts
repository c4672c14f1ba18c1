// Draws the fields of a form that a server asks for; their values are flat.

import type { QuestionField } from "../../src/core/run/question/fields.ts"
import { labelled } from "./approval-form.ts"
import { h } from "./draw.ts"
import { visible } from "./wording.ts"

interface Form {
  readonly nodes: readonly HTMLElement[]
  /** By the fields' names; undefined: left open. */
  value(): Readonly<Record<string, unknown>>
}

interface Drawn {
  readonly node: HTMLElement
  value(): unknown
}

export function formFields(fields: readonly QuestionField[]): Form {
  const all = fields.map((field) => [field.name, drawn(field)] as const)
  return {
    nodes: all.map(([, { node }]) => node),
    value: () => Object.fromEntries(all.map(([name, { value }]) => [name, value()])),
  }
}

function drawn({ kind, label: title, about, options, default: given }: QuestionField): Drawn {
  const label = visible(about === undefined ? title : `${title}: ${about}`)
  if (kind === "yes-no") {
    const box = h("input", { type: "checkbox" })
    box.checked = given === true
    return { node: h("label", { class: "check" }, box, h("span", {}, label)), value: () => box.checked }
  }
  if (kind === "choice" || kind === "choices") {
    const select = h(
      "select",
      { class: "input", multiple: kind === "choices" },
      ...(kind === "choice" ? [h("option", { value: "" }, "–")] : []),
    )
    for (const [i, { value, label: text }] of options.entries()) {
      const isGiven = kind === "choices" ? Array.isArray(given) && given.includes(value) : value === given
      select.append(h("option", { value: String(i), selected: isGiven }, visible(text)))
    }
    const chosen = (): unknown[] =>
      [...select.selectedOptions].flatMap((one) => (one.value === "" ? [] : [options[Number(one.value)]?.value]))
    return { node: labelled(label, select), value: () => (kind === "choices" ? chosen() : chosen()[0]) }
  }
  const isNumber = kind === "number" || kind === "integer"
  const input = h("input", { class: "input", type: isNumber ? "number" : "text", step: isNumber ? "any" : undefined })
  if (typeof given === "string" || typeof given === "number") input.value = String(given)
  return { node: labelled(label, input), value: () => (input.value === "" ? undefined : input.value) }
}
