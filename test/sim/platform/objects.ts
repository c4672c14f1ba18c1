// Objects: the durable objects of one class. Each is one storage, and at most one life in memory, on one machine.
//
// Gates as on the platform: what an object sends waits until what it wrote before is durable. Storage answers synchronously, so nothing else is
// delivered meanwhile.

import { lost, type Border } from "./border.ts"
import { carriedResponse, copied, remote } from "./carried.ts"
import { ObjectStorage } from "./object-storage.ts"
import { Place, type Machine } from "./place.ts"

const COMMIT_MS = 1
const SLOW_COMMIT_MS = 800
const LATE_MS = 12_000
const VERY_LATE_MS = 400_000
/** The platform repeats a failing alarm so often, after 2 s, 4 s, ... */
const ALARM_TRIES = 6
const ALARM_AGAIN_MS = 2_000
/** An object that nobody called for so long may leave memory. */
const IDLE_MS = 10_000
/** For so long at most an object has no room for a write. */
const FULL_MS = 8_000

type Method = (...args: readonly unknown[]) => unknown
type ObjectClass = new (ctx: object, env: object) => object

/** What the service gives all objects. */
export interface Ground {
  readonly border: Border
  readonly env: object
  /** A machine that runs. */
  machine(): Machine
  /** Something went wrong that the product must not let happen. */
  found(what: string): void
  /** An object's turn is over and its writes are about to become durable. */
  committing(object: HostedObject): void
  /** Its writes are durable. Before anything leaves that waited for them. */
  committed(object: HostedObject): void
  /** A statement of it writes this table. */
  wroteTable(object: HostedObject, table: string): void
  /** It has an answer, which leaves when what it wrote is durable. */
  answers(object: HostedObject, room: string): void
}

interface Life {
  readonly place: Place
  readonly instance: object
  /** Calls that it has not answered. */
  readonly calls: Set<(e: Error) => void>
  lastCall: number
}

export class HostedObject {
  readonly name: string
  readonly kind: string
  readonly storage = new ObjectStorage()
  readonly #ground: Ground
  readonly #jurisdiction: string | undefined
  #life: Life | undefined
  #isDirty = false
  /** The commit that is under way. */
  #flushing: object | undefined
  /** Messages that wait for the flush. */
  readonly #held: (() => void)[] = []
  /** The alarm that is coming. */
  #coming: { readonly at: number; cancel(): void } | undefined
  #failures = 0
  /** Until when nothing can be written, and the event in which that was decided. */
  readonly #full = { until: 0, asked: 0 }
  /** The life whose handler of the alarm runs. The next alarm waits for its end. */
  #ringing: Life | undefined
  /** It answers nobody. */
  isBroken = false

  constructor(ground: Ground, kind: string, name: string, jurisdiction: string | undefined) {
    this.#ground = ground
    this.kind = kind
    this.name = name
    this.#jurisdiction = jurisdiction
    this.storage.owner = {
      wrote: (table) => {
        this.#wrote()
        if (table !== undefined) this.#ground.wroteTable(this, table)
      },
      refuses: () => this.#refuses(),
      durable: () =>
        new Promise((resolve) => this.#leave(() => void this.#border.at(0, this.#life?.place, `${this.label} is durable`, resolve))),
    }
  }

  get label(): string {
    return `${this.kind} ${this.name}`
  }

  get isLive(): boolean {
    return this.#life !== undefined && !this.#life.place.isGone
  }

  /** Its life in memory: the instance of its class. */
  get instance(): object | undefined {
    return this.isLive ? this.#life?.instance : undefined
  }

  get isBusy(): boolean {
    return (this.#life?.calls.size ?? 0) > 0
  }

  get machine(): Machine | undefined {
    return this.#life?.place.machine
  }

  get #border(): Border {
    return this.#ground.border
  }

  /** A call from another place; undefined: from the world. */
  call(from: Place | undefined, method: string, args: readonly unknown[]): Promise<unknown> {
    const border = this.#border
    const sent = method === "fetch" ? args : copied(args)
    const room = method === "ask" ? `${String(args[0])}.${String(args[1])}` : method === "desk" ? `desk.${String(args[0])}` : method
    const label = `${from?.label ?? "world"} → ${this.label}.${room}`
    return new Promise((resolve, reject) => {
      const answer = (what: string, settle: () => void): void => void border.at(border.way("answer"), from, `${label}: ${what}`, settle)
      const fail = (e: Error): void => answer(e.message, () => reject(e))
      const send = (): void =>
        void border.at(border.way("call"), undefined, label, () => {
          if (border.faults.of("lost call")) return fail(lost())
          if (this.isBroken) return fail(new Error("internal error"))
          const life = this.#wake(fail)
          if (!life) return
          border.timeline.here = life.place
          life.lastCall = border.timeline.now
          life.calls.add(fail)
          const over = (settle: () => void): void => {
            // A life that is over has told its callers.
            if (!life.calls.has(fail)) return
            this.#ground.answers(this, room)
            this.#leave(() => {
              if (!life.calls.delete(fail)) return
              if (border.faults.of("call again")) fail(lost())
              else if (border.faults.of("lost answer")) fail(new Error("Network connection lost."))
              else settle()
            })
          }
          const found: unknown = Reflect.get(life.instance, method)
          if (typeof found !== "function") return fail(new TypeError(`The RPC receiver does not implement the method "${method}".`))
          void begun(() => Reflect.apply(found as Method, life.instance, sent)).then(
            (value) => {
              over(() => {
                if (value instanceof Response) {
                  const carried = carriedResponse(border, value, life.place, from)
                  answer("answer", () => resolve(carried))
                } else {
                  const copy = copied(value)
                  answer("answer", () => resolve(copy))
                }
              })
            },
            (e: unknown) => {
              this.#look(e, room)
              over(() => fail(remote(e)))
            },
          )
        })
      if (from) from.leave(send)
      else send()
    })
  }

  /** It is gone from memory at once, with everything that was not durable. */
  abort(why: string): void {
    const life = this.#life
    if (!life) return
    this.#life = undefined
    life.place.end()
    this.#held.splice(0)
    this.#isDirty = false
    this.#flushing = undefined
    this.storage.undo()
    const calls = [...life.calls]
    life.calls.clear()
    for (const fail of calls) fail(Object.assign(new Error(why), { durableObjectReset: true, retryable: true }))
    this.armed()
  }

  /** After an event: what was written becomes durable now or later. */
  settle(): void {
    if (!this.#isDirty || this.#flushing) return
    const { faults } = this.#border
    if (!faults.of("slow commit")) return this.#flush()
    const flushing = {}
    this.#flushing = flushing
    this.#border.at(SLOW_COMMIT_MS * this.#border.dice.roll("commit") + COMMIT_MS, undefined, `${this.label} commits`, () => {
      if (this.#flushing !== flushing) return
      this.#flushing = undefined
      if (this.#isDirty) this.#flush()
    })
  }

  /** If nobody has called it for a while. */
  evict(): void {
    const life = this.#life
    if (!life || life.calls.size > 0 || this.#isDirty || this.#border.timeline.now - life.lastCall < IDLE_MS) return
    this.abort("evicted")
  }

  /** The platform's alarm follows the durable one. */
  armed(isAgain = false): void {
    const { durableAlarm } = this.storage
    if (!isAgain && this.#coming?.at === durableAlarm) return
    this.#coming?.cancel()
    this.#coming = undefined
    if (durableAlarm === null) return
    const { faults, dice, timeline } = this.#border
    const late = faults.of("very late alarm") ? VERY_LATE_MS : faults.of("late alarm") ? LATE_MS : 5
    const wait = Math.max(0, durableAlarm - this.#ground.border.wall()) + dice.roll("alarm") * late
    const coming = timeline.in(wait, undefined, `${this.label} rings`, () => this.#ring(durableAlarm))
    this.#coming = { at: durableAlarm, cancel: () => (coming.isOff = true) }
  }

  #ring(at: number): void {
    this.#coming = undefined
    if (this.storage.durableAlarm !== at) return this.armed()
    // The clock may have been put back.
    if (this.#border.wall() < at) return this.armed()
    const again = (): void => {
      if (++this.#failures > ALARM_TRIES) {
        this.#failures = 0
        this.#ground.found(`${this.label}: the platform drops an alarm that failed ${ALARM_TRIES} times`)
        return
      }
      const wait = ALARM_AGAIN_MS * 2 ** (this.#failures - 1)
      const coming = this.#border.timeline.in(wait, undefined, `${this.label} rings again`, () => this.#ring(at))
      this.#coming = { at, cancel: () => (coming.isOff = true) }
    }
    const life = this.#wake(again)
    if (!life || this.#ringing === life) return
    this.#ringing = life
    this.#border.timeline.here = life.place
    life.lastCall = this.#border.timeline.now
    this.storage.ring()
    // A life that ends rings again.
    const died = (): void => {}
    life.calls.add(died)
    const found: unknown = Reflect.get(life.instance, "alarm")
    void begun(() => Reflect.apply(found as Method, life.instance, [])).then(
      () => {
        if (!life.calls.delete(died)) return
        this.#failures = 0
        this.#ringing = undefined
        this.storage.rang(!this.#border.faults.of("alarm twice"))
        this.#wrote()
      },
      (e: unknown) => {
        if (!life.calls.delete(died)) return
        this.#ringing = undefined
        this.#look(e, "alarm")
        this.storage.rang(false)
        again()
      },
    )
  }

  #wake(fail: (e: Error) => void): Life | undefined {
    if (this.#life && !this.#life.place.isGone) return this.#life
    if (this.#life) this.abort("its isolate is gone")
    const { border, env } = this.#ground
    const machine = this.#ground.machine()
    const place = new Place(this.label, machine, (send) => this.#leave(send))
    const made: unknown = machine.exports[this.kind]
    border.timeline.here = place
    try {
      const instance = new (made as ObjectClass)(this.#context(place), env)
      this.#life = { place, instance, calls: new Set(), lastCall: border.timeline.now }
    } catch (e) {
      place.end()
      this.storage.undo()
      this.#isDirty = false
      fail(remote(e))
    }
    border.timeline.here = undefined
    return this.#life
  }

  #context(place: Place): object {
    const { name } = this
    const jurisdiction = this.#jurisdiction
    return {
      id: {
        name,
        ...(jurisdiction === undefined ? {} : { jurisdiction }),
        toString: () => name,
        equals: (other: { name?: string }) => other.name === name,
      },
      storage: this.storage,
      waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
      abort: (why = "aborted") => {
        this.abort(why)
        throw new Error(why)
      },
      blockConcurrencyWhile: (work: () => Promise<unknown>) => work(),
      exports: place.machine.exports["couriers"],
      getWebSockets: () => [],
      acceptWebSocket: () => undefined,
    }
  }

  /** Like workerd, whose SQLite takes back the statement that finds no room, and no other one. */
  #refuses(): Error | undefined {
    const { faults, dice, timeline } = this.#border
    const full = this.#full
    if (faults.isCalm) return undefined
    if (timeline.now >= full.until && full.asked !== timeline.count) {
      full.asked = timeline.count
      if (faults.of("full storage")) full.until = timeline.now + FULL_MS * dice.roll("full")
    }
    return timeline.now < full.until ? new Error("database or disk is full: SQLITE_FULL") : undefined
  }

  #wrote(): void {
    this.#isDirty = true
    this.#border.touched.add(this)
  }

  #leave(send: () => void): void {
    if (this.#isDirty) this.#held.push(send)
    else send()
  }

  #flush(): void {
    this.#ground.committing(this)
    if (this.#border.faults.of("failed commit")) return this.abort("the commit failed")
    this.storage.flush()
    this.#isDirty = false
    this.armed()
    this.#ground.committed(this)
    for (const send of this.#held.splice(0)) send()
  }

  /** Where people develop, a turn that breaks the law of the alarm throws [J12]. */
  #look(e: unknown, what: string): void {
    if (e instanceof Error && e.message.startsWith("no alarm is set for")) this.#ground.found(`${this.label}.${what}: ${e.message}`)
  }
}

/** Objects of one class by name. */
export class Namespace {
  readonly objects: Map<string, HostedObject>
  readonly #ground: Ground
  readonly #kind: string
  readonly #jurisdiction: string | undefined

  constructor(ground: Ground, kind: string, jurisdiction?: string, objects = new Map<string, HostedObject>()) {
    this.#ground = ground
    this.#kind = kind
    this.#jurisdiction = jurisdiction
    this.objects = objects
  }

  idFromName(name: string): { readonly name: string } {
    return { name }
  }

  get({ name }: { readonly name: string }): object {
    const object = this.of(name)
    const { border } = this.#ground
    return new Proxy(
      {},
      {
        get: (_, method) =>
          typeof method === "string" && method !== "then"
            ? (...args: readonly unknown[]) => object.call(border.timeline.here, method, args)
            : undefined,
      },
    )
  }

  of(name: string): HostedObject {
    let object = this.objects.get(name)
    if (!object) {
      object = new HostedObject(this.#ground, this.#kind, name, this.#jurisdiction)
      this.objects.set(name, object)
    }
    return object
  }

  jurisdiction(of: string): Namespace {
    return new Namespace(this.#ground, this.#kind, of, this.objects)
  }
}

async function begun(work: () => unknown): Promise<unknown> {
  return await work()
}
