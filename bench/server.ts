// The server under test: `local/serve.ts --built` in its own process, with its own data folder, on any free port.
//
// workerd answers directly: miniflare writes its configuration and starts it, but handles no requests. This is
// verified: every start reads workerd's configuration and refuses to measure any other setup.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const root = fileURLToPath(new URL("..", import.meta.url))
// USER_HZ: the unit of /proc/PID/stat. 100 on every Linux that Node supports.
const TICKS = 100

const Note = z.object({ launcher: z.object({ pid: z.number() }), port: z.number(), workerd: z.object({ pid: z.number() }) })
const Module = z.object({ name: z.string() })
const Config = z.object({
  sockets: z.array(z.object({ name: z.string(), service: z.object({ name: z.string() }) })),
  services: z.array(z.object({ name: z.string(), worker: z.object({ modules: z.array(Module).optional() }).optional() })),
})

export interface Usage {
  /** CPU time of workerd in ms, all threads. */
  readonly cpu: number
  /** Bytes passed to write calls (WAL frames, checkpoints, network). */
  readonly written: number
}

export class Server {
  readonly data: string
  #child: ChildProcess
  #pid: number
  url: string

  private constructor(data: string, child: ChildProcess, note: z.infer<typeof Note>) {
    this.data = data
    this.#child = child
    this.#pid = note.workerd.pid
    this.url = `http://127.0.0.1:${note.port}`
  }

  get pid(): number {
    return this.#pid
  }

  static async start(data: string): Promise<Server> {
    mkdirSync(data, { recursive: true })
    const config = path.join(data, "workerd.json")
    const child = spawn(process.execPath, [path.join(root, "local/serve.ts"), "--built"], {
      env: { ...process.env, PORT: "0", SLUICE_DATA: data, REQUEST_LOG: "off", MINIFLARE_WORKERD_CONFIG_DEBUG: config },
      stdio: ["ignore", "pipe", "inherit"],
    })
    child.stdout?.resume()
    try {
      const note = await noteOf(data, child)
      checkPath(config)
      rmSync(config)
      const server = new Server(data, child, note)
      await server.up()
      return server
    } catch (error) {
      child.kill("SIGTERM")
      throw error
    }
  }

  async up(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined)
      if (answer?.ok) return
      if (tries === 300) throw new Error(`${this.url}/healthz does not respond`)
      await pause(50)
    }
  }

  /** Usage of workerd since its start. Linux only; zeros elsewhere. */
  usage(): Usage {
    try {
      const stat = readFileSync(`/proc/${this.#pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const written = Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${this.#pid}/io`, "utf8"))?.[1] ?? 0)
      return { cpu: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS, written }
    } catch {
      return { cpu: 0, written: 0 }
    }
  }

  /** kill -9, the launcher first, so that it cannot react or clean up. */
  async kill(): Promise<void> {
    await ended(this.#child, "SIGKILL")
    process.kill(this.#pid, "SIGKILL")
  }

  async stop(): Promise<void> {
    await ended(this.#child, "SIGTERM")
  }
}

async function noteOf(data: string, child: ChildProcess): Promise<z.infer<typeof Note>> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break
    const note = Note.safeParse(jsonOf(path.join(data, "server.json")))
    // A killed server leaves its note behind, so check that this note is ours.
    if (note.success && note.data.launcher.pid === child.pid) return note.data
    await pause(50)
  }
  throw new Error("the server does not start: run `npm run build`, then `npm run serve -- --built`, and check its output")
}

/** Checks that the socket leads directly to a worker whose only module is our bundle. */
function checkPath(file: string): void {
  const { sockets, services } = Config.parse(jsonOf(file))
  const direct = sockets.find((s) => s.name.startsWith("direct:"))
  const target = services.find((s) => s.name === direct?.service.name)
  const modules = target?.worker?.modules?.map((m) => m.name) ?? []
  if (modules.join() !== "worker.js")
    throw new Error(`the socket leads to ${direct?.service.name ?? "nothing"} (${modules.join(", ")}), not straight to worker.js`)
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  child.kill(signal)
  await gone
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
