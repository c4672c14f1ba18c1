// Writes the manuals of diagnostics from src/core/diagnostic-codes.ts: docs/DIAGNOSTICS.md has the most common codes for people,
// skills/flow-language/diagnostics.md all codes for agents. `npm run diagnostics` prints every code with a faulty line from
// test/fixtures/codes; with words, those that contain them. `--check` fails if a manual is stale.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { CODES, type Code, type DiagnosticCode } from "../src/core/diagnostic-codes.ts"
import { publish } from "./pages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const FOLDER = "test/fixtures/codes"

const SEVERITY = { error: "error", warning: "warning", either: "error or warning" } as const
const SHORT = { error: "E", warning: "W", either: "E, W" } as const

export interface Example {
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
    examples.set(code, { line: line.length > 140 ? `${line.slice(0, 139)}…` : line, file: `${FOLDER}/${file}` })
  }
  return examples
}

/** The codes of the faults that a newcomer makes first. */
const MET: ReadonlySet<string> = new Set<DiagnosticCode>([
  "FV-PARSE",
  "FV-TEXT",
  "FV-UNKNOWN-KEY",
  "FV-NAME",
  "FV-STEPS",
  "FV-TYPE-MISSING",
  "FV-AGENT",
  "FV-IN-UNWIRED",
  "FV-IN-EXTRA",
  "FV-BLOCK-UNKNOWN",
  "FV-BLOCK-ORDER",
  "FV-CYCLE",
  "FV-BRANCH",
  "FV-LOOP-TARGET",
  "FV-EXHAUSTED",
  "FV-UNREACHABLE",
  "FV-TPL-PREFIX",
  "FV-REF-STEP",
  "FV-REF-FIELD",
  "FV-REF-ORDER",
  "FV-REF-INPUT",
  "FV-CODE-HANDLER",
  "FV-FLOW",
  "AV-FM-MISSING",
  "AV-FIELD",
  "AV-MODEL",
  "AV-TOOL",
  "AV-OUTPUT",
  "SV-NAME-FOLDER",
  "PV-SECRET",
  "CAT-MANY",
])

export function renderManual(): string {
  const rows = CODES.flatMap(({ codes }): readonly Code[] => codes)
    .filter(({ code }) => MET.has(code))
    .map(({ code, severity, what, write }) => `| \`${code}\` | ${SHORT[severity]} | ${what} | ${write} |\n`)
  const groups = CODES.map(({ title, codes }) => `- ${title}: ${codes.map(({ code }) => `\`${code}\``).join(", ")}\n`)
  return `# Diagnostics

A diagnostic has a code, a line and a column (from 1), a severity, a message, and usually a suggestion that you can paste. A file with
an error (E) is not written. A file with a warning (W) works, but perhaps not as you expect. \`FV-…\` is about a flow, \`AV-…\` about an agent,
\`SV-…\` about a skill, \`RV-…\` about a rehearsal, \`TV-…\` about tests, \`PV-…\` about configuration, \`CV-…\` about a handler, \`CAT-…\` about where a
file is stored, \`IV-…\` about an import.

\`npm run diagnostics\` prints every code with its meaning, what to write instead and a faulty line; \`npm run diagnostics -- branch\` prints those
about branches, \`npm run diagnostics -- FV-BRANCH\` a single code. The [manual for agents](../skills/flow-language/diagnostics.md) has the same as tables, and each
file in [test/fixtures/codes](../test/fixtures/codes) shows a code. The command also writes this page, from \`src/core/diagnostic-codes.ts\`: do not edit it.

## The codes that people meet most

| code | | meaning | fix |
|---|---|---|---|
${rows.join("")}
## All codes

${groups.join("")}`
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
    ["docs/DIAGNOSTICS.md", renderManual()],
    ["skills/flow-language/diagnostics.md", renderSkill()],
  ])

/** Every code as text: its meaning, what to write instead, and a line that shows it. */
export function list(): string[] {
  const examples = readExamples()
  return CODES.flatMap(({ title, codes }) =>
    codes.map(({ code, severity, what, write }: Code) => {
      const { line, file } = examples.get(code) ?? { line: "", file: undefined }
      const shown = line.trim() === "" ? "" : `\n  ${line.trim()}`
      return `${code} (${SEVERITY[severity]}, ${title}): ${what}. Fix: ${write}.${file === undefined ? "" : ` ${file}`}${shown}`
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = publish("npm run diagnostics", renderAll(), list())
