// Completes the text at the cursor in a flow: keys by the step's type, their values, and the names of templates.

import type { StepType } from "../../src/core/flow/flow.ts"
import type { FieldSpec, FieldTable } from "../../src/core/flow/parse/field-table.ts"
import type { FileKeys } from "./file-keys.ts"
import { fixedValues, keyOptions, meaningOf, tableBelow, type Option } from "./keys.ts"
import { stepAt, stepLines } from "./step-lines.ts"
import { branchesIn, optionsOf, signalsIn, stepsIn } from "./step-names.ts"
import { typeOf, valueIn, type Agents } from "./step-text.ts"
import { inTemplate } from "./template-names.ts"
import { whereIn, type Where } from "./where.ts"

/** Names from the catalog. */
export interface Names {
  readonly agents: Agents
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
  tool: "a call of a tool, without an agent",
  "flow-ref": "another flow",
  map: "a flow for each item",
  wait: "for a time or a signal",
}
interface About {
  readonly keys: FileKeys
  readonly names: Names
  /** The whole text, and the lines of the step that the cursor is in. */
  readonly whole: string
  readonly step: string
}

/** `upTo`: the text as far as the cursor. */
export function completions(upTo: string, whole: string, keys: FileKeys, names: Names): readonly Option[] {
  const before = upTo.slice(upTo.lastIndexOf("\n") + 1)
  const [, template] = /\$\{\{\s*([^{}]*)$/.exec(before) ?? []
  if (template !== undefined) return inTemplate(template.slice(template.lastIndexOf("?") + 1).trimStart(), whole, keys.given, names.agents)
  if (!/(?:^|[\s{[,"'-])[\w@:./-]*$/.test(before)) return []
  const where = whereIn(upTo)
  const about = { keys, names, whole, step: stepTextAt(upTo, whole) }
  const list = listOf(where)
  const table = tableAt(list ? list.path : where.path, about)
  const key = where.key ?? list?.key
  if (key !== undefined) return valuesOf(key, table, list?.path ?? where.path, about)
  const parent = where.path.at(-1)
  if (parent === "branches") return optionsOf(about.step).map((option) => ({ ...option, apply: `${option.label}: ` }))
  if (parent === "inputs" && where.path[0] === "steps") return inputsOf(about)
  return table === undefined || !/(?:^\s*|[-{,]\s*)[\w-]*$/.test(before)
    ? []
    : keyOptions(table, [...where.beside, ...besideIn(where, about)])
}

/** What the word at the end of this text means: a key, a type of step, a name of the catalog. */
export function meaning(word: string, upTo: string, keys: FileKeys, { agents }: Names): string | undefined {
  const where = whereIn(upTo.slice(0, upTo.length - word.length))
  const whole = upTo
  const about = { keys, names: { agents, flows: [] }, whole, step: stepTextAt(upTo, whole) }
  if (where.key === undefined) {
    const table = tableAt(where.path, about)
    const spec = table && Object.hasOwn(table, word) ? table[word] : everyOwn(where, word, keys)
    return spec && meaningOf(spec)
  }
  if (where.key === "type" && Object.hasOwn(TYPES, word)) return `${TYPES[word as StepType]}.`
  return where.key === "agent" ? agents.get(word)?.description : undefined
}

/** A key of another type of step than this one says what it is all the same. */
const everyOwn = (where: Where, word: string, keys: FileKeys): FieldSpec | undefined =>
  isStep(where.path) ? Object.values(keys.types).find(({ fields }) => Object.hasOwn(fields, word))?.fields[word] : undefined

const isStep = (path: readonly string[]): boolean => path[0] === "steps" && path[1] === "-" && path.length === 2

/** In a list that stands on lines of its own: the key whose list it is. */
function listOf({ path, key }: Where): { readonly path: readonly string[]; readonly key: string } | undefined {
  const own = path.at(-2)
  return key === undefined && path.at(-1) === "-" && own !== undefined && own !== "steps"
    ? { path: path.slice(0, -2), key: own }
    : undefined
}

/** The keys that can stand here. */
function tableAt(path: readonly string[], { keys, step }: About): FieldTable | undefined {
  const [top, item, ...rest] = path
  if (top !== "steps") return tableBelow(keys.flow, path, keys)
  if (item !== "-") return undefined
  return tableBelow({ ...ownFields(step, keys), ...keys.step }, rest, keys)
}

/** Those of the step's type; a step without one may be of any. */
function ownFields(step: string, keys: FileKeys): FieldTable {
  const type = typeOf(step, keys)
  const own = type === undefined ? undefined : keys.types[type]
  return own?.fields ?? (Object.assign({}, ...Object.values(keys.types).map(({ fields }) => optional(fields))) as FieldTable)
}

const optional = (fields: FieldTable): FieldTable =>
  Object.fromEntries(
    Object.entries(fields).map(([key, spec]) => [key, Object.fromEntries(Object.entries(spec).filter(([name]) => name !== "required"))]),
  ) as FieldTable

/** Keys of the same step below the cursor. */
const besideIn = ({ path }: Where, { step }: About): readonly string[] =>
  isStep(path) ? [...step.matchAll(/(?:^\s*(?:-\s+)?|[{,]\s*)([\w-]+):/gm)].map(([, key = ""]) => key) : []

function valuesOf(key: string, table: FieldTable | undefined, path: readonly string[], about: About): readonly Option[] {
  const { names, whole, step, keys } = about
  if (path.at(-1) === "branches") return stepsIn(whole)
  if (isStep(path)) {
    if (key === "type") return Object.entries(TYPES).map(([label, detail]) => ({ label, detail }))
    if (key === "check") return stepsIn(whole)
    if (key === "on_exhausted") return branchesIn(step)
    if (key === "signal") return signalsIn(whole)
  }
  const spec = table?.[key]
  switch (spec?.kind) {
    case "step":
    case "steps":
      return stepsIn(whole)
    case "agent":
      return [...names.agents].map(([label, { description }]) => ({
        label,
        detail: description === "" ? "agent" : description.slice(0, 60),
      }))
    case "flow":
      return names.flows.map((label) => ({ label, detail: "flow" }))
    case "model":
      return keys.roles.map((role) => ({ label: `"@${role}"`, detail: "role" }))
    default:
      return (spec && fixedValues(spec)) ?? []
  }
}

function inputsOf({ names, step }: About): readonly Option[] {
  const { inputs = [] } = names.agents.get(valueIn(step, "agent") ?? "") ?? {}
  return inputs.map((label) => ({ label, detail: "input of the agent", apply: `${label}: ` }))
}

function stepTextAt(upTo: string, whole: string): string {
  const found = stepAt(stepLines(whole), upTo.split("\n").length) ?? stepLines(upTo).at(-1)
  if (found === undefined) return ""
  const lines = whole.split("\n")
  return lines.slice(found.first - 1, Math.max(found.last, upTo.split("\n").length)).join("\n")
}
