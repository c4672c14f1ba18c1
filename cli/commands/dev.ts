// `sluice dev`: a server of this project on this machine; every save is checked, written to a draft that only this session's starts use [F80],
// rehearsed and tested. With `--remote` the draft is that of a server which others use too.

import { mkdir, readFile } from "node:fs/promises"
import path from "node:path"
import { SluiceError } from "../../src/client/sluice-error.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { farewell } from "../../local/greeting.ts"
import { startServer, type Server } from "../../local/server.ts"
import { LOCAL_KEY, readSettings, type Settings } from "../../local/settings.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command, Given } from "../command.ts"
import type { Context } from "../context.ts"
import { Rounds } from "../dev/round.ts"
import { draftName, forgetSession, noteSession, sessionOf } from "../dev/session.ts"
import { tell } from "../dev/show-round.ts"
import { startFault } from "../dev/start-fault.ts"
import { watchFolder } from "../dev/watcher.ts"
import { SETTING_FILES } from "../../src/core/flow/path-id.ts"
import { KINDS } from "../project/difference.ts"
import { configOf, DATA, projectAround } from "../project/project.ts"
import { projectWorker } from "../project/worker.ts"
import { usage } from "../program.ts"

const WATCHED = [...KINDS.filter((kind) => kind !== "settings"), ...SETTING_FILES.map((name) => `${name}.yaml`), "sluice.yaml"]
const WORKER = ["src", "tools"]

export const dev: Command = {
  name: "dev",
  says: "serve the project here; every save is checked, drafted, rehearsed and tested",
  options: [
    { flags: "--port <port>", says: "where to serve; 8787 by default, 0 for any free port" },
    { flags: "--no-watch", says: "serve, and leave the folder alone after the first look" },
    { flags: "--remote", says: "serve nothing: draft on the server of --profile or --url, whose catalog stays as it is" },
  ],
  examples: ["dev", "dev --port 0 --json", "dev --remote --profile production"],
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    if (given.flag("remote")) return remotely(context, folder, given)
    for (const name of ["url", "key", "profile"])
      if (given.text(name) !== undefined) throw usage(`--${name} says which server to draft on: write sluice dev --remote --${name} …`)
    const port = given.number("port") ?? (await configOf(folder)).port
    if (port !== undefined && port > 65_535) throw usage("--port must be from 0 to 65535")
    const served = new Served(context, folder, port, given.flag("watch"))
    await served.start()
    const rounds = new Rounds(
      folder,
      () => new Sluice({ url: served.url, key: LOCAL_KEY }),
      (told, texts) => tell(context, told, texts),
      { name: OWN_DRAFT, mode: "replace", gives: true },
    )
    await noteSession(folder, { url: served.url, draft: OWN_DRAFT })
    // Before the first look, so that no save falls between the two.
    const stops = given.flag("watch")
      ? [
          await watchFolder(folder, WATCHED, () => rounds.round()),
          await watchFolder(folder, WORKER, () => rounds.alone(() => served.renew())),
        ]
      : []
    await rounds.round()
    return until(folder, rounds, async () => {
      for (const one of stops) one.stop()
      await rounds.end()
      await served.close()
    })
  },
}

/** The server is this session's alone. */
const OWN_DRAFT = "dev"
/** Far more often than drafts go. */
const RENEW_MS = 3_600_000

/** The same against a server of somebody: nothing is served here, and nothing is applied there. */
async function remotely(context: Context, folder: string, given: Given): Promise<number> {
  const before = await sessionOf(folder)
  if (before !== undefined) throw usage(`sluice dev already runs for this folder (process ${before.pid}): stop it first`)
  if (given.number("port") !== undefined) throw usage("--port is of a server here; with --remote there is none")
  const { url, from } = await context.connection()
  const client = await context.client()
  const which = from.startsWith("profile ") ? ` --profile ${from.slice("profile ".length)}` : ""
  const name = draftName(folder)
  // Whether the server answers, and knows drafts.
  await client.catalog.drafts
    .list()
    .page()
    .catch((error: unknown) => {
      if (error instanceof SluiceError && error.status === 404)
        throw usage(`${url} has no drafts: its version of Sluice is older than this one`)
      throw error
    })
  const rounds = new Rounds(
    folder,
    () => client,
    (told, texts) => tell(context, told, texts),
    { name, mode: "merge" },
  )
  await noteSession(folder, { url, draft: name })
  if (context.isJson) context.json({ type: "drafting", url, draft: name, folder })
  else
    for (const line of [
      `Drafts on ${url}: only starts that name the draft ${name} use it`,
      "  stop     Ctrl-C; the draft goes",
      `  watches  ${folder}: a save is checked, drafted, rehearsed and tested`,
      "In another terminal, in this folder:",
      `  sluice run FLOW${which} --rehearse --task "…"   run a flow of the draft; no model is asked`,
      `  sluice plan${which}   what an apply would change`,
      "",
    ])
      context.line(line)
  const watching = given.flag("watch") ? await watchFolder(folder, WATCHED, () => rounds.round()) : undefined
  await rounds.round()
  return until(folder, rounds, async () => {
    watching?.stop()
    await rounds.end()
  })
}

/** Until Ctrl-C. */
function until(folder: string, rounds: Rounds, close: () => Promise<void>): Promise<never> {
  const renewing = setInterval(() => void rounds.renew(), RENEW_MS)
  farewell({
    async close() {
      clearInterval(renewing)
      await forgetSession(folder)
      await close()
    },
  })
  return new Promise(() => {})
}

/** The server, which is started again when the project's own Worker changes. */
class Served {
  readonly #context: Context
  readonly #folder: string
  readonly #port: number | undefined
  readonly #isWatching: boolean
  #server: Server | undefined
  /** The project's own Worker, as it serves. */
  #built: string | undefined

  constructor(context: Context, folder: string, port: number | undefined, isWatching: boolean) {
    this.#context = context
    this.#folder = folder
    this.#port = port
    this.#isWatching = isWatching
  }

  get url(): string {
    return this.#server?.url ?? ""
  }

  async start(): Promise<void> {
    const { env } = this.#context.world
    const data = path.join(this.#folder, DATA)
    const settings = readSettings({ ...env, SLUICE_DATA: data, ...(this.#port === undefined ? {} : { PORT: String(this.#port) }) })
    const worker = await this.#worker(data)
    if (worker !== undefined) this.#built = await readFile(worker, "utf8")
    this.#server = await startServer(settings, worker).catch((error: unknown) => {
      // The usual port is somebody's: any other will do, unless this one was asked for.
      if (this.#port !== undefined || env["PORT"] || !(error instanceof Trouble) || !error.message.startsWith("port "))
        throw startFault(error)
      return startServer({ ...settings, port: 0 } satisfies Settings, worker)
    })
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
        "  sluice inbox                            what waits for a person",
        "  sluice apply                            hooks, schedules and starts of others get it",
        "  sluice plan --profile NAME              what an apply to another server would change",
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
      if (worker === undefined) return
      const built = await readFile(worker, "utf8")
      // `tools` holds YAML too, which the Worker is not made of.
      if (built === this.#built) return
      this.#built = built
      await this.#server?.close()
      this.#server = await startServer({ ...readSettings({ ...this.#context.world.env, SLUICE_DATA: data }), port }, worker)
      this.#say("src/index.ts is built, and the server is started again")
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error))
    }
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  async #worker(data: string): Promise<string | undefined> {
    await mkdir(path.join(data, "worker"), { recursive: true, mode: 0o700 })
    try {
      return await projectWorker(this.#folder, path.join(data, "worker"))
    } catch (error) {
      this.#say(`${error instanceof Error ? error.message : String(error)}\nThe shipped Worker serves, without the project's own tools.`)
      return undefined
    }
  }

  #say(message: string): void {
    if (this.#context.isJson) this.#context.json({ type: "worker", message })
    else this.#context.line(plain(message))
  }
}
