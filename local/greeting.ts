// Prints a server's start message, and stops the server cleanly.

import { inspect } from "node:util"
import { logText } from "../src/core/secrets/log-text.ts"
import type { Instances } from "./instances.ts"
import type { Server } from "./server.ts"
import { FIRST_RUN } from "../src/client/first-run.ts"
import { LOCAL } from "./environment.ts"
import { LOCAL_ADMIN_KEY, LOCAL_KEY, type Settings } from "./settings.ts"

/** The flow that `npm start` runs. */
export const DEMO = {
  flow: FIRST_RUN.ending,
  task: [
    "Import drops the last row when the file has no newline at its end",
    'I import orders.csv (3 rows). Only 2 arrive and the log says "2 rows imported".',
    "If I add an empty line at the end, all 3 arrive. Version 2.4.1, Linux.",
  ].join("\n"),
}

/** Prints the URL, the key and a curl command to paste. */
export function greet(server: Server, settings: Settings): void {
  const isLocal = settings.bindings["ENVIRONMENT"] === LOCAL
  const key = isLocal ? LOCAL_KEY : "YOUR_KEY"
  for (const pid of server.ended) console.log(`ended the runtime left over from a killed server (process ${pid}); its runs continue here`)
  if (isLocal && !isLoopback(settings.host)) {
    console.log(
      `Careful: HOST=${settings.host} opens this server to others, and neither ${LOCAL_KEY} nor ${LOCAL_ADMIN_KEY} is secret. ENVIRONMENT=production has no such keys.`,
    )
  }
  if (!isLocal && settings.bindings["ALLOWED_PRIVATE_HOSTS"])
    console.log(`ALLOWED_PRIVATE_HOSTS works only in the environment ${LOCAL}: nothing private can be reached from here.`)
  console.log(`
Sluice serves ${server.url}
  open   ${server.url}/console/
  key    ${isLocal ? key : "of a tenant, which the ADMIN_KEY makes: docs/OPERATING.md, Deploying"}
  data   ${server.data}${settings.browser ? "\n  pages  in a headless Chromium per agent session" : ""}
  stop   Ctrl-C (kill -9 is fine too: runs continue at the next start)

Try:
  curl -s ${server.url}/v1/flows/${DEMO.flow}/runs \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -H "Prefer: wait=30" \\
    -d '{"rehearse": true, "task": "The search box forgets what was typed."}'
`)
}

export function greetInstances({ url, servers }: Instances): void {
  console.log(`\nThe dispatcher serves ${url}`)
  const port = new URL(url).port
  for (const [name, { data }] of servers)
    console.log(`  ${name.padEnd(12)} ${url}/t/${name}/v1/…   http://${name}.localhost:${port}/v1/…   data ${data}`)
  console.log()
}

/** Requests under way have that long when a server with readers stops. */
const GRACE_MS = 10_000

/** Exits cleanly, with code 0, on Ctrl-C and SIGTERM; a second signal exits at once. `softly`: requests under way end first. */
export function farewell(server: Pick<Server, "close"> & Partial<Pick<Server, "lost" | "stop">>, softly = false): void {
  // Whatever looks after this process starts it again; what was acknowledged is in the journals.
  void server.lost?.then(async (why) => {
    console.error(`sluice: the runtime is gone, ${why}: the disk or the memory may be full; see the log. Start the server again.`)
    await server.close().catch(() => undefined)
    process.exit(1)
  })
  let isClosing = false
  const stop = (): void => {
    if (isClosing) process.exit(1)
    isClosing = true
    const ending = softly && server.stop ? server.stop(GRACE_MS) : server.close()
    ending.then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(logText(inspect(error)))
        process.exit(1)
      },
    )
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Removes miniflare's handler, which exits before workerd has ended and freed its port.
    process.removeAllListeners(signal)
    process.on(signal, stop)
  }
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")
