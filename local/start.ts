// `npm start`: builds, serves, runs the demo flow with the rehearsal model, shows it, and goes on serving.
// `--built` takes the dist/worker.js that is there.

import { buildWorker } from "./build.ts"
import { followRun, startRun, type Api } from "./follow-run.ts"
import { DEMO, farewell, greet } from "./greeting.ts"
import { startServer } from "./server.ts"
import { LOCAL_KEY, readSettings } from "./settings.ts"
import { advance, opening, showDelta, showEvent, type Look } from "./show-run.ts"
import { runMain } from "./trouble.ts"

await runMain(async () => {
  const settings = readSettings(process.env)
  if (!process.argv.includes("--built")) await buildWorker()
  const server = await startServer(settings)
  farewell(server)
  try {
    await showDemo({ url: server.url, key: LOCAL_KEY })
  } catch (error) {
    // The server is up; a demo that does not run must not take it down.
    console.error(`the demo did not run: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
  greet(server, settings)
})

async function showDemo(api: Api): Promise<void> {
  const out = process.stdout
  const isTerminal = out.isTTY === true
  const look = (): Look => ({ columns: (isTerminal && out.columns) || 120, colour: isTerminal && !process.env["NO_COLOR"] })
  const erase = isTerminal ? "\r\u001b[K" : ""

  const id = await startRun(api, DEMO.flow, { rehearse: true, task: DEMO.task })
  let scene = opening
  for await (const frame of followRun(api, id)) {
    scene = advance(scene, frame)
    if (frame.type === "model.delta" || frame.type === "tool.progress") {
      if (isTerminal) out.write(erase + showDelta(frame, look()))
      continue
    }
    for (const line of showEvent(frame, scene, look())) out.write(`${erase}${line}\n`)
    if (frame.type === "interaction.asked") {
      out.write(
        `\nIt waits for a person. Answer it with:\n  curl -s ${api.url}/v1/runs/${id}/interactions/${frame.id} -H "Authorization: Bearer ${api.key}" -H "Content-Type: application/json" -d '{"auto": true}'\n`,
      )
      return
    }
  }
  out.write(`\nThe whole journal: curl -s ${api.url}/v1/runs/${id}/events -H "Authorization: Bearer ${api.key}"\n`)
}
