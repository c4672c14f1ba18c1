// Diagnostics for a person, an editor, a pull request and a code scanner. Pure, except that the caller reads the files.

import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { VERSION } from "../../src/engine/version.ts"
import { inProjectWords } from "../../local/project-words.ts"
import { plain } from "../../local/show-run.ts"
import { defined } from "../../src/core/defined.ts"

export const FORMATS = ["pretty", "json", "github", "sarif"] as const
export type Format = (typeof FORMATS)[number]

/** Diagnostics may come from a newer server, with codes of its own. */
export type FoundDiagnostics = Readonly<Record<string, readonly Diagnostic<string>[]>>
/** The text of a file; undefined: it is not there. */
export type TextOf = (path: string) => string | undefined

export function rendered(format: Format, found: FoundDiagnostics, textOf: TextOf): readonly string[] {
  const all = Object.entries(found).flatMap(([path, list]) => list.map((one) => ({ path, ...inWords(one) })))
  switch (format) {
    case "pretty":
      return causesFirst(all).flatMap((one) => (one.silenced === undefined ? pretty(one, textOf) : []))
    case "json":
      return [JSON.stringify({ valid: all.every(({ severity }) => severity !== "error"), diagnostics: all })]
    case "github":
      return all.flatMap((one) => (one.silenced === undefined ? [github(one)] : []))
    case "sarif":
      return [JSON.stringify(sarif(all))]
  }
}

/** Files with errors come first: a warning elsewhere may be only what follows from them. */
function causesFirst(all: readonly Placed[]): readonly Placed[] {
  const wrong = new Set(all.flatMap(({ path, severity }) => (severity === "error" ? [path] : [])))
  return all.toSorted((a, b) => Number(wrong.has(b.path)) - Number(wrong.has(a.path)))
}

/** `, 1 error, 7 warnings (2 silenced)`; empty if there is nothing to count. */
export function counted(found: FoundDiagnostics): string {
  const all = Object.values(found).flat()
  const errors = all.filter(({ severity }) => severity === "error").length
  const warnings = all.length - errors
  const silenced = all.filter(({ silenced }) => silenced !== undefined).length
  const of = (count: number, noun: string): string => (count === 0 ? "" : `, ${count} ${noun}${count === 1 ? "" : "s"}`)
  return `${of(errors, "error")}${of(warnings, "warning")}${silenced === 0 ? "" : ` (${silenced} silenced)`}`
}

/** One line for the flows that nothing tries; undefined: there are none. */
export function untestedLine(flows: readonly string[]): string | undefined {
  const [first] = flows
  if (first === undefined) return undefined
  const more = flows.length > MOST_NAMED ? `, and ${flows.length - MOST_NAMED} more` : ""
  const names = flows.slice(0, MOST_NAMED).map(plain).join(", ")
  return `no tests and no rehearsal: ${names}${more} (write tests/${plain(first).replaceAll(":", "/")}.test.yaml)`
}
const MOST_NAMED = 5

const inWords = ({ message, suggestion, ...one }: Diagnostic<string>): Diagnostic<string> => ({
  ...one,
  message: inProjectWords(message),
  ...(suggestion === undefined ? {} : { suggestion: inProjectWords(suggestion) }),
})

type Placed = Diagnostic<string> & { readonly path: string }

/** The first line is the format of compilers, so that editors can jump to the place; then the line itself, with a caret under the place. */
function pretty({ path, line, column, severity, code, message, suggestion }: Placed, textOf: TextOf): string[] {
  const place = path === "" ? "" : `${plain(path)}:${line}${column === undefined ? "" : `:${column}`}: `
  const head = `${place}${severity} ${code}: ${plain(message)}${suggestion === undefined ? "" : ` (${plain(suggestion)})`}`
  const source = textOf(path)?.split("\n")[line - 1]
  if (source === undefined) return [head]
  // A tab is one column of the file and several of a terminal.
  const at = Math.max(0, Math.min((column ?? source.length - source.trimStart().length + 1) - 1, source.length))
  const from = at > MOST_COLUMNS - 20 ? at - 40 : 0
  const shown = plain(source.replaceAll("\t", " ")).slice(from, from + MOST_COLUMNS)
  const gutter = String(line).padStart(5)
  return [head, `${gutter} | ${shown}`, `${" ".repeat(5)} | ${" ".repeat(at - from)}^`]
}
const MOST_COLUMNS = 120

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function github({ path, line, column, severity, code, message, suggestion }: Placed): string {
  const place = [
    ...(path === "" ? [] : [`file=${property(path)}`, `line=${line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${code}`,
  ]
  const text = plain(`${message}${suggestion === undefined ? "" : ` (${suggestion})`}`)
  return `::${severity} ${place.join(",")}::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`
}
const property = (text: string): string =>
  plain(text).replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C").replaceAll("\n", "%0A")

const sarif = (all: readonly Placed[]): object => ({
  $schema: "https://json.schemastore.org/sarif-2.1.0.json",
  version: "2.1.0",
  runs: [
    {
      tool: {
        driver: { name: "sluice", version: VERSION, rules: [...new Set(all.map(({ code }) => code))].sort().map((id) => ({ id })) },
      },
      results: all.map(({ path, line, column, severity, code, message, suggestion, silenced }) => ({
        ruleId: code,
        ...(silenced === undefined ? {} : { suppressions: [{ kind: "inSource", justification: silenced }] }),
        level: severity,
        message: { text: `${message}${suggestion === undefined ? "" : ` (${suggestion})`}` },
        ...(path === ""
          ? {}
          : {
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
                    region: { startLine: line, ...defined({ startColumn: column }) },
                  },
                },
              ],
            }),
      })),
    },
  ],
})
