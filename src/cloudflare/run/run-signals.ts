// Turns messages from callers to a run into signals, which `admit` accepts or refuses.

import { standingOf } from "../../core/run/standing.ts"
import type { HolderStanding } from "../../core/start/ring.ts"
import { defined } from "../../core/defined.ts"
import type { Json } from "../../core/json.ts"
import { knowsAll, type ChildAskSignal } from "../../core/run/steps/child-questions.ts"
import type { ChildReport } from "../../core/run/steps/children.ts"
import type { FactOf } from "../../core/run/event.ts"
import type { InteractionKind } from "../../core/run/event-parts.ts"
import type { Answer, PauseReason, Refusal } from "../../core/run/signal.ts"
import { runView, type RunView } from "../../core/run/views/view.ts"
import type { Answers, RunRooms } from "../../ports/objects.ts"
import type { AnswerResult, RunPort } from "../../ports/run.ts"
import type { AwakeRun } from "./awake-run.ts"
import { signalsOf } from "../../core/steps/wait.ts"
import { isOver } from "../../core/run/state.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import { clock } from "../platform/clock.ts"
import type { HeldStart } from "./held-start.ts"
import type { RunReading } from "./run-reading.ts"
import type { RunDuties } from "./run-duties.ts"
import type { RunStart } from "./run-start.ts"

/** What an answer lets happen is judged by the tenant's rules of now. */
const RULED: ReadonlySet<unknown> = new Set<InteractionKind>(["approval.tool", "approval.plan", "elicitation", "effects"])

export class RunSignals implements Answers<RunRooms["signals"]> {
  readonly #self: AwakeRun
  readonly #held: HeldStart
  readonly #starts: RunStart
  readonly #reading: RunReading

  readonly #below: Pick<RunDuties, "childEnded" | "hasBelow">

  constructor(
    self: AwakeRun,
    {
      held,
      starts,
      reading,
      below,
    }: { held: HeldStart; starts: RunStart; reading: RunReading; below: Pick<RunDuties, "childEnded" | "hasBelow"> },
  ) {
    this.#below = below
    this.#self = self
    this.#held = held
    this.#starts = starts
    this.#reading = reading
  }

  async turn(key: string): Promise<void> {
    const conductor = await this.#self.awake()
    conductor?.early(key)
  }

  async pause(reason: PauseReason): Promise<RunView | undefined> {
    // A run that waits for room keeps waiting, and begins paused.
    if (this.#held.pause(true)) return this.#passedOver()
    const conductor = await this.#self.awake()
    conductor?.tell({ type: "pause", reason })
    return this.#reading.view()
  }

  async resume(reason: PauseReason): Promise<RunView | undefined> {
    if (this.#held.pause(false)) return this.#passedOver()
    const conductor = await this.#self.awake()
    const rules = conductor?.run.status === "paused" ? await this.#self.rules(conductor.run.rules.version) : undefined
    conductor?.tell({ type: "resume", reason, ...defined({ rules }) })
    return this.#reading.view()
  }

  /** [R13] The line passes over a start that is paused. */
  async #passedOver(): Promise<RunView | undefined> {
    if (this.#held.read() !== undefined) await this.#starts.report()
    return this.#reading.view()
  }

  async cancel(by: string): Promise<RunView | undefined> {
    // A run that waits for room begins and ends in one decision, so that it has a journal and did nothing.
    await this.#starts.release({ canceled: true })
    const conductor = await this.#self.awake()
    conductor?.tell({ type: "cancel", by })
    return conductor && runView(conductor.run)
  }

  /** [R8] Is there a run? One that has ended stays as it is. */
  async supersede(by: string): Promise<boolean> {
    await this.#starts.release({ superseded: by })
    const conductor = await this.#self.awake()
    conductor?.tell({ type: "supersede", by })
    return conductor !== undefined
  }

  /** Is there a run? */
  async orphaned(by: string, mayBegin: boolean): Promise<boolean> {
    const view = await this.cancel(by)
    if (view) this.#self.conductor?.tell({ type: "discard", reason: "the run that started this one has ended" })
    else if (mayBegin) this.#starts.unwanted()
    return view !== undefined
  }

  async answer(id: string, body: Answer, by: string, outside?: true): Promise<AnswerResult> {
    const self = this.#self
    const conductor = await self.awake()
    if (!conductor) return { ok: false, code: "not_found" }
    // A question expires on time even if the alarm is late, so no late answer is accepted.
    conductor.tick()
    const rules = RULED.has(conductor.run.interactions[id]?.kind) ? await self.rules(conductor.run.rules.version) : undefined
    const clean = await self.clean(body)
    const outcome = conductor.tell({ type: "answer", id, body: clean, by, ...defined({ outside, rules }) })
    if (!outcome.ok) return this.#refused(id, outcome.error)
    const interaction = await this.#reading.interaction(id)
    return interaction ? { ok: true, interaction } : { ok: false, code: "not_found" }
  }

  async #refused(id: string, error: Refusal): Promise<Extract<AnswerResult, { ok: false }>> {
    const interaction = await this.#reading.interaction(id)
    if (!interaction) return { ok: false, code: "not_found" }
    if (error.code === "invalid") return { ok: false, code: "invalid", errors: error.errors }
    if (interaction.status === "pending" && error.code === "definitions_lost") return { ok: false, ...error }
    return { ok: false, code: error.code === "other_hash" ? "other_hash" : "already_answered", interaction }
  }

  async answerAll(...[answers, by, only, outside]: Parameters<RunPort["answerAll"]>): Promise<Awaited<ReturnType<RunPort["answerAll"]>>> {
    const self = this.#self
    const conductor = await self.awake()
    const [first] = answers
    if (!first) return undefined
    if (!conductor) return { id: first.id, result: { ok: false, code: "not_found" } }
    conductor.tick()
    const isRuled = answers.some(({ id }) => RULED.has(conductor.run.interactions[id]?.kind))
    const rules = isRuled ? await self.rules(conductor.run.rules.version) : undefined
    const given = await Promise.all(
      answers.map(async ({ id, body }) => {
        const ruled = rules && RULED.has(conductor.run.interactions[id]?.kind) ? { rules } : {}
        return { type: "answer" as const, id, body: await self.clean(body), by, ...defined({ outside }), ...ruled }
      }),
    )
    // From here on nothing else happens in this object: what is judged now is given now, and stored together.
    const refused = given.find((one) => !conductor.judges(one))
    if (!refused && only === "judge") return undefined
    for (const one of refused ? [refused] : given) {
      const outcome = conductor.tell(one)
      if (!outcome.ok) return { id: one.id, result: await this.#refused(one.id, outcome.error) }
    }
    return undefined
  }

  async steer(step: string, message: string, by: string, idempotencyToken = clock.id()): Promise<Awaited<ReturnType<RunPort["steer"]>>> {
    const conductor = await this.#self.awake()
    const run = conductor?.run ?? (await this.#held.run())
    if (!run?.plan.steps.has(step)) return { ok: false, code: "not_found" }
    // A queued run has no step that is running.
    if (!conductor) return { ok: false, code: "not_running" }
    const id = `st_${idempotencyToken}`
    const outcome = conductor.tell({ type: "steer", step, id, message: await this.#self.clean(message), by })
    if (outcome.ok) return { ok: true, id }
    if (outcome.error.code === "definitions_lost") return { ok: false, ...outcome.error }
    return { ok: false, code: outcome.error.code === "too_many" ? "too_many" : "not_running" }
  }

  async signal(name: string, payload: Json, by: string, idempotencyToken?: string): Promise<Awaited<ReturnType<RunPort["signal"]>>> {
    const run = await this.#starts.run()
    if (!run) return "not_found"
    const known = signalsOf(run)
    const isLost = this.#self.conductor instanceof StrandedConductor
    if (!isOver(run) && !isLost && !known.includes(name)) return { ok: false, code: "unknown_signal", known }
    const id = idempotencyToken === undefined ? {} : { id: `sg_${idempotencyToken}` }
    const signal = { name, payload: await this.#starts.clean(payload), by, ...id }
    const kept = (await this.#self.awake()) === undefined ? await this.#held.signal(signal) : undefined
    if (kept !== undefined) return kept
    const outcome = (await this.#self.awake())?.tell({ type: "signal", ...signal })
    if (outcome === undefined) return "not_found"
    if (outcome.ok) return "ok"
    if (outcome.error.code === "definitions_lost") return { ok: false, ...outcome.error }
    return outcome.error.code === "too_many" ? "too_many" : "over"
  }

  /** A child of this run has ended. The run accepts the report even if it no longer needs it [F23]. */
  async childEnded(end: {
    step: string
    pass: number
    index: number
    run: string
    report: ChildReport
    below?: true
  }): Promise<{ readonly takesEffects: boolean }> {
    const { below, ...ended } = end
    const conductor = await this.#self.awake()
    const known = conductor?.run.outside.below.includes(end.run) === true
    const told = conductor?.tell({ type: "child.end", ...ended })
    if (conductor) this.#below.childEnded(end.run, below === true)
    return { takesEffects: known || told?.ok === true }
  }

  /** [R33] */
  async childBatched(said: Omit<FactOf<"child.batched">, "type">): Promise<void> {
    const conductor = await this.#self.awake()
    conductor?.tell({ type: "child.batched", ...said })
  }

  async isFamilyOver(): Promise<boolean> {
    if (this.#held.read()) return false
    const run = (await this.#self.awake())?.run
    return run === undefined || (isOver(run) && !this.#below.hasBelow(run))
  }

  /** [R14] null: no run is at work here. */
  async standing(): Promise<HolderStanding | null> {
    const run = (await this.#self.awake())?.run
    if (run === undefined || isOver(run)) return null
    return standingOf(run)
  }

  /** [P5] A run that has no use for it any more needs to hear nothing. */
  async childAsked(asks: ChildAskSignal): Promise<{ readonly isKnown: boolean }> {
    const conductor = await this.#self.awake()
    const told = conductor?.tell({ type: "child.ask", ...asks })
    return { isKnown: told?.ok !== true || conductor === undefined || knowsAll(conductor.run, asks) }
  }
}
