// Converts an agent file of another tool to a Sluice agent. Powers are never widened: anything that an agent was denied, or needed approval
// for, is denied here. A file that needs no change keeps every byte.

import { isObject } from "../../core/json.ts"
import { isThinking } from "../../core/flow/model-ref.ts"
import { isName } from "../../core/text/names.ts"
import { AGENT_KEYS } from "../../core/language/parse-agent.ts"
import type { Dialect } from "./foreign-tools.ts"
import { readHead, type Head } from "./loose-head.ts"
import { fileOf, namesOf, set, type Fields, type Say } from "./agent-fields.ts"
import { adaptTools, type ImportWorld } from "./adapt-tools.ts"
import { modernized } from "./old-templates.ts"

/** The context for reading a file. */
export interface Reading {
  /** The file name without its extension; it names an agent without a `name`. */
  readonly stem: string
  readonly dialect?: Dialect
  /** The head, if it was read to see what the file is. */
  readonly head?: Head
  /** In place of the agent's own name, which another file of the import has. */
  readonly name?: string
}

export interface Adapted {
  readonly name: string
  readonly text: string
  /** Sentences; empty if `text` is the original file. */
  readonly changes: readonly string[]
}

export function adaptAgent(original: string, reading: Reading, world: ImportWorld): Adapted {
  const head = reading.head ?? readHead(original)
  const changes: string[] = [...head.repairs]
  const say: Say = (change) => changes.push(change)
  if (!head.present) say("wrote a frontmatter: the file had none")
  const fields: Fields = new Map(head.fields)

  const name = adaptName(fields, reading, world.prefix ?? "", say)
  adaptDescription(fields, head.body, name, say)
  adaptTools(fields, { powers: head.powers, dialect: reading.dialect ?? "other" }, world, say)
  adaptModel(fields, say)
  adaptNumbers(fields, say)
  adaptSkills(fields, world, say)
  if (fields.get("role") === "architect") {
    fields.delete("role")
    say('left out "role: architect", which lets an agent write to the catalog: add it by hand if that is intended')
  }
  dropUnknown(fields, say)
  const body = adaptTemplates(fields, head.body, say)
  return { name, text: changes.length === 0 ? original : fileOf(fields, body), changes }
}

/** `Code Reviewer` → `code-reviewer`; a valid name stays unchanged. */
export function nameFrom(text: string): string {
  if (isName(text)) return text
  const slug = text
    .normalize("NFKD")
    // C++ and C# are two languages.
    .replace(/(?<=\w)\+\+/g, "pp")
    .replace(/(?<=\b[A-Z])#/gi, "sharp")
    .replace(/[\u0300-\u036f]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
    .replace(/-+$/, "")
  return isName(slug) ? slug : ""
}

function adaptName(fields: Fields, { stem, name: forced }: Reading, prefix: string, say: Say): string {
  const said = fields.get("name")
  const text = typeof said === "string" || typeof said === "number" ? String(said).trim() : ""
  const name = prefixed(prefix, forced ?? (nameFrom(text) || nameFrom(stem) || "agent"))
  if (said !== name) {
    say(text === "" ? `named it "${name}", after its file` : `renamed it from ${JSON.stringify(text)} to "${name}"`)
    set(fields, "name", name, true)
  }
  return name
}

/** Adds the prefix, unless the name already begins with it. */
export const prefixed = (prefix: string, name: string): string => (name.startsWith(prefix) ? name : `${prefix}${name}`.slice(0, 100))

function adaptDescription(fields: Fields, body: string, name: string, say: Say): void {
  const said = fields.get("description")
  if (typeof said === "string" && said.trim() !== "") return
  const other = fields.get("when_to_use") ?? fields.get("whenToUse")
  const text = Array.isArray(said) ? said.map(String).join(" ") : typeof other === "string" && other.trim() !== "" ? other : firstLine(body)
  set(fields, "description", text === "" ? name : text)
  say("wrote a description from the file's text")
}

/** The first line of prose, else the first heading. */
export function firstLine(body: string): string {
  const lines = body.split("\n").map((line) => line.trim())
  const prose = lines.find((line) => line !== "" && !/^[#<>|`\-*=_]/.test(line))
  const text = prose ?? lines.find((line) => line.startsWith("#"))?.replace(/^#+\s*/, "") ?? ""
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}

/** Model names that only their own program knows. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["haiku", "@fast"],
  ["fast", "@fast"],
  ["sonnet", "@coding"],
  ["opus", "@planning"],
  ["opusplan", "@planning"],
])

function adaptModel(fields: Fields, say: Say): void {
  const said = fields.get("model")
  if (said === undefined || said === null) return
  const first = Array.isArray(said) ? said[0] : said
  const text = typeof first === "string" ? first.replace(/\[[^[\]]*\]$/, "").trim() : ""
  const alias = ALIASES.get(text.toLowerCase())
  if (alias !== undefined) {
    set(fields, "model", alias)
    say(`model ${text} is now the role ${alias}`)
  } else if (text === "" || /^(?:inherit|default|auto)$/i.test(text) || /\s/.test(text)) {
    fields.delete("model")
    say(`left out model: ${JSON.stringify(said)}; the tenant's default is used`)
  } else if (text !== said) {
    set(fields, "model", text)
    say(`model is now ${text}`)
  }
}

function adaptNumbers(fields: Fields, say: Say): void {
  for (const key of ["maxTurns", "max-turns", "maxSteps", "steps"]) {
    const value = fields.get(key)
    if (value === undefined) continue
    fields.delete(key)
    if (!fields.has("max_turns") && typeof value === "number" && Number.isInteger(value) && value > 0) {
      set(fields, "max_turns", value)
      say(`${key} is now max_turns`)
    }
  }
  for (const [key, most] of [
    ["temperature", 2],
    ["top_p", 1],
  ] as const) {
    const value = fields.get(key)
    if (value === undefined || (typeof value === "number" && value >= 0 && value <= most)) continue
    fields.delete(key)
    say(`left out ${key}: ${JSON.stringify(value)}`)
  }
  const effort = fields.get("effort")
  if (effort === undefined) return
  fields.delete("effort")
  if (!fields.has("thinking") && typeof effort === "string" && isThinking(effort)) {
    set(fields, "thinking", effort)
    say("effort is now thinking")
  } else say("left out effort")
}

function adaptSkills(fields: Fields, world: ImportWorld, say: Say): void {
  if (!fields.has("skills")) return
  const wanted = namesOf(fields.get("skills"))
  const nameOf = (name: string): string => world.renamed?.get(name) ?? name
  const there = wanted.map(nameOf).filter((name) => world.skills.has(name))
  const left = wanted.filter((name) => !world.skills.has(nameOf(name)))
  if (left.length === 0 && there.every((name, i) => name === wanted[i])) return
  if (there.length === 0) fields.delete("skills")
  else set(fields, "skills", there.join(", "))
  if (left.length > 0) say(`left out skills that are not here: ${left.join(", ")}`)
  if (wanted.some((name) => nameOf(name) !== name)) say(`its skills are now ${there.join(", ")}`)
}

/** The older forms of templates, in the body. Inputs that only the body names are declared. */
function adaptTemplates(fields: Fields, body: string, say: Say): string {
  const declared = namesOf(fields.get("inputs"))
  const { text, rewritten, inputs } = modernized(body)
  if (rewritten.length === 0) return body
  say(`rewrote the templates ${rewritten.slice(0, SHOWN).join(", ")}${rewritten.length > SHOWN ? " and more" : ""}`)
  const more = inputs.filter((name) => !declared.includes(name))
  if (more.length > 0 && !isObject(fields.get("inputs"))) {
    set(fields, "inputs", [...declared, ...more])
    say(`declared the inputs ${more.join(", ")}, which its text names`)
  }
  return text
}

const SHOWN = 20

/** Drops the keys that our reader reports as unknown; keys that it refuses stay, because they would change what the agent may do. */
function dropUnknown(fields: Fields, say: Say): void {
  const unknown = [...fields.keys()].filter((key) => !AGENT_KEYS.includes(key))
  if (unknown.length === 0) return
  for (const key of unknown) fields.delete(key)
  say(`left out fields that have no meaning here: ${unknown.join(", ")}`)
}
