// A launcher for the tests: serves argv[2] with the settings of the environment and prints one line of JSON when it answers.

import { farewell } from "../../local/greeting.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"

await runMain(async () => {
  const server = await startServer(readSettings(process.env), process.argv[2])
  farewell(server)
  console.log(JSON.stringify({ url: server.url, ended: server.ended }))
})
