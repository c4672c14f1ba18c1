// `npm run guide`: types the commands in README.md and on every page of the guide, in order, and compares the output with the page.
// README.md has a fresh data folder, and the guide has another, shared by its pages. Ends with `N passed, N failed`.
// `npm run guide -- 16 17` types these pages alone, on a server of their own; with `--made` it types the program of dist/package, as it is.
//
// A page that types `npm run sluice` or setup.sh is typed in the checkout, the others in a folder that has the package.
//
// Differences from a reader's machine: the port, the data folder (.sluice), the ports of servers that pages start (3001, 3002), and
// `npm ci` was already run. A curl with a response of 400 or more ends its page.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { lastingPort } from "../../test/crash/port.ts"
import { blocksOf, missingPart, type Block } from "./page.ts"
import { installedIn, withoutNpx } from "./project.ts"
import { ServerTerminal, Shell, type Done } from "./shell.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const IN_CHECKOUT = /^(?:\. docs\/guide\/setup\.sh|npm run sluice )/m
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
const wanted = process.argv.slice(2).filter((word) => word !== "--made")
const isMade = process.argv.includes("--made")
if (wanted.length === 0) await readThrough(["README.md"])
await readThrough(
  pages.filter((name) => wanted.length === 0 || wanted.some((number) => name.startsWith(`${number}-`))).map((name) => `docs/guide/${name}`),
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** As a single reader does: one server, one data folder. */
async function readThrough(names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-guide-"))
  await writeFile(path.join(folder, ".curlrc"), CURLRC)
  const data = path.join(folder, "data")
  const port = String(await lastingPort())
  const others = { 3001: String(await lastingPort()), 3002: String(await lastingPort()) }
  const here = (text: string): string =>
    withoutNpx(text)
      .replaceAll("npm ci && npm start", "npm start")
      .replaceAll(DONE_BEFORE, "")
      .replaceAll("127.0.0.1:8787", `127.0.0.1:${port}`)
      .replaceAll("./.sluice", data)
      .replaceAll(/(?<=PORT=|127\.0\.0\.1:)300[12]\b/g, (at) => (at === "3001" ? others[3001] : others[3002]))
  const given = Object.fromEntries(PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  const env: Readonly<Record<string, string | undefined>> = { HOME: folder, ...given, LANG: "C.UTF-8", NO_COLOR: "1" }
  const project = path.join(folder, "projects")
  const bin = await installedIn(project, root, isMade)
  const onPath = [bin, path.join(root, "node_modules/.bin"), env["PATH"] ?? ""].join(":")
  const server = new ServerTerminal({ ...env, PATH: onPath, PORT: port, SLUICE_DATA: data })
  try {
    if (wanted.length > 0 && !(await Promise.all(names.map(servesItself))).every(Boolean)) await server.run("npm run serve", root)
    for (const name of names) {
      const blocks = blocksOf(await readFile(path.join(root, name), "utf8"))
      const isInCheckout = blocks.some(({ kind, script }) => kind !== "server" && IN_CHECKOUT.test(script))
      const shell = new Shell(isInCheckout ? root : project, folder, {
        ...env,
        PATH: onPath,
        CURL_HOME: folder,
        SLUICE_URL: `http://127.0.0.1:${port}`,
      })
      const run = ({ kind, script }: Block): Promise<Done> =>
        kind === "server" ? server.run(here(script), script.includes("npm ") ? root : project) : shell.run(here(script), kind === "refused")
      for (const block of blocks) {
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

/** It starts a server of its own before it needs one. */
async function servesItself(name: string): Promise<boolean> {
  return blocksOf(await readFile(path.join(root, name), "utf8")).some(({ kind }) => kind === "server")
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
