// The frontmatter of Markdown files as people write it: if our strict reader fails, it is read line by line.
//
// Real files have colons and quotes in unquoted descriptions, dialogues over twenty lines, tabs, a missing closing fence. So the
// second reader has a list of field names, and everything up to the next such name is the value of the previous field.

import type { Json, JsonObject } from "../../core/json.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { readFrontmatter } from "../../core/flow/parse/frontmatter.ts"
import type { Node } from "../../core/flow/parse/yaml-tree.ts"

export interface Head {
  /** In file order. */
  readonly fields: ReadonlyMap<string, Json>
  readonly body: string
  /** Repairs made while reading; empty for a well-formed file. */
  readonly repairs: readonly string[]
  readonly present: boolean
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
  if (!/^---[ \t]*\r?(?:\n|$)/.test(text)) return { fields: new Map(), body: text.trim(), repairs, present: false }

  const strict = readFrontmatter(text, "AV")
  if (strict.front && !hasErrors(strict.diagnostics)) {
    const fields = strict.front.head.entries.map((entry): [string, Json] => [entry.key, jsonOf(entry.value)])
    return { fields: new Map(fields), body: strict.front.body, repairs, present: true }
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
  return { fields: readLines(head), body: body.join("\n").trim(), repairs, present: true }
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
const MAX_FENCE = 200

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

function jsonOf(node: Node): Json {
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
