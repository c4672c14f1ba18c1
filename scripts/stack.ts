// Maps stacks of a deployed Worker, alone or in log lines, to places in the sources: `npm run stack -- [--modules FOLDER] [FILE]`. Without
// a file it reads standard input. It needs the source maps of the deployed commit, whose build has the same bytes anywhere.

import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import path from "node:path"
import { parseArgs } from "node:util"
import { MODULES } from "../local/build.ts"
import { runMain, Trouble } from "../local/trouble.ts"

/** A place in a module, as workerd and Node write it: `chunk-ABC.mjs:1:2345`, perhaps with a folder before it. */
const PLACE = /(?:file:\/\/)?[\w@./-]*?([\w.-]+\.mjs):(\d+):(\d+)/g

export function mapped(text: string, folder: string): string {
  const maps = new Map<string, SourceMap | undefined>()
  const mapOf = (module: string): SourceMap | undefined => {
    if (!maps.has(module)) maps.set(module, read(path.join(folder, `${module}.map`)))
    return maps.get(module)
  }
  return text.replace(PLACE, (place: string, module: string, line: string, column: string) => {
    // Places are counted from 1 in a stack and from 0 in a map.
    const found = mapOf(module)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (found === undefined || !("originalSource" in found)) return place
    const source = path.relative(process.cwd(), path.resolve(folder, found.originalSource))
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })
}

function read(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    return undefined
  }
}

if (import.meta.main)
  await runMain(async () => {
    const { values, positionals } = parseArgs({ options: { modules: { type: "string", default: MODULES } }, allowPositionals: true })
    const { modules } = values
    if (!existsSync(path.join(modules, "index.mjs.map")))
      throw new Trouble(`there are no maps in ${modules}: check out the commit that was deployed and run \`npm run build -- --modules\``)
    process.stdout.write(mapped(readFileSync(positionals[0] ?? process.stdin.fd, "utf8"), modules))
  })
