// Standing: what a run waits for and what others must hear of it, as its durable events say. Derived without the kernel's fold, for the law of
// alarms.

import type { RunEvent } from "../../../src/core/run/event.ts"
import { Attempts } from "./attempts.ts"
import type { EventLaw } from "./event-law.ts"

export class Standing implements EventLaw {
  readonly #attempts = new Attempts()
  status: "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled" = "running"
  reason = ""
  /** The seq and the time of its newest event. */
  seq = 0
  at = 0
  started: Extract<RunEvent, { type: "run.started" }> | undefined
  ended: Extract<RunEvent, { type: "run.ended" }> | undefined
  /** What it waits for: name → time (ms). A pause stops all but the expiry of questions. */
  readonly timers = new Map<string, number>()
  /** Open questions, oldest first: id → when each expires. */
  readonly open = new Map<string, number | undefined>()
  /** When each was asked (ms). */
  readonly #asked = new Map<string, number>()
  /** Children without an end in this journal. */
  readonly children = new Set<string>()
  /** Questions about money. */
  readonly #budget = new Set<string>()
  /** Its model calls need a slice of the tenant's day, which may have none before tomorrow [B4]. */
  hasDay = false
  isFork = false

  get underway(): ReadonlyMap<string, { readonly step: string; readonly kind: string }> {
    return this.#attempts.underway
  }

  /** It has asked a person for more money, and what needs money waits for the answer. */
  get asksForMoney(): boolean {
    return [...this.#budget].some((id) => this.open.has(id))
  }

  get isOver(): boolean {
    return this.ended !== undefined
  }

  take(e: RunEvent): void {
    this.#attempts.take(e, () => {})
    this.seq = e.seq
    this.at = e.at
    switch (e.type) {
      case "run.started":
        this.started = e
        break
      case "run.forked":
        this.#forked(e)
        break
      case "run.waiting":
        this.status = "waiting"
        this.reason = e.reason
        break
      case "run.paused":
        this.status = "paused"
        break
      case "run.resumed":
        this.status = "running"
        break
      case "run.ended":
        this.ended = e
        this.status = e.status
        this.timers.clear()
        this.open.clear()
        break
      case "step.opened":
        this.timers.delete(`${e.step} again`)
        if (e.until !== undefined) this.timers.set(`${e.step} waits`, e.until)
        break
      case "step.finished":
      case "step.skipped":
        this.#leave(e.step)
        break
      case "step.reopened":
        this.#leave(e.step)
        if (e.notBefore !== undefined) this.timers.set(`${e.step} again`, e.notBefore)
        break
      case "action.begun":
        this.timers.delete(`${e.step} retries`)
        break
      case "model.failed":
        if (e.retryAt !== undefined) this.timers.set(`${e.step} retries`, e.retryAt)
        break
      case "interaction.asked":
        this.open.set(e.id, e.expires)
        this.#asked.set(e.id, e.at)
        if (e.kind === "budget") this.#budget.add(e.id)
        break
      case "budget.exhausted":
        // The call waits for an answer about money.
        for (const name of this.timers.keys()) if (name.endsWith(" retries")) this.timers.delete(name)
        break
      case "interaction.answered":
      case "interaction.expired":
        this.open.delete(e.id)
        break
      case "budget.leased":
        this.hasDay = true
        break
      case "child.started":
        this.children.add(e.run)
        break
      case "child.ended":
        this.children.delete(e.run)
        break
      default:
        break
    }
  }

  /** [K10, K11] It goes on by itself: a wait has left what it had, and expiries begin anew. */
  #forked(e: Extract<RunEvent, { type: "run.forked" }>): void {
    this.isFork = true
    this.ended = undefined
    this.status = "running"
    this.children.clear()
    for (const [name, until] of this.timers) {
      if (name.endsWith(" waits")) this.timers.set(name, e.at + Math.max(0, until - e.source.at))
      else this.timers.delete(name)
    }
    for (const [id, expires] of this.open) {
      if (this.#budget.has(id)) this.open.delete(id)
      else if (expires !== undefined) this.open.set(id, e.at + expires - (this.#asked.get(id) ?? e.at))
    }
  }

  /** What belongs to a step that is over. Its questions are withdrawn. */
  #leave(step: string): void {
    for (const name of this.timers.keys()) if (name.startsWith(`${step} `)) this.timers.delete(name)
  }
}
