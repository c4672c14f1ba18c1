// An agent's Markdown → the agent as data, with all its diagnostics [F50–F54]. Never throws.

import { hasErrors, sortDiagnostics, type Diagnostic } from "../diagnostic.ts"
import { compilePattern } from "../linear-pattern.ts"
import { THINKING, type Agent, type OutputSpec, type Thinking } from "./agent.ts"
import { checkBody } from "./check-body.ts"
import { fieldsOf, warnUnknown, type Fields, type Item } from "./fields.ts"
import { FINISH_FIELDS } from "./finish-schema.ts"
import { readFrontmatter } from "./frontmatter.ts"
import { isThinking, parseModelRef } from "./model-ref.ts"
import { isName } from "./path-id.ts"
import { openReport, shown, type Place, type Report } from "./report.ts"
import type { Node } from "./source.ts"
import { readTools } from "./tool-wish.ts"

export interface AgentWorld {
  /** The name that the file's path gives; absent when the text has no path. */
  readonly file?: string
  /** Every tool that is there, whoever may use it. */
  readonly tools: ReadonlySet<string>
  readonly skills: ReadonlySet<string>
}

const KEYS = [
  "name", "description", "tools", "approved_tools", "allowed_tools", "denied_tools", "model", "thinking", "skills", "inputs", "outputs", "card", "architect",
  "access", "role", "finalizer", "max_turns", "temperature", "max_output_tokens", "interactive", "output",
]
const UNSUPPORTED = ["approvals", "tool_approvals", "effects", "toolkits", "routes"]
const UNUSED = ["context_files", "context", "fork_session"]
const BASE_ROLES = ["planning", "coding", "fast", "research", "compact", "vision", "architect", "default"]

const START: Place = { line: 1, column: 1 }

export function parseAgent(text: string, world: AgentWorld): { agent?: Agent; diagnostics: Diagnostic[] } {
  const { front, diagnostics } = readFrontmatter(text, "AV")
  if (front === undefined) return { diagnostics: sortDiagnostics(diagnostics) }
  const report = openReport("AV")
  const fields = fieldsOf(front.head, report, "AV-FIELD", "the agent", START)

  for (const key of UNSUPPORTED) if (fields.has(key)) report.error("AV-UNSUPPORTED", fields.keyAt(key), `the agent asks for "${key}", which is not supported yet`, "leave it out")
  for (const key of UNUSED) if (fields.has(key)) report.warn("AV-UNUSED", fields.keyAt(key), `"${key}" is read, but not used yet`)
  warnUnknown(fields, report, "AV-UNKNOWN-KEY", [...KEYS, ...UNSUPPORTED, ...UNUSED])

  const model = readModel(fields, report)
  const role = fields.text("role")?.trim()
  const inputs = readInputs(fields, report)
  const card = readTexts(fields, report, "card", ["label", "metric", "role", "type"])
  if (card?.["type"] !== undefined && !CARD_TYPES.includes(card["type"])) report.warn("AV-CARD-TYPE", fields.valueAt("card"), `card.type ${shown(card["type"])} is not one that is shown`, report.hint(card["type"], CARD_TYPES))
  const architect = readTexts(fields, report, "architect", ["use_when", "produces", "depends_on", "domain"])
  const temperature = fields.number("temperature", 0, 2)
  const max_output_tokens = fields.integer("max_output_tokens", 1)
  const agent: Agent = {
    name: readName(fields, world, report),
    description: readDescription(fields, report),
    tools: readTools(fields, world.tools, role, report),
    ...model,
    skills: readSkills(fields, world, report),
    inputs,
    outputs: readOutputs(fields, report),
    ...(card === undefined ? {} : { card }),
    ...(architect === undefined ? {} : { architect }),
    access: readAccess(fields, report),
    ...(role === undefined || role === "" ? {} : { role }),
    finalizer: readFinalizer(fields, report),
    max_turns: fields.integer("max_turns", 1) ?? 40,
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    body: front.body,
  }
  checkBody(front, inputs, report)
  const all = sortDiagnostics([...diagnostics, ...report.list()])
  return hasErrors(all) ? { diagnostics: all } : { agent, diagnostics: all }
}

const CARD_TYPES = ["status", "metric", "progress", "log"]

function readName(fields: Fields, world: AgentWorld, report: Report): string {
  const name = fields.text("name")?.trim() ?? ""
  const at = fields.valueAt("name")
  if (name === "") report.error("AV-NAME", fields.keyAt("name"), "the agent has no name", `name: ${world.file ?? "NAME"}`)
  else if (!isName(name)) report.error("AV-NAME", at, `${shown(name)} is no name for an agent: use letters, digits, "-" and "_"`)
  else if (world.file !== undefined && name !== world.file) report.error("AV-NAME-FILE", at, `the agent is called "${name}", its file "${world.file}.md": they must be the same`, `name: ${world.file}`)
  return name
}

function readDescription(fields: Fields, report: Report): string {
  const description = fields.text("description")?.trim() ?? ""
  if (description === "") report.error("AV-DESC", fields.keyAt("description"), "the agent has no description", "description: what it does, and when to use it")
  return description
}

function readModel(fields: Fields, report: Report): { model?: string; thinking?: Thinking } {
  const level = fields.text("thinking")?.trim()
  // YAML 1.1 habits write `thinking: off`; here `off` is text, but a bare `false` means the same.
  const said = level === "false" ? "off" : level
  if (said !== undefined && !isThinking(said)) report.error("AV-THINKING", fields.valueAt("thinking"), `the thinking level ${shown(said)} is not known`, report.hint(said, THINKING))
  const explicit = said !== undefined && isThinking(said) ? { thinking: said } : {}
  const text = fields.text("model")?.trim() ?? ""
  const at = fields.valueAt("model")
  if (text === "") {
    report.warn("AV-MODEL", fields.keyAt("model"), `the agent names no model; the tenant's role "default" is used`, "model: @fast")
    return explicit
  }
  const ref = parseModelRef(text)
  const model = ref.kind === "role" ? `@${ref.role}` : ref.kind === "provider" ? `${ref.provider}/${ref.id}` : ref.id
  if ((ref.kind === "role" && ref.role === "") || (ref.kind === "provider" && (ref.provider === "" || ref.id === "")) || /\s/.test(model))
    report.error("AV-MODEL", at, `${shown(text)} names no model`, "@ROLE, PROVIDER/MODEL or MODEL, with :THINKING at the end if you like")
  else if (ref.kind === "role" && !BASE_ROLES.includes(ref.role))
    report.warn("AV-MODEL-ROLE", at, `the role "@${ref.role}" is none of the usual ones; unless the tenant maps it, its "default" is used`, report.hint(ref.role, BASE_ROLES))
  return { model, ...(ref.thinking === undefined ? {} : { thinking: ref.thinking }), ...explicit }
}

function readSkills(fields: Fields, world: AgentWorld, report: Report): string[] {
  const items = fields.list("skills", true)
  for (const { text, at } of items) if (!world.skills.has(text)) report.error("AV-SKILL", at, `the skill ${shown(text)} does not exist`, report.hint(text, world.skills))
  return [...new Set(items.map((item) => item.text))]
}

const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const RESERVED = ["constructor", "prototype"]

function readInputs(fields: Fields, report: Report): string[] {
  const names: string[] = []
  for (const { text, at } of itemsWithName(fields, "inputs")) {
    if (!IDENTIFIER.test(text) || RESERVED.includes(text)) report.error("AV-INPUT", at, `${shown(text)} is no name for an input: begin with a letter or digit, then letters, digits, "_" and "-"`)
    else if (names.includes(text)) report.warn("AV-INPUT", at, `the input "${text}" is there twice`)
    else names.push(text)
  }
  return names
}

/** `- doc` or `- { name: doc, description: … }`. */
function itemsWithName(fields: Fields, key: string): readonly Item[] {
  const node = fields.node(key)
  if (node?.kind !== "list" || !node.items.some((i) => i.kind === "map")) return fields.list(key, true)
  return node.items.flatMap((item): Item[] => {
    if (item.kind === "scalar") return [{ text: item.text, at: item.at }]
    const name = item.kind === "map" ? item.entries.find((e) => e.key === "name")?.value : undefined
    if (name?.kind === "scalar") return [{ text: name.text, at: name.at }]
    fields.wrong(item.at, `"${key}" holds something without a name`)
    return []
  })
}

const OUTPUT_TYPES: readonly OutputSpec["type"][] = ["string", "number", "boolean", "object", "array"]
const isOutputType = (text: string): text is OutputSpec["type"] => OUTPUT_TYPES.some((t) => t === text)

function readOutputs(fields: Fields, report: Report): OutputSpec[] {
  const node = fields.node("outputs")
  const specs: OutputSpec[] = []
  const keep = (spec: OutputSpec | undefined, at: Place): void => {
    if (spec === undefined) return
    if (FINISH_FIELDS.includes(spec.name)) report.error("AV-OUTPUT-RESERVED", at, `the output "${spec.name}" has the name of a field that every finish has`, `choose another name; taken are ${FINISH_FIELDS.join(", ")}`)
    else if (!IDENTIFIER.test(spec.name) || RESERVED.includes(spec.name)) report.warn("AV-OUTPUT", at, `${shown(spec.name)} is no name for an output and is left out: begin with a letter or digit, then letters, digits, "_" and "-"`)
    else if (specs.some((s) => s.name === spec.name)) report.warn("AV-OUTPUT", at, `the output "${spec.name}" is there twice; the first counts`)
    else specs.push(spec)
  }
  if (node?.kind === "map") {
    fields.wrong(node.at, `"outputs" must be a list`, "outputs:\n  - { name: verdict, type: string }")
  } else if (node?.kind === "list") {
    for (const item of node.items) keep(readOutput(item, fields, report), item.at)
  } else for (const { text, at } of fields.list("outputs", true)) keep({ name: text, type: "string", required: false }, at)
  return specs
}

function readOutput(item: Node, fields: Fields, report: Report): OutputSpec | undefined {
  if (item.kind === "scalar" && item.text.trim() !== "") return { name: item.text.trim(), type: "string", required: false }
  if (item.kind !== "map") {
    fields.wrong(item.at, `"outputs" holds something without a name`)
    return undefined
  }
  const output = fieldsOf(item, report, "AV-FIELD", "output", item.at)
  const name = output.required("name").trim()
  warnUnknown(output, report, "AV-UNKNOWN-KEY", ["name", "description", "type", "pattern", "required"])
  const description = output.text("description")
  const typed = output.text("type")?.trim()
  if (typed !== undefined && !isOutputType(typed)) report.error("AV-OUTPUT-TYPE", output.valueAt("type"), `output ${shown(name)}: the type ${shown(typed)} is not known`, report.hint(typed, OUTPUT_TYPES))
  const wished = output.text("pattern")
  // One that cannot be matched in linear time is dropped, as one that cannot be read: the text it judges is a model's.
  const pattern = wished === undefined ? undefined : compilePattern(wished)
  if (pattern?.ok === false) report.warn("AV-PATTERN", output.valueAt("pattern"), `output ${shown(name)}: ${pattern.error}; any text will do`)
  if (wished !== undefined && typed !== undefined && typed !== "string") report.warn("AV-PATTERN", output.valueAt("pattern"), `output ${shown(name)} has both a pattern and the type ${typed}; the pattern counts, and the value is text`)
  if (name === "") return undefined
  return {
    name,
    ...(description === undefined ? {} : { description }),
    type: wished !== undefined || typed === undefined || !isOutputType(typed) ? "string" : typed,
    ...(wished === undefined || pattern?.ok !== true ? {} : { pattern: wished }),
    required: output.flag("required") ?? (typed !== undefined || wished !== undefined),
  }
}

function readTexts<K extends string>(fields: Fields, report: Report, key: string, known: readonly K[]): Partial<Record<K, string>> | undefined {
  const map = fields.map(key)
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, "AV-FIELD", key, fields.keyAt(key))
  warnUnknown(inner, report, "AV-UNKNOWN-KEY", known)
  const texts: Partial<Record<K, string>> = {}
  for (const name of known) {
    const text = inner.node(name)?.kind === "list" ? inner.list(name, false).map((i) => i.text).join(", ") : inner.text(name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

function readAccess(fields: Fields, report: Report): Agent["access"] {
  const map = fields.map("access")
  if (map === undefined) return {}
  const access = fieldsOf(map, report, "AV-FIELD", "access", fields.keyAt("access"))
  warnUnknown(access, report, "AV-UNKNOWN-KEY", ["read", "write", "bash"])
  if (access.has("bash")) report.warn("AV-UNUSED", access.keyAt("bash"), `"access.bash" is read, but not used yet`)
  const globs = (key: string): string[] | undefined => {
    // An empty list lets nothing through; only an absent key lets everything through.
    if (!access.has(key)) return undefined
    const items = access.list(key, true)
    for (const { text, at } of items) {
      if (/[\s\\]|^~|^[a-z]+:|(?:^|\/)\.\.(?:\/|$)/i.test(text)) report.warn("AV-ACCESS", at, `${shown(text)} does not look like a path pattern and may never match`, "src/**, docs/*.md, notes.txt")
    }
    return items.map((item) => item.text)
  }
  const read = globs("read")
  const write = globs("write")
  return { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) }
}

function readFinalizer(fields: Fields, report: Report): Agent["finalizer"] {
  const text = fields.text("finalizer")?.trim()
  if (text === undefined || text === "finish") return "finish"
  if (text === "subagent_finalize") report.error("AV-UNSUPPORTED", fields.valueAt("finalizer"), `the finalizer "subagent_finalize" is not supported yet`, "finalizer: finish")
  else report.error("AV-FIELD", fields.valueAt("finalizer"), `the finalizer ${shown(text)} is not known`, "finalizer: finish")
  return "finish"
}
