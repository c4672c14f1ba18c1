// Writes src/cloudflare/platform/builtins.gen.ts: every file of agents/, flows/ and skills/ as text, by path. The output depends only on the
// folders (sorted, LF) and is committed; `--check` fails if it is stale.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const target = "src/cloudflare/platform/builtins.gen.ts"

/** Built-in files: agents/NAME.md, flows at any depth including rehearsals, and all files of a skill. */
const isBuiltin = (file: string): boolean =>
  /^agents\/[^/]+\.md$/.test(file) || /^flows\/.+\.ya?ml$/.test(file) || /^skills\/[^/]+\/.+$/.test(file)

/** Path → text, sorted by path. */
export function readBuiltins(): ReadonlyMap<string, string> {
  const files = ["agents", "flows", "skills"]
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter(isBuiltin)
    .sort()
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), "utf8").replaceAll("\r\n", "\n")]))
}

export function renderBuiltins(files: ReadonlyMap<string, string>): string {
  const rows = [...files].map(([file, text]) => `  ${literal(file)}: ${literal(text)},\n`)
  return `// Made by \`npm run builtins\` from agents/, flows/ and skills/. Do not edit.

export const BUILTINS: Readonly<Record<string, string>> = {
${rows.join("")}}
`
}

/** A string literal that also escapes the two line separators that confuse editors and matchers. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
}

function main(args: readonly string[]): number {
  const text = renderBuiltins(readBuiltins())
  const file = path.join(root, target)
  const isCurrent = existsSync(file) && readFileSync(file, "utf8") === text
  if (args.includes("--check")) {
    if (!isCurrent) console.error(`${target} is stale: run \`npm run builtins\``)
    return isCurrent ? 0 : 1
  }
  if (!isCurrent) writeFileSync(file, text)
  console.log(`${target}: ${isCurrent ? "unchanged" : "written"}`)
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2))
