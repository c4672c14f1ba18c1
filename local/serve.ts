// `npm run serve`: builds and serves until it is stopped. `--built` serves the dist/worker.js that is there.

import { buildWorker } from "./build.ts"
import { farewell, greet } from "./greeting.ts"
import { startServer } from "./server.ts"
import { readSettings } from "./settings.ts"
import { runMain } from "./trouble.ts"

await runMain(async () => {
  const settings = readSettings(process.env)
  if (!process.argv.includes("--built")) await buildWorker()
  const server = await startServer(settings)
  farewell(server)
  greet(server, settings)
})
