// An in-memory shell around the kernel: it replaces the conductor of a run object, without a clock, a disk or a model.
//
// It seals facts into events, commits them with all their consequences, keeps at most six effects under way, and loses
// everything except its journal in a crash. Its caller answers the effects.

import { KERNEL } from "../../../src/core/run/event-version.ts"
import { admit } from "../../../src/core/run/admit.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { begin, dueAt, isEffect, settle, type Effect } from "../../../src/core/run/begin.ts"
import { readCalls } from "../../../src/core/run/session/calls.ts"
import { decide } from "../../../src/core/run/decide.ts"
import type { StepStatus, ToolCall } from "../../../src/core/run/event-parts.ts"
import type { Fact, FactOf, RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Answer, Failure, Lease, Refusal, Reply, Signal } from "../../../src/core/run/signal.ts"
import { restore, takeSnapshot, type SnapshotParts } from "../../../src/core/run/snapshot.ts"
import { isOver, newRun, type Interaction, type Run, type StepState } from "../../../src/core/run/state.ts"
import { canonical, type JsonObject } from "../../../src/core/json.ts"
import type { Rules } from "../../../src/core/tool/policy/policy.ts"
import type { Result } from "../../../src/core/result.ts"
import { RUN_TIMEOUT } from "../../../src/core/run/key.ts"
import { replays } from "./replayed.ts"

/** [J16] The platform's limit of concurrent connections. */
export const AT_ONCE = 6
/** [P4] No test flow comes near this limit: a run that exceeds it does not end. */
export const MOST_EVENTS = 30_000

export const roundTrip = <T>(value: T): T => JSON.parse(JSON.stringify(value))

export interface StartOptions {
  readonly task?: string
  readonly inputs?: JsonObject
  readonly autonomous?: boolean
  /** Take a snapshot after this many new events; after a crash, fold from it. */
  readonly snapshotEvery?: number
  readonly rules?: Rules
  readonly tainted?: boolean
  readonly session?: string
  /** Hashes of the agents' definitions. */
  readonly agents?: Readonly<Record<string, string>>
  /** Further fields of `run.started`. */
  readonly started?: Partial<FactOf<"run.started">>
  readonly lease?: Lease
  /** [K9] Begins as a fork: the history before it, and its first signal. */
  readonly fork?: { readonly prefix: readonly RunEvent[]; readonly signal: Extract<Signal, { type: "fork" }> }
  /** The limit of concurrent effects, instead of the platform's six. */
  readonly atOnce?: number
}

export class Shell {
  readonly plan: Plan
  readonly log: RunEvent[] = []
  /** [K8] The seqs after which a decision ends. */
  readonly cuts: number[] = []
  readonly flights = new Map<string, Effect>()
  run: Run
  now = 1_000_000
  mostFlights = 0
  /** The tenant's current rules, when a test has changed them since the start. */
  rules: Rules | undefined
  /** Called after each event, for tests that watch the state. */
  watch: ((run: Run, event: RunEvent) => void) | undefined
  /** What a crash left under way. */
  #lost: readonly string[] = []
  #stored: { head: SnapshotParts["head"]; steps: Record<string, StepState> } | undefined
  readonly #snapshotEvery: number
  readonly #atOnce: number

  constructor(plan: Plan, options: StartOptions = {}) {
    this.plan = plan
    this.run = newRun(plan)
    this.#snapshotEvery = options.snapshotEvery ?? 0
    const started: FactOf<"run.started"> = {
      type: "run.started",
      kernel: KERNEL,
      run: "run_1",
      flow: plan.flow.id,
      task: options.task ?? "the task",
      inputs: options.inputs ?? {},
      autonomous: options.autonomous ?? plan.flow.autonomous,
      pinned: { revision: 1, flow: { id: plan.flow.id, hash: "h" }, agents: { ...options.agents }, skills: {}, models: {} },
      trigger: { kind: "api" },
      rehearsed: true,
      ...(options.rules ? { rules: roundTrip(options.rules) as unknown as JsonObject } : {}),
      ...(options.tainted ? { tainted: true } : {}),
      ...(options.session === undefined ? {} : { session: options.session }),
      ...options.started,
    }
    this.#atOnce = options.atOnce ?? AT_ONCE
    // Without a hash, an event names its place before it.
    if (this.#atOnce === AT_ONCE)
      replays(
        plan,
        () => this.log,
        // `{"seq":12,…`: to parse each event again would be a twentieth of a replay.
        (text) => text.slice('{"seq":'.length, text.indexOf(",")),
      )
    if (options.fork) {
      this.log.push(...roundTrip(options.fork.prefix))
      this.now = (this.log.at(-1)?.at ?? this.now) + 100_000
      this.run = this.refolded()
      const forked = this.tell(options.fork.signal)
      if (!forked.ok) throw new Error(`the fork was refused: ${JSON.stringify(forked.error)}`)
    } else this.tell({ type: "start", started, ...(options.lease ? { lease: options.lease } : {}) })
  }

  tell(signal: Signal): Result<Fact[], Refusal> {
    const admitted = admit(this.run, signal)
    if (!admitted.ok) return admitted
    if ("key" in signal) this.flights.delete(signal.key)
    this.#record(admitted.value)
    this.#commit()
    return admitted
  }

  /** [J10] Drops everything in memory; the journal, or a snapshot and the journal's tail, remains. */
  crash(): void {
    this.flights.clear()
    this.run = this.refolded()
    this.#lost = Object.keys(this.run.underway)
    for (const key of this.#lost) if (!this.flights.has(key)) this.tell({ type: "lost", key })
    this.#lost = []
    if (!isOver(this.run)) this.#commit()
  }

  refolded(): Run {
    const from = this.#stored
    let run = from ? restore(this.plan, roundTrip(from)) : newRun(this.plan)
    for (const event of roundTrip(this.log.slice(run.seq))) run = apply(run, event)
    return run
  }

  /** The next time at which something is due, if any. */
  nextDue(): number | undefined {
    // Effects that became due while the last facts were recorded are next, unless they wait for an effect under way.
    const idle = this.flights.size === 0
    const times = decide(this.run).flatMap((a) =>
      a.do === "wake" ? [a.at] : isEffect(a) && (idle || dueAt(a) > this.now) ? [dueAt(a)] : [],
    )
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Time passes: due timers fire, due effects begin. */
  pass(until: number): void {
    this.now = Math.max(this.now, until)
    for (const a of decide(this.run)) if (a.do === "wake" && a.at <= this.now) this.tell({ type: "timer", key: a.key, at: this.now })
    if (!isOver(this.run)) this.#commit()
  }

  #record(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const seq = this.run.seq + 1
      const event: RunEvent = { seq, at: this.now, v: 1, prev: seq === 1 ? "0".repeat(64) : String(seq - 1), ...fact }
      this.log.push(event)
      if (this.log.length > MOST_EVENTS) throw new Error("the run does not end")
      this.run = apply(this.run, event)
      this.watch?.(this.run, event)
    }
    if (facts.length > 0) this.cuts.push(this.run.seq)
  }

  #commit(): void {
    let actions = decide(this.run)
    for (let first = actions[0]; first?.do === "record"; first = actions[0]) {
      if (first.facts.length === 0) throw new Error("a record of nothing changes nothing")
      this.#record(first.facts)
      actions = decide(this.run)
    }
    const due = actions
      .filter(isEffect)
      .filter((a) => dueAt(a) <= this.now)
      .slice(0, Math.max(0, this.#atOnce - this.flights.size - this.#lost.filter((key) => this.#isOnlyUnderway(key)).length))
    this.#record(settle(this.run, due.length > 0))
    for (const effect of due) {
      this.#record(begin(this.run, effect))
      this.flights.set(effect.key, effect)
    }
    this.now += 1
    for (const key of this.flights.keys()) if (!Object.hasOwn(this.run.underway, key)) this.flights.delete(key)
    this.mostFlights = Math.max(this.mostFlights, this.flights.size)
    if (this.#snapshotEvery > 0 && this.run.seq - (this.#stored?.head.seq ?? 0) >= this.#snapshotEvery) this.#snapshot()
  }

  /** Under way in the journal alone: it counts until it is marked as lost. */
  #isOnlyUnderway(key: string): boolean {
    return Object.hasOwn(this.run.underway, key) && !this.flights.has(key)
  }

  #snapshot(): void {
    const parts = roundTrip(takeSnapshot(this.run))
    this.#stored = { head: parts.head, steps: { ...this.#stored?.steps, ...parts.steps } }
    this.run.touched.clear()
  }

  // What a test sends and reads.

  /** The step's model answers with these calls, or only with text. */
  reply(step: string, ...said: (Call | string)[]): Result<Fact[], Refusal> {
    const key = this.flying(step, "/model")
    const reply = replyOf(said)
    const digests = Object.fromEntries(reply.toolCalls.map((c) => [c.id, canonical([key, c.id, c.name, c.args])]))
    return this.tell({ type: "model.reply", key, reply, at: this.now, digests, ...(this.rules ? { rules: this.rules } : {}) })
  }

  fail(step: string, failure: Partial<Failure> = {}, dice = 0.5): Result<Fact[], Refusal> {
    const full = { message: "overloaded", status: 529, retryable: true, ...failure }
    return this.tell({ type: "model.failure", key: this.flying(step, "/model"), failure: full, at: this.now, dice })
  }

  /** A tool returns; the same text for the same call is the same result. */
  returns(step: string, callId: string, text = "done"): Result<Fact[], Refusal> {
    const key = this.flying(step, `/tool/${callId}`)
    const effect = this.flights.get(key)
    const made = effect?.do === "run-tool" ? [effect.call.name, effect.args, text] : [text]
    return this.tell({ type: "tool.result", key, result: { isError: false, content: [{ type: "text", text }], digest: canonical(made) } })
  }

  answer(id: string, body: Answer): Result<Fact[], Refusal> {
    return this.tell({ type: "answer", id, body, by: "ann", ...(this.rules ? { rules: this.rules } : {}) })
  }

  steer(step: string, message = "other way"): Result<Fact[], Refusal> {
    return this.tell({ type: "steer", step, id: `steer${this.run.seq}`, message, by: "ann" })
  }

  /** The run's own timeout fires. */
  timeout(at: number): Result<Fact[], Refusal> {
    this.now = at
    return this.tell({ type: "timer", key: RUN_TIMEOUT, at })
  }

  /** The key under way of this step with this ending. */
  flying(step: string, end: string): string {
    const key = [...this.flights.keys()].find((k) => k.startsWith(`${step}/`) && k.endsWith(end))
    if (key === undefined)
      throw new Error(`nothing of "${step}" that ends in ${end} is under way; there is ${this.keys().join(", ") || "nothing"}`)
    return key
  }

  keys(): string[] {
    return [...this.flights.keys()].sort()
  }

  state(step: string): StepState {
    const s = this.run.steps[step]
    if (!s) throw new Error(`no step "${step}"`)
    return s
  }

  statuses(): Record<string, StepStatus> {
    return Object.fromEntries(Object.entries(this.run.steps).map(([id, s]) => [id, s.status]))
  }

  /** Steps in the order of their opening. */
  opened(): string[] {
    return this.events("step.opened").map((e) => e.step)
  }

  running(): string[] {
    return Object.entries(this.run.steps).flatMap(([id, s]) => (s.status === "running" ? [id] : []))
  }

  pending(): Interaction[] {
    return Object.values(this.run.interactions).filter((i) => i.status === "pending")
  }

  events<T extends Fact["type"]>(type: T): Extract<RunEvent, { type: T }>[] {
    return this.log.filter((e): e is Extract<RunEvent, { type: T }> => e.type === type)
  }
}

/** A call as a model sends it: `args` is an object, or any text. */
export interface Call {
  readonly id?: string
  readonly name: string
  readonly args?: JsonObject | string
}

export function callsOf(sent: readonly Call[]): ToolCall[] {
  return readCalls(
    sent.map((c, i) => ({ id: c.id ?? `c${i}`, name: c.name, args: typeof c.args === "string" ? c.args : JSON.stringify(c.args ?? {}) })),
  )
}

export function replyOf(said: readonly (Call | string)[]): Reply {
  const calls = said.filter((x) => typeof x !== "string")
  const text = said.filter((x) => typeof x === "string").join("\n")
  return {
    text,
    thinking: false,
    toolCalls: callsOf(calls),
    usage: { input: 10, output: 5 },
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    system: "s",
    request: "r",
  }
}

export const call = (name: string, args: JsonObject | string = { n: 1 }, id?: string): Call => ({
  name,
  args,
  ...(id === undefined ? {} : { id }),
})
export const finish = (more: JsonObject = {}): Call => ({ name: "finish", args: { status: "complete", summary: "done", ...more } })
export const choose = (branch: string, more: JsonObject = {}): Call => finish({ branch, ...more })
export const failed = (summary = "no"): Call => finish({ status: "error", summary })
