// Runs one recorded run against changed definitions [K23]. Its recorded replies, results and answers are replayed in order; each model call
// is compared with the recorded call. Stops at the first place where the recording no longer fits, or continues live from there.

import { codePathOf } from "../../core/flow/code-file.ts"
import { canonical } from "../../core/json.ts"
import type { Rules } from "../../core/tool/policy/policy.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import { cacheKey, passOf } from "../../core/run/key.ts"
import type { Era } from "../../core/run/fork/fold.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { CodeResult, Signal } from "../../core/run/signal.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import { reportOf, type ChildReport } from "../../core/run/steps/children.ts"
import type { RecordedRun } from "../../core/case/recorded-case.ts"
import { defined } from "../../core/defined.ts"
import type { Effect } from "../../core/run/begin.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { childPins } from "../run/begin/child-pins.ts"
import { Course } from "./course.ts"
import { finishChange, openings, sameFinish, verdictChange } from "./course-change.ts"
import type { LiveEnd } from "./live.ts"
import { recordingOf, type RecordedDecision } from "./recording.ts"
import { requestChange, type Why } from "./request-change.ts"

export type Match = "exact" | "position"

export interface Divergence {
  readonly step?: string
  readonly pass?: number
  readonly turn?: number
  readonly why: Why
  /** [K23] How the course went on from there. */
  readonly live?: LiveEnd
}

export type BacktestVerdict =
  | { readonly result: "same" }
  | ({ readonly result: "changed" | "diverged" } & Divergence)
  | { readonly result: "failed"; readonly message: string }

export interface BacktestDeps {
  hash(text: string): string
  /** Throws if a definition is lost. */
  plan(pins: Pins): Promise<Plan>
  /** The tenant's rules of now; absent: the recorded ones. */
  readonly rules?: Rules
  /** Runs a handler that has changed. */
  code(run: Run, effect: Extract<Effect, { do: "run-code" }>, pins: Pins): Promise<CodeResult>
  /** Lets others have a turn. */
  breathe(work: number): Promise<void>
  /** Goes on live; absent: stops. */
  live?(course: Course, recorded: readonly RecordedDecision[]): Promise<LiveEnd>
}

/** Breath's measure of a decision (ports/breath.ts). */
const DECISION_WORK = 20_000
/** Waits for a time that a changed run may need more than the recorded one. */
const WAITS = 200

export async function backtestRun(deps: BacktestDeps, recorded: RecordedRun, pins: Pins, match: Match): Promise<BacktestVerdict> {
  const done = await played(deps, recorded, { pins, match, above: "" })
  return done.verdict
}

interface Wish {
  readonly pins: Pins
  readonly match: Match
  /** Before the names of steps: FLOW/ in a child. */
  readonly above: string
  /** What a changed parent hands down. */
  readonly started?: Partial<Pick<EventOf<"run.started">, "task" | "inputs">>
}

interface Done {
  readonly verdict: BacktestVerdict
  readonly report?: ChildReport
}

async function played(deps: BacktestDeps, recorded: RecordedRun, wish: Wish): Promise<Done> {
  const first = recorded.events[0]
  if (first?.type !== "run.started") return { verdict: { result: "failed", message: "the run has no journal" } }
  try {
    const recording = recordingOf(await erasOf(deps, recorded.events, first.pinned), recorded.events, deps.hash)
    if (recording.fault !== undefined) return { verdict: { result: "failed", message: recording.fault } }
    return await new Player(deps, recorded, wish, new Course(await deps.plan(wish.pins), deps.hash)).play(recording.decisions, first)
  } catch (e) {
    return { verdict: { result: "failed", message: messageOf(e) } }
  }
}

/** [K9] A fork goes on from the history of another run, by the definitions of its own. */
async function erasOf({ plan }: BacktestDeps, events: readonly RunEvent[], pinned: Pins): Promise<[Era, ...Era[]]> {
  const eras: [Era, ...Era[]] = [{ from: 1, plan: await plan(pinned) }]
  for (const e of events) if (e.type === "run.forked" && e.pinned) eras.push({ from: e.seq, plan: await plan(e.pinned) })
  return eras
}

class Player {
  readonly #deps: BacktestDeps
  readonly #recorded: RecordedRun
  readonly #wish: Wish
  readonly #course: Course
  #changed: Divergence | undefined
  /** Events of the decision that is made again, if it was cut short. */
  #most = Infinity

  constructor(deps: BacktestDeps, recorded: RecordedRun, wish: Wish, course: Course) {
    this.#deps = deps
    this.#recorded = recorded
    this.#wish = wish
    this.#course = course
  }

  async play(decisions: readonly RecordedDecision[], started: EventOf<"run.started">): Promise<Done> {
    for (const [i, one] of decisions.entries()) {
      await this.#deps.breathe(DECISION_WORK)
      this.#most = one.isCut ? one.events.length : Infinity
      const diverged = i === 0 ? this.#begin(started) : await this.#step(one, started)
      if (diverged) return this.#onward({ result: "diverged", ...diverged }, decisions.slice(i))
    }
    for (let i = 0; !this.#course.isOver && i < WAITS && Object.keys(this.#course.run.underway).length === 0; i++)
      if (!this.#course.wait()) break
    return this.#onward(this.#compared(), [])
  }

  /** Goes on live from where the two parted, if that is wanted and a child has not come to a stop there. */
  async #onward(verdict: BacktestVerdict, rest: readonly RecordedDecision[]): Promise<Done> {
    let end = verdict
    if (verdict.result === "diverged" && verdict.live !== "stopped" && !this.#course.isOver) {
      const live = await this.#deps.live?.(this.#course, rest)
      if (live !== undefined) end = { ...verdict, live }
    }
    const report = this.#course.isOver ? reportOf(this.#course.run) : undefined
    return { verdict: end, ...defined({ report }) }
  }

  #begin(started: EventOf<"run.started">): Divergence | undefined {
    const { seq: _seq, at, v: _v, prev: _prev, ...fact } = started
    const { rules } = this.#deps
    const own = {
      ...fact,
      ...this.#wish.started,
      pinned: this.#wish.pins,
      ...defined({ rules: rules && JSON.parse(JSON.stringify(rules)) }),
    }
    this.#course.tell({ type: "start", started: own }, at, this.#most)
    return undefined
  }

  async #step(one: RecordedDecision, started: EventOf<"run.started">): Promise<Divergence | undefined> {
    const { signal, at } = one
    switch (signal?.type) {
      case "model.reply":
      case "model.failure":
        return this.#model(one, signal)
      case "step.calls":
        return this.#calls(one, signal)
      case "code.result":
        return this.#code(one, signal, started)
      case "looked-up":
        return this.#lookedUp(signal, at)
      case "child.start":
        return this.#tell(signal, at) ? undefined : this.#lost(signal.key)
      case "child.end":
        return this.#child(signal, at)
      case "tool.result":
        return this.#tell(signal, at) ? undefined : this.#lost(signal.key, "guard")
      case "cancel":
        return undefined
      case "fork": {
        // All of it goes by the definitions that are tried.
        const { pinned: _pinned, patch: _patch, ...forked } = signal.forked
        return this.#tell({ ...signal, forked }, at) ? undefined : { why: "route" }
      }
      default:
        // A timer of the recorded run may be another's now; what the run needs of it comes at the end.
        this.#tell(signal, at)
        return undefined
    }
  }

  #tell(signal: Signal | undefined, at: number): readonly RunEvent[] | undefined {
    return this.#course.tell(signal, at, this.#most)
  }

  #model(
    { request, at, events }: RecordedDecision,
    signal: Extract<Signal, { type: "model.reply" | "model.failure" }>,
  ): Divergence | undefined {
    const { key } = signal
    const step = key.split("/")[0] ?? ""
    this.#asks(key, at)
    // A retry begins when its time has come.
    if (!this.#course.isUnderway(key)) this.#tell(undefined, at)
    if (!this.#course.isUnderway(key) || request === undefined) return this.#lost(key)
    const now = this.#course.requestOf(key, step)
    const why = requestChange(request, now)
    const place = this.#placeOf(step, passOf(key), request.turn)
    if (why !== undefined && (why !== "prompt" || this.#wish.match === "exact")) return { ...place, why }
    if (why !== undefined) this.#changed ??= { ...place, why }
    const made = this.#tell(signal, at)
    if (!made) return { ...place, why: "route" }
    const verdict = verdictChange(events, made)
    return verdict === undefined ? undefined : { ...place, why: verdict }
  }

  /** [F26] The calls that the step makes now: other arguments are another call, and the recording has no answer to it. */
  #calls({ at, events }: RecordedDecision, signal: Extract<Signal, { type: "step.calls" }>): Divergence | undefined {
    const { key } = signal
    this.#asks(key, at)
    const effect = this.#course.effects.get(key)
    if (!this.#course.isUnderway(key) || (effect?.do !== "make-calls" && effect?.do !== "run-code")) return this.#lost(key)
    const place = this.#placeOf(effect.step, passOf(key))
    if (effect.do === "run-code") return this.#ofHandler(signal, at, { path: codePathOf(this.#course.run.flow, effect.step, "js"), place })
    const of = (calls: typeof signal.calls): unknown => calls.map(({ name, args }) => [name, args])
    if (canonical(of(effect.calls)) !== canonical(of(signal.calls))) return { ...place, why: "calls" }
    const made = this.#tell(signal, at)
    if (!made) return { ...place, why: "route" }
    return verdictChange(events, made) === "guard" ? { ...place, why: "guard" } : undefined
  }

  /** [F27] A handler that calls tools is not run: one that has changed may call others. */
  #ofHandler(signal: Signal, at: number, { path, place }: { path: string; place: Omit<Divergence, "why"> }): Divergence | undefined {
    const first = this.#recorded.events[0]
    const before = first?.type === "run.started" ? first.pinned.code?.[path] : undefined
    if (before !== this.#wish.pins.code?.[path]) return { ...place, why: "code" }
    return this.#tell(signal, at) ? undefined : { ...place, why: "route" }
  }

  async #code(
    { at, events }: RecordedDecision,
    signal: Extract<Signal, { type: "code.result" }>,
    { pinned }: EventOf<"run.started">,
  ): Promise<Divergence | undefined> {
    const { key } = signal
    this.#asks(key, at)
    const effect = this.#course.effects.get(key)
    if (!this.#course.isUnderway(key) || effect?.do !== "run-code") return this.#lost(key)
    const path = codePathOf(this.#course.run.flow, effect.step, "js")
    const place = this.#placeOf(effect.step, passOf(key))
    const opened = this.#recorded.events.find((e) => e.type === "step.opened" && e.step === effect.step && e.pass === passOf(key))
    const sameInput = opened?.type === "step.opened" && canonical(opened.values ?? {}) === canonical(effect.input)
    if (pinned.code?.[path] === this.#wish.pins.code?.[path] && sameInput)
      return this.#tell(signal, at) ? undefined : { ...place, why: "route" }
    if (stepState(this.#course.run, effect.step).session?.own) return { ...place, why: "code" }
    const result = await this.#deps.code(this.#course.run, effect, this.#wish.pins)
    const isSame = canonical({ ...signal.result, logs: [] }) === canonical({ ...result, logs: [] }) || sameFinish(events, result)
    if (!isSame) return { ...place, why: "code" }
    this.#changed ??= { ...place, why: "code" }
    return this.#tell({ ...signal, result }, at) ? undefined : { ...place, why: "route" }
  }

  /** [R40] A pass that took another run's result is the same while it asks the same; one that looked in vain is judged by what it asked. */
  #lookedUp(signal: Extract<Signal, { type: "looked-up" }>, at: number): Divergence | undefined {
    const { key, found } = signal
    const step = key.split("/")[0] ?? ""
    const looks = this.#course.isUnderway(key)
    if (!found) {
      if (looks) this.#tell({ ...signal, digest: this.#course.askedBy(step) }, at)
      return undefined
    }
    const { status, pass } = stepState(this.#course.run, step)
    if (status !== "running" || pass !== passOf(key)) return this.#lost(key)
    if (looks && this.#course.askedBy(step) === signal.digest && this.#tell(signal, at)) return undefined
    return { ...this.#placeOf(step, pass), why: "prompt" }
  }

  /** The recorded step asked without looking: now it may look first. */
  #asks(key: string, at: number): void {
    const step = key.split("/")[0] ?? ""
    const look = cacheKey(step, passOf(key))
    if (this.#course.isUnderway(look)) this.#tell({ type: "looked-up", key: look, digest: this.#course.askedBy(step) }, at)
  }

  async #child(
    { step, pass, index, run, report, ...signal }: Extract<Signal, { type: "child.end" }>,
    at: number,
  ): Promise<Divergence | undefined> {
    const place = this.#placeOf(step, pass)
    const child = this.#recorded.children.get(run)
    const first = child?.events[0]
    // A run that a call started and waited for is a result like any other.
    if (!child || first?.type !== "run.started")
      return this.#tell({ ...signal, step, pass, index, run, report }, at) ? undefined : { ...place, why: "route" }
    const effect = [...this.#course.effects.values()].find(
      (e) => e.do === "start-child" && e.step === step && e.index === index && passOf(e.key) === pass,
    )
    const pins = effect?.do === "start-child" ? childPins(this.#wish.pins, effect.flow) : undefined
    if (effect?.do !== "start-child" || !pins || effect.flow !== first.flow) return { ...place, why: "route" }
    const { task, inputs } = effect
    if (task !== first.task || canonical(inputs) !== canonical(first.inputs)) this.#changed ??= { ...place, why: "prompt" }
    const done = await played(this.#deps, child, {
      pins,
      match: this.#wish.match,
      above: `${effect.flow}/`,
      started: { task, inputs: { ...first.inputs, ...inputs } },
    })
    const { verdict } = done
    if (verdict.result === "failed") throw new Error(`its child ${run}: ${verdict.message}`)
    if (verdict.result === "diverged") {
      const { result: _result, ...where } = verdict
      // A child that went on to its end hands its result to its parent, which goes on too.
      if (verdict.live !== undefined && done.report) this.#tell({ ...signal, step, pass, index, run, report: done.report }, at)
      return where
    }
    if (verdict.result === "changed") {
      const { result: _result, ...where } = verdict
      this.#changed ??= where
    }
    const told = done.report ?? report
    return this.#tell({ ...signal, step, pass, index, run, report: told }, at) ? undefined : { ...place, why: "route" }
  }

  #placeOf(step: string, pass: number, turn?: number): Omit<Divergence, "why"> {
    return { step: `${this.#wish.above}${step}`, pass, ...defined({ turn }) }
  }

  /** The changed run has no use for a recorded answer: where the two parted. */
  #lost(key: string, why: Why = "route"): Divergence {
    return this.#parting() ?? { ...this.#placeOf(key.split("/")[0] ?? "", passOf(key)), why }
  }

  /** The first step that only one of the two opened. */
  #parting(): Divergence | undefined {
    const [was, is] = [openings(this.#recorded.events), openings(this.#course.events)]
    const fresh = [...is.values()].find((e) => !was.has(`${e.step}/${e.pass}`))
    const gone = this.#course.isOver ? [...was.values()].find((e) => !is.has(`${e.step}/${e.pass}`)) : undefined
    const where = fresh ?? gone
    return where && { ...this.#placeOf(where.step, where.pass), why: "route" }
  }

  #compared(): BacktestVerdict {
    const [was, is] = [this.#recorded.events.at(-1), this.#course.events.at(-1)]
    const canceled = was?.type === "run.ended" && was.status === "canceled"
    const parted = this.#parting()
    if (parted) return { result: "diverged", ...parted }
    if (canceled) return this.#changed ? { result: "changed", ...this.#changed } : { result: "same" }
    if (is?.type !== "run.ended" || was?.type !== "run.ended") return { result: "diverged", ...this.#waiting() }
    if (is.status !== was.status || canonical(is.error ?? null) !== canonical(was.error ?? null))
      return { result: "diverged", ...this.#waiting() }
    const finish = finishChange(this.#recorded.events, this.#course.events)
    if (finish) return { result: "diverged", ...this.#placeOf(finish.step, finish.pass), why: "route" }
    // The same course, with another output: the flow makes something else of it.
    if (canonical(is.output ?? null) !== canonical(was.output ?? null)) this.#changed ??= { why: "schema" }
    return this.#changed ? { result: "changed", ...this.#changed } : { result: "same" }
  }

  /** What the changed run wants that was never recorded. */
  #waiting(): Divergence {
    const [key] = Object.keys(this.#course.run.underway)
    if (key !== undefined) {
      const step = key.split("/")[0] ?? ""
      const turn = key.endsWith("/model") ? stepState(this.#course.run, step).session?.turn : undefined
      return { ...this.#placeOf(step, passOf(key), turn), why: "route" }
    }
    const open = this.#course.run.pending.map((id) => this.#course.run.interactions[id])[0]
    return open ? { ...this.#placeOf(open.step, open.pass), why: "guard" } : { why: "route" }
  }
}
