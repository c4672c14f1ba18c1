// Sums what a run has asked people, for its tenant's totals [H13]: the number of questions and approvals, who asked them, and how long
// people took. Computed when the run has ended; questions from before a fork count for the source [K11].

import type { Interaction, Run } from "../state.ts"
import { agentOf } from "./tally.ts"

export interface AskCounts {
  /** Of an agent, a fork, a server, a budget. */
  questions: number
  /** Of calls and plans, and of calls that were kept. */
  approvals: number
  /** The part of both that a person answered. */
  answered: number
  /** How long these waited for their answers. */
  waited_ms: number
}

export const nothingAsked = (): AskCounts => ({ questions: 0, approvals: 0, answered: 0, waited_ms: 0 })

const APPROVALS: ReadonlySet<Interaction["kind"]> = new Set(["approval.tool", "approval.plan", "effects"])

export const isApproval = ({ kind }: Interaction): boolean => APPROVALS.has(kind)

/** false: it was decided in the source of this fork. */
export const isOwn = ({ fork, started }: Run, { decided }: Interaction): boolean =>
  fork === undefined || decided === undefined || decided > started

/** How long a question waited in this run until it was decided. */
export const waitOf = ({ started }: Run, { created, decided = created }: Interaction): number =>
  Math.max(0, decided - Math.max(created, started))

/** The sums by kind and name, as in a tally, with those of the whole run under "flow". */
export function askedBy(run: Run): ReadonlyMap<string, AskCounts> {
  const names = new Map<string, AskCounts>()
  const of = (key: string): AskCounts => {
    const known = names.get(key) ?? nothingAsked()
    names.set(key, known)
    return known
  }
  for (const i of Object.values(run.interactions)) {
    if (!isOwn(run, i)) continue
    const { tool } = i.payload
    const sums = [of("flow"), of(`agent ${agentOf(run, i.step)}`)]
    if (i.kind === "approval.tool" && typeof tool === "string") sums.push(of(`tool ${tool}`))
    for (const sum of sums) {
      sum[isApproval(i) ? "approvals" : "questions"] += 1
      if (i.status !== "answered" || i.decided === undefined) continue
      sum.answered += 1
      sum.waited_ms += waitOf(run, i)
    }
  }
  return names
}
