// The server that is killed: the real launcher with its own port and data folder, restarted repeatedly on both.
//
// Processes are ended by number, and only processes started here: the launcher leads its own process group, which
// contains only its workerd; `server.json` in the data folder identifies both.

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { endProcess, findProcess, isRunning, type Process } from "../../local/processes.ts"
import { lastingPort } from "./port.ts"

const LAUNCHER = fileURLToPath(new URL("../local/launch.ts", import.meta.url))
const UP_WITHIN_MS = 60_000

const Numbered = z.object({ pid: z.number(), started: z.string() })
const Note = z.object({ launcher: Numbered, workerd: Numbered.optional() })
const Greeting = z.object({ url: z.string(), ended: z.array(z.number()) })

/** What gets the SIGKILL. A launcher returns only when it is started; a workerd alone is restarted by its launcher. */
export type Target = "both" | "launcher" | "workerd"

export class Victim {
  readonly url: string
  /** ms since 1970: when the server last began to answer. */
  upSince = 0
  readonly #data: string
  readonly #port: number
  readonly #worker: string
  readonly #settings: Readonly<Record<string, string>>
  #launcher: ChildProcess | undefined
  #workerd: Process | undefined
  #said = ""
  /** Runtimes without a launcher that a start found and ended [J10]. */
  #ended: readonly number[] = []
  #up: Promise<void> = Promise.resolve()

  private constructor(data: string, port: number, worker: string, settings: Readonly<Record<string, string>>) {
    this.#data = data
    this.#port = port
    this.#worker = worker
    this.#settings = settings
    this.url = `http://127.0.0.1:${port}`
  }

  /** `settings`: additions to the server's environment. `under`: where its data folder is made. */
  static async create(worker: string, settings: Readonly<Record<string, string>> = {}, under = tmpdir()): Promise<Victim> {
    const victim = new Victim(await mkdtemp(path.join(under, "sluice-crash-")), await lastingPort(), worker, settings)
    process.once("exit", () => {
      victim.#shoot()
      rmSync(victim.#data, { recursive: true, force: true, maxRetries: 5 })
    })
    return victim
  }

  /** The data folder. */
  get data(): string {
    return this.#data
  }

  /** The pid of the launcher; undefined: it has ended. */
  get launcher(): number | undefined {
    const it = this.#launcher
    return it === undefined || it.exitCode !== null || it.signalCode !== null ? undefined : it.pid
  }

  /** Ends the server and keeps its data. */
  async stop(): Promise<void> {
    const [launcher, workerd] = [this.#launcher, this.#workerd]
    this.#shoot()
    if (launcher && launcher.exitCode === null && launcher.signalCode === null) await once(launcher, "exit")
    if (workerd) await endProcess(workerd)
  }

  /** Resolves when the server answers; at once if it already does. */
  up(): Promise<void> {
    return this.#up
  }

  /** The pid of a workerd without a launcher that the last start had to end, if any. */
  get ended(): readonly number[] {
    return this.#ended
  }

  get workerd(): number | undefined {
    return this.#workerd?.pid
  }

  start(): Promise<void> {
    this.#up = this.#start()
    return this.#up
  }

  /** SIGKILL now, synchronously; then restarts the server. */
  async killAndRestart(target: Target): Promise<void> {
    const before = this.#workerd
    const launcher = this.#launcher
    if (launcher?.pid === undefined || before === undefined) throw new Error("there is no server to kill")
    if (target === "both") process.kill(-launcher.pid, "SIGKILL")
    else process.kill(target === "launcher" ? launcher.pid : before.pid, "SIGKILL")
    this.#up = (async () => {
      if (target === "workerd") return this.#awaitAnswer(before)
      if (launcher.exitCode === null && launcher.signalCode === null) await once(launcher, "exit")
      if (target === "both") await gone(before)
      await this.#start()
    })()
    return this.#up
  }

  /** The server's own output: for a failed check. */
  async log(): Promise<string> {
    const file = await readFile(path.join(this.#data, "server.log"), "utf8").catch(() => "")
    return `${this.#said}${file}`.slice(-4_000)
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.#data, { recursive: true, force: true, maxRetries: 5 })
  }

  #shoot(): void {
    const pid = this.#launcher?.pid
    this.#launcher = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, "SIGKILL")
    } catch {
      // The group is already gone.
    }
  }

  async #start(): Promise<void> {
    const launcher = spawn(process.execPath, [LAUNCHER, this.#worker], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        ...this.#settings,
        PORT: String(this.#port),
        SLUICE_DATA: this.#data,
      },
    })
    this.#launcher = launcher
    let out = ""
    launcher.stderr.setEncoding("utf8").on("data", (text: string) => (this.#said += text))
    const greeting = await new Promise<string>((resolve, reject) => {
      launcher.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text
        if (out.includes("\n")) resolve(out)
      })
      launcher.once("exit", (code) => reject(new Error(`the launcher ended with ${String(code)}: ${this.#said.slice(-1_000)}`)))
    })
    this.#ended = Greeting.parse(JSON.parse(greeting)).ended
    await this.#awaitAnswer(undefined)
  }

  /** Waits until /healthz answers from a workerd other than `before`. */
  async #awaitAnswer(before: Process | undefined): Promise<void> {
    const until = Date.now() + UP_WITHIN_MS
    if (before) await gone(before)
    for (;;) {
      const note = await this.#note()
      const isNew = note?.workerd !== undefined && note.workerd.pid !== before?.pid
      if (isNew && (await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined))?.ok) {
        this.#workerd = note.workerd
        this.upSince = Date.now()
        return
      }
      if (Date.now() > until) throw new Error(`the server does not answer: ${await this.log()}`)
      await sleep(30)
    }
  }

  async #note(): Promise<z.infer<typeof Note> | undefined> {
    try {
      return Note.parse(JSON.parse(await readFile(path.join(this.#data, "server.json"), "utf8")))
    } catch {
      return undefined
    }
  }
}

async function gone(it: Process): Promise<void> {
  const until = Date.now() + 20_000
  while (isRunning(it) && findProcess(it.pid) !== undefined) {
    if (Date.now() > until) throw new Error(`process ${it.pid} outlives its SIGKILL`)
    await sleep(5)
  }
}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
