// Folds the rounds of a step with `until` [V23]: what a pass has offered, how it was scored, and the best of the entry. Part of `apply`.

import { defined } from "../../defined.ts"
import { untilOf, type Step } from "../../flow/flow.ts"
import { originsOf } from "../../flow/origin.ts"
import { MAX_EVIDENCE } from "../budget/judge-most.ts"
import type { Scorer } from "../../flow/scorer.ts"
import { closeHolds } from "../budget/budget-fold.ts"
import type { EventOf } from "../event.ts"
import { owe } from "../session/sticky.ts"
import { become, type Offered, type Rounds, type Run, type StepResult, type StepState } from "../state.ts"
import { forget, leaveWork, touch } from "../steps/touch.ts"
import { callsLost } from "../usage/lost.ts"
import { sizeOfEvidence } from "./evidence.ts"

const bestScore = ({ best }: Rounds): number => best?.score ?? -1

export function roundBegins(run: Run, s: StepState, e: EventOf<"step.opened">): void {
  if (untilOf(run.plan.steps.get(e.step)) === undefined) return
  s.rounds ??= { round: 1, scored: [] }
  s.rounds.evidence = sizeOfEvidence(e)
}

/** The pass is over, and its step is not: nothing of it is admitted any more [J4]. */
export function offered(run: Run, e: EventOf<"step.offered">): void {
  callsLost(run, e.step)
  const s = touch(run, e.step)
  const rounds = (s.rounds ??= { round: 1, scored: [] })
  const { session } = s
  const origins = originsOf([...(session?.origins ?? []), ...(s.origins ?? [])])
  if (session?.tainted) s.tainted = true
  if (session?.private) s.private = true
  if (origins.length > 0) s.origins = origins
  rounds.offered = {
    pass: e.pass,
    seq: e.seq,
    status: "complete",
    summary: e.summary,
    files: e.files,
    outputs: e.outputs,
    ...defined({ artifacts: e.artifacts, text: e.text, by: e.by, tainted: s.tainted, origins: s.origins, private: s.private }),
  }
  const scorer = scorerOf(run, e.step)
  const more = (scorer?.judge?.calls ? (session?.bytes ?? 0) : 0) + (scorer?.files.length ? MAX_EVIDENCE : 0)
  rounds.evidence = (rounds.evidence ?? 0) + sizeOfEvidence(e) + more
  owe(run, e.step, s)
  leaveWork(run, e.step, s)
  forget(run, e.step)
  const limit = run.budget.steps[e.step]
  closeHolds(run, e.step)
  // [V27] The judge's part comes out of the same pass.
  if (limit) run.budget.steps[e.step] = limit
  if (isJudged(run, e.step)) become(s, { children: { total: 1, next: JUDGE, starting: [], open: {}, ended: 0, failed: 0 } })
}

/** The index of the judge's run among the runs of a pass: a flow-ref's own child is 0. */
export const JUDGE = 1

/** A judge says it, in a run of its own. The built-in `criteria` asks nobody: a step has no row. */
export function isJudged(run: Run, step: string): boolean {
  const scorer = scorerOf(run, step)
  return scorer?.judge !== undefined && scorer.kind !== "built-in"
}

const scorerOf = ({ plan }: Run, step: string): Scorer | undefined => plan.scorers?.[untilOf(plan.steps.get(step))?.scorer ?? ""]

export function roundScored(run: Run, e: EventOf<"step.scored">): void {
  const s = touch(run, e.step)
  const { rounds } = s
  if (!rounds) return
  const { type: _type, step: _step, scorer: _scorer, version: _version, seq: _seq, at: _at, v: _v, prev: _prev, ...score } = e
  rounds.scored.push(score)
  // [R40] A pass of another run was offered there.
  if (!rounds.offered) return
  forget(run, e.step)
  leaveWork(run, e.step, s)
  rounds.last = rounds.offered
  if (e.score !== null && e.error === undefined && e.score >= bestScore(rounds)) {
    rounds.best = { score: e.score, result: rounds.offered }
    delete rounds.changed
  }
  const until = untilOf(run.plan.steps.get(e.step))
  if (until?.from !== undefined && !e.enough && e.score !== null && rounds.round < until.rounds) rounds.goesBack = true
}

/** By itself or by its `retry` the entry goes on; by another step it is a new one. */
export function roundReopened(run: Run, s: StepState, e: EventOf<"step.reopened">): void {
  const judged = e.by === undefined || e.by === e.step ? undefined : run.steps[e.by]?.rounds
  if (judged) judged.reopened = [...new Set([...(judged.reopened ?? []), e.step])]
  const { rounds } = s
  if (!rounds) return
  if (e.by !== undefined && e.by !== e.step) {
    delete s.rounds
    return
  }
  rounds.round += 1
  // [F19] Its last result counts until it finishes again.
  if (e.by === e.step && rounds.last) s.result = resultOf(rounds.last)
  delete rounds.offered
  delete rounds.judge
  delete rounds.goesBack
}

/** The step has ended: the view shows its rounds until it is entered anew. A result that was put back keeps its own marks. */
export function roundsOver(s: StepState, rounds: Rounds): void {
  const { result } = s
  if (result?.source === "score") {
    const { tainted, origins = [], private: isPrivate } = rounds.best?.result ?? {}
    if (tainted) result.tainted = true
    if (isPrivate) result.private = true
    const all = originsOf([...(result.origins ?? []), ...origins])
    if (all.length > 0) result.origins = all
  }
  delete rounds.offered
  delete rounds.judge
}

/** [V23] `rounds` are the most passes of one entry: a step that is out of them is not tried again either. */
export const isLastRound = (step: Step, { rounds }: StepState): boolean =>
  rounds !== undefined && rounds.round >= (untilOf(step)?.rounds ?? 0)

const resultOf = ({ pass: _pass, seq: _seq, by: _by, ...result }: Offered): StepResult => result

/** [V25] What later rounds wrote is put back. */
export function roundWrote(run: Run, e: EventOf<"file.changed">): void {
  for (const id of run.plan.judged) {
    const rounds = run.steps[id]?.rounds
    if (rounds?.best && (e.step === id || rounds.reopened?.includes(e.step ?? ""))) {
      rounds.changed = true
      run.touched.add(id)
    }
  }
}
