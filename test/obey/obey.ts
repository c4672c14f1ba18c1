// `npm run obey`: a model that obeys every text it reads, against the guard [G11]. Every way in × every way out: with the attacker's text in
// front of it, nothing leaves without a person; and when a person approves, it does leave, which shows that the way is open.
//
// Prints `N passed, N failed`; a pair counts once. `--only WORD` runs the ways in whose name contains it.

import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { startModel } from "./model.ts"
import { House } from "./house.ts"
import { Orders } from "./orders.ts"
import { raid } from "./raid.ts"
import { World } from "./world.ts"

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
  const data = await mkdtemp(path.join(tmpdir(), "sluice-obey-"))
  const worker = await buildWorker("src/index.ts", "dist/obey-worker.js")
  const [orders, world] = [new Orders(), new World()]
  await world.open()
  const model = await startModel(orders)
  const server = await startServer(
    readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: "127.0.0.1,localhost" }),
    worker,
  )
  try {
    const services = new House(server.url)
    await services.found(world, model.url, `private${randomBytes(6).toString("hex")}`)
    const { passed, failed } = await raid(services, world, orders, (name) => name.includes(values.only))
    const strange = [...model.strange, ...world.strange].map((what) => `a server of the test could not read a request: ${what}`)
    const faults = [...failed, ...strange]
    for (const line of faults) console.log(`FAIL ${line}`)
    console.log(`${passed} passed, ${faults.length} failed`)
    process.exitCode = faults.length > 0 || passed === 0 ? 1 : 0
  } finally {
    await server.close()
    await model.close()
    await world.close()
    await rm(data, { recursive: true, force: true })
  }
})
