// Updates generated files, and prints the full lists that pages in docs show in part.

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Prints the rows that contain all words of the command line. With `--check`, only compares the files and returns 1 if one is stale. */
export function publish(
  command: string,
  files: ReadonlyMap<string, string>,
  rows: readonly string[],
  faults: readonly string[] = [],
): number {
  const words = process.argv.slice(2).map((word) => word.toLowerCase())
  const check = words.includes("--check")
  let wrong = faults.length
  for (const fault of faults) console.error(fault)
  for (const [file, text] of files) {
    const at = path.join(root, file)
    if (existsSync(at) && readFileSync(at, "utf8") === text) continue
    if (!check) writeFileSync(at, text)
    else {
      console.error(`${file} is stale: ${command}`)
      wrong++
    }
  }
  if (!check) for (const row of rows) if (words.every((word) => row.toLowerCase().includes(word))) console.log(row)
  return wrong > 0 ? 1 : 0
}
