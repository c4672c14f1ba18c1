// Applies a diagnostic's suggestion when its button is pressed. Suggestions are written for people; only one that states the exact text and
// its place can be applied. undefined: the reader decides.

import { stepAt, stepLines } from "./step-lines.ts"

interface Problem {
  readonly code: string
  readonly line: number
  readonly column?: number
  readonly message: string
  readonly suggestion?: string
}

/** The whole text with the suggestion applied. */
export function mended(text: string, problem: Problem): string | undefined {
  const { line, column, suggestion } = problem
  const lines = text.split("\n")
  const here = lines[line - 1]
  if (suggestion === undefined || column === undefined || here === undefined || suggestion.includes("\n")) return undefined
  const at = column - 1
  if (/^remove the line\b/.test(suggestion)) return lines.toSpliced(line - 1, 1).join("\n")
  const put = (from: number, to: number, words: string): string =>
    lines.with(line - 1, here.slice(0, from) + words + here.slice(to)).join("\n")
  if (suggestion.startsWith("put it in quotes")) return put(at, here.length, JSON.stringify(here.slice(at).trimEnd()))
  const [, near] = /^did you mean "([^"]+)"/.exec(suggestion) ?? []
  if (near !== undefined) return named(problem.message, here, at, (from, to) => put(from, to, near))
  if (/^\$\{\{[^{}]+\}\}$/.test(suggestion)) {
    const wrong = /^(?:\$?\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>]*>)/.exec(here.slice(at))?.[0]
    return wrong === undefined || hasBlank(suggestion) ? undefined : put(at, at + wrong.length, suggestion)
  }
  if (/^[A-Za-z_][\w-]*$/.test(suggestion)) {
    const wrong = /^(?:"[^"]*"|'[^']*'|[\w.-]+)/.exec(here.slice(at))?.[0]
    return wrong === undefined ? undefined : put(at, at + wrong.length, suggestion)
  }
  return pair(text, problem, put)
}

/** The last name that the message quotes and that stands where the problem is: it is the wrong one. */
function named(message: string, here: string, at: number, put: (from: number, to: number) => string): string | undefined {
  for (const [, name = ""] of [...message.matchAll(/"([^"]+)"/g)].toReversed()) {
    const rest = here.slice(at)
    const found = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`).exec(rest)
    if (found) return put(at + found.index, at + found.index + name.length)
  }
  return undefined
}

const escaped = (words: string): string => words.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

/** Words in capitals and `…` stand for what only the writer knows. */
const hasBlank = (words: string): boolean => /\b[A-Z]{3,}\b|…|step-id/.test(words)

/** `key: value`, which corrects what is there, or is added beside it. */
function pair(
  text: string,
  { code, line, column = 1, suggestion = "" }: Problem,
  put: (from: number, to: number, words: string) => string,
): string | undefined {
  const [, key = "", rest = ""] = /^([A-Za-z_]\w*): (.+)$/.exec(suggestion) ?? []
  if (key === "" || key === "known") return undefined
  const value = rest.slice(0, endOf(rest))
  if (hasBlank(value)) return undefined
  const here = text.split("\n")[line - 1] ?? ""
  const at = column - 1
  const before = here.slice(0, at)
  // The problem is the value of this key.
  if (new RegExp(`(?:^|[\\s{,-])${key}:\\s*$`).test(before)) return put(at, at + endOf(here.slice(at)), value)
  const [whole = "", own = ""] = /^([A-Za-z_]\w*):\s*/.exec(here.slice(at)) ?? []
  const given = here.slice(at + whole.length)
  // The key is not one of this file: the other one stands for it.
  if (own !== "" && own !== key && code.endsWith("-FOREIGN-KEY")) {
    if (given.trim() === "") return put(at, at + own.length, key)
    return put(at, at + whole.length + endOf(given), `${key}: ${value}`)
  }
  // An entry that the map lacks.
  if (own === key) {
    const [, entry] = /^\{ (.+) \}$/.exec(value) ?? []
    const [open] = /^\{\s*/.exec(given) ?? []
    return entry === undefined || open === undefined
      ? undefined
      : put(at + whole.length, at + whole.length + open.length, `{ ${entry}${/^\{\s*\}/.test(given) ? " " : ", "}`)
  }
  const [map] = /^\{\s*/.exec(here.slice(at)) ?? []
  if (map !== undefined && /\w:\s*$/.test(before))
    return put(at, at + map.length, `{ ${key}: ${value}${/^\{\s*\}/.test(here.slice(at)) ? " " : ", "}`)
  // Prose is not written for somebody.
  if (/\s/.test(value) && !/^[[{"]/.test(value)) return undefined
  return added(text, line, `${key}: ${value}`, key)
}

function added(text: string, line: number, words: string, key: string): string | undefined {
  const lines = text.split("\n")
  const step = stepAt(stepLines(text), line)
  const has = (some: readonly string[]): boolean => some.some((one) => new RegExp(`(?:^|[\\s{,])${key}\\s*:`).test(one))
  // The settings of an agent end before its words begin.
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1
  if (end > 0) return has(lines.slice(0, end)) ? undefined : lines.toSpliced(end, 0, words).join("\n")
  if (step === undefined) {
    if (has(lines.filter((one) => /^\S/.test(one)))) return undefined
    return lines.toSpliced(line - 1, 0, words).join("\n")
  }
  if (has(lines.slice(step.first - 1, step.last))) return undefined
  const start = lines[step.first - 1] ?? ""
  if (start.slice(step.indent).startsWith("{")) {
    const end = start.lastIndexOf("}")
    if (step.first !== step.last || end < 0) return undefined
    return lines.with(step.first - 1, `${start.slice(0, end).trimEnd()}, ${words} ${start.slice(end)}`).join("\n")
  }
  return lines.toSpliced(step.first, 0, " ".repeat(step.indent) + words).join("\n")
}

/** Where a value ends: before a comma or a bracket that is not its own, before a comment, and before words that offer another. */
function endOf(words: string): number {
  let depth = 0
  let quote = ""
  for (let i = 0; i < words.length; i += 1) {
    const one = words[i] ?? ""
    if (quote !== "") {
      if (one === "\\" && quote === '"') i += 1
      else if (one === quote) quote = ""
    } else if (one === '"' || one === "'") quote = one
    else if (one === "[" || one === "{") depth += 1
    else if ((one === "]" || one === "}") && --depth < 0) return words.slice(0, i).trimEnd().length
    else if (depth === 0 && (one === "," || words.startsWith(" #", i))) return words.slice(0, i).trimEnd().length
  }
  return words.trimEnd().length
}
