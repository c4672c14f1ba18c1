// Parses an agent's Markdown into data, with all diagnostics [F50–F54]. Never throws.

import { defined } from "../defined.ts"
import { bounded, hasErrors, type Diagnostic } from "../diagnostic.ts"
import { MAX_CONTEXT_FILES, THINKING, type Agent, type Thinking } from "../flow/agent.ts"
import { checkBody } from "../flow/check/check-body.ts"
import { checkArguments } from "../flow/check/check-arguments.ts"
import { checkTrifecta, type ToolTraits } from "../flow/check/check-trifecta.ts"
import { fieldsOf, warnUnknown, type Fields, type Item } from "../flow/parse/fields.ts"
import { AGENT_FIELDS, APPROVAL_FIELDS, EFFECT_FIELDS, keysOf, type FieldTable } from "../flow/parse/field-table.ts"
import { readFrontmatter } from "../flow/parse/frontmatter.ts"
import { isThinking, MAX_MODELS, parseModelRef } from "../flow/model-ref.ts"
import { readApprovals, readEffects, readToolApprovals } from "../flow/parse/parse-approvals.ts"
import { readOutputs } from "../flow/parse/parse-outputs.ts"
import { readTeam } from "./parse-team.ts"
import { isIdentifier, isName, nameFrom } from "../text/names.ts"
import { normalizePath } from "../text/path.ts"
import { START, type SourcePlace } from "../flow/parse/place.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { openReport, type Report, shown } from "../flow/parse/report.ts"
import { readTools } from "../flow/parse/tool-wish.ts"

export interface AgentWorld {
  /** The name in the file's path; absent if the text has no path. */
  readonly file?: string
  /** Every tool that exists, whether the agent may use it or not. */
  readonly tools: ReadonlySet<string>
  readonly skills: ReadonlySet<string>
  /** Files of tools that have errors of their own; absent: none. */
  readonly unmade?: readonly string[]
  /** Traits of those tools for the lint of [G11]; absent: unknown. */
  readonly traits?: Iterable<ToolTraits>
}

const UNUSED = ["fork_session"]
// Near to `model`, and a word of several other programs.
const OTHERS_MODE = { why: '"mode" is a key of other programs and is ignored' }
/** Every key that an agent's frontmatter may have without a warning that it is unknown. */
export const AGENT_KEYS: readonly string[] = [...keysOf(AGENT_FIELDS), ...UNUSED]
const MAX_STOPS = 16 // limit: texts at which an answer ends → `AV-FIELD`
const MAX_STOP_CHARS = 200 // limit: characters of such a text → `AV-FIELD`
export const BASE_ROLES = ["planning", "coding", "fast", "research", "compact", "vision", "architect", "judge", "default"]

export function parseAgent(text: string, world: AgentWorld): { agent?: Agent; diagnostics: readonly Diagnostic[] } {
  const { front, diagnostics } = readFrontmatter(text, "AV")
  if (front === undefined) return { diagnostics: bounded(diagnostics, "AV-MORE") }
  const report = openReport("AV")
  const fields = fieldsOf(front.head, report, "AV-FIELD", "the agent", START)

  for (const key of UNUSED) if (fields.has(key)) report.warn("AV-UNUSED", fields.keyAt(key), `"${key}" has no effect yet`, "remove it")
  warnUnknown(fields, report, "AV", AGENT_KEYS, (key) => (key === "mode" ? OTHERS_MODE : undefined))
  warnOutput(fields, report)

  const model = readModel(fields, report)
  const inputs = readInputs(fields, report)
  const card = readTexts(fields, report, "card", AGENT_FIELDS.card.fields)
  if (card?.["type"] !== undefined && !CARD_TYPES.includes(card["type"]))
    report.warn(
      "AV-CARD-TYPE",
      fields.valueAt("card"),
      `the card type ${shown(card["type"])} is unknown`,
      report.hint(card["type"], CARD_TYPES),
    )
  const architect = readTexts(fields, report, "architect", AGENT_FIELDS.architect.fields)
  const { max_turns, temperature, top_p, seed, max_output_tokens, max_tool_tokens } = AGENT_FIELDS
  const limits = readFields(fields, { max_turns, temperature, top_p, seed, max_output_tokens, max_tool_tokens })
  const stop = readStop(fields, report)
  const finalizer = readFinalizer(fields, report)
  const approvals = readApprovals(fields, APPROVAL_FIELDS, { rule: "AV-APPROVAL", field: "AV-FIELD", family: "AV" }, report)
  const tool_approvals = readToolApprovals(fields, world, report)
  const effects = readEffects(fields, EFFECT_FIELDS, { field: "AV-FIELD", family: "AV" }, report)
  const name = readName(fields, world, report)
  const team = readTeam(fields, name, report)
  const agent: Agent = {
    name,
    description: readDescription(fields, report),
    tools: readTools(fields, world, team, report),
    ...model,
    skills: readSkills(fields, world, report),
    ...readContextFiles(fields, report),
    inputs,
    outputs: readOutputs(fields, finalizer, report),
    ...defined({ card, architect }),
    ...readAccess(fields, report),
    ...defined({ approvals, tool_approvals, effects }),
    ...team,
    finalizer,
    ...limits,
    ...(stop.length === 0 ? {} : { stop }),
    body: front.body,
  }
  checkBody(front, inputs, report)
  if (world.traits && tool_approvals) checkArguments(tool_approvals, fields, world.traits, report)
  if (world.traits) checkTrifecta(agent, world.traits, fields.keyAt("tools"), report)
  const all = bounded([...diagnostics, ...report.list()], "AV-MORE")
  return hasErrors(all) ? { diagnostics: all } : { agent, diagnostics: all }
}

/** `output` is a hint of pi-flows, a text; a list is meant as `outputs`, and a text probably is where the agent has none. */
function warnOutput(fields: Fields, report: Report): void {
  const node = fields.node("output")
  if (node === undefined) return
  if (node.kind !== "scalar")
    report.warn("AV-MISSPELLED-KEY", fields.keyAt("output"), 'the agent: "output" declares no outputs', 'did you mean "outputs"?')
  else if (!fields.has("outputs"))
    report.warn("AV-UNUSED", fields.keyAt("output"), '"output" is a hint without effect', 'did you mean "outputs"? Otherwise remove it')
}

const CARD_TYPES: readonly string[] = AGENT_FIELDS.card.fields.type.values

/** [F50] A path that no file can have is left out. */
function readContextFiles(fields: Fields, report: Report): Pick<Agent, "context_files"> {
  const items = [...fields.list("context_files", true), ...fields.list("context", true)].slice(0, MAX_CONTEXT_FILES)
  const paths = items.flatMap(({ text, at }) => {
    const path = normalizePath(text)
    if (!path.ok) report.warn("AV-ACCESS", at, path.error, "docs/style.md")
    return path.ok ? [path.value] : []
  })
  return paths.length === 0 ? {} : { context_files: [...new Set(paths)] }
}

function readName(fields: Fields, world: AgentWorld, report: Report): string {
  const name = fields.text("name")?.trim() ?? ""
  const at = fields.valueAt("name")
  if (name === "") report.error("AV-NAME", fields.keyAt("name"), "the agent has no name", `name: ${world.file ?? "NAME"}`)
  else if (!isName(name))
    report.error(
      "AV-NAME",
      at,
      `${shown(name)} is not a valid agent name: use letters, digits, "-" and "_"`,
      `name: ${world.file ?? nameFrom(name, "-")}`,
    )
  else if (world.file !== undefined && name !== world.file)
    report.error(
      "AV-NAME-FILE",
      at,
      `the agent's name is "${name}", but its file is "${world.file}.md": they must match`,
      `name: ${world.file}`,
    )
  return name
}

function readDescription(fields: Fields, report: Report): string {
  const description = fields.text("description")?.trim() ?? ""
  if (description === "")
    report.error("AV-DESC", fields.keyAt("description"), "the agent has no description", "description: what it does, and when to use it")
  return description
}

function readModel(fields: Fields, report: Report): { model?: string; thinking?: Thinking } {
  const level = fields.text("thinking")?.trim()
  // YAML 1.1 habits write `thinking: off`; here `off` is text, but a bare `false` means the same.
  const said = level === "false" ? "off" : level
  if (said !== undefined && !isThinking(said))
    report.error("AV-THINKING", fields.valueAt("thinking"), `the thinking level ${shown(said)} is unknown`, report.hint(said, THINKING))
  const explicit = said !== undefined && isThinking(said) ? { thinking: said } : {}
  const [first, ...others] = fields.list("model", true)
  const at = fields.valueAt("model")
  if (first === undefined) {
    report.warn("AV-MODEL", fields.keyAt("model"), `the agent has no model; the tenant's role "default" is used`, "model: @fast")
    return explicit
  }
  if (others.length >= MAX_MODELS)
    report.error("AV-MODEL", at, `the agent names ${others.length + 1} models, but at most ${MAX_MODELS} may take turns`, "fewer models")
  const { thinking: own, model } = readRef(first.text, at, report)
  const rest = others.slice(0, MAX_MODELS).map(({ text }) => {
    const { model: next, thinking = explicit.thinking } = readRef(text, at, report)
    return thinking === undefined ? next : `${next}:${explicit.thinking ?? thinking}`
  })
  return { model: [model, ...rest].join(", "), ...defined({ thinking: own }), ...explicit }
}

function readRef(text: string, at: SourcePlace, report: Report): { readonly model: string; readonly thinking?: Thinking } {
  const ref = parseModelRef(text)
  const model = ref.kind === "role" ? `@${ref.role}` : ref.kind === "provider" ? `${ref.provider}/${ref.id}` : ref.id
  if ((ref.kind === "role" && ref.role === "") || (ref.kind === "provider" && (ref.provider === "" || ref.id === "")) || /\s/.test(model))
    report.error("AV-MODEL", at, `${shown(text)} is not a valid model`, "@ROLE, PROVIDER/MODEL or MODEL, optionally followed by :THINKING")
  else if (ref.kind === "role" && !BASE_ROLES.includes(ref.role))
    report.warn(
      "AV-MODEL-ROLE",
      at,
      `the role "@${ref.role}" is not a standard role; unless the tenant maps it, the tenant's "default" is used`,
      report.hint(ref.role, BASE_ROLES),
    )
  return { model, ...defined({ thinking: ref.thinking }) }
}

function readSkills(fields: Fields, world: AgentWorld, report: Report): string[] {
  const items = fields.list("skills", true)
  for (const { text, at } of items)
    if (!world.skills.has(text)) report.error("AV-SKILL", at, `the skill ${shown(text)} does not exist`, report.hint(text, world.skills))
  return [...new Set(items.map((item) => item.text))]
}

/** Not split at commas, because a stop text may be a comma. */
function readStop(fields: Fields, report: Report): string[] {
  const items = fields.list("stop", false)
  if (items.length > MAX_STOPS)
    report.error(
      "AV-FIELD",
      fields.valueAt("stop"),
      `"stop" has ${items.length} texts, but at most ${MAX_STOPS} are allowed`,
      "fewer texts",
    )
  for (const { text, at } of items)
    if (text.length > MAX_STOP_CHARS)
      report.error(
        "AV-FIELD",
        at,
        `a text of "stop" has ${text.length} characters, but at most ${MAX_STOP_CHARS} are allowed`,
        'stop: ["END"]',
      )
  return items.map(({ text }) => text)
}

function readInputs(fields: Fields, report: Report): string[] {
  const names: string[] = []
  for (const { text, at } of itemsWithName(fields, "inputs", report)) {
    if (!isIdentifier(text))
      report.error(
        "AV-INPUT",
        at,
        `${shown(text)} is not a valid input name: begin with a letter or digit, then use letters, digits, "_" and "-"`,
        nameFrom(text, "_") || "doc",
      )
    else if (names.includes(text)) report.warn("AV-INPUT", at, `the input "${text}" is repeated`, "keep one of them")
    else names.push(text)
  }
  return names
}

const ITEM_KEYS = ["name", "description"]

/** `- doc` or `- { name: doc, description: … }`. An input of an agent has no type: it is text. */
function itemsWithName(fields: Fields, key: string, report: Report): readonly Item[] {
  const node = fields.node(key)
  if (node?.kind !== "list" || !node.items.some((i) => i.kind === "map")) return fields.list(key, true)
  return node.items.flatMap((item): Item[] => {
    if (item.kind === "scalar") return [{ text: item.text, at: item.at }]
    const name = item.kind === "map" ? item.entries.find((e) => e.key === "name")?.value : undefined
    if (item.kind === "map") warnUnknown(fieldsOf(item, report, "AV-FIELD", `the agent, ${key}`), report, "AV", ITEM_KEYS)
    if (name?.kind === "scalar") return [{ text: name.text, at: name.at }]
    fields.wrong(item.at, `"${key}" contains an item without a name`, `${key}: [name]`)
    return []
  })
}

function readTexts<T extends FieldTable>(fields: Fields, report: Report, key: string, table: T): { [K in keyof T]?: string } | undefined {
  const map = fields.map(key)
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, "AV-FIELD", key, fields.keyAt(key))
  warnUnknown(inner, report, "AV", keysOf(table))
  const texts: { [K in keyof T]?: string } = {}
  for (const name in table) {
    const text =
      inner.node(name)?.kind === "list"
        ? inner
            .list(name, false)
            .map((i) => i.text)
            .join(", ")
        : inner.text(name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

function readAccess(fields: Fields, report: Report): Pick<Agent, "access" | "denied_commands"> {
  const map = fields.map("access")
  if (map === undefined) return { access: {} }
  const access = fieldsOf(map, report, "AV-FIELD", "access", fields.keyAt("access"))
  warnUnknown(access, report, "AV", keysOf(AGENT_FIELDS.access.fields))
  const shell = access.map("bash")
  const commands = shell && fieldsOf(shell, report, "AV-FIELD", "access.bash", access.keyAt("bash"))
  if (commands) warnUnknown(commands, report, "AV", keysOf(AGENT_FIELDS.access.fields.bash.fields))
  // Not split at commas, because a command may contain commas.
  const denied = commands?.list("deny", false).map((item) => item.text) ?? []
  const globs = (key: string): string[] | undefined => {
    // An empty list allows nothing; only an absent key allows everything.
    if (!access.has(key)) return undefined
    const items = access.list(key, true)
    for (const { text, at } of items) {
      if (/[\s\\]|^~|^[a-z]+:|(?:^|\/)\.\.(?:\/|$)/i.test(text))
        report.warn("AV-ACCESS", at, `${shown(text)} does not look like a path pattern and may never match`, "src/**, docs/*.md, notes.txt")
    }
    return items.map((item) => item.text)
  }
  const read = globs("read")
  const write = globs("write")
  return {
    access: defined({ read, write }),
    ...(denied.length === 0 ? {} : { denied_commands: denied }),
  }
}

function readFinalizer(fields: Fields, report: Report): Agent["finalizer"] {
  const text = fields.text("finalizer")?.trim()
  if (text === undefined || text === "finish") return "finish"
  if (text === "subagent_finalize") return "subagent_finalize"
  report.error("AV-FIELD", fields.valueAt("finalizer"), `the finalizer ${shown(text)} is unknown`, "finalizer: finish")
  return "finish"
}
