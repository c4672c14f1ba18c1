// `npm run mcp:conformance`: the official conformance suite, both revisions, and the inspector's CLI against a tenant made of our flows.
//
// These tools are not dependencies of the project (144 MB, for a manual check): pinned versions are installed in a folder in the
// system's temporary directory. A failing scenario must be in EXPLAINED with its reason, and every scenario there must fail.

import { execFile, spawn } from "node:child_process"
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { LOCAL_KEY, readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { bearerProxy } from "./bearer-proxy.ts"
import { EXPLAINED, EXPLAINED_CLIENT } from "./explained.ts"
import { catalog } from "./tenant.ts"

const PEERS = { "@modelcontextprotocol/conformance": "0.2.0-alpha.12", "@modelcontextprotocol/inspector": "2.12.0" }
const REVISIONS = ["2025-11-25", "2026-07-28"] as const

let passed = 0
let failed = 0
/** Scenarios that fail for a known reason. */
let known = 0
const check = (name: string, ok: boolean, why = ""): void => {
  if (ok) passed += 1
  else failed += 1
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${why === "" ? "" : `: ${why}`}`)
}

await runMain(async () => {
  const peers = await installed()
  const data = await mkdtemp(path.join(tmpdir(), "sluice-mcp-"))
  if (!process.argv.includes("--built")) await buildWorker()
  const server = await startServer(readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data }))
  const proxy = await bearerProxy(server.url, LOCAL_KEY)
  try {
    const headers = { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json" }
    const put = await fetch(`${server.url}/v1/catalog`, { method: "PUT", headers, body: JSON.stringify(catalog) })
    if (!put.ok) throw new Error(`the tenant's catalog: ${put.status} ${await put.text()}`)
    for (const revision of REVISIONS) await suite(peers, `${proxy.url}/mcp`, revision)
    for (const revision of REVISIONS) await clientSuite(peers, revision)
    await inspector(peers, `${server.url}/mcp`)
  } finally {
    await proxy.close()
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
  console.log(`${known} scenarios fail and are explained`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
})

async function suite(peers: string, url: string, revision: (typeof REVISIONS)[number]): Promise<void> {
  const output = await run(peers, "@modelcontextprotocol/conformance/dist/index.js", [
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "--timeout",
    "8000",
  ])
  judge(output, revision, EXPLAINED[revision])
}

/** The same for our client: the suite starts one process for each of its servers. */
async function clientSuite(peers: string, revision: (typeof REVISIONS)[number]): Promise<void> {
  const command = `${process.execPath} ${new URL("client.ts", import.meta.url).pathname}`
  const asked = ["client", "--command", command, "--requirements", revision, "--timeout", "120000"]
  judge(await run(peers, "@modelcontextprotocol/conformance/dist/index.js", asked), `client ${revision}`, EXPLAINED_CLIENT[revision])
}

function judge(output: string, revision: string, explained: Readonly<Record<string, string>>): void {
  const rows = [...output.matchAll(/^[✓✗] ([a-z0-9/_-]+): (\d+) passed, (\d+) failed(?:, \d+ warnings)?$/gmu)].map(
    ([, name = "", good, bad]) => ({
      name,
      good: Number(good),
      bad: Number(bad),
    }),
  )
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] ([a-z0-9/_-]+) \([a-z-]+\)$/gmu)].map(([, name]) => name))
  const scored = rows.filter(({ name }) => !unscored.has(name))
  if (scored.length === 0) throw new Error(`the suite said nothing: ${output.slice(-2000)}`)
  const sum = (of: "good" | "bad"): number => scored.reduce((n, row) => n + row[of], 0)
  for (const { name, bad } of scored) {
    const reason = explained[name]
    if (bad === 0) check(`${revision} ${name}`, reason === undefined, reason === undefined ? "" : "passes, and is explained as failing")
    else if (reason === undefined) check(`${revision} ${name}`, false, `${bad} checks failed, and nothing explains it`)
    else {
      known += 1
      console.log(`  -  ${revision} ${name}: ${reason}`)
    }
  }
  for (const name of Object.keys(explained))
    if (!scored.some((row) => row.name === name)) check(`${revision} ${name}`, false, "is explained, and was not run")
  const whole = scored.filter(({ bad }) => bad === 0).length
  console.log(`${revision}: ${whole} of ${scored.length} scenarios, ${sum("good")} checks passed and ${sum("bad")} failed`)
}

async function inspector(peers: string, url: string): Promise<void> {
  const cli = (...args: string[]): Promise<string> =>
    run(peers, "@modelcontextprotocol/inspector/clients/launcher/build/index.js", [
      "--cli",
      url,
      "--transport",
      "http",
      "--header",
      `Authorization: Bearer ${LOCAL_KEY}`,
      ...args,
    ])
  const listed = await cli("--method", "tools/list", "--strict")
  check(
    "inspector: lists the flows as tools, with portable schemas",
    listed.includes('"flow_test_simple_text"') && !/\berror\b/i.test(listed),
  )
  const called = await cli("--method", "tools/call", "--tool-name", "flow_test_simple_text", "--tool-arg", "task=hello")
  check("inspector: calls a flow", called.includes("This is a simple text response for testing.") && called.includes('"succeeded"'))
}

/** The output of both streams; the exit code is ignored. */
function run(peers: string, script: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: peers, maxBuffer: 64 * 1024 * 1024, timeout: 300_000, env: { ...process.env, NO_COLOR: "1" } }
    execFile(process.execPath, [path.join(peers, "node_modules", script), ...args], options, (_, out, err) => resolve(`${out}\n${err}`))
  })
}

async function installed(): Promise<string> {
  const folder = path.join(tmpdir(), `sluice-mcp-peers-${Object.values(PEERS).join("-")}`)
  const mark = path.join(folder, "installed")
  if (
    await access(mark).then(
      () => true,
      () => false,
    )
  )
    return folder
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PEERS }))
  const code = await new Promise<number | null>((resolve, no) => {
    const npm = spawn("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" })
    npm.once("error", no)
    npm.once("exit", resolve)
  })
  if (code !== 0) throw new Error(`npm install in ${folder} ended with ${code}`)
  await writeFile(mark, "")
  return folder
}
