// `npm run prism`: Prism is between the judge and the server and checks every answer against /openapi.json [H11]: a status, type or
// shape missing from the document becomes a Prism error, and fails. Requests are not checked: a judge sends wrong ones
// on purpose.
//
// Arguments: case folders below the judge's, by default `cases cases-tools cases-service`, each with its own server. SLUICE_JUDGE
// names another judge. Requests that Prism cannot carry bypass it, by name (`tap.ts`).

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { LOCAL_KEY, readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { ciPackage } from "../../scripts/ci-packages.ts"
import { Findings, openTap } from "./tap.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const OWN_CONNECTIONS = new URL("../../scripts/own-connections.ts", import.meta.url).href
const CASES = ["cases", "cases-tools", "cases-service"]

await runMain(async () => {
  const judge = path.resolve(root, process.env["SLUICE_JUDGE"] || "test/conformance")
  const folders = process.argv.length > 2 ? process.argv.slice(2) : CASES
  const prism = await ciPackage("@stoplight/prism-cli/dist/index.js")
  // A separate file: other suites serve dist/worker.js.
  const worker = await buildWorker("src/index.ts", "dist/prism/worker.js")
  const findings = new Findings()
  let [passed, failed] = [0, 0]
  for (const cases of folders) {
    const output = await judged(worker, prism, path.join(judge, "run.mjs"), path.join(judge, cases), findings)
    const [, ok = "0", bad = "1"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? []
    passed += Number(ok)
    failed += Number(bad)
  }
  const { undocumented, carried, operations, statuses, past } = findings
  for (const answer of undocumented) console.log(`FAIL undocumented: ${answer}`)
  console.log(
    `${carried} answers checked against the document by Prism, over ${operations.size} of its operations and ${statuses.size} of their statuses`,
  )
  for (const [why, count] of past) console.log(`  past Prism: ${count} times, ${why}`)
  const isClean = undocumented.length === 0 && carried > 0
  console.log(`${passed + (isClean ? 1 : 0)} passed, ${failed + Math.max(undocumented.length, isClean ? 0 : 1)} failed`)
  process.exitCode = isClean && failed === 0 && passed > 0 ? 0 : 1
})

/** Runs the judge against a separate server, through Prism, and returns its output. */
async function judged(worker: string, prism: string, judge: string, cases: string, findings: Findings): Promise<string> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-prism-"))
  const settings = { ...process.env, HOST: "", PORT: "0", SLUICE_DATA: path.join(data, "server"), ALLOWED_PRIVATE_HOSTS: "127.0.0.1" }
  const server = await startServer(readSettings(settings), worker)
  try {
    const document = await (await fetch(`${server.url}/openapi.json`)).text()
    const file = path.join(data, "openapi.json")
    await writeFile(file, document)
    const options = ["--errors", "--validate-request", "false", "--cors", "false", "-p", "0", "-v", "info"]
    const proxy = spawn(process.execPath, ["--import", OWN_CONNECTIONS, prism, "proxy", file, server.url, ...options], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NO_COLOR: "1" },
    })
    try {
      const tap = await openTap({ server: server.url, prism: await addressOf(proxy), paths: JSON.parse(document).paths, findings })
      try {
        return await run(process.execPath, ["--import", OWN_CONNECTIONS, judge, "--url", tap.url, "--key", LOCAL_KEY, "--cases", cases])
      } finally {
        await tap.close()
      }
    } finally {
      proxy.kill("SIGKILL")
    }
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
}

/** Prints the output and returns it. */
function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((ended, no) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      process.stdout.write(chunk)
    })
    child.once("error", no)
    child.once("exit", () => ended(said))
  })
}

/** It takes any port and prints the number, among its output about every path. */
async function addressOf(proxy: ChildProcess): Promise<string> {
  const ended = once(proxy, "exit").then(([code]) => {
    throw new Error(`prism ended with ${String(code)} before it listened`)
  })
  const address = new Promise<string>((resolve) => {
    let said = ""
    proxy.stdout?.on("data", (chunk: Buffer) => {
      // Prism prints a line per request: it is read so that Prism can continue, and not kept.
      if (said.length < 1_000_000) said += chunk.toString()
      const found = /Prism is listening on (http:\/\/\S+?:\d+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return Promise.race([address, ended])
}
