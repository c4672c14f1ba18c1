// AwakeRun: the run of this object as it is in memory, folded from its journal when somebody first asks for it. All of it is a cache: the
// object may be evicted, crash or be killed between any two instructions [J10].

import type { Rules } from "../../core/policy/policy.ts"
import type { RunEvent } from "../../core/run/event.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import type { SessionBrowsers } from "../../engine/browser/session-browsers.ts"
import { Conductor, type Stage } from "../../engine/run/conductor.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import { perform } from "../../engine/run/perform.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { StartRequest } from "../../ports/run.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { clock } from "../platform/clock.ts"
import type { RunContainers } from "../sandbox/containers.ts"
import type { Env } from "../platform/env.ts"
import { eventsOf } from "./journal-pages.ts"
import type { SqlJournal } from "./journal-sql.ts"
import type { LiveFrames } from "./live-frames.ts"
import { currentRules } from "../clients/rules-cache.ts"
import type { RunAlarm } from "./run-alarm.ts"
import type { RunBytes } from "./run-bytes.ts"
import { fault } from "./run-fault.ts"
import { equip } from "./run-props.ts"
import { openVault } from "../clients/secret-port.ts"
import { sha256 } from "../platform/sha256.ts"
import { tenantPort } from "../clients/tenant-port.ts"

const LEAVING = "leaving"

export interface AwakeDeps {
  readonly env: Env
  readonly kv: SyncKvStorage
  readonly journal: SqlJournal
  readonly live: LiveFrames
  readonly alarm: RunAlarm
  readonly bytes: RunBytes
  readonly containers: RunContainers
  readonly later: (work: Promise<unknown>) => void
  readonly publish: (events: readonly RunEvent[], run: Run) => void
  readonly forsake: (tenant: string, parent: string, child: string) => void
  /** It was folded and goes on: what was committed before a sleep may not have been sent. */
  readonly woke: () => void
}

export class AwakeRun {
  readonly #deps: AwakeDeps
  #conductor: Conductor | undefined
  #browsers: SessionBrowsers | undefined
  #waking: Promise<Conductor | undefined> | undefined
  #tenant: string | undefined
  /** undefined: not looked at yet. */
  #isLeaving: boolean | undefined

  constructor(deps: AwakeDeps) {
    this.#deps = deps
  }

  /** undefined: nobody has asked for the run yet, or there is none. */
  get conductor(): Conductor | undefined {
    return this.#conductor
  }

  /** Its tenant: the first word of its journal, or of the start that is about to become it. Asked for at every commit, so it is kept. */
  get tenant(): string | undefined {
    if (this.#tenant === undefined) this.#tenant = this.started()?.tenant
    return this.#tenant
  }

  /** Is it being deleted? Then nobody finds it here. */
  get isLeaving(): boolean {
    return (this.#isLeaving ??= this.#deps.kv.get(LEAVING) !== undefined)
  }

  /** In the commit that says so: how many of its events' children are deleted. */
  leave(events: number): void {
    this.#isLeaving = true
    this.#deps.kv.put(LEAVING, events)
  }

  left(): number {
    return Number(this.#deps.kv.get(LEAVING) ?? 0)
  }

  started(): Extract<RunEvent, { type: "run.started" }> | undefined {
    const [first] = this.#deps.journal.read(0, 1)
    return first?.type === "run.started" ? first : undefined
  }

  get blobs(): Blobs | undefined {
    return this.tenant === undefined ? undefined : r2Blobs(this.#deps.env, this.tenant)
  }

  /** The conductor of the run in this object; undefined when none was ever started. Folding and recovery happen once. */
  awake(): Promise<Conductor | undefined> {
    if (this.isLeaving) return Promise.resolve(undefined)
    if (this.#conductor) return Promise.resolve(this.#conductor)
    return (this.#waking ??= this.wake().finally(() => (this.#waking = undefined)))
  }

  /** Also of a run that is being deleted. */
  async wake(): Promise<Conductor | undefined> {
    const { journal, alarm, woke } = this.#deps
    await alarm.look()
    const started = this.started()
    if (!started) return undefined
    const { tenant = "", run, pinned: pins, staging } = started
    const conductor = await this.conduct({ tenant, run, pins, ...(staging === undefined ? {} : { staging }) }).catch((e: unknown) => {
      if (e instanceof DefinitionsLost) return this.strand(started.flow, e.message)
      throw e
    })
    if (this.#conductor) return this.#conductor
    // It was erased meanwhile.
    if (journal.last() === 0) return undefined
    this.#conductor = conductor
    if (!isOver(conductor.run)) conductor.tick()
    woke()
    return conductor
  }

  async conduct({ tenant, run, pins, staging }: Pick<StartRequest, "tenant" | "run" | "pins" | "staging">): Promise<Conductor> {
    const { env, journal, live, alarm, bytes, containers, later, forsake } = this.#deps
    this.#tenant = tenant
    await alarm.look()
    const { plan, props, browsers } = await equip(
      env,
      tenant,
      pins,
      journal,
      live,
      later,
      staging === undefined ? undefined : { session: staging, run },
      (blobs) => bytes.metered(blobs),
      containers,
      (parent, child) => forsake(tenant, parent, child),
    )
    this.#browsers = browsers
    const stage = this.#stage((now, effect, signal) => perform(props, now, effect, signal))
    return new Conductor(plan, {
      ...stage,
      publish: (events, now) => {
        browsers?.follow(now)
        stage.publish(events, now)
      },
    })
  }

  /** [J12] A run whose definitions are lost can be read and ended. */
  strand(flow: string, why: string): StrandedConductor {
    const nothing: Stage["perform"] = () => Promise.reject(new Error(why))
    return new StrandedConductor(strandedPlan(flow, eventsOf(this.#deps.journal)), this.#stage(nothing), why)
  }

  /** The first one stands. */
  take(conductor: Conductor): void {
    this.#conductor ??= conductor
  }

  /** Whoever asks next has it folded anew, if there is anything to fold. */
  drop(): void {
    this.#conductor = undefined
  }

  /** What the run does is aborted, and its pages are closed. */
  halt(): void {
    this.#browsers?.close()
    this.#conductor?.halt()
    this.#conductor = undefined
  }

  /** The object is emptied. */
  forget(): void {
    this.#waking = undefined
    this.#tenant = undefined
  }

  /** It is deleted, and another one may begin here. */
  isGone(): void {
    this.#isLeaving = false
  }

  /** What a person or another system says, without the tenant's secrets, before anything is done with it [T32]. */
  async clean<T>(said: T, tenant = this.tenant): Promise<T> {
    return tenant === undefined ? said : (await openVault(this.#deps.env, tenant, clock.now)()).redactor.json(said)
  }

  /** An approval is judged by what holds now, not by what held when it was asked [Q3]. */
  async rules(seen: number): Promise<Rules | undefined> {
    const { tenant } = this
    return tenant === undefined ? undefined : currentRules(tenant, seen, () => tenantPort(this.#deps.env, tenant).rules(), clock.now)
  }

  #stage(does: Stage["perform"]): Stage {
    const { journal, publish, alarm } = this.#deps
    return { journal, clock, hash: sha256, fault, perform: does, publish, alarm: (at) => alarm.want(at) }
  }
}
