// Begins a run as a fork [K7–K14]: it reads its source's history, folds it once, and writes it with its own first decision and a snapshot
// in one transaction, so that no later wake-up folds it again. Until then nothing is written, so a refused fork leaves nothing.

import { defined } from "../../../core/defined.ts"
import { admit } from "../../../core/run/admit.ts"
import type { StartTimes } from "../../../core/run/event-parts.ts"
import { changedSteps } from "../../../core/run/fork/changed-steps.ts"
import { replan } from "../../../core/run/fork/replan.ts"
import type { ForkSignal, Refusal } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import { runView } from "../../../core/run/views/view.ts"
import { obeyedTimes } from "../../../core/run/obeyed-times.ts"
import { DefinitionsLost } from "../../../engine/catalog/definitions.ts"
import { refusalText } from "../../../engine/run/begin/fork-refusal.ts"
import { rootOf } from "../../../engine/run/begin/start.ts"
import type { ForkOrigin, ForkGroundAsk, ForkRequest, ForkResult, ForkSource, ForkSourcePort, HeldFork } from "../../../ports/fork.ts"
import type { Prefix } from "../../../ports/journal.ts"
import { openVault } from "../../clients/secrets.ts"
import { clock } from "../../platform/clock.ts"
import { portOf } from "../../platform/port-of.ts"
import { runRooms } from "../../clients/run-port.ts"
import type { AwakeRun } from "../awake-run.ts"
import { loadPlan } from "../../definitions/plan.ts"
import type { RunStart } from "../run-start.ts"
import { askedOf, checkOf, conflicts, refusedBy } from "./fork-check.ts"
import { historyOf, readRows, type ForkHistory } from "./fork-history.ts"
import { bulkAsk, forkAsk } from "./fork-line.ts"
import { pinsOf, signalOf, wishedBy } from "./fork-signal.ts"
import { heldRequest, refusedAt, startedBy } from "./held-fork.ts"
import type { RunResources } from "../run-resources.ts"

type Ground = Extract<ForkOrigin, { ok: true }>

export class RunAdoption {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  async fork(asked: ForkRequest): Promise<ForkResult> {
    const begun = await this.#self.awake()
    if (begun) return { ok: true, view: runView(begun.run) }
    const held = await this.#starts.run()
    if (held) return { ok: true, view: runView(held) }
    const { tenant } = asked
    const cleaned = await this.#self.clean(cleanable(asked), tenant)
    try {
      return await this.#begin({ ...asked, ...cleaned })
    } catch (e) {
      if (e instanceof DefinitionsLost) return { ok: false, code: "definitions_lost", why: e.message }
      throw e
    }
  }

  async #begin(asked: ForkRequest): Promise<ForkResult> {
    const { env } = this.#resources
    const { tenant, run: id } = asked
    const door = runRooms(env, tenant, asked.source).source
    const offer = await door.offer(asked.from, asked.check)
    if (!offer) return { ok: false, code: "not_found" }
    if (!offer.ok) return offer
    const starts = portOf(env, tenant, "starts")
    const wish = asked.again ? { ...wishedBy(offer.ran), ...asked } : asked
    const ground = await starts.groundFork(groundAsk(wish, offer))
    if (!ground.ok) return ground
    const rows = await readRows(door, offer)
    const history = await historyOf(this.#resources, offer, rows, tenant)
    const plan = ground.pins ? await loadPlan(this.#resources, { tenant, pins: ground.pins }) : history.run.plan
    const steps = conflicts(history.run, plan)
    if (steps.length > 0) return { ok: false, code: "patch_conflict", steps }
    const made = signalOf(wish, offer, ground, { before: history.run, plan })
    if (!made.ok) return made
    const run = replan(history.run, plan)
    const admitted = admit(run, made.signal)
    if (!admitted.ok) return refusedBy(admitted.error, asked)
    if (asked.check === true) {
      const changed = ground.pins ? changedSteps({ plan: history.run.plan, pins: pinsOf(offer) }, { plan, pins: ground.pins }) : []
      return { ok: true, check: { ...checkOf(run, offer, made.signal), asked: askedOf(offer, asked), changed } }
    }
    const redactor = async () => (await openVault(env, tenant, clock.now)()).redactor
    const forking = { asked, before: history.run, plan, signal: made.signal }
    if (asked.lined === true) {
      const ask = await bulkAsk(id, forking, redactor)
      const arrived = await starts.arrive(ask)
      if (!arrived.ok) return refusedAt(arrived)
      const request = heldRequest({ ...forking, ground, pins: ground.pins ?? pinsOf(offer), block: ask.block })
      return {
        ok: true,
        view: await this.#starts.lineFork(request, { asked, offer, rows, ground }),
        ...defined({ limits: arrived.limits }),
      }
    }
    const ask = await forkAsk(id, forking, redactor)
    const place = await starts.place(id, ask)
    if (!place.ok) return place.code === "key_busy" ? place : { ok: false, code: "refused", why: place }
    const start = ask && place.word && obeyedTimes(ask.block, place.word)
    const signal = startedBy(made.signal, start)
    try {
      const refusal = await this.#adopt(asked, { signal, run, history, offer, door, ground })
      if (refusal) return refusedBy(refusal, asked)
    } finally {
      if (this.#resources.journal.last() === 0) {
        this.#self.drop()
        await starts.giveBack(id)
      }
    }
    const { conductor } = this.#self
    if (!conductor) throw new Error("the fork was erased while it began")
    return { ok: true, view: runView(conductor.run), limits: place.limits }
  }

  /** [R44] A fork that stood in line begins: by the definitions of its arrival, and by what the tenant says now of all else [R13]. Returns why it
   *  cannot. */
  async begin({ asked, offer, rows, ground: before }: HeldFork, start: StartTimes | undefined): Promise<string | undefined> {
    const { env, journal } = this.#resources
    const { tenant } = asked
    const pins = before.pins ?? pinsOf(offer)
    const now = await portOf(env, tenant, "starts").groundFork({ flow: offer.flow, pins })
    if (!now.ok) return refusalText(now)
    const { budget, dollars } = before.money
    const ground = { ...before, ...defined({ pins: now.pins }), rules: now.rules, money: { ...now.money, dollars, ...defined({ budget }) } }
    const history = await historyOf(this.#resources, offer, rows, tenant)
    const plan = ground.pins ? await loadPlan(this.#resources, { tenant, pins: ground.pins }) : history.run.plan
    const wish = asked.again ? { ...wishedBy(offer.ran), ...asked } : asked
    const made = signalOf(wish, offer, ground, { before: history.run, plan })
    if (!made.ok) return refusalText(made)
    const run = replan(history.run, plan)
    const signal = startedBy(made.signal, start)
    const admitted = admit(run, signal)
    if (!admitted.ok) return refusalText(refusedBy(admitted.error, asked))
    const door = runRooms(env, tenant, asked.source).source
    try {
      const refusal = await this.#adopt(asked, { signal, run, history, offer, door, ground })
      return refusal && refusalText(refusedBy(refusal, asked))
    } finally {
      if (journal.last() === 0) this.#self.drop()
    }
  }

  /** Returns why it is refused with its slice of the day, if it is. */
  async #adopt(asked: ForkRequest, { signal, run, history, offer, door, ground }: Made): Promise<Refusal | undefined> {
    const { env, journal } = this.#resources
    const { tenant, run: id } = asked
    const { eras, cut } = offer
    const pins = ground.pins ?? pinsOf(offer)
    const { daily } = ground.money
    const [lease, states, conductor] = await Promise.all([
      daily && Object.keys(daily).length > 0 ? portOf(env, tenant, "dayBudget").lease(id, "start", {}) : undefined,
      history.states.length === 0 ? [] : door.states(history.states),
      this.#self.conduct({ tenant, run: id, pins }),
      // [K14] A fork has plans of its own, as they are now.
      portOf(env, tenant, "plans").copy(rootOf(history.run), id),
    ])
    // Another request may have begun the same fork in the meantime; the first one stays.
    if (journal.last() > 0) {
      await this.#self.awake()
      return undefined
    }
    this.#self.take(conductor)
    const pinned = [...eras.map(({ from }) => from), ...(signal.forked.pinned ? [cut + 1] : [])]
    const prefix: Prefix = { rows: history.rows, files: history.files.list(""), states, pinned }
    const adopted = conductor.adopt(replan(run, conductor.plan), { ...signal, ...defined({ lease }) }, prefix)
    return adopted.ok ? undefined : adopted.error
  }
}

interface Made {
  readonly signal: ForkSignal
  /** The history, under the fork's plan. */
  readonly run: Run
  readonly history: ForkHistory
  readonly offer: ForkSource
  readonly door: ForkSourcePort
  readonly ground: Ground
}

/** What a person wrote: without the tenant's secrets [T32]. */
const cleanable = ({ instead, patch, tags }: ForkRequest): Pick<ForkRequest, "instead" | "patch" | "tags"> =>
  defined({ instead, patch, tags })

/** A fork that says nothing of it goes on as autonomous as its source. Definitions that are pinned anew are pinned for that. */
function groundAsk({ patch, rehearse, autonomous, trial }: ForkRequest, offer: ForkSource): ForkGroundAsk {
  if (trial) return { flow: offer.flow, pins: pinsOf(offer), fixed: trial.pins }
  const isNew = rehearse === true || patch?.revision !== undefined || patch?.definitions !== undefined || patch?.models !== undefined
  const goesOn = isNew && offer.autonomous ? true : undefined
  return { flow: offer.flow, pins: pinsOf(offer), ...defined({ patch, rehearse, autonomous: autonomous ?? goesOn }) }
}
