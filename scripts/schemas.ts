// Writes the files of docs/schemas, such as flow.json and hook.json: the answers of `GET /v1/schemas/…`, for editors that read the schema from the
// repository. The output depends only on the field table and is committed; `--check` fails if it is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { SCHEMA_NAMES } from "../src/engine/catalog/config/file-schemas.ts"
import { describedSchema } from "../src/http/openapi/file-schemas.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Path → text. */
export const renderSchemas = (): ReadonlyMap<string, string> =>
  new Map(SCHEMA_NAMES.map((name) => [`docs/schemas/${name}.json`, `${JSON.stringify(describedSchema(name), null, 2)}\n`]))

function main(args: readonly string[]): number {
  let stale = 0
  for (const [target, text] of renderSchemas()) {
    const file = path.join(root, target)
    const isCurrent = existsSync(file) && readFileSync(file, "utf8") === text
    if (!isCurrent) stale++
    if (args.includes("--check")) {
      if (!isCurrent) console.error(`${target} is stale: run \`node scripts/schemas.ts\``)
      continue
    }
    mkdirSync(path.dirname(file), { recursive: true })
    if (!isCurrent) writeFileSync(file, text)
    console.log(`${target}: ${isCurrent ? "unchanged" : "written"}`)
  }
  return args.includes("--check") && stale > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2))
