// `npm run guide`: types the commands in README.md and on every page of the guide, in order, and compares the output with the page.
// README.md has a fresh data folder, and the guide has another, shared by its pages. Ends with `N passed, N failed`.
//
// Differences from a reader's machine: the port, the data folder (.sluice), the port of the MCP server that a page starts (3001), and
// `npm ci` was already run. A curl with a response of 400 or more ends its page.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { lastingPort } from "../../test/crash/port.ts"
import { blocksOf, missingPart, type Block } from "./page.ts"
import { ServerTerminal, Shell, type Done } from "./shell.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const CURLRC = "silent\nshow-error\nfail-with-body\n"

/** Commands that .ci/run and every contributor run before this: they would install and test inside themselves. */
const DONE_BEFORE = /^npm ci && npm test$/gm

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

/** Environment variables to pass on. Settings of Sluice are not among them: a page begins without any. */
const PASSED = ["PATH", "HOME", "TMPDIR", "npm_config_cache", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]

let passed = 0
let failed = 0
const pages = (await readdir(path.join(root, "docs/guide"))).filter((name) => /^\d\d-.*\.md$/.test(name)).sort()
await readThrough(["README.md"])
await readThrough(pages.map((name) => `docs/guide/${name}`))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** As a single reader does: one server, one data folder. */
async function readThrough(names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-guide-"))
  await writeFile(path.join(folder, ".curlrc"), CURLRC)
  const data = path.join(folder, "data")
  const port = String(await lastingPort())
  const other = String(await lastingPort())
  const here = (text: string): string =>
    text
      .replaceAll("npm ci && npm start", "npm start")
      .replaceAll(DONE_BEFORE, "")
      .replaceAll("127.0.0.1:8787", `127.0.0.1:${port}`)
      .replaceAll("./.sluice", data)
      .replaceAll(/(?<=PORT=|127\.0\.0\.1:)3001\b/g, other)
  const given = Object.fromEntries(PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  const env = { HOME: folder, ...given, LANG: "C.UTF-8", NO_COLOR: "1" }
  const server = new ServerTerminal(root, { ...env, PORT: port, SLUICE_DATA: data })
  try {
    for (const name of names) {
      const shell = new Shell(root, folder, { ...env, CURL_HOME: folder, SLUICE_URL: `http://127.0.0.1:${port}` })
      const run = ({ kind, script }: Block): Promise<Done> =>
        kind === "server" ? server.run(here(script)) : shell.run(here(script), kind === "refused")
      for (const block of blocksOf(await readFile(path.join(root, name), "utf8"))) {
        const began = Date.now()
        const done = await run(block)
        const fault = faultOf(block.answer === undefined ? block : { ...block, answer: here(block.answer) }, done)
        const first = block.script.split("\n")[0] ?? ""
        console.log(`${fault === undefined ? "ok  " : "FAIL"} ${name}:${block.line} ${first.slice(0, 90)} (${Date.now() - began} ms)`)
        if (fault === undefined) passed += 1
        else {
          failed += 1
          console.log(`     ${fault}\n${indented(block.script)}\n     it answered:\n${indented(done.output.slice(-6_000))}`)
          break
        }
      }
      await shell.close()
    }
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function faultOf({ kind, answer }: Block, { code, output }: Done): string | undefined {
  // curl: "The requested URL returned error".
  const wanted = kind === "refused" ? 22 : 0
  if (code !== wanted) return `exit code ${code}, not ${wanted}`
  const missing = answer === undefined ? undefined : missingPart(answer, output)
  return missing === undefined ? undefined : `the answer lacks, or has elsewhere: ${missing}`
}

function indented(text: string): string {
  return text.replace(/^/gm, "       ")
}
