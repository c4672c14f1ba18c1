// `npm run judge`: starts the build on a free port with its own data and tests it only over HTTP.
//
// Arguments go to the judge (`npm run judge -- --only F12`). SLUICE_JUDGE names another folder with a run.mjs (relative to the
// project); the copy in test/conformance is the default. The exit code is the judge's.

import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildWorker } from "../local/build.ts"
import { startServer } from "../local/server.ts"
import { LOCAL_KEY, readSettings } from "../local/settings.ts"
import { runMain } from "../local/trouble.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const OWN_CONNECTIONS = new URL("own-connections.ts", import.meta.url).href

await runMain(async () => {
  const judge = path.resolve(root, process.env["SLUICE_JUDGE"] || "test/conformance", "run.mjs")
  const data = await mkdtemp(path.join(tmpdir(), "sluice-judge-"))
  await buildWorker()
  const server = await startServer(readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data }))
  try {
    const child = spawn(
      process.execPath,
      ["--import", OWN_CONNECTIONS, judge, "--url", server.url, "--key", LOCAL_KEY, ...process.argv.slice(2)],
      { stdio: "inherit" },
    )
    process.exitCode = await new Promise<number>((ended, no) => {
      child.once("error", no)
      child.once("exit", (code) => ended(code ?? 1))
    })
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
})
