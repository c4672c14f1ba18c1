// Shows the evidence for a repair in its session [13.7]. The session is `working` until the evidence is complete, so that no one accepts
// untested files; after a time limit it is `ready` anyway.

import { defined } from "../../core/defined.ts"
import { newestIn } from "../../core/run/said/scored-events.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { asOutside } from "../../engine/run/call/outside-text.ts"
import { sessionStatus, type SessionStatus, type SessionView } from "../../ports/tenant/authoring/architect.ts"
import type { Backtest } from "../../ports/tenant/authoring/backtests.ts"
import { isWhole, unscored, type Repair } from "../../ports/tenant/authoring/repairs.ts"
import type { Call } from "../middleware/call.ts"

const MAX_PROOF_MS = 15 * 60_000 // limit: milliseconds that a session waits for the proof of a repair → it is ready without
/** A proof without news for this long has lost its worker: the tests of a flow may take a minute. */
const LOST_MS = 90_000

export interface ProofSource {
  readonly session: SessionView
  readonly run: RunView | undefined
  readonly status: SessionStatus
  /** Absent: it is no repair, or its files are not written yet. */
  readonly proof?: ShownProof
}

export async function seenBy(c: Call, session: SessionView, run: RunView | undefined): Promise<ProofSource> {
  const { repair, state, files } = session
  const status = sessionStatus(state, run?.status, files.length)
  if (!repair || (status !== "ready" && status !== "accepted")) return { session, run, status }
  const now = Date.now()
  const made = repair.proof?.run === session.run ? repair.proof : undefined
  const hasStopped = !isWhole(made) && (made === undefined || now > made.at + LOST_MS)
  const { isUnscored, ...proof } = await shownProof(c, defined({ low: repair.low, proof: made }), now)
  if (status === "ready" && (hasStopped || isUnscored)) c.get("tenant").proveRepair(session.id, session.run)
  const isLate = made !== undefined && now > made.begun + MAX_PROOF_MS
  return { session, run, status: status === "ready" && proof.status === "running" && !isLate ? "working" : status, proof }
}

type ShownProof = Omit<Awaited<ReturnType<typeof shownProof>>, "isUnscored">

type Tried = Pick<Repair, "low" | "proof">

/** `isUnscored`: the fork has ended, and its scorer is to be asked. */
async function shownProof(c: Call, { low, proof: made }: Tried, now: number) {
  const tenant = c.get("tenant")
  const { fork, tests, backtest } = made ?? {}
  const [view, played] = await Promise.all([
    fork && "run" in fork ? tenant.run(fork.run).view() : undefined,
    backtest && "id" in backtest ? tenant.backtests.find(backtest.id) : undefined,
  ])
  const score = low && (await shownScore(c, defined({ low, proof: made }), view))
  const isOpen = (view !== undefined && !isSettled(view)) || played?.status === "running" || (low !== undefined && score === undefined)
  return {
    isUnscored:
      score === undefined && isWhole(made) && view?.ended !== undefined && unscored(defined({ low, proof: made }), now) !== undefined,
    status: isWhole(made) && !isOpen ? ("done" as const) : ("running" as const),
    ...(fork === undefined ? {} : { fork: "error" in fork ? fork : { ...fork, ...endOf(view) } }),
    ...defined({ score, tests }),
    ...(backtest === undefined ? {} : { backtest: backtest && "id" in backtest ? backtestOf(backtest.id, played) : backtest }),
  }
}

/** It has ended, or nothing continues until a person answers. */
const isSettled = ({ ended, status, pending }: RunView): boolean => ended !== undefined || (status === "waiting" && pending > 0)

const endOf = (view: RunView | undefined) =>
  view === undefined
    ? { status: "deleted" as const }
    : { status: view.status, ...defined({ error: view.error?.message, waiting: view.waiting?.reason }) }

/** [V18] undefined: it is still to come. */
async function shownScore(c: Call, { low, proof }: Tried, view: RunView | undefined) {
  const { fork, score } = proof ?? {}
  if (!low || !fork) return undefined
  if ("error" in fork) return { error: "there is no fork to score" }
  if (view === undefined) return { error: "the fork was deleted" }
  if (view.ended === undefined)
    return isSettled(view) ? { error: "the fork waits for a person: it is scored when it has ended" } : undefined
  const { scorer, score: before, below } = low
  const found = newestIn((await c.get("tenant").run(fork.run).said())?.events ?? []).find((e) => e.scorer === scorer)
  if (!found) return score && "error" in score ? score : undefined
  const { version, score: after, level, reason, error, judge } = found
  if (error !== undefined) return { error }
  return { scorer, version, below, before, after, ...defined({ level, reason, judge }), passed: after !== null && after >= below }
}

function backtestOf(id: string, played: Backtest | undefined) {
  if (!played) return { error: "the backtest is no longer stored" }
  const count = (result: string): number => played.runs.filter((row) => row.result === result).length
  return {
    id,
    status: played.status,
    same: count("same"),
    changed: count("changed"),
    diverged: count("diverged"),
    failed: count("failed"),
    runs: played.runs,
  }
}

/** Characters of what the architect is told of it. */
const SHOWN_PROOF = 20_000

/** The evidence as text for the architect when a person asks for a revision. It may contain any text of the runs. */
export function toldProof(proof: ShownProof): string {
  const [part] = asOutside(
    [{ type: "text", text: JSON.stringify(proof, null, 1).slice(0, SHOWN_PROOF) }],
    crypto.randomUUID().replaceAll("-", ""),
    "proof",
  )
  return part?.type === "text" ? part.text : ""
}
