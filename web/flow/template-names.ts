// Completes the name in a template `${{ … }}`.

import { FORMS, RESULT_FIELDS, ROOTS } from "../../src/core/flow/template.ts"
import type { FileKeys } from "./file-keys.ts"
import type { Option } from "./keys.ts"
import { stepsIn } from "./step-names.ts"
import { outputsOf, type Agents } from "./step-text.ts"

/** What a template can begin with, as far as it is the same in every flow. */
const BEGINNINGS: readonly Option[] = ROOTS.map((root) => {
  const form = FORMS[root] ?? ""
  const [fixed = root] = /^[a-z.]+/.exec(form.slice(3)) ?? []
  return { label: fixed, detail: form }
})

export function inTemplate(template: string, whole: string, given: FileKeys["given"], agents: Agents): readonly Option[] {
  const [, root, id = ""] = /^(result|loop|fork|until)\.([\w-]+)\./.exec(template) ?? []
  if (root === "result") {
    const own = outputsOf(id, whole, agents, given).map((label) => ({ label, detail: "output" }))
    return dotted(template, [...own, ...RESULT_FIELDS.map((label) => ({ label, detail: "of the result" }))])
  }
  if (root === "loop")
    return dotted(
      template,
      ["iteration", "max"].map((label) => ({ label })),
    )
  if (root === "fork")
    return dotted(
      template,
      ["answer", "notes"].map((label) => ({ label })),
    )
  if (root === "until")
    return dotted(
      template,
      ["round", "score", "reason"].map((label) => ({ label })),
    )
  if (/^(?:result|loop|fork|until)\./.test(template)) return dotted(template, stepsIn(whole))
  if (template.startsWith("flow.input.")) return dotted(template, keysBelow("inputs", whole, "input of the flow"))
  if (template.startsWith("config.")) return dotted(template, keysBelow("config", whole, "config"))
  return template.includes(".") ? [] : BEGINNINGS
}

/** The word that an editor completes has its dots: so have the options. */
const dotted = (template: string, options: readonly Option[]): readonly Option[] => {
  const head = template.slice(0, template.lastIndexOf(".") + 1)
  return options.map((option) => ({ ...option, label: head + option.label }))
}

/** Names below a key of the flow itself. */
function keysBelow(key: string, whole: string, detail: string): readonly Option[] {
  const lines = whole.split("\n")
  const from = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (from < 0) return []
  const inline = [...(lines[from] ?? "").slice(key.length + 1).matchAll(/[{,]\s*([\w-]+)\s*:/g)].map(([, name = ""]) => name)
  const below: string[] = []
  for (const line of lines.slice(from + 1)) {
    if (/^\S/.test(line)) break
    const [, name] = /^ {1,4}([\w-]+)\s*:/.exec(line) ?? []
    if (name !== undefined) below.push(name)
  }
  return [...inline, ...below].map((label) => ({ label, detail }))
}
