// `npm run openapi`: writes the API's document to dist/openapi.json and runs two linters over it [H11]. A warning counts as a fault.

import { spawn } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { runMain } from "../../local/trouble.ts"
import { openApi } from "../../src/http/openapi/document.ts"
import { ciPackage } from "../../scripts/ci-packages.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const FILE = "dist/openapi.json"

const LINTERS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["redocly", ["lint", "--config", "test/openapi/redocly.yaml", "--max-problems", "50", FILE]],
  ["spectral", ["lint", "--ruleset", "test/openapi/spectral.yaml", "--fail-severity", "warn", FILE]],
]

await runMain(async () => {
  const bin = await ciPackage(".bin")
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string }
  const document = openApi(version)
  await mkdir(path.join(root, "dist"), { recursive: true })
  await writeFile(path.join(root, FILE), JSON.stringify(document, null, 2))
  console.log(`${FILE}: ${Object.keys(document["paths"] ?? {}).length} paths`)

  let failed = 0
  for (const [name, args] of LINTERS) {
    const { code, output } = await run(path.join(bin, name), args)
    // Redocly's exit code covers only errors.
    const isClean = code === 0 && !/\byou have \d+ warning/i.test(output)
    console.log(isClean ? `${name}: clean` : `${output.trim()}\n${name}: FAILED`)
    if (!isClean) failed += 1
  }
  console.log(`${LINTERS.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
})

function run(command: string, args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((ended, no) => {
    const child = spawn(command, args, {
      cwd: root,
      // No telemetry and no prompts.
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.once("error", no)
    child.once("exit", (code) => ended({ code: code ?? 1, output }))
  })
}
