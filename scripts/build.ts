// `npm run build`: src/index.ts → dist/worker.js, one ESM file that workerd runs directly. With `--modules`: the deployed form,
// in dist/modules. Prints sizes, separately for the modules loaded at the start and later.

import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { buildModules, buildWorker } from "../local/build.ts"

const files = process.argv.includes("--modules") ? await buildModules() : [await buildWorker()]
const sizes = new Map(files.map((file) => [file, [readFileSync(file).length, gzipSync(readFileSync(file)).length] as const]))
const say = (what: string, some: readonly string[]): void => {
  const sum = (i: 0 | 1): string => (some.reduce((n, file) => n + (sizes.get(file)?.[i] ?? 0), 0) / 1024).toFixed(0)
  console.log(`${what}: ${sum(0)} KiB, ${sum(1)} KiB gzip`)
}

if (files.length === 1) say(files.join(), files)
else {
  const first = atStart(files)
  // `--limit BYTES`: maximum gzip size of the modules loaded at the start; CI sets it.
  const limit = Number(process.argv[process.argv.indexOf("--limit") + 1] ?? Number.NaN)
  const weight = first.reduce((n, file) => n + (sizes.get(file)?.[1] ?? 0), 0)
  if (process.argv.includes("--limit") && weight > limit) {
    console.error(`the Worker loads ${weight} bytes (gzip) at its start; at most ${limit} are allowed`)
    process.exitCode = 1
  }
  say(`at the start (${first.length} modules)`, first)
  for (const file of files) if (!first.includes(file)) say(`on demand: ${file}`, [file])
  say("in all", files)
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
