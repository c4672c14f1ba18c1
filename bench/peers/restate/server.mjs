// Restate: its server, and in this process the service whose steps it journals. One node with the settings it ships with, but a memory
// budget that leaves room for the others.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import path from "node:path"
import * as restate from "@restatedev/restate-sdk"
import { ready, setting } from "../serve.mjs"
import { agentStep, AGENTS, CHAIN, finish, taskOf, WIDTH } from "../work.mjs"

async function chain(ctx, length) {
  const at = []
  for (let i = 0; i < length; i++) {
    await ctx.run(taskOf(i), () => finish())
    at.push(performance.now())
  }
  return { at }
}

const bench = restate.service({
  name: "bench",
  handlers: {
    w1: (ctx) => chain(ctx, CHAIN.w1),
    w2: (ctx) => chain(ctx, CHAIN.w2),
    w3: async (ctx) => {
      await restate.RestatePromise.all(Array.from({ length: WIDTH }, (_, i) => ctx.run(taskOf(i), () => finish())))
      await ctx.run("join", () => finish())
      return { at: [] }
    },
    w4: async (ctx) => {
      for (let i = 0; i < AGENTS; i++) await agentStep(i, setting("model"), (name, act) => ctx.run(name, act))
      return { at: [] }
    },
  },
})

/** A virtual object carries out one call of a key at a time. */
const keyed = restate.object({
  name: "keyed",
  handlers: {
    w5: async (ctx) => {
      const from = performance.now()
      await chain(ctx, 1)
      return { at: [from, performance.now()] }
    },
  },
})

const [service, ingress, admin, node] = await freePorts(4)
await restate.serve({ services: [bench, keyed], port: service })

const binary = createRequire(import.meta.url).resolve(`@restatedev/restate-server-linux-${process.arch}/bin/restate-server`)
const child = spawn(binary, ["--no-logo", "--base-dir", path.join(setting("data"), "restate"), "--node-name", "bench"], {
  stdio: ["ignore", "ignore", "inherit"],
  env: {
    ...process.env,
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: String(node),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "1GB",
    RESTATE_LOG_FILTER: "error",
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
  },
})
child.once("exit", (code) => process.exit(code ?? 1))
process.once("SIGTERM", () => child.kill("SIGTERM"))

const body = JSON.stringify({ uri: `http://127.0.0.1:${service}` })
for (let tries = 0; ; tries++) {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  }).catch(() => undefined)
  if (answer?.ok) break
  if (tries === 300) throw new Error(`restate-server does not accept the service: ${await answer?.text()}`)
  await new Promise((wake) => setTimeout(wake, 100))
}
ready(`http://127.0.0.1:${ingress}/bench/{work}`, `http://127.0.0.1:${ingress}/keyed/{key}/w5`)

async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  await Promise.all(probes.map((probe) => once(probe, "listening")))
  const ports = probes.map((probe) => probe.address().port)
  await Promise.all(probes.map((probe) => once(probe.close(), "close")))
  return ports
}
