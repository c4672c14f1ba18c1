// Gives a command its surroundings: the client, the output, and whether a person sits at a terminal.

import path from "node:path"
import type { Sluice } from "../src/client/sluice.ts"
import { clientOf } from "./client.ts"
import { connectionOf, type Connection, type Wish } from "./profiles.ts"
import { sessionOf } from "./dev/session.ts"
import { projectAround, runningServer } from "./project/project.ts"

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

export class Context {
  readonly world: World
  /** Machine-readable output: one JSON document, or JSON Lines for a stream. */
  readonly isJson: boolean
  readonly #wish: Wish
  #connection: Promise<Connection> | undefined

  constructor(world: World, wish: Wish, isJson: boolean) {
    this.world = world
    this.isJson = isJson
    this.#wish = wish
  }

  /** A person can be asked something. */
  get isTerminal(): boolean {
    return !this.isJson && this.world.out.isTTY === true && this.world.input.isTTY === true && !this.world.env["CI"]
  }
  get hasColor(): boolean {
    return this.world.out.isTTY === true && !this.world.env["NO_COLOR"]
  }

  connection(): Promise<Connection> {
    this.#connection ??= connectionOf(this.#wish, this.world.env, () => this.#local())
    return this.#connection
  }
  async #local(): Promise<string | undefined> {
    const project = await projectAround(this.world.cwd)
    return project === undefined ? undefined : runningServer(project)
  }
  /** For routes that need no key. */
  async openClient(): Promise<Sluice> {
    const { url, key } = await connectionOf({ ...this.#wish, needsNoKey: true }, this.world.env, () => this.#local())
    return clientOf(this.world.env, { url, key, retries: 2 })
  }
  async client(): Promise<Sluice> {
    const { url, key } = await this.connection()
    return clientOf(this.world.env, { url, key, retries: 2 })
  }
  /** For who only asks whether the server answers: a server that says nothing is one that does not answer. */
  async promptClient(): Promise<Sluice> {
    const { url, key } = await this.connection()
    return clientOf(this.world.env, { url, key, retries: 0, withinMs: PROMPT_MS })
  }

  /** The draft of the `sluice dev` that runs for this folder, if this command asks the server of that session. */
  async draft(): Promise<string | undefined> {
    const project = await projectAround(this.world.cwd)
    const session = project === undefined ? undefined : await sessionOf(project)
    if (session === undefined) return undefined
    const { url } = await this.connection()
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
