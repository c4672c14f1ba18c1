// Says what is said of a rehearsal while it plays and once it is over: where it is, what it waits for, and where that can be given.

import { duration } from "../chat/wording.ts"

export interface TriedView {
  readonly status: string
  readonly created: string
  readonly ended?: string
  readonly waiting?: { readonly reason: string; readonly signal?: string }
  /** Open asks. */
  readonly pending: number
  readonly asks?: readonly unknown[]
  readonly steps: Readonly<Record<string, { readonly status: string }>>
  readonly error?: { readonly message: string }
}

export interface TriedWords {
  /** Of the mark beside them. */
  readonly status: string
  readonly words: string
  /** What its run is opened for. */
  readonly link: string
  /** It waits for a signal or a time, not for a person. */
  readonly isPatient?: true
}

const ENDED: Readonly<Record<string, string>> = { succeeded: "succeeded", failed: "failed", canceled: "was canceled" }

/** `what`: the rehearsal, as it is called. */
export function triedWords(what: string, view: TriedView | undefined): TriedWords {
  if (view === undefined) return { status: "queued", words: `${what} has begun.`, link: "Open" }
  const { status, waiting, steps, error } = view
  const all = Object.entries(steps)
  const done = all.filter(([, step]) => step.status === "complete").length
  const end = ENDED[status]
  if (end !== undefined) {
    const took = view.ended === undefined ? "" : ` in ${duration(Date.parse(view.ended) - Date.parse(view.created))}`
    const told = `${what} ${end}${took}: ${done} ${done === 1 ? "step" : "steps"}, no model, no cost.`
    return { status, words: error === undefined ? told : `${told} ${error.message}`, link: "Open" }
  }
  const far = `${done} of ${all.length} ${all.length === 1 ? "step" : "steps"} done`
  if (view.pending > 0 || (view.asks?.length ?? 0) > 0)
    return { status: "waiting", words: `${what} asks a person. ${far}.`, link: "Answer it" }
  if (waiting?.signal !== undefined)
    return { status: "waiting", words: `${what} waits for the signal ${waiting.signal}. ${far}.`, link: "Send the signal", isPatient: true }
  if (status === "waiting") return { status, words: `${what} waits. ${far}.`, link: "Open", isPatient: true }
  const at = all.flatMap(([id, step]) => (step.status === "running" ? [id] : []))
  return { status, words: at.length === 0 ? `${what} runs. ${far}.` : `${what} is at ${at.join(", ")}. ${far}.`, link: "Open" }
}

export const isTriedOver = ({ status }: TriedView): boolean => ENDED[status] !== undefined
