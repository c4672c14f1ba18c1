// Completes the text at the cursor in a flow: steps, agents, flows, labels, types, and the names of templates.

import type { StepType } from "../../src/core/flow/flow.ts"
import { FORMS, RESULT_FIELDS, ROOTS } from "../../src/core/flow/template.ts"
import { stepLines } from "./step-lines.ts"

export interface Option {
  readonly label: string
  readonly detail?: string
}

/** Names from the catalog. */
export interface Names {
  readonly agents: readonly string[]
  readonly flows: readonly string[]
}

const TYPES: Readonly<Record<StepType, string>> = {
  agent: "an agent does the work",
  "agent-decision": "an agent chooses a branch",
  "agent-loop-decision": "an agent goes back or on",
  fork: "a person chooses",
  conditional: "by a step's result",
  code: "your handler",
  "code-decision": "your handler chooses",
  "flow-ref": "another flow",
  map: "a flow for each item",
  wait: "for a time or a signal",
}
/** What a template can begin with, as far as it is the same in every flow. */
const BEGINNINGS: readonly Option[] = ROOTS.map((root) => {
  const form = FORMS[root] ?? ""
  const [fixed = root] = /^[a-z.]+/.exec(form.slice(3)) ?? []
  return { label: fixed, detail: form }
})
const TO_STEP = new Set([
  "blockedBy",
  "loop_target",
  "exit_target",
  "on_error",
  "on_complete",
  "on_exhausted",
  "on_timeout",
  "present",
  "absent",
  "check",
])
const KEYS: readonly Option[] = [
  { label: "id", detail: "the step's name" },
  { label: "type", detail: "what it is" },
  { label: "agent", detail: "the agent that does it" },
  { label: "task", detail: "what to do" },
  { label: "inputs", detail: "what it is given" },
  { label: "blockedBy", detail: "what it waits for" },
  { label: "branches", detail: "label to step" },
  { label: "max_iterations", detail: "how often it may go back" },
  { label: "on_error", detail: "where it goes when it fails" },
  { label: "on_complete", detail: "where it goes next" },
  { label: "timeout", detail: "such as 5m" },
  { label: "retry", detail: "after a soft failure" },
  { label: "budget", detail: "of each pass" },
  { label: "model", detail: "instead of the agent's" },
  { label: "description", detail: "for people" },
]

/** `before`: the line up to the cursor. */
export function completions(before: string, whole: string, { agents, flows }: Names): readonly Option[] {
  const ids = [...new Set(stepLines(whole).flatMap(({ id }) => (id === "" ? [] : [id])))]
  const steps = ids.map((label): Option => ({ label, detail: "step" }))
  const [, template] = /\$\{\{\s*([^{}]*)$/.exec(before) ?? []
  if (template !== undefined) return inTemplate(template, whole, steps)
  const [, label] = /(?:^\s*|[{,]\s*)([\w-]+):\s*\[?[^{}:]*$/.exec(before) ?? []
  if (label === "agent") return agents.map((name) => ({ label: name, detail: "agent" }))
  if (label === "flow" || label === "do") return flows.map((name) => ({ label: name, detail: "flow" }))
  if (label === "type") return Object.entries(TYPES).map(([name, detail]) => ({ label: name, detail }))
  if (label !== undefined && TO_STEP.has(label)) return steps
  const around = keyAround(before, whole)
  if (around === "branches") return label === undefined ? optionsOf(whole) : steps
  const isKey = /^\s+(?:-\s+)?(?:\{\s*)?[\w-]*$/.test(before) || /[{,]\s*[\w-]*$/.test(before)
  return isKey && label === undefined && stepLines(whole).length > 0 ? KEYS : []
}

function inTemplate(template: string, whole: string, steps: readonly Option[]): readonly Option[] {
  if (/^(?:result|loop|fork)\.[\w-]+\./.test(template))
    return template.startsWith("result.")
      ? dotted(
          template,
          RESULT_FIELDS.map((label) => ({ label, detail: "of the result" })),
        )
      : []
  if (/^(?:result|loop|fork)\./.test(template)) return dotted(template, steps)
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

/** The key whose map or list the cursor is in: `branches: { …` on this line, or a key above that is less indented. */
function keyAround(before: string, whole: string): string | undefined {
  const [, open] = /([\w-]+):\s*[[{][^\]}]*$/.exec(before) ?? []
  if (open !== undefined) return open
  const indent = before.length - before.trimStart().length
  const lines = whole.split("\n")
  for (let at = lines.findLastIndex((line) => line.startsWith(before)) - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? ""
    if (line.trim() === "" || line.length - line.trimStart().length >= indent) continue
    return /^\s*(?:-\s+)?([\w-]+):\s*$/.exec(line)?.[1]
  }
  return undefined
}

/** The options of every question: what a branch of a fork can be called. */
function optionsOf(whole: string): readonly Option[] {
  const labels = [...whole.matchAll(/\boptions:\s*\[([^\]]*)\]/g)].flatMap(([, list = ""]) =>
    list.split(",").map((one) => one.trim().replaceAll(/^["']|["']$/g, "")),
  )
  return [...new Set(labels)].filter((label) => label !== "").map((label) => ({ label, detail: "option" }))
}
