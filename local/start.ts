// `npm start`: builds, serves, runs the demo flow with the rehearsal model, shows it, and keeps serving.
// `--built` uses the existing dist/worker.js.

import { Sluice } from "../src/client/sluice.ts"
import { buildWorker } from "./build.ts"
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
    await showDemo({ url: server.url, key: LOCAL_KEY })
  } catch (error) {
    // The server is up; a failed demo must not stop it.
    console.error(`the demo failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
  greet(server, settings)
})

async function showDemo(api: { readonly url: string; readonly key: string }): Promise<void> {
  const out = process.stdout
  const run = new Sluice(api).flows.run(DEMO.flow, { rehearse: true, task: DEMO.task }, { transient: true })
  const last = await watchRun(run, out, (event) => event.type === "interaction.asked")
  const id = await run.id
  if (last?.type === "interaction.asked")
    out.write(`\nThe run is waiting for a person. Answer with:\n  npm run sluice -- answer ${id}/${last.id} --auto\n`)
  else out.write(`\nThe whole journal: curl -s ${api.url}/v1/runs/${id}/events -H "Authorization: Bearer ${api.key}"\n`)
}
