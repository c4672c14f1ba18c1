// Starting runs: `for await (const event of client.flows.run("triage", { task }))`.

import type { RunView } from "../core/run/views/view.ts"
import { follow } from "./follow.ts"
import type { Frame } from "./frame.ts"
import type { Runs } from "./runs.ts"
import type { Started } from "../api/runs.doc.ts"
import type { Start } from "../api/runs.ts"
import { part, type Transport } from "./transport.ts"

export interface StartOptions {
  /** Asked for twice with the same key, it is one run. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
export interface RunOptions extends StartOptions {
  /** Frames that are not kept too; default false. */
  readonly transient?: boolean
}

export class Flows {
  readonly #transport: Transport
  readonly #runs: Runs

  constructor(transport: Transport, runs: Runs) {
    this.#transport = transport
    this.#runs = runs
  }

  /** `flow` is an id or `id@revision`. Durable when it resolves. */
  start(flow: string, start: Start = {}, options: StartOptions = {}): Promise<Started> {
    return this.#transport.json("POST", `/v1/flows/${part(flow)}/runs`, { body: start, ...options })
  }

  /** Starts it at once; iterate its events, or wait for its result. */
  run(flow: string, start: Start = {}, options: RunOptions = {}): StartedRun {
    const started = this.start(flow, start, options)
    return new StartedRun(this.#transport, this.#runs, started, options)
  }

  /** 200 when it ended or waits for a person within `seconds`, at most 90; else what was started. */
  wait(flow: string, start: Start, seconds: number, options: StartOptions = {}): Promise<RunView | Started> {
    return this.#transport.json("POST", `/v1/flows/${part(flow)}/runs`, { body: start, headers: { prefer: `wait=${seconds}` }, ...options })
  }
}

/** A run that was started: its events are those from its beginning, each time it is iterated. */
export class StartedRun implements AsyncIterable<Frame> {
  readonly #transport: Transport
  readonly #runs: Runs
  readonly #started: Promise<Started>
  readonly #options: RunOptions

  constructor(transport: Transport, runs: Runs, started: Promise<Started>, options: RunOptions) {
    this.#transport = transport
    this.#runs = runs
    this.#started = started
    this.#options = options
    // Whoever asks for anything of it hears of a start that was refused; nobody else is to be troubled.
    started.catch(() => undefined)
  }

  get id(): Promise<string> {
    return this.#started.then(({ id }) => id)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    yield* follow(this.#transport, await this.id, this.#options)
  }

  /** The run when it has ended. A run that waits for a person is waited for too. */
  async result(): Promise<RunView> {
    const id = await this.id
    const { signal } = this.#options
    for await (const _ of follow(this.#transport, id, signal === undefined ? {} : { signal }));
    return this.#runs.get(id)
  }
}
