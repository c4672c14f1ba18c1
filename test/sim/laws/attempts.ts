// [J3], [J10], [J16] Every attempt of an effect begins once and ends once: by its result, its failure or its loss; and no more are under way
// than the run's width.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"

const WIDTH = 6

interface Attempt {
  readonly step: string
  readonly kind: string
}

export class Attempts implements EventLaw {
  readonly underway = new Map<string, Attempt>()
  readonly #last = new Map<string, number>()
  #width = WIDTH

  take(e: RunEvent, say: (fault: string) => void): void {
    switch (e.type) {
      case "run.started":
        this.#width = e.width ?? WIDTH
        break
      case "run.forked":
        // What was under way in its source is lost and tried anew, for the first time here. Slices of the day are the source's: a fork's are
        // numbered from the first one on.
        this.#last.clear()
        for (const key of this.underway.keys()) {
          if (key.startsWith("lease/")) this.underway.delete(key)
          else this.#last.set(key, 1)
        }
        break
      case "action.begun": {
        if (this.underway.has(e.key)) say(`[J3] ${e.key} is under way already`)
        if (e.attempt !== (this.#last.get(e.key) ?? 0) + 1)
          say(`[J10] attempt ${e.attempt} of ${e.key} follows ${this.#last.get(e.key) ?? 0}`)
        this.underway.set(e.key, { step: e.step, kind: e.kind })
        this.#last.set(e.key, e.attempt)
        // Starts of children are calls between objects.
        const leaving = [...this.underway.values()].filter(({ kind }) => kind !== "child").length
        if (leaving > this.#width) say(`[J16] ${leaving} effects are under way, of ${this.#width}`)
        break
      }
      case "model.paced":
        // [R29], [R31] Nothing was sent, or it was refused: its attempt comes again.
        if (this.underway.delete(e.key)) this.#notTried(e.key)
        break
      case "action.lost":
      case "model.replied":
      case "model.failed":
        if (!this.underway.delete(e.key)) say(`[J3] ${e.key} is not under way`)
        if (e.type === "model.failed" && e.paced) this.#notTried(e.key)
        break
      case "tool.returned":
      case "tool.refused":
      case "tool.uncertain":
      case "finish.rejected":
        this.#over((key) => key.startsWith(`${e.step}/`) && key.endsWith(`/tool/${e.callId}`))
        break
      case "step.cached":
      case "cache.missed":
        this.underway.delete(`${e.step}/${e.pass}/0/cache`)
        break
      case "child.started":
      case "child.ended":
        this.underway.delete(`${e.step}/${e.pass}/${e.index}/child`)
        break
      case "session.opened":
      case "context.read":
      case "context.compacted": {
        const what = e.type === "session.opened" ? "session" : e.type === "context.read" ? "context" : "compact"
        this.#over((key) => key.startsWith(`${e.step}/`) && key.endsWith(`/${what}`))
        break
      }
      case "budget.leased":
        this.#over((key) => key.startsWith("lease/"))
        break
      case "effect.settled":
        // Of a run below it has that run's name in front.
        this.underway.delete(e.run === undefined ? e.key : `${e.run}/${e.key}`)
        break
      case "step.finished":
      case "step.skipped":
      case "step.reopened":
        this.#over((_, { step }) => step === e.step)
        break
      case "run.ended":
        // [K31] What was being sent is uncertain, and a run below looks after its own: what comes after the end is begun then [K34].
        this.#over(() => true)
        break
      default:
        break
    }
  }

  #notTried(key: string): void {
    this.#last.set(key, (this.#last.get(key) ?? 1) - 1)
  }

  #over(isOver: (key: string, of: Attempt) => boolean): void {
    for (const [key, of] of this.underway)
      if (isOver(key, of)) {
        this.underway.delete(key)
        // A turn may shorten its conversation twice.
        if (of.kind === "compact") this.#last.delete(key)
      }
  }
}
