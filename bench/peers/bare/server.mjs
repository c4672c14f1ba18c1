// Starts the floor in the workerd that serves Sluice: the one of the root's packages.

import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { once } from "node:events"
import path from "node:path"
import { ready, setting } from "../serve.mjs"

const data = setting("data")
const port = await freePort()
const module = (name, file) => `(name = "${name}", esModule = ${text(readFileSync(new URL(file, import.meta.url), "utf8"))})`
const text = (value) => JSON.stringify(value)

writeFileSync(
  path.join(data, "config.capnp"),
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${module("bare/worker.mjs", "worker.mjs")}, ${module("work.mjs", "../work.mjs")}],
      compatibilityDate = "2026-07-30",
      bindings = [(name = "BARE", durableObjectNamespace = "Bare"), (name = "MODEL", text = ${text(setting("model"))})],
      durableObjectNamespaces = [(className = "Bare", uniqueKey = "bare", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),
      globalOutbound = "internet",
    )),
    (name = "disk", disk = (path = ${text(data)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
)
const { default: workerd } = createRequire(import.meta.url)("workerd")
const child = spawn(workerd, ["serve", path.join(data, "config.capnp"), "--experimental"], { stdio: ["ignore", "inherit", "inherit"] })
child.once("exit", (code) => process.exit(code ?? 1))
// SIGTERM closes the objects' files, and waits for requests: there are none by then.
process.once("SIGTERM", () => {
  child.kill("SIGTERM")
  setTimeout(() => child.kill("SIGKILL"), 3_000).unref()
})
for (let tries = 0; ; tries++) {
  const answer = await fetch(`http://127.0.0.1:${port}/up`).catch(() => undefined)
  if (answer?.ok) break
  if (tries === 200) throw new Error("the bare object's workerd does not answer")
  await new Promise((wake) => setTimeout(wake, 50))
}
ready(`http://127.0.0.1:${port}/{work}/{id}`)

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port: free } = probe.address()
  probe.close()
  await once(probe, "close")
  return free
}
