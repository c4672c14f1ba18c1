// `npm run build`: src/index.ts → dist/worker.js, one ESM file that workerd runs directly. With `--modules`: the deployed form, in
// dist/modules. Prints the sizes of the modules loaded at the start and of those loaded later.

import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { buildModules, buildWorker } from "../local/build.ts"

const files = process.argv.includes("--modules") ? await buildModules() : [await buildWorker()]
const sizes = new Map(files.map((file) => [file, [readFileSync(file).length, gzipSync(readFileSync(file)).length] as const]))
const weigh = (some: readonly string[], i: 0 | 1): number => some.reduce((n, file) => n + (sizes.get(file)?.[i] ?? 0), 0)
const say = (what: string, some: readonly string[]): void => {
  const sum = (i: 0 | 1): string => (weigh(some, i) / 1024).toFixed(0)
  console.log(`${what}: ${sum(0)} KiB, ${sum(1)} KiB gzip`)
}

if (files.length === 1) say(files.join(), files)
else {
  const first = atStart(files)
  // CI sets both. workerd parses every module when a Worker starts, 22 to 30 ms of CPU per MB, also those that run on demand.
  hold("--limit", "bytes (gzip) in the modules loaded at the start", weigh(first, 1))
  hold("--whole", "bytes in all modules", weigh(files, 0))
  say(`at the start (${first.length} modules)`, first)
  for (const file of files) if (!first.includes(file)) say(`on demand: ${file}`, [file])
  say("in all", files)
}

/** `OPTION BYTES` on the command line: more than that is an error. */
function hold(option: string, what: string, weight: number): void {
  const at = process.argv.indexOf(option)
  const most = Number(process.argv[at + 1])
  if (at < 0 || weight <= most) return
  console.error(`the Worker has ${weight} ${what}; at most ${most} are allowed`)
  process.exitCode = 1
}

/** index.mjs and its static imports, transitively; `import(…)` loads later. */
function atStart(all: readonly string[]): string[] {
  const found = new Set(all.filter((file) => file.endsWith("/index.mjs")))
  for (const file of found) {
    const text = readFileSync(file, "utf8")
    for (const other of all) {
      const name = other.slice(other.lastIndexOf("/") + 1)
      if (new RegExp(`(?:from|import)\\s*"\\./${name.replaceAll(".", "\\.")}"`).test(text)) found.add(other)
    }
  }
  return [...found]
}
