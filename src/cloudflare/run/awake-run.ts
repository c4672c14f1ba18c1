// Holds this object's run in memory, folded from its journal on the first request. All of it is a cache: the object may be evicted, crash
// or be killed between any two instructions [J10].

import type { Rules } from "../../core/tool/policy/policy.ts"
import type { FactOf } from "../../core/run/event.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { Era } from "../../core/run/fork/fold.ts"
import type { Effect } from "../../core/run/begin.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import type { SessionBrowsers } from "../../engine/browser/session-browsers.ts"
import { Conductor } from "../../engine/run/conductor.ts"
import type { EffectDeps } from "../../engine/run/call/effect-deps.ts"
import type { Stage } from "../../engine/run/conduct/stage.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import { perform } from "../../engine/run/perform.ts"
import { PassesToKeep } from "../../engine/run/cached-pass.ts"
import type { PassToKeep } from "../../ports/tenant/cached-passes.ts"
import { portOf } from "../platform/port-of.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import { later, pause } from "../../ports/timers.ts"
import { giveTurn, hadTurn } from "../../ports/short-pieces.ts"
import { clock } from "../platform/clock.ts"
import { eventsOf } from "./journal/journal-pages.ts"
import { identityOf, pinnedOf, startedAs, type RunIdentity } from "./fork/run-identity.ts"
import { loadPlan } from "../definitions/plan.ts"
import { loadRun, type RunToLoad } from "./load-run.ts"
import { askedRules, currentRules } from "../clients/cache/rules-cache.ts"
import { fault } from "./run-fault.ts"
import type { RunResources } from "./run-resources.ts"
import { openVault } from "../clients/secrets.ts"
import { sha256 } from "../platform/sha256.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

const LEAVING = "leaving"

/** A tool weighs as much as so many scripted turns: its answer may begin the next one at once, and makes a commit. */
const TOOL_PIECES = 4

export class AwakeRun {
  readonly #resources: RunResources
  #conductor: Conductor | undefined
  /** Each conductor's own: two may be made for one run, and one of them stays. */
  readonly #browsers = new WeakMap<Conductor, SessionBrowsers>()
  readonly #props = new WeakMap<Conductor, EffectDeps>()
  /** A start that has not stored its run yet. */
  #starting: Promise<void> | undefined
  /** Counts erasures. */
  #era = 0
  #waking: Promise<Conductor | undefined> | undefined
  #tenant: string | undefined
  #identity: RunIdentity | undefined
  /** undefined: not read yet. */
  #isLeaving: boolean | undefined

  constructor(resources: RunResources) {
    this.#resources = resources
  }

  /** undefined: the run is not folded yet, or does not exist. */
  get conductor(): Conductor | undefined {
    return this.#conductor
  }

  /** From the journal, or from the start that is about to become its first event. Cached, because every commit needs it. */
  get tenant(): string | undefined {
    if (this.#tenant === undefined) this.#tenant = this.identity()?.tenant
    return this.#tenant
  }

  /** The run is being deleted, and callers no longer find it. */
  get isLeaving(): boolean {
    return (this.#isLeaving ??= this.#resources.kv.get(LEAVING) !== undefined)
  }

  /** Marks the run as being deleted. `events`: children started up to this event are already deleted. */
  leave(events: number): void {
    // First the row: if it cannot be written, the run is still there.
    this.#resources.kv.put(LEAVING, events)
    this.#isLeaving = true
  }

  left(): number {
    return Number(this.#resources.kv.get(LEAVING) ?? 0)
  }

  /** Read once: its event may share a row with all that followed, and reading the row makes their hashes anew. */
  identity(): RunIdentity | undefined {
    const { journal } = this.#resources
    return journal.last() === 0 ? undefined : (this.#identity ??= identityOf(journal))
  }

  /** The run begins with this event. */
  began(started: FactOf<"run.started">): void {
    this.#identity = startedAs(started)
  }

  /** The conductor of this object's run; undefined: no run ever started here. Folding and recovery happen once. Waits for a start that is
   *  under way: until it is stored there is no run to see or to cancel. */
  awake(): Promise<Conductor | undefined> {
    if (this.isLeaving) return Promise.resolve(undefined)
    if (this.#conductor) return this.#stored(this.#conductor)
    const again = (): Promise<Conductor | undefined> => this.awake()
    if (this.#starting) return this.#starting.then(again, again)
    return (this.#waking ??= this.wake().finally(() => (this.#waking = undefined)))
  }

  /** Makes the run, one start after another; the first one that succeeds stays. `start` takes the conductor in the turn in which it tells it
   *  the start, and asks nothing of `awake`. `isOn`: false once the object was erased. */
  async begin(start: (isOn: () => boolean) => Promise<void>): Promise<void> {
    while (this.#starting) await this.#starting.catch(() => undefined)
    if (this.#conductor) return
    const era = this.#era
    const starting = start(() => era === this.#era).finally(() => {
      if (this.#starting === starting) this.#starting = undefined
    })
    this.#starting = starting
    await starting
  }

  /** [J14] A start that shares a later commit is stored before anyone else hears of the run. */
  async #stored(conductor: Conductor): Promise<Conductor | undefined> {
    const { journal } = this.#resources
    try {
      if (journal.last() === 0) conductor.save()
    } catch (e) {
      this.drop()
      throw e
    }
    if (journal.last() > 0) return conductor
    // Its commit failed before, and what it had decided is gone: there is no run.
    if (this.#conductor === conductor) this.drop()
    return undefined
  }

  /** Also works for a run that is being deleted. */
  async wake(): Promise<Conductor | undefined> {
    const { journal, alarm, events } = this.#resources
    await alarm.look()
    const identity = this.identity()
    if (!identity) return undefined
    const { tenant = "", run, pins, staging, flow } = identity
    const conductor = await this.conduct({ tenant, run, pins, staging }).catch((e: unknown) => {
      if (e instanceof DefinitionsLost) return this.strand(flow, e.message)
      throw e
    })
    if (this.#conductor) return this.#conductor
    // The run was erased in the meantime.
    if (journal.last() === 0) return undefined
    this.#conductor = conductor
    // [K34] Effects may be under way after the end.
    if (!isOver(conductor.run) || Object.keys(conductor.run.underway).length > 0) conductor.tick()
    events.woke()
    return conductor
  }

  async conduct(loaded: RunToLoad): Promise<Conductor> {
    this.#tenant = loaded.tenant
    await this.#resources.alarm.look()
    const { plan, localEffects, props, browsers } = await loadRun(this.#resources, loaded, () => conductor.save())
    const stage = this.#stage(
      (now, effect, stop) => perform(props, now, effect, stop),
      (now, effect) => effect.do !== "call-model" || !localEffects.has(now, effect),
    )
    const toKeep = PassesToKeep.of({ plan })
    const conductor: Conductor = new Conductor(plan, {
      ...stage,
      holding: {
        isInHouse: (run, effect) => localEffects.has(run, effect),
        mayWait: () => this.#resources.live.size === 0,
        later,
      },
      publish: (events, now) => {
        browsers?.follow(now)
        for (const pass of toKeep?.follow(events, now) ?? []) this.#keep(loaded.tenant, pass)
        stage.publish(events, now)
      },
    })
    if (browsers) this.#browsers.set(conductor, browsers)
    this.#props.set(conductor, props)
    return conductor
  }

  /** [R40] A crash may lose it. */
  #keep(tenant: string, pass: PassToKeep): void {
    const { env, later: after } = this.#resources
    after(
      portOf(env, tenant, "cachedPasses")
        .keep(pass)
        .catch(() => undefined),
    )
  }

  /** [J12] A run whose definitions are lost can be read and ended. */
  strand(flow: string, why: string): StrandedConductor {
    const nothing: Stage["perform"] = () => Promise.reject(new Error(why))
    return new StrandedConductor(strandedPlan(flow, eventsOf(this.#resources.journal)), this.#stage(nothing), why)
  }

  /** [K5] The plans of the run's journal, each with the first event that it folds. One whose definitions are lost has one plan. */
  async eras(): Promise<readonly [Era, ...Era[]]> {
    const conductor = await this.awake()
    if (!conductor) throw new Error("a run that has not begun has no plan yet")
    const last = conductor.run.plan
    if (conductor instanceof StrandedConductor) return [{ from: 1, plan: last }]
    const { tenant = "" } = this
    const [first = { from: 1 }, ...more] = pinnedOf(this.#resources.journal)
    const planOf = async (era: { from: number; pins?: Pins }, isLast: boolean): Promise<Era> => ({
      from: era.from,
      plan: isLast || !era.pins ? last : await loadPlan(this.#resources, { tenant, pins: era.pins }),
    })
    return [await planOf(first, more.length === 0), ...(await Promise.all(more.map((era, i) => planOf(era, i === more.length - 1))))]
  }

  /** [W8] For a run that cannot start: it begins and fails at once. */
  refuse(tenant: string, flow: string, why: string): StrandedConductor {
    this.#tenant = tenant
    const nothing: Stage["perform"] = () => Promise.reject(new Error(why))
    return new StrandedConductor(strandedPlan(flow, []), this.#stage(nothing), why, "config")
  }

  /** What the effects of a run need; undefined: its definitions are lost. */
  props(conductor: Conductor): EffectDeps | undefined {
    return this.#props.get(conductor)
  }

  /** The first conductor stays. */
  take(conductor: Conductor): void {
    this.#conductor ??= conductor
  }

  /** The next request folds the run again, if there is one. */
  drop(): void {
    this.#conductor = undefined
    this.#identity = undefined
  }

  /** Aborts the run's effects and closes its browser pages. */
  halt(): void {
    this.#era++
    if (this.#conductor) this.#browsers.get(this.#conductor)?.close()
    this.#conductor?.halt()
    this.#conductor = undefined
  }

  /** The object's storage is empty. */
  forget(): void {
    this.#waking = undefined
    this.#tenant = undefined
    this.#identity = undefined
  }

  /** The run is deleted, and another may begin in this object. */
  isGone(): void {
    this.#isLeaving = false
  }

  /** Removes the tenant's secrets from what a person or another system sends, before anything uses it [T32]. */
  async clean<T>(said: T, tenant = this.tenant): Promise<T> {
    return tenant === undefined ? said : cleanJson(said, (await openVault(this.#resources.env, tenant, clock.now)()).redactor)
  }

  /** An approval is checked against the current rules, not the rules from the time of the request [Q3]. */
  async rules(seen: number, tenant = this.tenant): Promise<Rules | undefined> {
    return tenant === undefined ? undefined : currentRules(tenant, seen, askedRules(this.#resources.env, tenant, clock.now), clock.now)
  }

  /** `calls`: whether an effect makes calls that the platform counts. A model of this object makes none. */
  #stage(does: Stage["perform"], calls: (run: Run, effect: Effect) => boolean = () => true): Stage {
    const { journal, events, alarm, connections, invocation, sending } = this.#resources
    const publish: Stage["publish"] = (committed, run) => events.committed(committed, run)
    const inTurn: Stage["perform"] = async (run, effect, stop) => {
      const leaves = calls(run, effect)
      if (leaves) invocation.took()
      const done = await connections.around(() => does(run, effect, stop))
      // 128 writes in a row, each with its commit, blocked every other request of a local server for 3.9 s: workerd polls its sockets only
      // when nothing in the process is ready. A model's answer came through a socket.
      if (leaves && effect.do === "call-model") hadTurn()
      else if (effect.do === "run-tool") await giveTurn(() => pause(0), TOOL_PIECES)
      return done
    }
    return {
      journal,
      clock,
      hash: sha256,
      fault,
      perform: inTurn,
      publish,
      elsewhere: (key) => sending.has(key),
      alarm: (at) => alarm.want("run", at),
    }
  }
}
