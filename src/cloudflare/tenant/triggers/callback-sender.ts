// CallbackSender: takes messages out of the outbox and sends them [W6], beside everything else that a tenant's object does: nobody waits
// for a receiver. A try is written down before it leaves; a crash in between sends it again under the same id, so a receiver hears every
// message at least once.
//
// Few are under way at a time, and of one receiver fewer still; receivers that failed last may not take all places, so one that hangs
// holds up itself.

import { DEPTH_HEADER } from "../../../core/webhook/depth.ts"
import { callbackSignature } from "../../../engine/net/callback-signature.ts"
import { judgeCallback } from "../../../engine/net/callback-address.ts"
import { guardedFetch, type Way } from "../../../engine/net/guarded-fetch.ts"
import type { CallbackStore, Message } from "./callback-store.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { logError, messageOf } from "../../platform/log.ts"

const [S, MIN, H] = [1_000, 60_000, 3_600_000]
/** After the n-th try that failed; after the last of them it is dead. */
export const WAITS: readonly number[] = [S, 2 * S, 4 * S, 30 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 20 * H]
/** A scope that is gone may be on its way back: it was rotated by taking it away first. Not for a day. */
const UNSIGNED_TRIES = 4
const ANSWER_MS = 10_000
/** Nobody told how a try went: its object was gone. */
const LOST_MS = 15_000
/** An object may hold 6 outgoing connections. */
const PLACES = 6
const PLACES_EACH = 3
const PLACES_FAILING = 4
const MOST_FAILING = 1_000
const LONGEST_ERROR = 300

export interface SenderDeps {
  readonly store: CallbackStore
  /** The values of a scope, newest first. */
  readonly secrets: (scope: string) => Promise<readonly string[]>
  readonly way: Way
  readonly later: (work: Promise<unknown>) => void
  readonly want: (at: number) => void
  readonly now: () => number
}

interface Flight {
  readonly origin: string
  readonly run: string
  readonly stop: AbortController
}

type Outcome = { readonly status?: number; readonly error?: string; readonly unsigned?: true }

export class CallbackSender implements DueWork {
  readonly name = "callbacks"
  readonly #deps: SenderDeps
  readonly #flights = new Map<string, Flight>()
  /** Receivers whose last try failed. Lost with the object, which only makes it hopeful. */
  readonly #failing = new Set<string>()

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** What could be sent at once, and what is under way, should its end never be told. */
  readonly due = (): number | undefined => {
    const { store, now } = this.#deps
    const [next, lost] = [this.#flights.size < PLACES ? store.earliest(this.#full()) : undefined, store.earliestAfter(now())]
    return next === undefined ? lost : Math.min(next, lost ?? next)
  }

  readonly work = async (): Promise<void> => this.send()

  /** All that there is a place for. In the turn that wrote the rows, or later. */
  send(): void {
    const { store, now, want, later } = this.#deps
    while (this.#flights.size < PLACES) {
      const message = store.claim(now(), now() + LOST_MS, this.#full())
      if (!message) return
      want(now() + LOST_MS)
      if (message.tries > WAITS.length + 1) store.failed(message.id, { error: "no try was ever heard of again" })
      else later(this.#fly(message))
    }
  }

  /** The run is deleted: what is on its way is stopped, and its rows are gone. */
  drop(run: string): void {
    for (const flight of this.#flights.values()) if (flight.run === run) flight.stop.abort()
    this.#deps.store.drop(run)
  }

  /** The rows are gone, all of them: what is on its way is stopped. */
  stop(): void {
    for (const flight of this.#flights.values()) flight.stop.abort()
  }

  #full(): string[] {
    const busy = new Map<string, number>()
    for (const { origin } of this.#flights.values()) busy.set(origin, (busy.get(origin) ?? 0) + 1)
    const full = [...busy].filter(([origin, n]) => n >= (this.#failing.has(origin) ? 1 : PLACES_EACH)).map(([origin]) => origin)
    const failing = [...busy].reduce((sum, [origin, n]) => sum + (this.#failing.has(origin) ? n : 0), 0)
    return failing < PLACES_FAILING ? full : [...new Set([...full, ...this.#failing])]
  }

  /** Never rejects. */
  async #fly(message: Message): Promise<void> {
    const flight = { origin: message.origin, run: message.run, stop: new AbortController() }
    this.#flights.set(message.id, flight)
    let outcome: Outcome
    try {
      outcome = await this.#try(message, flight.stop.signal)
    } catch (e) {
      outcome = { error: e instanceof Error ? e.message : String(e) }
    }
    this.#flights.delete(message.id)
    try {
      if (!flight.stop.signal.aborted) this.#settle(message, outcome)
      this.send()
    } catch (e) {
      // Its row is due again by itself.
      logError("callback.fault", { message: messageOf(e) })
    }
  }

  async #try({ id, run, url, secret, body }: Message, stop: AbortSignal): Promise<Outcome> {
    const { store, secrets, way, now } = this.#deps
    const depth = store.depthOf(run) + 1
    const timestamp = Math.floor(now() / 1_000)
    let signature: string | undefined
    try {
      signature = await callbackSignature(await secrets(secret), { id, timestamp, body })
    } catch (e) {
      return { unsigned: true, error: e instanceof Error ? e.message : String(e) }
    }
    if (signature === undefined)
      return { unsigned: true, error: `the secret "${secret}" has no value that can sign: PUT /v1/secrets/${secret} with \`whsec_…\`` }
    const judged = judgeCallback(url, way.allowedPrivateHosts)
    if (!judged.ok) return { error: `address refused: ${judged.error}` }
    const tooLate = AbortSignal.timeout(ANSWER_MS)
    let status: number | undefined
    const send = way.fetch ?? ((to: string, init: RequestInit) => fetch(to, init))
    const headers = {
      "content-type": "application/json",
      "user-agent": "sluice",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
      [DEPTH_HEADER]: String(depth),
    }
    try {
      const response = await guardedFetch(
        { url, method: "POST", headers, body, redirects: 0, signal: AbortSignal.any([tooLate, stop]) },
        {
          ...way,
          async fetch(to, init) {
            const response = await send(to, init)
            status = response.status
            return response
          },
        },
      )
      await response.body?.cancel()
      return { status: response.status, ...(response.ok ? {} : { error: `the receiver answered ${response.status}` }) }
    } catch (e) {
      if (tooLate.aborted) return { error: `the receiver did not answer within ${ANSWER_MS / 1_000} s` }
      if (status !== undefined && status >= 300 && status < 400)
        return { status, error: "the receiver redirects, and that is not followed" }
      return { error: e instanceof Error ? e.message : String(e) }
    }
  }

  #settle(message: Message, { status, error, unsigned }: Outcome): void {
    const { store, now, want } = this.#deps
    if (error === undefined) {
      this.#failing.delete(message.origin)
      return store.delivered(message.id, status ?? 0)
    }
    if (unsigned === undefined) {
      if (this.#failing.size >= MOST_FAILING) this.#failing.clear()
      this.#failing.add(message.origin)
    }
    const told = { error: error.slice(0, LONGEST_ERROR), ...(status === undefined ? {} : { status }) }
    const wait = unsigned && message.tries >= UNSIGNED_TRIES ? undefined : WAITS[message.tries - 1]
    if (status === 410 || wait === undefined) {
      store.failed(message.id, told)
      if (status === 410) store.disable(message, "the receiver said 410 Gone to another message, and is sent nothing any more")
      return
    }
    store.failed(message.id, { ...told, due: now() + wait })
    want(now() + wait)
  }
}
