// Life: one life of a tenant, from its creation to its deletion, and whoever is at work in it.

import type { Models } from "../world/models.ts"
import type { Services } from "../world/services.ts"
import type { Service } from "../platform/service.ts"
import type { Theme } from "../themes.ts"
import { Person } from "./person.ts"
import { Told, type By, type Started } from "./told.ts"

export interface World {
  readonly service: Service
  readonly models: Models
  readonly services: Services
  /** What this seed is about. */
  readonly theme: Theme | undefined
}

/** One kind of people. A seed switches some of them on. */
export interface Actor {
  readonly name: string
  /** How often a seed has them. */
  readonly often: number
  /** Begins what they do in the storm. */
  play(life: Life): void
  /** At rest: what they were promised and is not so. */
  rest?(life: Life): Promise<readonly string[]>
}

/** Rolls of one kind of people in one tenant. */
export interface Rolls {
  roll(what: string): number
  chance(what: string, probability: number): boolean
  below(what: string, below: number): number
  pick<T>(what: string, from: readonly T[]): T
}

/** Virtual ms of the storm in which people begin something. */
export const STORM_MS = 300_000

export class Life {
  readonly world: World
  readonly tenant: string
  /** How often a tenant of this name had been before. */
  readonly nth: number
  readonly admin: Person
  readonly key: string
  readonly told = new Told()
  /** How many runs people start. */
  runs: number
  /** Its deletion was asked for: what people hear from now on may be anything. */
  isOver = false
  /** In the calm everybody brings to an end what they began. */
  isCalm = false
  readonly #under = new Map<Promise<void>, string>()
  readonly #listeners: ((started: Started) => void)[] = []

  constructor(world: World, tenant: string, nth: number, key: string, runs: number) {
    this.world = world
    this.tenant = tenant
    this.nth = nth
    this.key = key
    this.runs = runs
    this.admin = new Person(world.service, key)
  }

  get now(): number {
    return this.world.service.timeline.now
  }

  /** A name for a start; no other one has it. */
  name(of: string): string {
    return `case-${this.tenant}-${this.nth === 0 ? "" : `l${this.nth}-`}${of}`
  }

  rollsOf(actor: string): Rolls {
    const { dice } = this.world.service
    const kind = (what: string): string => `${this.tenant} ${actor}: ${what}`
    return {
      roll: (what) => dice.roll(kind(what)),
      chance: (what, probability) => dice.chance(kind(what), probability),
      below: (what, below) => dice.below(kind(what), below),
      pick: (what, from) => dice.pick(kind(what), from),
    }
  }

  at(ms: number, what: string, act: () => Promise<void>): void {
    const { service } = this.world
    const work = service
      .sleep(ms)
      .then(() => (this.isOver ? undefined : act()))
      .catch((e: unknown) => {
        if (!this.isOver) service.found(`${this.tenant}, ${what}: ${e instanceof Error ? e.message : String(e)}`)
      })
      .finally(() => this.#under.delete(work))
    this.#under.set(work, what)
  }

  sleep(ms: number): Promise<void> {
    return this.world.service.sleep(ms)
  }

  /** Until the calm. */
  async calm(): Promise<void> {
    while (!this.isCalm && !this.isOver) await this.sleep(5_000)
  }

  /** Whoever is still at work. */
  get atWork(): readonly string[] {
    return this.isOver ? [] : [...this.#under.values()]
  }

  /** Resolves when nobody is at work. */
  async done(): Promise<void> {
    while (this.#under.size > 0 && !this.isOver) await Promise.race(this.#under.keys())
  }

  /** A start was acknowledged. */
  started(flow: string, name: string, id: string, by: By, asked: number, more: Partial<Started> = {}): void {
    const started: Started = { id, flow, name, hasCallback: false, by, asked, at: this.now, ...more }
    this.told.starts.push(started)
    for (const listen of this.#listeners) listen(started)
  }

  /** Of a run that the service has now; undefined: it is gone. */
  async run<T = { readonly status: string; readonly task?: string; readonly created: string }>(id: string): Promise<T | undefined> {
    const { status, text } = await this.admin.insist("GET", `/v1/runs/${id}`)
    if (status === 404) return undefined
    if (status !== 200) throw new Error(`GET ${id}: ${status} ${text.slice(0, 200)}`)
    return JSON.parse(text) as T
  }

  /** All events of a run as their texts. */
  async journal(id: string): Promise<string[]> {
    const events: string[] = []
    for (let last = 1000; last === 1000;) {
      const { data } = await this.admin.get<{ data: unknown[] }>("GET", `/v1/runs/${id}/events?limit=1000&after=${events.length}`)
      events.push(...data.map((it) => JSON.stringify(it)))
      last = data.length
    }
    return events
  }

  /** Hears of every start. */
  onStart(listen: (started: Started) => void): void {
    this.#listeners.push(listen)
  }

  found(what: string): void {
    if (!this.isOver) this.world.service.found(`${this.tenant}: ${what}`)
  }
}

/** In which life of its tenant a task was named, as `Life.name` does; undefined: it names no case. */
export function lifeOf(task = ""): number | undefined {
  const named = /\bcase-[a-z]+-(?:l(\d+)-)?/.exec(task)
  return named ? Number(named[1] ?? 0) : undefined
}

export const isEnd = (status: string): boolean => status === "succeeded" || status === "failed" || status === "canceled"

/** Said no in a way that the spec allows: the thing has ended, or is gone. */
export const isNo = (status: number): boolean => status === 404 || status === 409
