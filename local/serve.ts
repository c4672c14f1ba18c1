// `npm run serve`: builds and serves until stopped. `--built` serves the existing dist/worker.js; `--instances acme,globex`
// serves separate instances behind one dispatcher. `--limits free|paid`: with the limits of that plan, which workerd itself does not have.

import { buildWorker } from "./build.ts"
import { farewell, greet, greetInstances } from "./greeting.ts"
import { LOCAL } from "./environment.ts"
import { buildDispatcher, instancesAsked, startInstances } from "./instances.ts"
import { buildLimitedWorker, limitsAsked, withLimits } from "./limits/limited-worker.ts"
import { startProduction } from "./production.ts"
import { startServer } from "./server.ts"
import { readSettings } from "./settings.ts"
import { runMain, Trouble } from "./trouble.ts"

await runMain(async () => {
  const settings = readSettings(process.env)
  const names = instancesAsked(process.argv.slice(2))
  if (!process.argv.includes("--built")) await buildWorker()
  const plan = limitsAsked(process.argv.slice(2))
  if (names && plan) throw new Trouble("--limits serves one instance: leave --instances out")
  if (names) {
    await buildDispatcher()
    const instances = await startInstances(settings, names)
    farewell(instances)
    greetInstances(instances)
    return
  }
  const isProduction = settings.bindings["ENVIRONMENT"] !== LOCAL
  if (plan && isProduction) throw new Trouble("--limits serves for development: leave it out, or unset ENVIRONMENT", 2)
  const server = plan
    ? await startServer(withLimits(settings, plan), await buildLimitedWorker())
    : await (isProduction ? startProduction(settings, { newVaultKey: process.env["NEW_VAULT_KEY"] === "1" }) : startServer(settings))
  farewell(server, isProduction)
  greet(server, settings)
  if (plan) console.log(`It refuses what the ${plan.name} plan would: curl -s ${server.url}/__limits shows the counts.\n`)
})
