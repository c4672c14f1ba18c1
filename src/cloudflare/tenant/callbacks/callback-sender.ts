// Sends the messages of the outbox [W6] in the background, so no other work of the tenant's object waits for a receiver. A try is recorded
// before the request is sent. After a crash the message is sent again under the same id, so a receiver gets every message at least once.
//
// Few messages are in flight at a time, and fewer for one receiver. Receivers whose last try failed cannot take all places, so a receiver
// that hangs delays only itself.

import { defined } from "../../../core/defined.ts"
import { noticeType } from "../../../core/run/notice-body.ts"
import { retryAfter } from "../../../core/text/retry-after.ts"
import { beginning } from "../../../core/secrets/beginning.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { DEPTH_HEADER } from "../../../core/webhook/depth.ts"
import { callbackSignature } from "../../../engine/net/callback-signature.ts"
import { judgeCallback } from "../../../engine/net/callback-address.ts"
import { guardedFetch, type NetworkRules } from "../../../engine/net/guarded-fetch.ts"
import type { CallbackStore, CallbackMessage } from "./callback-store.ts"
import { isPush } from "../../../protocols/a2a/push-store.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { logError } from "../../platform/log.ts"
import { signalAfter } from "../../../ports/timers.ts"

const [S, MIN, H] = [1_000, 60_000, 3_600_000]
/** The delay after the n-th failed try. A message that still fails after the last delay is dead. */
export const WAITS: readonly number[] = [S, 2 * S, 4 * S, 30 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 20 * H]
/** Of a receiver that asks for time [W6]: it can put a message off, and not away. */
const LONGEST = Math.max(...WAITS)
/** A missing scope may come back soon, if it is rotated by deleting it first. It does not stay away for a day, so four tries are enough. */
const UNSIGNED_TRIES = 4 // limit: tries without a secret to sign with → the message is dead
const ANSWER_MS = 10_000 // limit: milliseconds of a receiver's answer → the message is sent again
/** A try without a recorded result is repeated after this time: the object was evicted during it. */
const LOST_MS = 15_000
/** An object may hold 6 outgoing connections. */
const PLACES = 6 // limit: messages on their way → the next waits
const PLACES_EACH = 3 // limit: messages on their way to one receiver → the next waits
const PLACES_FAILING = 4 // limit: messages on their way to failing receivers → the next waits
const MAX_FAILING = 1_000 // limit: failing receivers in memory → the oldest is forgotten
const MAX_ERROR_CHARS = 300 // limit: characters of a receiver's fault → the rest is cut

export interface SenderDeps {
  readonly store: CallbackStore
  /** The values of a scope, newest first. */
  readonly secrets: (scope: string) => Promise<readonly string[]>
  /** Takes the tenant's secrets out of what a failed try says [T32]. */
  readonly redactor: () => Promise<Redactor>
  readonly way: NetworkRules
  readonly later: (work: Promise<unknown>) => void
  readonly want: (at: number) => void
  readonly now: () => number
}

interface Flight {
  readonly origin: string
  readonly run: string
  readonly stop: AbortController
}

type Outcome = { readonly status?: number; readonly error?: string; readonly unsigned?: true; readonly asked?: number }

export class CallbackSender implements DueWork {
  readonly name = "callbacks"
  readonly #deps: SenderDeps
  readonly #flights = new Map<string, Flight>()
  /** Receivers whose last try failed. In memory only: after an eviction, every receiver gets its full number of places again. */
  readonly #failing = new Set<string>()

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** When the next message can be sent, or when a message in flight must be sent again because no result was recorded. An overdue message that
   *  only memory holds back, because it has no place or its try takes long, needs an alarm all the same: the object may die. */
  readonly due = (): number | undefined => {
    const { store } = this.#deps
    const now = this.#deps.now()
    const next = this.#flights.size < PLACES ? store.earliest(this.#full()) : undefined
    if (next !== undefined && next <= now) return next
    const first = store.earliest([])
    if (first === undefined || first > now) return first
    return Math.min(now + LOST_MS, store.earliestAfter(now) ?? Number.POSITIVE_INFINITY)
  }

  readonly mend = (now: number): void =>
    this.#deps.store.mend(now, (tries, status) => now + LOST_MS + (mayAsk(status) ? LONGEST : 2 * (WAITS[tries - 1] ?? 0)))

  readonly work = async (): Promise<void> => this.send()

  /** Sends as many messages as there are places for. May be called in the turn that wrote the rows, or later. */
  send(): void {
    const { store, now, want, later } = this.#deps
    while (this.#flights.size < PLACES) {
      const message = store.claim(now(), now() + LOST_MS, this.#full())
      if (!message) return
      want(now() + LOST_MS)
      if (message.tries > WAITS.length + 1) store.failed(message.id, { error: "every try was interrupted before its result was recorded" })
      else later(this.#fly(message))
    }
  }

  /** The run is deleted: aborts its messages in flight and deletes their rows. */
  drop(run: string): void {
    for (const flight of this.#flights.values()) if (flight.run === run) flight.stop.abort()
    this.#deps.store.drop(run)
  }

  /** All rows are deleted: aborts all messages in flight. */
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
  async #fly(message: CallbackMessage): Promise<void> {
    const flight = { origin: message.origin, run: message.run, stop: new AbortController() }
    this.#flights.set(message.id, flight)
    let outcome: Outcome
    try {
      outcome = await this.#try(message, flight.stop.signal)
    } catch (e) {
      outcome = { error: messageOf(e) }
    }
    const { error } = outcome
    if (error !== undefined) outcome = { ...outcome, error: await this.#shown(error) }
    this.#flights.delete(message.id)
    try {
      if (!flight.stop.signal.aborted) this.#settle(message, outcome)
      this.send()
    } catch (e) {
      // The row becomes due again without further action.
      logError("callback.fault", { message: messageOf(e) })
    }
  }

  async #try({ id, run, url, secret, body, callback }: CallbackMessage, stop: AbortSignal): Promise<Outcome> {
    const { store, secrets, way, now } = this.#deps
    const depth = store.depthOf(run) + 1
    const timestamp = Math.floor(now() / 1_000)
    let signature: string | undefined
    if (secret !== "")
      try {
        signature = await callbackSignature(await secrets(secret), { id, timestamp, body })
      } catch (e) {
        return { unsigned: true, error: messageOf(e) }
      }
    if (signature === undefined && secret !== "")
      return { unsigned: true, error: `the secret "${secret}" has no value that can sign: PUT /v1/secrets/${secret} with \`whsec_…\`` }
    const judged = judgeCallback(url, { allowPrivate: way.allowedPrivateHosts, ...way.zones })
    if (!judged.ok) return { error: `address refused: ${judged.error}` }
    const tooLate = signalAfter(ANSWER_MS)
    let status: number | undefined
    const send = way.fetch ?? ((to: string, init: RequestInit) => fetch(to, init))
    const own = isPush(callback) ? await store.pushes.headers(run, callback) : {}
    if (own === undefined) return { status: 410, error: "the push configuration was deleted" }
    const headers = {
      "content-type": noticeType(body),
      ...own,
      "user-agent": "sluice",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      ...defined({ "webhook-signature": signature }),
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
      return response.ok ? { status: response.status } : refusedBy(response, now)
    } catch (e) {
      if (tooLate.aborted) return { error: `the receiver did not answer within ${ANSWER_MS / 1_000} s` }
      if (status !== undefined && status >= 300 && status < 400)
        return { status, error: "the receiver redirects, and redirects are not followed" }
      return { error: messageOf(e) }
    }
  }

  async #shown(error: string): Promise<string> {
    try {
      return beginning(error, MAX_ERROR_CHARS, await this.#deps.redactor())
    } catch {
      return "the try failed; the reason is not shown because the secrets vault does not answer"
    }
  }

  #settle(message: CallbackMessage, { status, error, unsigned, asked = 0 }: Outcome): void {
    const { store, now, want } = this.#deps
    if (error === undefined) {
      this.#failing.delete(message.origin)
      return store.delivered(message.id, status ?? 0)
    }
    if (unsigned === undefined) {
      if (this.#failing.size >= MAX_FAILING) this.#failing.clear()
      this.#failing.add(message.origin)
    }
    const failure = { error, ...defined({ status }) }
    const wait = unsigned && message.tries >= UNSIGNED_TRIES ? undefined : WAITS[message.tries - 1]
    if (status === 410 || wait === undefined) {
      store.failed(message.id, failure)
      if (status === 410) store.disable(message, "the receiver answered 410 Gone to another message, so it gets no more messages")
      return
    }
    const due = now() + Math.max(wait, asked)
    store.failed(message.id, { ...failure, due })
    want(due)
  }
}

/** Answers with which a server may say when to come again. */
const mayAsk = (status: number | null): boolean => status === 429 || status === 503

function refusedBy({ status, headers }: Response, now: () => number): Outcome {
  const asked = mayAsk(status) ? Math.min(LONGEST, retryAfter((name) => headers.get(name), now) ?? 0) : 0
  const error = `the receiver answered ${status}${asked > 0 ? ` and asks for ${Math.ceil(asked / S)} s` : ""}`
  return { status, error, ...(asked > 0 ? { asked } : {}) }
}
