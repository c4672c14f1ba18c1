// Lists the rules of docs/SPEC.md that no test names, and the ids in tests that are not rules. `npm run rules`; exits with 1 if it finds any.
//
// A rule is a list item `- **[F12] …`, a part of a rule `- **[F12b] …`. A rule with `*(later: issue N)*` after its title needs no test yet.
// A test names its rules at the front of its title, `test("[F12] …")` or `"[F10, F11] …"`; a case of the judge has `rule: "F12"`.

import { existsSync, readFileSync, readdirSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { defined } from "../src/core/defined.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

export interface Rule {
  readonly id: string
  readonly title: string
  /** The issue that the rule waits for. */
  readonly later?: string
}

export function readRules(spec: string): Rule[] {
  const item = /^- \*\*\[([A-Z]\d+[a-z]?)\]\s*(.*?)\*\*(?:\s*\*\(later: issue (\d+)\)\*)?/gm
  return [...spec.matchAll(item)].map(([, id = "", title = "", later]) => ({ id, title, ...defined({ later }) }))
}

/** Rule ids that a test file or a judge case names. */
export function rulesNamed(source: string): string[] {
  const bracketed = [...source.matchAll(/["'`]\[([A-Z]\d+[a-z]?(?:\s*,\s*[A-Z]\d+[a-z]?)*)\]/g)].flatMap(([, list = ""]) =>
    list.split(/\s*,\s*/),
  )
  const cases = [...source.matchAll(/\brule:\s*["']([A-Z]\d+[a-z]?)["']/g)].map(([, id = ""]) => id)
  return [...bracketed, ...cases]
}

const isTest = (file: string): boolean => /\.test\.[cm]?[jt]s$/.test(file) || /^conformance\/cases(?:-flows)?\/.*\.mjs$/.test(file)

/** Rule id → the files under test/ that name it. */
function readTests(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")
    if (!entry.isFile() || !isTest(file)) continue
    for (const id of rulesNamed(readFileSync(path.join(folder, file), "utf8"))) found.set(id, [...(found.get(id) ?? []), file])
  }
  return found
}

function main(): number {
  const rules = readRules(readFileSync(path.join(root, "docs/SPEC.md"), "utf8"))
  const tests = readTests(path.join(root, "test"))
  const known = new Set(rules.map((rule) => rule.id))
  const open = rules.filter((rule) => rule.later === undefined && !tests.has(rule.id))
  // Ids with other letters belong to other documents.
  const letters = new Set(rules.map((rule) => rule.id.charAt(0)))
  const strays = [...tests].filter(([id]) => !known.has(id) && letters.has(id.charAt(0)))
  for (const rule of open) console.log(`no test names [${rule.id}] ${rule.title}`)
  for (const [id, files] of strays) console.log(`[${id}] is not a rule of docs/SPEC.md: ${[...new Set(files)].join(", ")}`)
  console.log(`rules: ${rules.length - open.length} of ${rules.length} tested or waiting, ${open.length} open`)
  return open.length + strays.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main()
