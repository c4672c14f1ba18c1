// `npm start`: builds, serves, and keeps serving. An empty data folder first gets runs to look at, and the demo flow is shown as it runs; no
// model is asked.
// `--built` uses the existing dist/worker.js.

import { Sluice } from "../src/client/sluice.ts"
import { buildWorker } from "./build.ts"
import { LOCAL } from "./environment.ts"
import { FIRST_RUN } from "../src/client/first-run.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import { firstRuns, makeFirstRuns, START, startKey } from "./first-run.ts"
import { DEMO, farewell, greet } from "./greeting.ts"
import { startServer } from "./server.ts"
import { LOCAL_KEY, readSettings } from "./settings.ts"
import { runMain } from "./trouble.ts"
import { watchRun } from "./watch-run.ts"

await runMain(async () => {
  const settings = readSettings(process.env)
  if (!process.argv.includes("--built")) await buildWorker()
  const server = await startServer(settings)
  farewell(server)
  try {
    if (settings.bindings["ENVIRONMENT"] === LOCAL) await showDemo({ url: server.url, key: LOCAL_KEY })
  } catch (error) {
    // The server is up; a failed demo must not stop it.
    console.error(`the demo failed: ${messageOf(error)}`)
    process.exitCode = 1
  }
  greet(server, settings)
})

async function showDemo(given: { readonly url: string; readonly key: string }): Promise<void> {
  const out = process.stdout
  const api = new Sluice(given)
  const missing = await firstRuns(api)
  if (missing === undefined) return
  await makeFirstRuns(api, missing)
  if (!missing.flows.has(FIRST_RUN.ending)) return
  const run = api.flows.run(DEMO.flow, { ...START, task: DEMO.task }, { transient: true, idempotencyKey: startKey(FIRST_RUN.ending) })
  const last = await watchRun(run, out, (event) => event.type === "interaction.asked")
  const id = await run.id
  if (last?.type === "interaction.asked")
    out.write(`\nThe run is waiting for a person. Answer with:\n  npm run sluice -- answer ${id}/${last.id} --auto\n`)
  else out.write(`\nThe whole journal: curl -s ${given.url}/v1/runs/${id}/events -H "Authorization: Bearer ${given.key}"\n`)
}
