// Handles the effects of a run [K31–K35]: its ledger, folded from the journal on request, and the decisions of people and its parent, even
// after its end.

import { defined } from "../../core/defined.ts"
import type { RunEvent } from "../../core/run/event.ts"
import { Ledger, withRequest } from "../../core/run/effects/ledger.ts"
import { isOver } from "../../core/run/state.ts"
import type { Plan } from "../../core/run/plan.ts"
import { idempotencyKey } from "../../engine/run/call/idempotency-key.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import type { EffectLine, EffectsPort, FamilyEffects } from "../../ports/tenant/effects.ts"
import type { Answers } from "../../ports/objects.ts"
import { sha256 } from "../platform/sha256.ts"
import { Waiters } from "../platform/waiters.ts"
import type { AwakeRun } from "./awake-run.ts"
import { eventsOf } from "./journal/journal-pages.ts"
import type { RunResources } from "./run-resources.ts"
import type { RunStart } from "./run-start.ts"

/** A call of a parent waits so long for an effect, and asks again. */
const WAIT_MS = 30_000
const GONE = "the run that kept it was deleted"

type Done = Awaited<ReturnType<FamilyEffects["carryOut"]>>
const ENDS = ["confirmed", "failed", "uncertain", "refused", "discarded"] as const

export class RunEffects implements Answers<EffectsPort & FamilyEffects> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart
  /** Wake when an effect is settled, or when the run was deleted. */
  readonly #waiters = new Waiters()
  /** Counts erasures: whoever waited for an effect of a run that is gone is told so. */
  #era = 0
  /** The ledger as it was last folded: a parent may ask for five hundred effects, one after another. */
  #known: { readonly plan: Plan; readonly ledger: Ledger; seq: number } | undefined

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  async effects(): Promise<EffectLine[] | undefined> {
    const run = await this.#starts.run()
    return run && this.#lines(run.plan)
  }

  async resolveEffect(key: string, happened: boolean, by: string): Promise<Awaited<ReturnType<EffectsPort["resolveEffect"]>>> {
    const conductor = await this.#self.awake()
    if (conductor instanceof StrandedConductor) return { ok: false, code: "definitions_lost", why: conductor.why }
    const told = conductor?.tell({ type: "resolve", key, happened, by })
    const effect = conductor && this.#lines(conductor.run.plan).find((line) => line.key === key)
    if (!told || !effect) return { ok: false, code: "not_found" }
    if (told.ok) return { ok: true, effect }
    return told.error.code === "definitions_lost" ? { ok: false, ...told.error } : { ok: false, code: "not_uncertain", effect }
  }

  async undo(keys: readonly string[] | undefined, by: string): Promise<Awaited<ReturnType<EffectsPort["undo"]>>> {
    const conductor = await this.#self.awake()
    if (!conductor) return { ok: false, code: (await this.#starts.run()) ? "run_not_over" : "not_found" }
    if (!isOver(conductor.run)) return { ok: false, code: "run_not_over" }
    if (conductor instanceof StrandedConductor) return { ok: false, code: "definitions_lost", why: conductor.why }
    const known = new Set(keys === undefined ? [] : this.#lines(conductor.run.plan).map((line) => line.key))
    const unknown = keys?.filter((key) => !known.has(key)) ?? []
    if (unknown.length > 0) return { ok: false, code: "unknown_keys", keys: unknown }
    const rules = await this.#self.rules(conductor.run.rules.version)
    const told = conductor.tell({ type: "undo", by, ...defined({ keys, rules }) })
    if (!told.ok) return told.error.code === "definitions_lost" ? { ok: false, ...told.error } : { ok: false, code: "not_found" }
    return { ok: true, keys: conductor.run.outside.undo?.keys ?? [] }
  }

  /** From the parent. The child's journal knows how far it got, so a repeat asks nothing twice. */
  async carryOut(key: string, by: string): Promise<Done> {
    const conductor = await this.#self.awake()
    if (!conductor) return { state: "failed", reason: GONE }
    const rules = await this.#self.rules(conductor.run.rules.version)
    const told = conductor.tell({ type: "commit", keys: [key], by, ...defined({ rules }) })
    if (!told.ok) return { state: "failed", reason: `the run that kept it cannot carry it out: ${told.error.code}` }
    const era = this.#era
    const until = Date.now() + WAIT_MS
    for (;;) {
      const isLeft = conductor.ahead.outside.kept.some((k) => k.run === conductor.ahead.id && k.key === key)
      if (!isLeft) break
      const wasBegun = Object.hasOwn(conductor.ahead.underway, key)
      if (Date.now() >= until) return { state: "under_way" }
      await this.#waiters.wait(until - Date.now())
      // Nobody will ever know whether what had begun has happened.
      if (era !== this.#era)
        return wasBegun ? { state: "uncertain", reason: `${GONE}, while the call was in progress` } : { state: "failed", reason: GONE }
    }
    const line = this.#lines(conductor.run.plan).find((one) => one.key === key)
    const state = ENDS.find((end) => end === line?.state) ?? "failed"
    return { state, ...defined({ reason: line?.reason }) }
  }

  async discard(): Promise<void> {
    const conductor = await this.#self.awake()
    conductor?.tell({ type: "discard", reason: "it was not chosen at the end of the run that started this one" })
  }

  /** Events are in the journal: a parent may wait for one of them. */
  committed(events: readonly RunEvent[]): void {
    if (!events.some((e) => e.type === "effect.settled")) return
    this.#waiters.wake()
  }

  /** The run is erased: nobody waits for it any longer. */
  gone(): void {
    this.#era++
    this.#known = undefined
    this.#waiters.wake()
  }

  #lines(plan: Plan): EffectLine[] {
    const known = this.#known?.plan === plan ? this.#known : { plan, ledger: new Ledger(plan), seq: 0 }
    for (const e of eventsOf(this.#resources.journal, known.seq)) {
      known.ledger.take(e)
      known.seq = e.seq
    }
    this.#known = known
    return known.ledger.rows.map((row) => {
      const { key, run } = row
      return { ...withRequest(plan, row), idempotency_key: idempotencyKey(run, key, sha256) }
    })
  }
}
