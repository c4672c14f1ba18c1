// Orders the events of parallel steps for one stream [P11]. The step whose model began first streams live; events of other steps wait until
// its turn ends, so a later reader of a Responses stream sees the same numbering.

import type { RunEvent } from "../event.ts"

interface Turn {
  readonly key: string
  readonly step: string
}

export class StreamOrder {
  #open: Turn[]
  #holder: Turn | undefined
  #held: RunEvent[]

  constructor(from?: StreamOrder) {
    this.#open = from === undefined ? [] : [...from.#open]
    this.#holder = from === undefined ? undefined : from.#holder
    this.#held = from === undefined ? [] : [...from.#held]
  }

  /** The step whose text may be told at once. */
  get step(): string | undefined {
    return this.#holder?.step
  }

  /** The events that are told now, in their order. */
  due(e: RunEvent): RunEvent[] {
    this.#follow(e)
    const holder = this.#holder
    if (holder && this.#open.includes(holder)) {
      this.#held.push(e)
      return []
    }
    const held = this.#held
    this.#held = []
    this.#holder = this.#open[0]
    // The end of the turn that was told comes first.
    return holder && "step" in e && e.step === holder.step ? [e, ...held] : [...held, e]
  }

  #follow(e: RunEvent): void {
    switch (e.type) {
      case "action.begun":
        if (e.kind === "model" && !this.#open.some(({ key }) => key === e.key)) this.#open.push({ key: e.key, step: e.step })
        return
      case "model.replied":
      case "model.failed":
      case "action.lost":
        this.#open = this.#open.filter(({ key }) => key !== e.key)
        return
      case "step.opened":
      case "step.finished":
      case "step.skipped":
      case "step.reopened":
        this.#open = this.#open.filter(({ step }) => step !== e.step)
        return
      case "run.waiting":
      case "run.ended":
      case "run.forked":
        this.#open = []
        return
      default:
        return
    }
  }
}
