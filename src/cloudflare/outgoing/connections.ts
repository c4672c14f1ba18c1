// The connections of one object [J16]. An invocation may wait for six answers at a time, and what the object reads and writes in R2 and KV
// counts too. So a few calls leave from the object itself, and those above leave through couriers: other invocations of this Worker, each
// with six connections of its own. To its caller a carried call is a `fetch` like any other: the same answer, streamed, and the same abort.

import { carriedAnswer } from "./carried-answer.ts"
import { courierDoor, parcelOf, type Courier, type CourierDoor, type Parcel } from "./parcel.ts"

/** Calls of the object itself that wait for an answer. Two of the six connections are left for storage. */
const MAX_OWN = 4
/** Calls of the object itself between two alarms. The free plan allows an invocation 50. */
const MAX_OWN_SENT = 30
/** Calls of one courier that are under way. */
const MAX_CARRIED = 6
/** Calls of one courier in its life. The free plan allows an invocation 50. */
const MAX_CARRIED_SENT = 40
/** Couriers that are hired between two alarms. One request may be 32 invocations. */
const MAX_COURIERS = 24

interface Hired {
  readonly courier: Promise<Courier & Disposable>
  carrying: number
  sent: number
}

export class Connections {
  readonly #door: CourierDoor | undefined
  readonly #spent: () => void
  readonly #hired = new Set<Hired>()
  #waiting = 0
  #sent = 0
  #hires = 0
  #calls = 0

  /** `exports`: the Worker's own. `spent`: this invocation of the object has hired all the couriers that it may; the next one, such as an
   *  alarm, says so to `renew`. */
  constructor(exports: unknown, spent: () => void) {
    this.#door = courierDoor(exports)
    this.#spent = spent
  }

  /** Another invocation of the object has begun, and its calls are counted from zero. */
  renew(): void {
    this.#sent = 0
    this.#hires = this.#hired.size
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
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
    this.#sent++
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
    if (!this.#door) return undefined
    if (this.#hires >= MAX_COURIERS) {
      this.#spent()
      return undefined
    }
    this.#hires++
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
