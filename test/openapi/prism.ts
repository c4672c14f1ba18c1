// `npm run prism`: Prism stands between the judge and the server and holds every answer against /openapi.json [H11]: a status, a type or a
// shape that the document does not know becomes an error of Prism's, and fails. Requests are not held against it: a judge sends wrong ones
// on purpose.
//
// Arguments: folders of cases under the judge's, by default `cases cases-tools cases-service`, each with a server of its own. SLUICE_JUDGE
// names another judge. What Prism cannot carry goes past it, by name (`tap.ts`).

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
  // A file of its own: other suites serve dist/worker.js.
  const worker = await buildWorker("src/index.ts", "dist/prism/worker.js")
  const findings = new Findings()
  let [passed, failed] = [0, 0]
  for (const cases of folders) {
    const told = await judged(worker, prism, path.join(judge, "run.mjs"), path.join(judge, cases), findings)
    const [, ok = "0", bad = "1"] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
    passed += Number(ok)
    failed += Number(bad)
  }
  const { undocumented, carried, operations, statuses, past } = findings
  for (const answer of undocumented) console.log(`FAIL undocumented: ${answer}`)
  console.log(
    `${carried} answers held against the document by Prism, over ${operations.size} of its operations and ${statuses.size} of their statuses`,
  )
  for (const [why, count] of past) console.log(`  past Prism: ${count} times, ${why}`)
  const isClean = undocumented.length === 0 && carried > 0
  console.log(`${passed + (isClean ? 1 : 0)} passed, ${failed + Math.max(undocumented.length, isClean ? 0 : 1)} failed`)
  process.exitCode = isClean && failed === 0 && passed > 0 ? 0 : 1
})

/** What the judge said of a server of its own, asked through Prism. */
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

/** Shows what it says and gives it back. */
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

/** It takes any port and says which, among what it says of every path. */
async function addressOf(proxy: ChildProcess): Promise<string> {
  const ended = once(proxy, "exit").then(([code]) => {
    throw new Error(`prism ended with ${String(code)} before it listened`)
  })
  const told = new Promise<string>((resolve) => {
    let said = ""
    proxy.stdout?.on("data", (chunk: Buffer) => {
      // Of each request it says something, too: it is read, so that it can go on, and not kept.
      if (said.length < 1_000_000) said += chunk.toString()
      const address = /Prism is listening on (http:\/\/\S+?:\d+)/.exec(said)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  return Promise.race([told, ended])
}
