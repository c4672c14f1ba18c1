// Starts runs: `for await (const event of client.flows.run("triage", { task }))`.

import type { GraphView } from "../core/flow/check/graph-view.ts"
import { follow } from "./follow.ts"
import type { Frame } from "./frame.ts"
import type { Runs } from "./runs.ts"
import type { Started } from "../api/doc/run/runs.doc.ts"
import type * as testShapes from "../api/doc/tests.doc.ts"
import type { Backtest, BacktestBegun, TestCases, TestReport } from "../api/doc/tests.doc.ts"
import type { BacktestAsked, tests, TestWish } from "../api/tests.ts"
import { Part } from "./transport/part.ts"
import type { FlowArg, RunOf, StartArgs, StartOf } from "./register.ts"
import { part, type Transport } from "./transport/transport.ts"

export interface StartOptions {
  /** Two starts with the same key are one run. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
export interface RunOptions extends StartOptions {
  /** Includes frames that are not stored; default false. */
  readonly transient?: boolean
}

export class Flows extends Part<typeof tests, typeof testShapes> {
  readonly #runs: Runs

  constructor(transport: Transport, runs: Runs) {
    super(transport)
    this.#runs = runs
  }

  /** `flow` is an id, `id@revision` or `id@draft:NAME`. When the promise resolves, the run is durable. */
  start<const F extends string>(flow: FlowArg<F>, ...rest: StartArgs<F, StartOptions>): Promise<Started> {
    const [start = {}, options = {}] = rest
    return this.json("POST", `/v1/flows/${part(flow)}/runs`, { body: start, ...options })
  }

  /** Starts the run at once; iterate its events, or wait for its result. */
  run<const F extends string>(flow: FlowArg<F>, ...rest: StartArgs<F, RunOptions>): StartedRun<F> {
    const [start = {}, options = {}] = rest
    const started: Promise<Started> = this.json("POST", `/v1/flows/${part(flow)}/runs`, { body: start, ...options })
    return new StartedRun<F>(this.transport, this.#runs, started, options)
  }

  /** Its nodes and edges, for drawing; with `revision`, as it was then. */
  graph(flow: string, revision?: number): Promise<GraphView> {
    return this.json("GET", `/v1/flows/${part(flow)}/graph`, { query: { revision } })
  }

  /** [R41] Forgets the kept results of a flow's steps, or of one. */
  forget(flow: string, step?: string): Promise<void> {
    return this.json("DELETE", `/v1/flows/${part(flow)}/cache`, { query: { step } })
  }

  /** [K21] Runs the flow's tests: no model is asked, and nothing is sent. */
  readonly test: (flow: string, wish?: TestWish) => Promise<TestReport> = this.route("POST /v1/flows/*/test")

  /** [K21] The cases of the flow's tests, each with its place in the file and its last result; with `revision`, as of that revision. */
  cases(flow: string, revision?: number): Promise<TestCases> {
    return this.json("GET", `/v1/flows/${part(flow)}/test`, { query: { revision } })
  }

  /** [K23] Tries a change on recorded runs; read it with `backtestResult`. */
  readonly backtest: (flow: string, wish: BacktestAsked) => Promise<BacktestBegun> = this.route("POST /v1/flows/*/backtest")
  readonly backtestResult: (id: string) => Promise<Backtest> = this.route("GET /v1/backtests/*")

  /** The run if it ends or waits for a person within `seconds`, at most 90; otherwise where to find it. */
  wait<const F extends string>(
    flow: FlowArg<F>,
    start: StartOf<F>,
    seconds: number,
    options: StartOptions = {},
  ): Promise<RunOf<F> | Started> {
    return this.json("POST", `/v1/flows/${part(flow)}/runs`, { body: start, wait: seconds, ...options })
  }
}

/** A run that was started. Each iteration yields its events from the first one. */
export class StartedRun<F extends string = string> implements AsyncIterable<Frame> {
  readonly #transport: Transport
  readonly #runs: Runs
  readonly #started: Promise<Started>
  readonly #options: RunOptions

  constructor(transport: Transport, runs: Runs, started: Promise<Started>, options: RunOptions) {
    this.#transport = transport
    this.#runs = runs
    this.#started = started
    this.#options = options
    // A refused start rejects `id`, `result` and the iteration; without this line it would also be an unhandled rejection.
    started.catch(() => undefined)
  }

  get id(): Promise<string> {
    return this.#started.then(({ id }) => id)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    yield* follow(this.#transport, await this.id, this.#options)
  }

  /** The run after it has ended. Also waits while the run waits for a person. */
  async result(): Promise<RunOf<F>> {
    const id = await this.id
    const { signal } = this.#options
    for await (const _ of follow(this.#transport, id, signal === undefined ? {} : { signal }));
    return this.#runs.get<F>(id)
  }
}
