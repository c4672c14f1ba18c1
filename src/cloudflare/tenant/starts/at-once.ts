// Begins a start now or not at all [R15]: its run's object stores it afterwards.

import { defined } from "../../../core/defined.ts"
import { NEW } from "../../../core/start/line-things.ts"
import type { Arrived, LineAsk, StartWord } from "../../../ports/tenant/line.ts"
import { FULL_MS, UNSTORED_MS } from "./arrivals.ts"
import type { LineClock } from "./line-clock.ts"
import { STATE, type LineRow, type LineStore } from "./line-store.ts"
import { askedWait } from "./line-wait.ts"
import type { StartGate } from "./start-gate.ts"
import { wordOf } from "./start-words.ts"

interface AtOnceDeps {
  readonly store: LineStore
  readonly gate: StartGate
  readonly insert: (ask: LineAsk) => LineRow
  readonly look: () => readonly string[]
  /** Tells the objects of these runs what has become of them. */
  readonly sayLater: (runs: readonly string[]) => void
}

/** `word`: that by which it begins. */
export type BegunNow = { readonly ok: true; readonly word: StartWord } | Exclude<Extract<Arrived, { ok: false }>, { code: "thread_busy" }>

export class AtOnce {
  readonly #deps: AtOnceDeps
  readonly #clock: LineClock

  constructor(deps: AtOnceDeps, clock: LineClock) {
    this.#deps = deps
    this.#clock = clock
  }

  begin(ask: LineAsk): BegunNow {
    const { store, gate } = this.#deps
    const { run } = ask
    const before = store.find(run)
    if (before?.state === STATE.begun) return { ok: true, word: wordOf(before) }
    const place = gate.arrive(run)
    if (!place.ok && place.full === true) return { ok: false, code: "storage_full", message: place.why }
    if (!place.ok) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    const now = this.#clock.now()
    const row = store.update(this.#deps.insert(ask), { state: STATE.inLine, ready: now, filed: NEW, due: now + UNSTORED_MS })
    this.#deps.sayLater(this.#deps.look().filter((other) => other !== run))
    const after = store.find(run) ?? row
    if (after.state === STATE.begun) {
      // Its object has no start yet that it could tell of.
      return { ok: true, word: wordOf(store.update(after, { due: now + UNSTORED_MS })) }
    }
    const wait = askedWait(store, after)
    store.remove(run)
    gate.giveBack(run)
    const { pool, key } = wait
    if (wait.reason === "concurrency" && pool !== undefined && key !== undefined)
      return { ok: false, code: "key_busy", pool, key, ...defined({ run: wait.run }) }
    const retry = wait.until === undefined ? FULL_MS : Math.max(1, wait.until - now)
    const message =
      wait.reason === "throttle"
        ? `no more runs of the key "${key}" of "${pool}" may begin now`
        : "this tenant has no room for another run now"
    return { ok: false, code: "quota", message, retry, limits: gate.room() }
  }
}
