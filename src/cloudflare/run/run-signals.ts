// What is said to a run from outside. Each word is a signal: `admit` takes it or refuses it.

import type { Json } from "../../core/json.ts"
import type { ChildReport } from "../../core/run/steps/children.ts"
import type { Answer, PauseReason } from "../../core/run/signal.ts"
import { view, type RunView } from "../../core/run/views/view.ts"
import type { AnswerResult, RunPort } from "../../ports/run.ts"
import type { AwakeRun } from "./awake-run.ts"
import { clock } from "../platform/clock.ts"
import type { HeldStart } from "./held-start.ts"
import type { RunReading } from "./run-reading.ts"
import type { RunStart } from "./run-start.ts"

export interface SignalDeps {
  readonly self: AwakeRun
  readonly held: HeldStart
  readonly starts: RunStart
  readonly reading: RunReading
}

export class RunSignals {
  readonly #deps: SignalDeps

  constructor(deps: SignalDeps) {
    this.#deps = deps
  }

  async pause(reason: PauseReason): Promise<RunView | undefined> {
    // What waits for room goes on waiting, and begins as a run that is paused.
    if (this.#deps.held.pause(true)) return this.#deps.reading.view()
    const conductor = await this.#deps.self.awake()
    conductor?.tell({ type: "pause", reason })
    return this.#deps.reading.view()
  }

  async resume(reason: PauseReason): Promise<RunView | undefined> {
    const { self, held, reading } = this.#deps
    if (held.pause(false)) return reading.view()
    const conductor = await self.awake()
    const rules = conductor?.run.status === "paused" ? await self.rules(conductor.run.rules.version) : undefined
    conductor?.tell({ type: "resume", reason, ...(rules ? { rules } : {}) })
    return reading.view()
  }

  async cancel(by: string): Promise<RunView | undefined> {
    const { self, held, starts } = this.#deps
    // What waits for room begins, to end at once: its journal says who ended it.
    if (held.read()) await starts.release()
    const conductor = await self.awake()
    conductor?.tell({ type: "cancel", by })
    return conductor && view(conductor.run)
  }

  async answer(id: string, body: Answer, by: string): Promise<AnswerResult> {
    const { self, reading } = this.#deps
    const conductor = await self.awake()
    if (!conductor) return { ok: false, code: "not_found" }
    // A question whose time is up is expired though the alarm is late: an answer must not slip in before it.
    conductor.tick()
    const kind = conductor.run.interactions[id]?.kind
    const approves = kind === "approval.tool" || kind === "approval.plan"
    const rules = approves ? await self.rules(conductor.run.rules.version) : undefined
    const clean = await self.clean(body)
    const told = conductor.tell({ type: "answer", id, body: clean, by, ...(rules ? { rules } : {}) })
    const interaction = await reading.interaction(id)
    if (!interaction) return { ok: false, code: "not_found" }
    if (told.ok) return { ok: true, interaction }
    if (told.error.code === "invalid") return { ok: false, code: "invalid", errors: told.error.errors }
    if (interaction.status === "pending" && told.error.code === "definitions_lost") return { ok: false, ...told.error }
    return { ok: false, code: told.error.code === "other_hash" ? "other_hash" : "already_answered", interaction }
  }

  async steer(step: string, message: string, by: string, act = clock.id()): Promise<Awaited<ReturnType<RunPort["steer"]>>> {
    const { self } = this.#deps
    const conductor = await self.awake()
    if (!conductor?.run.plan.steps.has(step)) return { ok: false, code: "not_found" }
    const id = `st_${act}`
    const told = conductor.tell({ type: "steer", step, id, message: await self.clean(message), by })
    if (told.ok) return { ok: true, id }
    if (told.error.code === "definitions_lost") return { ok: false, ...told.error }
    return { ok: false, code: told.error.code === "too_many" ? "too_many" : "not_running" }
  }

  async signal(name: string, payload: Json, by: string, act?: string): Promise<Awaited<ReturnType<RunPort["signal"]>>> {
    const { self } = this.#deps
    const conductor = await self.awake()
    const id = act === undefined ? {} : { id: `sg_${act}` }
    const told = conductor?.tell({ type: "signal", name, payload: await self.clean(payload), by, ...id })
    if (told === undefined) return "not_found"
    if (told.ok) return "ok"
    if (told.error.code === "definitions_lost") return { ok: false, ...told.error }
    return told.error.code === "too_many" ? "too_many" : "over"
  }

  /** A child run of this one has ended. What this run has no use for any more is heard all the same [F23]. */
  async childEnded(end: { step: string; pass: number; index: number; run: string; report: ChildReport }): Promise<void> {
    ;(await this.#deps.self.awake())?.tell({ type: "child.end", ...end })
  }
}
