// `npm run package:runtimes`: the client of the packed package, by one suite (contract.mjs), on every runtime that it promises: Node 20 and 24, Bun,
// Deno, workerd and Chromium. First `npm ci --prefix test/runtimes`. `-- --built` takes dist/package as it is, `-- --only WORD` some of the runtimes.
// Ends with `N passed, N failed`.

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { Miniflare } from "miniflare"
import { buildWorker } from "../../local/build.ts"
import { SCOPES } from "../../src/api/route/route.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { node20 } from "../package/node-20.ts"
import { Victim } from "../crash/victim.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const here = (file: string): string => path.join(root, "test/runtimes", file)
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map((name) => `/usr/bin/${name}`)

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

type Results = readonly (readonly [what: string, fault: string | null])[]
interface At {
  readonly url: string
  readonly key: string
}
interface Runtime {
  readonly name: string
  /** Its version, and what it says of each case. */
  run(at: At, project: string): Promise<readonly [version: string, Results]>
}

/** A program that is given the suite's address and key, and prints its results. */
const program = (name: string, command: () => Promise<readonly string[]>, version = "--version"): Runtime => ({
  name,
  async run({ url, key }, project) {
    const [file = "", ...args] = await command()
    const said = spawnSync(file, [...args.slice(0, args.indexOf("run")), version], { encoding: "utf8", env: { PATH: process.env["PATH"] } })
    return [said.stdout.split("\n")[0] ?? "", JSON.parse(await output(file, [...args, "run.mjs", url, key], project)) as Results]
  },
})

const RUNTIMES: readonly Runtime[] = [
  program("node 20", async () => [await node20(home)]),
  program("node 24", async () => [process.execPath]),
  program("bun", async () => [await bun(), "run"]),
  program("deno", async () => [process.execPath, here("node_modules/deno/bin.cjs"), "run", "--quiet", "--allow-all"]),
  { name: "workerd", run: inWorkerd },
  { name: "chromium", run: inChromium },
]

async function output(file: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(file, args, { cwd, env: { PATH: process.env["PATH"], HOME: cwd, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] })
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  await once(child, "close")
  const line = out.trim().split("\n").at(-1) ?? ""
  if (!line.startsWith("[[")) throw new Error(`${path.basename(file)} ended without results: ${(err + out).slice(-1_500)}`)
  return line
}

/** The package and the suite as one module, for runtimes that have no packages. */
async function bundled(project: string, entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: project },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  })
  return outputFiles[0]?.text ?? ""
}
const IMPORTS = 'import * as sluice from "sluice"\nimport { contract } from "./contract.mjs"\n'

async function inWorkerd(at: At, project: string): Promise<readonly [string, Results]> {
  const script = await bundled(
    project,
    `${IMPORTS}export default { async fetch(request) { return Response.json(await contract(sluice, await request.json())) } }`,
  )
  const worker = new Miniflare({
    workers: [
      {
        config: {
          name: "suite",
          compatibilityDate: "2026-03-10",
          manifest: { mainModule: "suite.js", modules: { "suite.js": { type: "esm", contents: script } } },
        },
      },
    ],
  })
  try {
    const answer = await worker.dispatchFetch("http://suite/", { method: "POST", body: JSON.stringify(at) })
    return ["in Miniflare", (await answer.json()) as Results]
  } finally {
    await worker.dispose()
  }
}

/** A page of another origin, which the tenant allows; it sends its results to where it came from. */
async function inChromium(at: At, project: string): Promise<readonly [string, Results]> {
  const file = CHROMIUM.find((one) => existsSync(one))
  if (file === undefined) throw new Error(`there is no Chromium: ${CHROMIUM.join(", ")}`)
  const script = await bundled(
    project,
    `${IMPORTS}const body = JSON.stringify(await contract(sluice, ${JSON.stringify(at)}))\nawait fetch("/results", { method: "POST", body })`,
  )
  const server = createServer()
  const results = new Promise<Results>((resolve, fail) => {
    server.on("request", (request, answer) => {
      if (request.url === "/suite.js") return answer.setHeader("content-type", "text/javascript").end(script)
      if (request.url !== "/results")
        return answer.setHeader("content-type", "text/html").end('<script type="module" src="/suite.js"></script>')
      let text = ""
      request.setEncoding("utf8").on("data", (part: string) => (text += part))
      request.on("end", () => {
        answer.end()
        resolve(JSON.parse(text) as Results)
      })
      return answer
    })
    setTimeout(() => fail(new Error("the page sent no results for three minutes")), 180_000).unref()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  await new Sluice(at).settings.cors.put({ origins: [origin] })
  const profile = path.join(project, "profile")
  const quiet = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    `--user-data-dir=${profile}`,
  ]
  const browser = spawn(file, [...quiet, "--remote-debugging-port=0", origin], { stdio: "ignore", detached: true })
  try {
    return [spawnSync(file, ["--version"], { encoding: "utf8" }).stdout.trim(), await results]
  } finally {
    // Its processes are a group of their own.
    if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL")
    server.closeAllConnections()
    server.close()
  }
}

/** npm's package of Bun is a placeholder until its script ran; the program is in the package of the platform. */
async function bun(): Promise<string> {
  const folder = here("node_modules/@oven")
  const [name] = await readdir(folder).catch(() => [])
  if (name === undefined) throw new Error("npm ci --prefix test/runtimes was not run")
  return path.join(folder, name, "bin/bun")
}

/** A project that has the packed package and nothing else: the client has no dependency. */
async function project(folder: string): Promise<string> {
  const at = path.join(folder, "project")
  await mkdir(path.join(at, "node_modules"), { recursive: true })
  const ran = (command: string, args: readonly string[]): string => {
    const done = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 })
    if (done.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${done.stderr}${done.stdout}`)
    return done.stdout
  }
  if (!process.argv.includes("--built")) ran(process.execPath, ["scripts/package.ts"])
  const name = /"filename":\s*"([^"]+)"/.exec(ran("npm", ["pack", "--json", "--pack-destination", folder, "./dist/package"]))?.[1] ?? ""
  ran("tar", ["-xzf", path.join(folder, name), "-C", folder])
  await cp(path.join(folder, "package"), path.join(at, "node_modules/sluice"), { recursive: true })
  await writeFile(path.join(at, "package.json"), '{"private":true,"type":"module","dependencies":{"sluice":"*"}}\n')
  for (const file of ["contract.mjs", "run.mjs"]) await cp(here(file), path.join(at, file))
  return at
}

const home = await mkdtemp(path.join(tmpdir(), "sluice-runtimes-"))
const only = process.argv.includes("--only") ? (process.argv[process.argv.indexOf("--only") + 1] ?? "") : ""
let [passed, failed] = [0, 0]
let server: Victim | undefined
try {
  const worker = path.join(home, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  server = await Victim.create(worker)
  const { url } = server
  const [at] = await Promise.all([project(home), server.start()])
  const admin = new Sluice({ url, key: "sl_admin_local" })
  for (const { name, run } of RUNTIMES.filter((one) => one.name.includes(only))) {
    const began = performance.now()
    const id = `on-${name.replace(" ", "-")}`
    await admin.tenants.create({ id })
    const { key = "" } = await admin.tenants.keys(id).create({ name: "all", scopes: [...SCOPES] })
    const [version, results] = await run({ url, key }, at).catch(
      (error: unknown) => ["", [["it runs the suite", String(error)]] as Results] as const,
    )
    const faults = results.filter(([, fault]) => fault !== null)
    passed += results.length - faults.length
    failed += faults.length
    console.log(
      `${faults.length === 0 ? "ok  " : "FAIL"} ${name}: ${results.length - faults.length}/${results.length}, ${((performance.now() - began) / 1000).toFixed(1)} s  ${version}`,
    )
    for (const [what, fault] of faults) console.log(`       ${what}: ${fault ?? ""}`)
  }
} catch (error) {
  failed += 1
  console.log(`FAIL ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
} finally {
  await server?.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
