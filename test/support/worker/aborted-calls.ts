// One object calls another, and at a chosen moment of the call one of the two dies. Afterwards only alarms wake anyone, on a clock that the test
// moves: it is at noon of tomorrow, so the platform rings none of them by itself.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { MemoryObject } from "../../../src/cloudflare/memory/memory-object.ts"
import { Isolate, playIsolates } from "../../../src/ports/isolate.ts"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { amount } from "../amount.ts"
import { nameOf } from "./object-calls.ts"

/** `late`: the caller dies, and its call arrives when its next life has done all it does. `unheard`: it dies when the call has been carried out,
 *  before it hears so. `broken`: the one that is called dies in the turn in which it begins. `lost`: the caller dies, and its call never
 *  arrives. `unsaid`: the one that is called dies when it has stored what it did, and the caller lives and hears a failure. */
export const MOMENTS = ["late", "unheard", "broken", "lost", "unsaid"] as const
/** Of each kind of death one, and all of them in the long proof. */
export const TRIED = MOMENTS.slice(0, amount(MOMENTS.length, 3))
export type Moment = (typeof MOMENTS)[number]

/** `memory T`, `run T/run_x`, `tenant T`, `tenant T/desk-0`. */
export type Place = `${"run" | "tenant" | "memory"} ${string}`

export interface Call {
  readonly to: Place
  /** `room.method`, `desk.method` or `method`. */
  readonly name: string
  readonly args: readonly unknown[]
}

const CLASSES = [
  ["run", RunObject, ["ask", "start", "fork", "release", "remove", "expire", "dropKey", "erase"]],
  ["tenant", TenantObject, ["ask", "desk"]],
  ["memory", MemoryObject, ["add", "erase"]],
] as const

const NOON = 12 * 3_600_000
const DAY = 24 * 3_600_000
/** Alarms within this time are rung; the next after it are those of retention. */
const CALM_MS = 15 * 60_000
const POLLS = 4_000
const BUSY_POLLS = 250

const tick = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const never = (): Promise<never> => new Promise(() => {})

/** One life of an object: how many calls it is working on. */
interface Life {
  busy: number
}

export class Aborts {
  readonly #tenant: string
  readonly #lives = new WeakMap<object, Life>()
  readonly #objects = new Map<Place, Life>()
  readonly #real = Date.now.bind(Date)
  readonly #undo: (() => void)[] = []
  /** To the isolate of the tests before. */
  #back: (() => void) | undefined
  #ahead: number
  #armed: { readonly is: (call: Call) => boolean; readonly moment: Moment } | undefined
  #met: Call | undefined
  #isLate = false
  #latePast = false
  /** The run that begins as a fork. */
  forking: Place = "run "

  constructor(tenant: string) {
    this.#tenant = tenant
    const now = this.#real()
    this.#ahead = (Math.floor(now / DAY) + 1) * DAY + NOON - now
    Date.now = () => this.#real() + this.#ahead
    this.#anew()
    for (const [kind, { prototype }, methods] of CLASSES)
      for (const method of methods) {
        const real: unknown = Reflect.get(prototype, method)
        if (typeof real !== "function") throw new Error(`no ${kind}.${method}`)
        const pass = (self: object, args: unknown[]): Promise<unknown> =>
          this.#pass(self, { kind, method, args }, () => Reflect.apply(real, self, args) as Promise<unknown>)
        Reflect.set(prototype, method, function (this: object, ...args: unknown[]) {
          return pass(this, args)
        })
        this.#undo.push(() => Reflect.set(prototype, method, real))
      }
  }

  restore(): void {
    for (const undo of this.#undo) undo()
    Date.now = this.#real
    this.#back?.()
  }

  /** What an isolate remembers is of its own clock. */
  #anew(): void {
    const isolate = new Isolate()
    const back = playIsolates(() => isolate)
    this.#back ??= back
  }

  /** A new test begins. */
  begin(): void {
    this.#objects.clear()
    this.#armed = undefined
  }

  /** The next such call meets a death. */
  arm(moment: Moment, is: (call: Call) => boolean): void {
    this.#met = undefined
    this.#isLate = false
    this.#latePast = false
    this.#armed = { is, moment }
  }

  /** The call, once it is under way, or its callee is dead. */
  async met(): Promise<Call> {
    for (let n = 0; n < POLLS; n++) {
      if (this.#met) return this.#met
      await tick()
    }
    throw new Error("the call was not made")
  }

  /** The late call arrives. */
  async arrive(): Promise<void> {
    this.#isLate = true
    for (let n = 0; !this.#latePast && n < POLLS; n++) await tick()
    if (!this.#latePast) throw new Error("the late call is not over")
  }

  async kill(place: Place): Promise<void> {
    this.#objects.set(place, { busy: 0 })
    await runInDurableObject(stubOf(place), (_, ctx) => ctx.abort("killed by the test")).catch(() => undefined)
  }

  get runs(): readonly string[] {
    return [...this.#objects.keys()].flatMap((place) => (place.startsWith("run ") ? [place.slice(place.indexOf("/") + 1)] : []))
  }

  /** Rings alarms until none is due and `atRest`. */
  async calm(atRest: () => Promise<boolean>): Promise<void> {
    const until = Date.now() + CALM_MS
    let busy = 0
    for (let quiet = 0, polls = 0; quiet < 3;) {
      await tick()
      if (++polls > POLLS) throw new Error(`it does not come to rest: ${await this.#seen()}`)
      if (this.#isBusy() && ++busy % BUSY_POLLS !== 0) continue
      const next = await this.#next()
      if (next && next.at <= until) {
        quiet = 0
        polls = 0
        await this.ring(next.place, until)
      } else if (await atRest()) quiet++
    }
  }

  /** The alarm of the object rings, at its time, unless it has moved to a later one meanwhile. */
  async ring(place: Place, until = Infinity): Promise<void> {
    const at = await alarmOf(place)
    if (at === undefined || at > until) return
    if (at > Date.now()) this.#ahead += at - Date.now() + 1
    // An object that dies while its alarm rings hears it again, as the platform promises.
    await runDurableObjectAlarm(stubOf(place)).catch(() =>
      runInDurableObject(stubOf(place), async (_, { storage }) => {
        if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + 2_000)
      }),
    )
  }

  pass(ms: number): void {
    this.#ahead += ms
  }

  /** As it is stored: nobody is woken. */
  events(run: string): Promise<readonly RunEvent[]> {
    return runInDurableObject(stubOf(`run ${this.#tenant}/${run}`), (_, { storage }) => new SqlJournal(storage).read(0, 1_000))
  }

  /** Of the tenant's object, or of another one. */
  rows<Row extends Record<string, SqlStorageValue>>(query: string, place: Place = `tenant ${this.#tenant}`): Promise<readonly Row[]> {
    return runInDurableObject(stubOf(place), (_, { storage }) => storage.sql.exec<Row>(query).toArray())
  }

  /** The tables of the object that have rows. */
  tables(place: Place): Promise<readonly string[]> {
    return runInDurableObject(stubOf(place), (_, { storage: { sql } }) =>
      sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
        )
        .toArray()
        .flatMap(({ name }) => (sql.exec(`SELECT 1 FROM "${name}" LIMIT 1`).toArray().length > 0 ? [name] : [])),
    )
  }

  #pass(
    self: object,
    { kind, method, args }: { kind: "run" | "tenant" | "memory"; method: string; args: unknown[] },
    go: () => Promise<unknown>,
  ) {
    const name = nameOf(self) ?? ""
    if (name.split("/")[0] !== this.#tenant) return go()
    const place: Place = `${kind} ${name}`
    const life = this.#lives.get(self) ?? { busy: 0 }
    this.#lives.set(self, life)
    this.#objects.set(place, life)
    const isRoom = method === "ask"
    const call: Call = {
      to: place,
      name: isRoom ? `${String(args[0])}.${String(args[1])}` : method === "desk" ? `desk.${String(args[0])}` : method,
      args: isRoom ? (args[2] as unknown[]) : method === "desk" ? (args[1] as unknown[]) : args,
    }
    const armed = this.#armed
    const isIt = armed?.is(call) === true
    if (isIt) this.#armed = undefined
    if (call.name === "fork") this.forking = place
    if (isIt) return this.#die(self, armed.moment, call, go)
    life.busy++
    const done = go()
    const over = (): void => void life.busy--
    done.then(over, over)
    return done
  }

  async #die(self: object, moment: Moment, call: Call, go: () => Promise<unknown>): Promise<unknown> {
    const abort = (): void => {
      this.#objects.set(call.to, { busy: 0 })
      this.#met = call
      ;(Reflect.get(self, "ctx") as DurableObjectState).abort("killed by the test")
    }
    if (moment === "broken") {
      go().catch(() => undefined)
      abort()
      return never()
    }
    if (moment === "unsaid") {
      await go()
      await (Reflect.get(self, "ctx") as DurableObjectState).storage.sync()
      abort()
      return never()
    }
    if (moment === "unheard") await go()
    this.#met = call
    if (moment !== "late") return never()
    while (!this.#isLate) await tick(2)
    try {
      return await go()
    } finally {
      this.#latePast = true
    }
  }

  #isBusy(): boolean {
    return [...this.#objects.values()].some(({ busy }) => busy > 0)
  }

  async #next(): Promise<{ readonly place: Place; readonly at: number } | undefined> {
    const all = await Promise.all([...this.#objects.keys()].map(async (place) => ({ place, at: (await alarmOf(place)) ?? Infinity })))
    return all.toSorted((a, b) => a.at - b.at).find(({ at }) => at < Infinity)
  }

  async #seen(): Promise<string> {
    const runs = await Promise.all(this.runs.map(async (run) => [run, (await this.events(run)).map(({ type }) => type).join(" ")]))
    return JSON.stringify({ runs, busy: [...this.#objects].filter(([, { busy }]) => busy > 0), next: await this.#next(), now: Date.now() })
  }
}

function stubOf(place: Place): DurableObjectStub {
  const [kind, name = ""] = place.split(" ")
  const space = kind === "run" ? env.RUN : kind === "memory" ? env.MEMORY : env.TENANT
  return space.get(space.idFromName(name)) as unknown as DurableObjectStub
}

const alarmOf = async (place: Place): Promise<number | undefined> =>
  (await runInDurableObject(stubOf(place), (_, ctx) => ctx.storage.getAlarm())) ?? undefined
