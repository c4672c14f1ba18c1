// Writes the manual of diagnostics from src/core/diagnostic-codes.ts and the fixtures of test/fixtures/codes: docs/DIAGNOSTICS.md for
// people, skills/flow-language/diagnostics.md for agents. Both are committed; `--check` fails if either is stale.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { CODES, type Code } from "../src/core/diagnostic-codes.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const FOLDER = "test/fixtures/codes"

const SEVERITY = { error: "error", warning: "warning", either: "error or warning" } as const
const SHORT = { error: "E", warning: "W", either: "E, W" } as const

export interface Example {
  /** A sentence about what the file shows. */
  readonly why: string
  /** The faulty line, truncated if long. */
  readonly line: string
  readonly file: string
}

/** For each code with a fixture: the line that its first `# expect` names. */
export function readExamples(): ReadonlyMap<string, Example> {
  const examples = new Map<string, Example>()
  for (const file of readdirSync(path.join(root, FOLDER))) {
    const code = file.replace(/\.[a-z]+$/, "").toUpperCase()
    const text = readFileSync(path.join(root, FOLDER, file), "utf8")
    const at = Number(new RegExp(`^# expect ${code} \\S+ line (\\d+)`, "m").exec(text)?.[1] ?? "0")
    const line = text.split("\n")[at - 1] ?? ""
    const why = /^# (?!expect)(.*)$/m.exec(text)?.[1] ?? ""
    examples.set(code, { why, line: line.length > 140 ? `${line.slice(0, 139)}…` : line, file: `${FOLDER}/${file}` })
  }
  return examples
}

export function renderManual(examples: ReadonlyMap<string, Example>): string {
  const groups = CODES.map(({ title, codes }) => `## ${title}\n\n${codes.map((code) => entry(code, examples.get(code.code))).join("\n")}`)
  return `# Diagnostics

Every code that the checks report. \`npm run diagnostics\` generates this page from \`src/core/diagnostic-codes.ts\` and the files in
\`${FOLDER}\`; each of those files shows a code, with the expected diagnostics in its comments. Do not edit this page.

A diagnostic has a code, a line and a column (from 1), a severity, a message, and usually a suggestion that you can paste. A file with
errors is not written. A file with warnings works, but perhaps not as you expect.

${groups.join("\n")}`
}

function entry({ code, severity, what, write }: Code, example: Example | undefined): string {
  const shown = example === undefined || example.line.trim() === "" ? "" : `\n  \`\`\`\n  ${example.line.trim()}\n  \`\`\`\n`
  const file = example === undefined ? "" : ` ([file](../${example.file}))`
  return `- **\`${code}\`** (${SEVERITY[severity]}): ${what}. Fix: ${write}.${file}\n${shown}`
}

export function renderSkill(): string {
  const tables = CODES.map(({ title, codes }) => {
    const rows = codes.map(({ code, severity, what, write }) => `| \`${code}\` | ${SHORT[severity]} | ${what} | ${write} |\n`)
    return `## ${title}\n\n| code | | meaning | fix |\n|---|---|---|---|\n${rows.join("")}`
  })
  return `# Diagnostics

\`FV-…\` is about a flow, \`AV-…\` about an agent, \`SV-…\` about a skill, \`RV-…\` about a rehearsal, \`CV-…\` about a handler, \`CAT-…\` about where a
file is stored. A file with an error (E) is not written; a file with a warning (W) works, but perhaps not as you expect. Most messages
include the line to write.

${tables.join("\n")}`
}

/** Path → text of every generated file. */
export const renderAll = (): ReadonlyMap<string, string> =>
  new Map([
    ["docs/DIAGNOSTICS.md", renderManual(readExamples())],
    ["skills/flow-language/diagnostics.md", renderSkill()],
  ])

function main(check: boolean): number {
  let stale = 0
  for (const [file, text] of renderAll()) {
    const at = path.join(root, file)
    if (existsSync(at) && readFileSync(at, "utf8") === text) continue
    stale++
    if (check) console.error(`${file} is stale: npm run diagnostics`)
    else writeFileSync(at, text)
  }
  return check && stale > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.includes("--check"))
