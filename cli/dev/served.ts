// The server of `sluice dev`, which is started again when the project's own Worker changes.

import { mkdir, readFile } from "node:fs/promises"
import path from "node:path"
import { mustBeLocal } from "../../local/environment.ts"
import { startServer, type Server } from "../../local/server.ts"
import { withDevVars } from "./dev-vars.ts"
import { LOCAL_KEY, readSettings, type Settings } from "../../local/settings.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"
import type { Context } from "../context.ts"
import { DATA } from "../project/project.ts"
import { projectWorker } from "../project/worker.ts"
import { forgetServer, noteServer } from "./server-notes.ts"
import { sessionOf } from "./session.ts"
import { startFault } from "./start-fault.ts"

interface ServedWish {
  readonly folder: string
  readonly port: number | undefined
  readonly isWatching: boolean
  /** Tells other commands of the folder where the server is; undefined: it starts. */
  readonly note: (url: string | undefined) => Promise<void>
}

export class Served {
  readonly #context: Context
  readonly #folder: string
  readonly #port: number | undefined
  readonly #isWatching: boolean
  readonly #note: ServedWish["note"]
  #server: Server | undefined
  /** The project's own Worker, as it serves. */
  #built: string | undefined

  constructor(context: Context, { folder, port, isWatching, note }: ServedWish) {
    this.#context = context
    this.#folder = folder
    this.#port = port
    this.#isWatching = isWatching
    this.#note = note
  }

  get url(): string {
    return this.#server?.url ?? ""
  }

  async start(): Promise<void> {
    const { env } = this.#context.world
    mustBeLocal("sluice dev", env)
    const data = path.join(this.#folder, DATA)
    const settings = readSettings({
      ...(await withDevVars(this.#folder, env)),
      SLUICE_DATA: data,
      ...(this.#port === undefined ? {} : { PORT: String(this.#port) }),
    })
    // A second session of the folder is refused below, and must not write over the note of the first.
    if ((await sessionOf(this.#folder)) === undefined) await this.#note(undefined)
    const worker = await this.#worker(data)
    if (worker !== undefined) this.#built = await readFile(worker, "utf8")
    this.#server = await startServer(settings, worker).catch((error: unknown) => {
      // The usual port is somebody's: any other will do, unless this one was asked for.
      if (this.#port !== undefined || env["PORT"] || !(error instanceof Trouble) || !error.message.startsWith("port "))
        throw startFault(error)
      return startServer({ ...settings, port: 0 } satisfies Settings, worker)
    })
    await this.#serves()
    if (this.#context.isJson) this.#context.json({ type: "serving", url: this.url, key: LOCAL_KEY, folder: this.#folder })
    else
      for (const line of [
        `Sluice serves ${this.url}`,
        `  key      ${LOCAL_KEY}`,
        `  console  ${this.url}/console`,
        "  stop     Ctrl-C",
        ...(this.#isWatching ? [`  watches  ${this.#folder}: a save is checked, drafted, rehearsed and tested`] : []),
        "In another terminal, in this folder:",
        '  sluice run FLOW --rehearse --task "…"   run a flow of the draft; no model is asked',
        "  sluice inbox                            show what waits for a person",
        "  sluice apply                            make it live for hooks, schedules and other callers",
        "  sluice plan --profile NAME              show what an apply to another server would change",
        "",
      ])
        this.#context.line(line)
  }

  /** A Worker that does not build leaves the one that serves. */
  async renew(): Promise<void> {
    const port = Number(new URL(this.url).port)
    const data = path.join(this.#folder, DATA)
    try {
      const worker = await projectWorker(this.#folder, path.join(data, "worker"))
      const built = worker === undefined ? undefined : await readFile(worker, "utf8")
      // `tools` holds YAML too, which the Worker is not made of.
      if (built === this.#built) return
      this.#built = built
      await this.#note(undefined)
      await this.#server?.close()
      this.#server = await startServer(
        { ...readSettings({ ...(await withDevVars(this.#folder, this.#context.world.env)), SLUICE_DATA: data }), port },
        worker,
      )
      await this.#serves()
      this.#say("src/index.ts is built, and the server is started again")
    } catch (error) {
      this.#say(messageOf(error))
    }
  }

  async close(): Promise<void> {
    await forgetServer(this.#context.world.env, this.url)
    await this.#server?.close()
  }

  async #serves(): Promise<void> {
    await noteServer(this.#context.world.env, this.url, this.#folder)
    await this.#note(this.url)
  }

  async #worker(data: string): Promise<string | undefined> {
    await mkdir(path.join(data, "worker"), { recursive: true, mode: 0o700 })
    try {
      return await projectWorker(this.#folder, path.join(data, "worker"), () => this.#say("building the Worker of src/index.ts…"))
    } catch (error) {
      this.#say(`${messageOf(error)}\nThe shipped Worker serves, without the project's own tools.`)
      return undefined
    }
  }

  #say(message: string): void {
    if (this.#context.isJson) this.#context.json({ type: "worker", message })
    else this.#context.line(plain(message))
  }
}
