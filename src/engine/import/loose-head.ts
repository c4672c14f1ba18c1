// Reads frontmatter as people write it: if our strict reader fails, it is read line by line.
//
// Real files have colons and quotes in unquoted descriptions, dialogues over twenty lines, tabs, a missing closing fence. So the
// second reader has a list of field names, and everything up to the next such name is the value of the previous field.

import type { Json, JsonObject } from "../../core/json.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { readFrontmatter } from "../../core/flow/parse/frontmatter.ts"
import type { MapEntry, YamlNode } from "../../core/flow/parse/yaml-tree.ts"
import { powerLines, powerOf, type PowerLine } from "./power-lines.ts"

export interface Head {
  /** In file order. */
  readonly fields: ReadonlyMap<string, Json>
  readonly body: string
  /** Repairs made while reading; empty for a well-formed file. */
  readonly repairs: readonly string[]
  readonly present: boolean
  /** What says which tools the agent has, wherever it stands. */
  readonly powers: readonly PowerLine[]
}

/** Names that start a field even if the surrounding text is not YAML. Lower case. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "name description tools disallowedtools disallowed-tools denied_tools approved_tools allowed_tools allowed-tools model color skills " +
    "permissionmode permission permissions mode temperature top_p maxturns max_turns maxsteps steps timeout hooks mcpservers mcp-servers memory effort " +
    "background isolation readonly is_background license compatibility metadata version author tags category argument-hint target handoffs " +
    "infer agents kind inputs outputs thinking when_to_use whentouse user-invocable disable-model-invocation files card architect role access"
  ).split(" "),
)

export function readHead(original: string): Head {
  const repairs: string[] = []
  let text = original
  if (text.startsWith("\uFEFF")) text = text.slice(1)
  const lead = leadOf(text)
  if (lead !== "") {
    text = text.slice(lead.length)
    repairs.push("removed the text before the frontmatter")
  }
  if (!/^---[ \t]*\r?(?:\n|$)/.test(text))
    return { fields: new Map(), body: text.trim(), repairs, present: false, powers: powerLines(text.split(/\r?\n/), powerValue) }

  const strict = readFrontmatter(text, "AV")
  if (strict.front && !hasErrors(strict.diagnostics)) {
    const fields = strict.front.head.entries.map((entry): [string, Json] => [entry.key, jsonOf(entry.value)])
    const { head, body } = strict.front
    return { fields: new Map(fields), body, repairs, present: true, powers: powersOf(head.entries, headLines(text), body) }
  }
  const lines = text.split(/\r?\n/).slice(1)
  const fence = lines.findIndex((line) => /^(?:---|\.\.\.)[ \t]*$/.test(line))
  const end =
    fence >= 0
      ? fence
      : lines.findIndex((line, i) => line.startsWith("#") || (line.trim() === "" && !/^[A-Za-z][\w-]*:/.test(lines[i + 1] ?? "")))
  if (fence < 0) repairs.push("closed the frontmatter")
  const head = end < 0 ? lines : lines.slice(0, end)
  const body = end < 0 ? [] : lines.slice(fence >= 0 ? end + 1 : end)
  repairs.push("read the frontmatter line by line, because it is not YAML")
  const rest = body.join("\n").trim()
  // Where no line ends the head, any line may be one of it.
  const powers = powerLines(fence < 0 ? lines : [...head, ...fencedIn(rest)], powerValue)
  return { fields: readLines(head), body: rest, repairs, present: true, powers }
}

/** Of a head that is YAML: its own fields, and lines that its author took for fields and YAML for more of a text. */
function powersOf(entries: readonly MapEntry[], lines: readonly string[], body: string): readonly PowerLine[] {
  const own = entries.flatMap(({ key, value }): PowerLine[] => {
    const power = powerOf(key)
    return power === undefined ? [] : [{ power, key, value: jsonOf(value), stray: false }]
  })
  const grants = own.some((line) => line.power === "grant")
  const inside = entries.flatMap(({ key, at, value }, i): readonly PowerLine[] => {
    if (powerOf(key) !== undefined || OF_OTHERS.test(key)) return []
    if (value.kind === "map") return powersOf(value.entries, [], "").map((line) => ({ ...line, stray: true }))
    if (value.kind === "list") return []
    const [first = "", ...more] = lines.slice(at.line - 1, (entries[i + 1]?.at.line ?? lines.length + 1) - 1)
    // Of a text in quotes or in a block it is plain where it ends: there the head's own line of tools counts.
    return grants && /:\s*["'|>]/.test(first) ? [] : powerLines(/\p{L}/u.test(key) ? more : [value.text, ...more], powerValue)
  })
  return [...own, ...inside, ...(grants ? [] : powerLines(fencedIn(body), powerValue))]
}

/** With the opening fence, without the closing one. */
function headLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.slice(
    0,
    lines.findIndex((line, i) => i > 0 && /^---[ \t]*$/.test(line)),
  )
}

/** Maps that say what somebody else may: servers, hooks, the agents to hand over to. */
const OF_OTHERS = /mcp|hooks|handoffs|server/i

/** The beginning of a text up to a further fence: a head that was closed too early. */
function fencedIn(body: string): readonly string[] {
  const lines = body.split(/\r?\n/)
  const end = lines.findIndex((line) => line.trim() === "" || /^(?:---|\.\.\.)[ \t]*$/.test(line))
  return end >= 0 && lines[end]?.trim() !== "" ? lines.slice(0, end) : []
}

/** What stands after the key, as YAML, else as a list of names. undefined: neither. */
function powerValue(lines: readonly string[]): Json | undefined {
  const { front, diagnostics } = readFrontmatter(`---\nvalue: ${lines.join("\n")}\n---\n`, "AV")
  const [only, ...more] = front?.head.entries ?? []
  if (only !== undefined && more.length === 0 && diagnostics.length === 0) return jsonOf(only.value)
  const value = valueOf(lines.map((line) => line.replace(/(?:^|\s)#.*$/, "").replace(/,\s*$/, "")))
  return typeof value === "string" && /[{}]|:\s/.test(value) ? undefined : value
}

/** White space and comments before the first fence; "" if no fence follows. */
function leadOf(text: string): string {
  let at = 0
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (!text.startsWith("<!--", at)) break
    const end = text.indexOf("-->", at + 4)
    if (end < 0) return ""
    at = end + 3
  }
  return /^---[ \t]*\r?\n/.test(text.slice(at, at + MAX_FENCE)) ? text.slice(0, at) : ""
}

/** Maximum length of a fence line with its trailing blanks. */
const MAX_FENCE = 200 // limit: characters of the line that closes a file's head → it closes nothing

function readLines(lines: readonly string[]): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>()
  let name: string | undefined
  let value: string[] = []
  const close = (): void => {
    if (name !== undefined && !fields.has(name)) fields.set(name, valueOf(value))
    value = []
  }
  for (const line of lines) {
    const [, found, rest = ""] = /^\t?([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/.exec(line) ?? []
    // The first line may have any name: a file of an unknown kind still starts with a field.
    if (found !== undefined && (name === undefined || NAMES.has(found.toLowerCase()))) {
      close()
      name = found
      value = [rest]
    } else if (name !== undefined) value.push(line)
  }
  close()
  return fields
}

function valueOf(lines: readonly string[]): Json {
  const [first = "", ...rest] = lines
  const more = rest.filter((line) => line.trim() !== "")
  if (first.trim() === "" && more.length > 0 && more.every((line) => /^\s*-\s/.test(line)))
    return more.map((line) => unquote(line.replace(/^\s*-\s+/, "").trim()))
  const head = /^[|>][+-]?\d?\s*$/.test(first.trim()) ? "" : first
  const text = [head, ...rest.map((line) => line.trim())].join("\n").trim()
  const inline = /^\[([^\]]*)\]$/.exec(text)?.[1]
  if (inline !== undefined)
    return inline
      .split(",")
      .map((item) => unquote(item.trim()))
      .filter((item) => item !== "")
  return unquote(text)
}

const unquote = (text: string): string =>
  /^"([^]*)"$/.exec(text)?.[1] ?? /^'([^]*)'$/.exec(text)?.[1] ?? text.replace(/^["'`](?=[^"'`]*$)/, "")

function jsonOf(node: YamlNode): Json {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string" || node.value === null || typeof node.value === "boolean" ? node.value : numberOf(node.text)
    case "list":
      return node.items.map(jsonOf)
    case "map": {
      const map: JsonObject = {}
      for (const entry of node.entries) map[entry.key] = jsonOf(entry.value)
      return map
    }
  }
}

/** `1.10` is a version, not 1.1: only numbers in canonical form stay numbers. */
const numberOf = (text: string): Json => (String(Number(text)) === text ? Number(text) : text)
