// Prints the size and structure metrics of the code: `npm run measure`. `-- --pairs` lists the imports of each pair of rooms; `--circles`,
// `--types`, `--headers`, `--starts`, `--kinds` and `--state` list the files behind the other counts; `--borders` prints the table of
// ARCHITECTURE.md.

import { readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { AT_MOST } from "./measure/at-most.ts"
import { bordersTable } from "./measure/borders.ts"
import { FEATURES, foldersOf } from "./measure/features.ts"
import { circlesOf, pairsOf, roomOf } from "./measure/import-graph.ts"
import { kindSwitches, questionHeaders, repeatedTypes, startJudges, stateOfModules } from "./measure/tellings.ts"
import { git, importsOf, isIn, readTree, type Source } from "./measure/tree.ts"

const lines = (tree: readonly Source[]): number => tree.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0)
const codeLines = (tree: readonly Source[]): number =>
  tree.reduce((sum, { code }) => sum + code.split("\n").filter((line) => line.trim() !== "").length, 0)

const wordsOfDocs = (root: string): number =>
  git(root, "ls-files", "docs/*.md", ":!docs/decisions", ":!docs/guide")
    .trim()
    .split("\n")
    .reduce((sum, file) => sum + readFileSync(path.join(root, file), "utf8").split(/\s+/).filter(Boolean).length, 0)

function filesPerCommit(root: string): number {
  const commits = git(root, "log", "-50", "--no-merges", "--format=%x00", "--name-only", "--", "src").split("\0").slice(1)
  const counts = commits.map((one) => one.trim().split("\n").length).toSorted((a, b) => a - b)
  return counts[Math.floor(counts.length / 2)] ?? 0
}

/** The findings of each kind, one text each. */
export function listsOf(tree: readonly Source[]): Record<keyof typeof AT_MOST, readonly string[]> {
  const imports = importsOf(tree)
  return {
    pairs: pairsOf(imports).map(({ rooms, there, back }) =>
      [`${rooms[0]} (${there.length}) <-> ${rooms[1]} (${back.length})`, ...back.map(({ from, to }) => `${from} -> ${to}`)].join("\n  "),
    ),
    circles: circlesOf(imports).map((files) => files.join("\n  ")),
    types: [...repeatedTypes(tree)].map(([name, files]) => `${name} (${files.length})\n  ${files.join("\n  ")}`),
    headers: questionHeaders(tree),
    starts: startJudges(tree),
    kinds: kindSwitches(tree),
    state: stateOfModules(tree),
  }
}

function main(root: string, asked: string): void {
  const tree = readTree(root)
  const lists = listsOf(tree)
  if (asked === "borders") return console.log(bordersTable())
  const list = Object.entries(lists).find(([name]) => name === asked)?.[1]
  if (list !== undefined) return console.log(list.join("\n"))

  const src = tree.filter(({ file }) => isIn(file, "src"))
  const tools = tree.filter(({ file }) => isIn(file, "cli", "local", "scripts", "bench", "web"))
  const rooms = new Set(src.map(({ file }) => roomOf(file)))
  const rows: readonly (readonly [string, number | string])[] = [
    ["lines of src", lines(src)],
    ["files of src", src.length],
    ["lines of cli, local, scripts, bench, web", lines(tools)],
    ["lines of code of all rooms, without blank lines and comments", codeLines(tree)],
    [`two-way pairs of ${rooms.size} rooms`, lists.pairs.length],
    ["import cycles of files", lists.circles.length],
    ["exported type names defined three times or more", lists.types.length],
    ["files that judge a start themselves", lists.starts.length],
    ["files with three or more catalog kinds", lists.kinds.length],
    ["headers that begin What, Which, Whether, Who, How or One", lists.headers.length],
    ...Object.entries(FEATURES).map(([name, files]): [string, number] => [`folders of ${name}`, foldersOf(files)]),
    ["module variables that keep state", lists.state.length],
    ["words in docs, without decisions and guide", wordsOfDocs(root)],
    ["files of src in a commit, median of the last 50", filesPerCommit(root)],
  ]
  for (const [name, count] of rows) console.log(`${String(count).padStart(8)}  ${name}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main(fileURLToPath(new URL("..", import.meta.url)), process.argv[2]?.replace(/^--/, "") ?? "")
