// `npm run prism`: Prism stands between the judge and the server and holds every answer against /openapi.json [H11]: a status, a type or a
// shape that the document does not know becomes an error of Prism's, and fails. Requests are not held against it: a judge sends wrong ones
// on purpose.
//
// Arguments: folders of cases under the judge's, by default `cases cases-tools cases-service`. SLUICE_JUDGE names another judge. Prism is
// installed beside this file at the first call (prism/package-lock.json); what it cannot carry goes past it, by name (`tap.ts`).

import { spawn } from "node:child_process"
import { access, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { LOCAL_KEY, readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { openTap } from "./tap.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const home = fileURLToPath(new URL("prism", import.meta.url))
const CASES = ["cases", "cases-tools", "cases-service"]

await runMain(async () => {
  const judge = path.resolve(root, process.env["SLUICE_JUDGE"] || "test/conformance")
  const folders = process.argv.length > 2 ? process.argv.slice(2) : CASES
  const prism = path.join(home, "node_modules/@stoplight/prism-cli/dist/index.js")
  const there = await access(prism).then(
    () => true,
    () => false,
  )
  if (!there) await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], home)
  const data = await mkdtemp(path.join(tmpdir(), "sluice-prism-"))
  await buildWorker()
  const settings = { ...process.env, HOST: "", PORT: "0", SLUICE_DATA: path.join(data, "server"), ALLOWED_PRIVATE_HOSTS: "127.0.0.1" }
  const server = await startServer(readSettings(settings))
  try {
    const document = await (await fetch(`${server.url}/openapi.json`)).text()
    const file = path.join(data, "openapi.json")
    await writeFile(file, document)
    const port = await freePort()
    const proxy = spawn(
      process.execPath,
      [prism, "proxy", file, server.url, "--errors", "--validate-request", "false", "--cors", "false", "-p", String(port), "-v", "warn"],
      { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, NO_COLOR: "1" } },
    )
    try {
      await listening(port, proxy)
      const tap = await openTap({ server: server.url, prism: `http://127.0.0.1:${port}`, paths: JSON.parse(document).paths })
      let [passed, failed] = [0, 0]
      for (const cases of folders) {
        const told = await run(process.execPath, [
          path.join(judge, "run.mjs"),
          "--url",
          tap.url,
          "--key",
          LOCAL_KEY,
          "--cases",
          path.join(judge, cases),
        ])
        const [, ok = "0", bad = "1"] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
        passed += Number(ok)
        failed += Number(bad)
      }
      await tap.close()
      for (const answer of tap.undocumented) console.log(`FAIL undocumented: ${answer}`)
      console.log(
        `${tap.carried} answers held against the document by Prism, over ${tap.operations} of its operations and ${tap.statuses} of their statuses`,
      )
      for (const [why, count] of tap.past) console.log(`  past Prism: ${count} times, ${why}`)
      const isClean = tap.undocumented.length === 0 && tap.carried > 0
      console.log(`${passed + (isClean ? 1 : 0)} passed, ${failed + Math.max(tap.undocumented.length, isClean ? 0 : 1)} failed`)
      process.exitCode = isClean && failed === 0 && passed > 0 ? 0 : 1
    } finally {
      proxy.kill("SIGKILL")
    }
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
})

/** Shows what it says and gives it back. */
function run(command: string, args: readonly string[], cwd = root): Promise<string> {
  return new Promise((ended, no) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      process.stdout.write(chunk)
    })
    child.once("error", no)
    child.once("exit", () => ended(said))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, no) => {
    const server = createServer()
    server.once("error", no)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0))
    })
  })
}

/** It says nothing when it is quiet: it is asked until it answers. */
async function listening(port: number, proxy: { readonly exitCode: number | null }): Promise<void> {
  for (let n = 0; n < 600 && proxy.exitCode === null; n++) {
    const answers = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    )
    if (answers) return
    await new Promise((again) => setTimeout(again, 100))
  }
  throw new Error("prism did not begin to listen")
}
