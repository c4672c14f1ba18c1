// Runs the judge (`npm run judge`): starts the build on a free port with its own data and tests it only over HTTP.
//
// Arguments go to the judge (`npm run judge -- --only F12`). SLUICE_JUDGE names another folder with a run.mjs (relative to the
// project); the copy in test/conformance is the default. The exit code is the judge's.
//
// `--deployed`: with the short names that the modules of a deploy have.
//
// `--limits free|paid`: under the limits of that plan. Then it also fails if the platform would have refused anything. Code steps get
// Dynamic Workers even on the free plan, which has none: the cases judge Sluice, not the plan.

import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { buildWorker } from "../local/build.ts"
import { buildLimitedWorker, limitsAsked, withLimits } from "../local/limits/limited-worker.ts"
import { startServer } from "../local/server.ts"
import { LOCAL_KEY, readSettings } from "../local/settings.ts"
import { runMain } from "../local/trouble.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const OWN_CONNECTIONS = new URL("own-connections.ts", import.meta.url).href

const Counted = z.looseObject({ refused: z.record(z.string(), z.number()), unknown: z.number() })

/** Shows the most that any invocation did, and how often the platform would have refused. */
async function refusals(url: string): Promise<number> {
  const counted = Counted.parse(await (await fetch(`${url}/__limits`)).json())
  console.log(JSON.stringify(counted))
  return Object.values(counted.refused).reduce((sum, count) => sum + count, counted.unknown)
}

await runMain(async () => {
  const judge = path.resolve(root, process.env["SLUICE_JUDGE"] || "test/conformance", "run.mjs")
  const data = await mkdtemp(path.join(tmpdir(), "sluice-judge-"))
  const args = process.argv.slice(2)
  const plan = limitsAsked(args)
  const isDeployed = args.includes("--deployed")
  const built = (): Promise<string> => (isDeployed ? buildWorker("src/index.ts", "dist/deployed-worker.js", "short") : buildWorker())
  const settings = readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data })
  const server = await startServer(plan ? withLimits(settings, plan, true) : settings, await (plan ? buildLimitedWorker() : built()))
  try {
    const child = spawn(
      process.execPath,
      [
        "--import",
        OWN_CONNECTIONS,
        judge,
        "--url",
        server.url,
        "--key",
        LOCAL_KEY,
        ...args.filter((arg, i) => arg !== "--deployed" && !arg.startsWith("--limits") && args[i - 1] !== "--limits"),
      ],
      { stdio: "inherit" },
    )
    process.exitCode = await new Promise<number>((ended, no) => {
      child.once("error", no)
      child.once("exit", (code) => ended(code ?? 1))
    })
    if (plan && (await refusals(server.url)) > 0) process.exitCode = 1
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
})
