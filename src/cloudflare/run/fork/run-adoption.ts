// Begins a run as a fork [K7–K14]: it reads its source's history, folds it once, and writes it with its own first decision and a snapshot
// in one transaction, so that no later wake-up folds it again. Until then nothing is written, so a refused fork leaves nothing.

import { defined } from "../../../core/defined.ts"
import { admit } from "../../../core/run/admit.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { Fold, type Era } from "../../../core/run/fork/fold.ts"
import { changedSteps } from "../../../core/run/fork/changed-steps.ts"
import { replan } from "../../../core/run/fork/replan.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { ForkSignal, Refusal } from "../../../core/run/signal.ts"
import { isDone, type Run } from "../../../core/run/state.ts"
import { filesChangedBy } from "../../../core/run/steps/changed-files.ts"
import { runView } from "../../../core/run/views/view.ts"
import { DefinitionsLost } from "../../../engine/catalog/definitions.ts"
import { MemoryIndex } from "../../../engine/run/memory-store.ts"
import { rootOf } from "../../../engine/run/begin/start.ts"
import type { ForkCheck, ForkOrigin, ForkGroundAsk, ForkRequest, ForkResult, ForkSource, ForkSourcePort } from "../../../ports/fork.ts"
import type { JournalRow, Prefix } from "../../../ports/journal.ts"
import { openVault } from "../../clients/secrets.ts"
import { clock } from "../../platform/clock.ts"
import { portOf } from "../../platform/port-of.ts"
import { runRooms } from "../../clients/run-port.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { AwakeRun } from "../awake-run.ts"
import { loadPlan } from "../../definitions/plan.ts"
import { forkAsk } from "./fork-line.ts"
import { pinsOf, signalOf, wishedBy } from "./fork-signal.ts"
import type { RunResources } from "../run-resources.ts"

type Refused = Extract<ForkResult, { ok: false }>
type Ground = Extract<ForkOrigin, { ok: true }>

/** The source's history, and the run that it folds to. */
interface History {
  readonly rows: readonly JournalRow[]
  readonly run: Run
  readonly files: MemoryIndex
  /** Rows of the sealed states that the open conversations need. */
  readonly states: readonly string[]
}

export class RunAdoption {
  readonly #resources: RunResources
  readonly #self: AwakeRun

  constructor(resources: RunResources, self: AwakeRun) {
    this.#resources = resources
    this.#self = self
  }

  async fork(asked: ForkRequest): Promise<ForkResult> {
    const begun = await this.#self.awake()
    if (begun) return { ok: true, view: runView(begun.run) }
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
    const history = await this.#history(door, offer, tenant)
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
    const place = await starts.place(id, await forkAsk(id, { before: history.run, plan, signal: made.signal }, redactor))
    if (!place.ok) return place.code === "key_busy" ? place : { ok: false, code: "refused", why: place }
    try {
      const refusal = await this.#adopt(asked, { signal: made.signal, run, history, offer, door, ground })
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

  async #history(door: ForkSourcePort, { cut, eras }: ForkSource, tenant: string): Promise<History> {
    const rows: JournalRow[] = []
    for (let at = 0; at < cut; at = rows.at(-1)?.last ?? cut) {
      const page = await door.prefix(at, cut)
      if (page.length === 0) throw new Error("the source's history ended before the cut")
      rows.push(...page)
    }
    const plans = await Promise.all(
      eras.map(async ({ from, pins }): Promise<Era> => ({ from, plan: await loadPlan(this.#resources, { tenant, pins }) })),
    )
    const [first, ...more] = plans
    if (!first) throw new Error("the source has no definitions")
    const fold = new Fold([first, ...more])
    const files = new MemoryIndex()
    const sealed = new Map<number, string>()
    for (const { body } of rows)
      for (const e of JSON.parse(body) as RunEvent[]) {
        fold.take(e)
        files.take(filesChangedBy(e), e.at)
        if (e.type === "model.replied" && e.state) sealed.set(e.seq, e.key)
      }
    const last = rows.at(-1)
    const text = last && lastText(last.body)
    fold.run.head = text === undefined ? fold.run.head : sha256(text)
    const open = Object.values(fold.run.steps).flatMap(({ session }) => session?.seqs ?? [])
    return { rows, run: fold.run, files, states: open.flatMap((seq) => sealed.get(seq) ?? []) }
  }
}

interface Made {
  readonly signal: ForkSignal
  /** The history, under the fork's plan. */
  readonly run: Run
  readonly history: History
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

/** The text of the last event of a row. */
const lastText = (body: string): string => JSON.stringify((JSON.parse(body) as RunEvent[]).at(-1))

/** [K13] Steps that have opened and are gone under the plan, or of another type. */
const conflicts = (run: Run, plan: Plan): string[] =>
  plan === run.plan
    ? []
    : run.plan.stepIds.filter((id) => run.steps[id]?.openedSeq !== undefined && plan.steps.get(id)?.type !== run.plan.steps.get(id)?.type)

/** [H3] A fault is pointed at in the body of the request, where `instead` holds a finish, a reply or an answer. */
function refusedBy(refusal: Refusal, { instead }: ForkRequest): Refused {
  const at = ["/instead", ...Object.keys(instead ?? {})].join("/")
  if (refusal.code === "invalid")
    return { ok: false, code: "invalid", errors: refusal.errors.map(({ path, message }) => ({ pointer: `${at}${path}`, message })) }
  const why: Readonly<Partial<Record<Refusal["code"], string>>> = {
    not_found: "the question is not open at this place",
    already_answered: "the question is not open at this place",
    other_hash: "the hash is of another call",
  }
  return { ok: false, code: "invalid", errors: [{ pointer: at, message: why[refusal.code] ?? `it is refused: ${refusal.code}` }] }
}

function checkOf(run: Run, { after }: ForkSource, { forked }: ForkSignal): Omit<ForkCheck, "asked" | "changed"> {
  const kept = run.plan.stepIds.flatMap((step) => {
    const s = run.steps[step]
    return s && s.result !== undefined && s.result.status !== "skipped" && isDone(s) ? [{ step, pass: s.pass }] : []
  })
  return { kept, staged: forked.effects === "live" ? [] : (after?.staged ?? []) }
}

/** [K12] A step whose finish is given does not run: it ends as the fork begins. */
function askedOf({ after }: ForkSource, { from, instead }: ForkRequest): ForkCheck["asked"] {
  const asked = after?.asked ?? []
  if (instead === undefined || !("finish" in instead) || !("step" in from)) return asked
  const given = asked.findIndex(({ step }) => step === from.step)
  return asked.filter((_, at) => at !== given)
}
