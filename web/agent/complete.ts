// Completes the text at the cursor in an agent's editor: its keys, the available tools and skills, the roles of models, and the roots of templates.

import type { FileKeys } from "../flow/file-keys.ts"
import { fixedValues, keyOptions, meaningOf, tableBelow, type Option } from "../flow/keys.ts"
import { whereIn } from "../flow/where.ts"

export interface Known {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly agents: readonly string[]
  readonly inputs: readonly string[]
}

/** What the entries of a list name. */
const NAMED: Readonly<Record<string, keyof Known>> = {
  tools: "tools",
  approved_tools: "tools",
  allowed_tools: "tools",
  denied_tools: "tools",
  skills: "skills",
  routes: "agents",
}

/** `upTo`: the text as far as the cursor. */
export function completions(upTo: string, whole: string, keys: FileKeys, known: Known): readonly Option[] {
  const before = upTo.slice(upTo.lastIndexOf("\n") + 1)
  if (/\$\{\{(?:[^{}]*\?\?)?\s*[\w.]*$/.test(before))
    return ["task", ...known.inputs.map((name) => `input.${name}`)].map((label) => ({ label: `${label}}}` }))
  if (!isHead(upTo, whole) || !/(?:^|[\s{[,"'-])[\w@.:/-]*$/.test(before)) return []
  const { path, key, beside } = whereIn(headOf(upTo))
  const list = key ?? (path.at(-1) === "-" ? path.at(-2) : undefined)
  if (list !== undefined) {
    const named = NAMED[list]
    if (named !== undefined) return known[named].map((label) => ({ label }))
    if (list === "model") return keys.roles.map((role) => ({ label: `"@${role}"`, detail: "role" }))
    const spec = tableBelow(keys.agent, key === undefined ? path.slice(0, -2) : path, keys)?.[list]
    return (spec && fixedValues(spec)) ?? []
  }
  const table = tableBelow(keys.agent, path, keys)
  return table === undefined || !/(?:^\s*|[-{,]\s*)[\w-]*$/.test(before) ? [] : keyOptions(table, beside)
}

/** What the key at the end of this text means. */
export function meaning(word: string, upTo: string, keys: FileKeys): string | undefined {
  if (!upTo.startsWith("---\n") || /\n---\n/.test(upTo)) return undefined
  const { path, key } = whereIn(headOf(upTo.slice(0, upTo.length - word.length)))
  const table = key === undefined ? tableBelow(keys.agent, path, keys) : undefined
  const spec = table && Object.hasOwn(table, word) ? table[word] : undefined
  return spec && meaningOf(spec)
}

const headOf = (upTo: string): string => upTo.replace(/^---\n/, "")

/** Whether the cursor is in the frontmatter. */
function isHead(upTo: string, whole: string): boolean {
  const end = whole.indexOf("\n---", 3)
  return whole.startsWith("---\n") && upTo.length > 3 && (end < 0 || upTo.length <= end)
}

/** The names that the file lists under `inputs`. */
export function inputsIn(whole: string): readonly string[] {
  const [, list = ""] = /^inputs:[ \t]*\[([^\]]*)\]/m.exec(whole) ?? []
  return list.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
}
