// Manages the connections of one object [J16]. An invocation may wait for six answers at a time, including those of R2 and KV. So the
// object makes a few calls itself, and the rest through couriers: other invocations of this Worker, each with its own six connections. To
// its caller a carried call is a `fetch` like any other: the same answer, streamed, and the same abort.

import { AsyncLocalStorage } from "node:async_hooks"
import { Places } from "../../engine/places.ts"
import { carriedAnswer } from "./carried-answer.ts"
import { courierDoor, parcelOf, type Courier, type CourierBinding, type Parcel } from "./parcel.ts"

/** Calls of the object itself that wait for an answer. Two of the six connections are left for storage. */
const MAX_OWN = 4 // limit: calls of a run's object that wait for an answer → further ones leave through couriers
/** Calls of the object itself between two renewals. The free plan allows an invocation 50. */
const MAX_OWN_SENT = 30 // limit: calls of a run's object between two alarms → further ones leave through couriers
/** After this many the object asks for a renewal, so that one call after the other never needs a courier. */
const RENEW_AFTER_SENT = 20 // limit: calls of a run's object after which its alarm rings → an event begins the counts anew
const MAX_CARRIED = 6 // limit: calls of a courier under way → another courier is hired
/** Calls of one courier in its life. The free plan allows an invocation 50. */
const MAX_CARRIED_SENT = 40 // limit: calls of a courier → another courier is hired
/** Couriers that are hired between two renewals. One request may be 32 invocations. */
const MAX_COURIERS = 24 // limit: couriers of an object between two alarms → calls leave from the object, and its alarm rings
const RENEW_AFTER_COURIERS = 16 // limit: couriers after which its alarm rings → an event begins the counts anew

interface Hired {
  readonly courier: Promise<Courier & Disposable>
  carrying: number
  sent: number
}

/** Effects that hold a large answer, 5 MiB at most, until they end. An isolate has 128 MB, and 80 answers of 4 MB at once took 1.4 GB. */
const MAX_LARGE = 6 // limit: effects of a run that hold an answer of more than 256 KiB → the next one waits to read on

/** Bytes of bodies whose answer has not begun: a prompt is in memory as its turns, as its request, and on its way to a courier. */
const MAX_SENDING = 16 * 1024 * 1024 // limit: bytes of a run's requests whose answers have not begun → the next request waits
const SMALL = 64 * 1024 // limit: bytes of a request that never waits for others → it waits until there is room

/** One effect of an object. */
interface Scope {
  readonly connections: Connections
  isLarge: boolean
  isOver: boolean
}

const current = new AsyncLocalStorage<Scope>()

/** `fetch` over the connections of the current object. One function for all objects, so that its users can be cached. */
export const outgoing: typeof fetch = (input, init) =>
  current.getStore()?.connections.fetch(input as RequestInfo | URL, init) ?? fetch(input, init)

/** Resolves when a large response of this work may be read. */
export async function largeAnswer(signal: AbortSignal): Promise<void> {
  const scope = current.getStore()
  await scope?.connections.large(scope, signal)
}

export class Connections {
  readonly #door: CourierBinding | undefined
  readonly #spent: () => void
  readonly #hired = new Set<Hired>()
  readonly #large = new Places(MAX_LARGE)
  readonly #sending = new Places(MAX_SENDING)
  #waiting = 0
  #sent = 0
  #hires = 0
  #calls = 0

  /** `exports`: the Worker's own. `spent`: this invocation of the object has made about as many calls as it may, so it is time for another one,
   *  which calls `renew`. */
  constructor(exports: unknown, spent: () => void) {
    this.#door = courierDoor(exports)
    this.#spent = spent
  }

  /** Another invocation of the object has begun, and its calls are counted from zero. */
  renew(): void {
    this.#sent = 0
    this.#hires = this.#hired.size
  }

  /** Every `outgoing` of this effect is a call of this object. */
  async around<T>(work: () => Promise<T>): Promise<T> {
    const scope: Scope = { connections: this, isLarge: false, isOver: false }
    try {
      return await current.run(scope, work)
    } finally {
      scope.isOver = true
      if (scope.isLarge) this.#large.leave()
    }
  }

  /** An effect takes one place, however many answers it reads. */
  async large(scope: Scope, signal: AbortSignal): Promise<void> {
    if (scope.isLarge) return
    if (!(await this.#large.enter(signal))) signal.throwIfAborted()
    else if (scope.isLarge || scope.isOver) this.#large.leave()
    else scope.isLarge = true
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { body, signal } = init
    const size = typeof body === "string" ? body.length : body instanceof Uint8Array ? body.byteLength : 0
    if (size <= SMALL) return this.#leave(input, init)
    if (!(await this.#sending.enter(signal, size))) signal?.throwIfAborted()
    try {
      return await this.#leave(input, init)
    } finally {
      this.#sending.leave(size)
    }
  }

  async #leave(input: string | URL | Request, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted()
    const parcel = this.#waiting < MAX_OWN && this.#sent < MAX_OWN_SENT ? undefined : parcelOf(input, init)
    const hired = parcel && this.#free()
    if (!parcel || !hired) return this.#send(input, init)
    hired.carrying++
    hired.sent++
    const courier = await hired.courier.catch(() => undefined)
    if (courier) return this.#carry(hired, courier, parcel, init.signal ?? undefined)
    // Nothing was sent.
    this.#hired.delete(hired)
    return this.#send(input, init)
  }

  async #send(input: string | URL | Request, init: RequestInit): Promise<Response> {
    this.#waiting++
    if (++this.#sent === RENEW_AFTER_SENT) this.#spent()
    try {
      return await fetch(input, init)
    } finally {
      // The platform counts a connection until the head of its answer is there.
      this.#waiting--
    }
  }

  async #carry(hired: Hired, courier: Courier, parcel: Parcel, signal: AbortSignal | undefined): Promise<Response> {
    const over = (): void => {
      hired.carrying--
      this.#rest(hired)
    }
    if (signal?.aborted === true) {
      over()
      signal.throwIfAborted()
    }
    const call = ++this.#calls
    const answer = courier.send(call, parcel)
    answer.catch(() => this.#hired.delete(hired))
    return carriedAnswer(answer, { signal, over, drop: () => void courier.drop(call).catch(() => {}) })
  }

  /** A courier with a free place. undefined: none can be had, so the call leaves from the object and the platform lets it wait. */
  #free(): Hired | undefined {
    for (const hired of this.#hired) if (hired.carrying < MAX_CARRIED && hired.sent < MAX_CARRIED_SENT) return hired
    if (!this.#door || this.#hires >= MAX_COURIERS) return undefined
    if (++this.#hires === RENEW_AFTER_COURIERS) this.#spent()
    const hired: Hired = { courier: this.#door.hire(), carrying: 0, sent: 0 }
    this.#hired.add(hired)
    return hired
  }

  /** Couriers stay while any of them carries something, and each for a limited number of calls. */
  #rest(rested: Hired): void {
    const isIdle = [...this.#hired].every((hired) => hired.carrying === 0)
    for (const hired of isIdle ? new Set([...this.#hired, rested]) : [rested]) {
      if (hired.carrying > 0 || (!isIdle && hired.sent < MAX_CARRIED_SENT)) continue
      this.#hired.delete(hired)
      void hired.courier.then((courier) => courier[Symbol.dispose]()).catch(() => {})
    }
  }
}
