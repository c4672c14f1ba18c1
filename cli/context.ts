// Gives a command its surroundings: the client, the output, and whether a person sits at a terminal.

import path from "node:path"
import type { Sluice } from "../src/client/sluice.ts"
import { clientOf } from "./client.ts"
import { connectionOf, type Connection, type Wish } from "./profiles.ts"
import { projectOf } from "./dev/server-notes.ts"
import { servedSession, sessionOf } from "./dev/session.ts"
import { bundleOf } from "../local/definition-files.ts"
import { Trouble } from "../local/trouble.ts"
import type { Bundle } from "../src/api/catalog.ts"
import { defined } from "../src/core/defined.ts"
import type { Environment } from "../src/core/project/project-file.ts"
import type { ProjectPlan } from "./project/planned.ts"
import { environmentOf, projectAround, runningServer } from "./project/project.ts"

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly input: NodeJS.ReadStream
  /** Whether the process may end when the reader of the output goes. */
  readonly reader?: { mayGo: boolean }
}

/** Far longer than a server takes to answer from the other side of the world. */
export const PROMPT_MS = 10_000

const WHY: Readonly<Record<number, string>> = {
  409: "the same request is under way, or the gate waits",
  429: "too much at once",
  503: "the server is busy",
}
const waiting = (status: number, seconds: number): string => `${WHY[status] ?? "not now"} (${status}): trying again in ${seconds} s`

export class Context {
  readonly world: World
  /** Machine-readable output: one JSON document, or JSON Lines for a stream. */
  readonly isJson: boolean
  readonly #wish: Wish
  /** The name after `--env`. */
  readonly #env: string | undefined
  #folder: string | undefined
  #connection: Promise<Connection> | undefined

  constructor(world: World, { env, ...wish }: Wish & { readonly env?: string | undefined }, isJson: boolean) {
    this.world = world
    this.isJson = isJson
    this.#wish = wish
    this.#env = env
  }

  /** The command is about this project, and not about the one around. */
  about(folder: string): void {
    this.#folder = folder
  }

  /** Of `--env`; read anew each time, because `dev` follows sluice.yaml. */
  async #environment(): Promise<{ readonly name: string; readonly value: Environment } | undefined> {
    if (this.#env === undefined) return undefined
    const folder = this.#folder ?? (await projectAround(this.world.cwd))
    if (folder === undefined) throw new Trouble("--env needs a project: there is no sluice.yaml here or above", 2)
    return { name: this.#env, value: await environmentOf(folder, this.#env) }
  }

  /** The folder's files, as the environment has them. */
  async bundle(folder: string): Promise<{ readonly bundle: Bundle; readonly environment: ProjectPlan["environment"] }> {
    const bundle = await bundleOf(folder)
    const environment = await this.#environment()
    if (environment === undefined) return { bundle, environment: null }
    const { overlaid } = await import("./project/environment.ts")
    const { differs, bundle: there } = overlaid(bundle, environment.value)
    return { bundle: there, environment: { name: environment.name, differs } }
  }

  /** A person can be asked something. */
  get isTerminal(): boolean {
    return !this.isJson && this.world.out.isTTY === true && this.world.input.isTTY === true && !this.world.env["CI"]
  }
  get hasColor(): boolean {
    return this.world.out.isTTY === true && !this.world.env["NO_COLOR"]
  }

  connection(): Promise<Connection> {
    this.#connection ??= this.#connected(this.#wish)
    return this.#connection
  }
  async #connected(wish: Wish): Promise<Connection> {
    const environment = await this.#environment()
    const { server, profile } = environment?.value ?? {}
    const place = environment && defined({ name: environment.name, server, profile })
    return connectionOf(
      { ...wish, ...defined({ place }) },
      this.world.env,
      () => this.#local(),
      (url) => this.#unsaid(url),
    )
  }
  async #local(): Promise<string | undefined> {
    const project = await projectAround(this.world.cwd)
    if (project === undefined) return undefined
    // It may be about to start its server, for the first time or again.
    await servedSession(project, () => this.note("sluice dev starts its server here: waiting for it"))
    return runningServer(project)
  }
  async #unsaid(url: string): Promise<void> {
    const [project, theirs] = [await projectAround(this.world.cwd), await projectOf(this.world.env, url)]
    if (project !== undefined && theirs !== undefined && project !== theirs)
      throw new Trouble(`${url} is the server of another project, ${theirs}: start sluice dev here, or name a server (--url, --profile)`, 2)
  }
  /** For routes that need no key. */
  async openClient(): Promise<Sluice> {
    const { url, key } = await this.#connected({ ...this.#wish, needsNoKey: true })
    return clientOf(this.world.env, { url, key, ...this.#retried })
  }
  /** A command that waits says so: nothing else shows that it does something. */
  readonly #retried = {
    retries: 2,
    waits: (status: number, ms: number): void => this.note(waiting(status, Math.ceil(ms / 1000))),
  }
  async client(): Promise<Sluice> {
    const { url, key } = await this.connection()
    return clientOf(this.world.env, { url, key, ...this.#retried })
  }
  /** For who only asks whether the server answers: a server that says nothing is one that does not answer. */
  async promptClient(): Promise<Sluice> {
    const { url, key } = await this.connection()
    return clientOf(this.world.env, { url, key, retries: 0, withinMs: PROMPT_MS })
  }

  /** The draft of the `sluice dev` that runs for this folder, if this command asks the server of that session. */
  async draft(): Promise<string | undefined> {
    const project = await projectAround(this.world.cwd)
    if (project === undefined || (await sessionOf(project)) === undefined) return undefined
    const { url } = await this.connection()
    const session = await sessionOf(project)
    if (session?.url === undefined) return undefined
    return new URL(url).origin === new URL(session.url).origin ? session.draft : undefined
  }

  line(text = ""): void {
    this.world.out.write(`${text}\n`)
  }
  /** To standard error, so that a pipe gets the result alone. */
  note(text: string): void {
    if (!this.isJson) this.world.err.write(`${text}\n`)
  }
  json(value: unknown): void {
    this.world.out.write(`${JSON.stringify(value)}\n`)
  }
  /** The value for programs, or the lines for a person. */
  show(value: unknown, lines: () => readonly string[]): void {
    if (this.isJson) this.json(value)
    else for (const line of lines()) this.line(line)
  }
  file(name: string): string {
    return path.resolve(this.world.cwd, name)
  }
}
