// Finds where a run can be forked [K8]: between two decisions. The events of one signal, or of one record of `decide`, are never separated:
// a cut between a reply and its verdicts would let a refused call run.

import type { RunEvent } from "../event.ts"

export type From =
  | { readonly seq: number }
  | { readonly step: string; readonly pass?: number; readonly turn?: number }
  | { readonly interaction: string }
  | Readonly<Record<never, never>>

/** Why a place has no cut, with the places that have one. */
export type NoCut =
  /** `isEnd`: the event is the run's end. */
  | { readonly before: number | null; readonly after: number | null; readonly isEnd?: true }
  /** `isLater`: the event was said after the run's end [K34]. */
  | { readonly first: number; readonly last: number; readonly isLater?: true }
  | {
      readonly there: readonly (string | number)[]
      readonly what: "step" | "pass" | "turn" | "interaction"
      /** The pass that has no such turn. */
      readonly pass?: number
      /** The step was skipped. */
      readonly isSkipped?: true
    }

export type ForkCut = { readonly ok: true; readonly seq: number } | { readonly ok: false; readonly why: NoCut }

interface Pass {
  readonly opened: number
  /** Turn → the event in which its first model call began. */
  readonly turns: Map<number, number>
}

interface Question {
  readonly step: string
  /** The event that closed it; absent: it is open. */
  closed?: number
}

/** Reads a journal's events in order, then finds cuts. Linear in the journal's length. */
export class CutFinder {
  readonly #steps = new Map<string, Map<number, Pass>>()
  readonly #skipped = new Set<string>()
  readonly #questions = new Map<string, Question>()
  #ended: number | undefined
  #last = 0

  take(e: RunEvent): void {
    this.#last = e.seq
    switch (e.type) {
      case "step.opened":
        this.#passes(e.step).set(e.pass, { opened: e.seq, turns: new Map() })
        return
      case "step.skipped":
        this.#skipped.add(e.step)
        return
      case "action.begun": {
        if (e.kind !== "model") return
        const [, pass, turn] = e.key.split("/").map(Number)
        const turns = this.#steps.get(e.step)?.get(pass ?? 0)?.turns
        if (turns && turn !== undefined && !turns.has(turn)) turns.set(turn, e.seq)
        return
      }
      case "interaction.asked":
        this.#questions.set(e.id, { step: e.step })
        return
      case "interaction.answered":
      case "interaction.expired":
        this.#close(e.seq, (_, id) => id === e.id)
        return
      case "step.finished":
      case "step.reopened":
        this.#close(e.seq, ({ step }) => step === e.step)
        return
      case "run.ended":
        this.#ended ??= e.seq
        this.#close(e.seq, () => true)
        return
      default:
    }
  }

  /** `cuts`: the seqs after which a decision ends, ascending. */
  find(from: From, cuts: readonly number[]): ForkCut {
    // A start takes a slice of the day with it, or a pause: neither is taken over, so the beginning is always a cut.
    const end = this.#ended ?? this.#last + 1
    const all = [...new Set([1, ...cuts])].filter((seq) => seq < end)
    const first = all[0] ?? 1
    const last = all.at(-1) ?? 1
    const below = (seq: number): number => all.findLast((cut) => cut < seq) ?? first
    if ("seq" in from) {
      // [K34] What is said after the end is not part of the run's history.
      if (from.seq < 1 || from.seq > (this.#ended ?? this.#last))
        return no({ first, last, ...(from.seq > end && from.seq <= this.#last ? { isLater: true } : {}) })
      if (!all.includes(from.seq)) return no({ ...this.#beside(all, from.seq), ...(from.seq === this.#ended ? { isEnd: true } : {}) })
      return at(from.seq)
    }
    if ("interaction" in from) {
      const asked = this.#questions.get(from.interaction)
      if (!asked) return no({ there: [...this.#questions.keys()], what: "interaction" })
      return at(asked.closed === undefined ? last : below(asked.closed))
    }
    if (!("step" in from)) return at(first)
    const passes = this.#steps.get(from.step)
    if (!passes) return no({ there: [...this.#steps.keys()], what: "step", ...(this.#skipped.has(from.step) ? { isSkipped: true } : {}) })
    const number = from.pass ?? Math.max(...passes.keys())
    const pass = passes.get(number)
    if (!pass) return no({ there: [...passes.keys()], what: "pass" })
    if (from.turn === undefined) return at(below(pass.opened))
    const begun = pass.turns.get(from.turn)
    return begun === undefined ? no({ there: [...pass.turns.keys()], what: "turn", pass: number }) : at(below(begun))
  }

  #beside(cuts: readonly number[], seq: number): NoCut {
    return { before: cuts.findLast((cut) => cut < seq) ?? null, after: cuts.find((cut) => cut > seq) ?? null }
  }

  #passes(step: string): Map<number, Pass> {
    const passes = this.#steps.get(step) ?? new Map<number, Pass>()
    this.#steps.set(step, passes)
    return passes
  }

  #close(seq: number, which: (question: Question, id: string) => boolean): void {
    for (const [id, question] of this.#questions) if (question.closed === undefined && which(question, id)) question.closed = seq
  }
}

const at = (seq: number): ForkCut => ({ ok: true, seq })
const no = (why: NoCut): ForkCut => ({ ok: false, why })
