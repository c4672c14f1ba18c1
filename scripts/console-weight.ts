// Weighs what a browser loads for each page of the console, as gzip would send it: scripts that are imported statically, and style sheets.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { gzipSync } from "node:zlib"

const KB = 1_000
/** Of the first page, and what another page adds to it. */
const FIRST_JS = 110 * KB
const RUN_JS = 90 * KB
const FIRST_CSS = 8 * KB
/** A class has the name of its module before its own. */
const ALL_CSS = 27.5 * KB

/** Describes each budget that is exceeded. */
export function tooHeavy(built: string): string[] {
  const assets = path.join(built, "assets")
  const names = readdirSync(assets)
  const weigh = (some: Iterable<string>): number =>
    [...some].reduce((sum, name) => sum + gzipSync(readFileSync(path.join(assets, name)), { level: 9 }).length, 0)
  // As one sheet, which is how the drawn one was weighed: cut into routes, a sheet repeats what gzip had seen.
  const weighJoined = (some: readonly string[]): number =>
    gzipSync(Buffer.concat(some.map((name) => readFileSync(path.join(assets, name)))), { level: 9 }).length
  const closure = (entries: readonly string[]): ReadonlySet<string> => {
    const found = new Set<string>()
    const open = [...entries]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (found.has(name)) continue
      found.add(name)
      const text = readFileSync(path.join(assets, name), "utf8")
      for (const [, other = ""] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) open.push(other)
    }
    return found
  }
  const html = readFileSync(path.join(built, "index.html"), "utf8")
  const linked = [...html.matchAll(/assets\/([\w.-]+\.(?:js|css))"/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))
  const first = closure(linked.filter((name) => name.endsWith(".js")))
  const run = closure(names.filter((name) => /^(?:run-page|graph)-.*\.js$/.test(name)))
  const style = names.filter((name) => name.endsWith(".css")).sort()
  return [
    over("the first page's scripts", weigh(first), FIRST_JS),
    over("the scripts that the run page adds", weigh([...run].filter((name) => !first.has(name))), RUN_JS),
    over("the first page's style", weigh(linked.filter((name) => name.endsWith(".css"))), FIRST_CSS),
    over("the style of all pages, in one sheet,", weighJoined(style), ALL_CSS),
  ].filter((fault) => fault !== undefined)
}

const over = (what: string, weight: number, most: number): string | undefined =>
  weight <= most ? undefined : `${what} weigh ${weight.toLocaleString()} bytes (gzip), and at most ${most.toLocaleString()} are allowed`
