// `npm run serve`: builds and serves until stopped. `--built` serves the existing dist/worker.js; `--instances acme,globex`
// serves separate instances behind one dispatcher.

import { buildWorker } from "./build.ts"
import { farewell, greet, greetInstances } from "./greeting.ts"
import { buildDispatcher, instancesAsked, startInstances } from "./instances.ts"
import { startServer } from "./server.ts"
import { readSettings } from "./settings.ts"
import { runMain } from "./trouble.ts"

await runMain(async () => {
  const settings = readSettings(process.env)
  const names = instancesAsked(process.argv.slice(2))
  if (!process.argv.includes("--built")) await buildWorker()
  if (names) {
    await buildDispatcher()
    const instances = await startInstances(settings, names)
    farewell(instances)
    greetInstances(instances)
    return
  }
  const server = await startServer(settings)
  farewell(server)
  greet(server, settings)
})
