// Decides what follows when a pass of a step with `until` has ended [V23, V25]: who scores it, and whether that is enough, another round, or the
// end. Every score comes from outside the kernel, as a signal or as the end of the judge's run.

import { defined } from "../../defined.ts"
import { untilOf, type UntilSpec } from "../../flow/flow.ts"
import type { Amount } from "../../money/amount.ts"
import { isFree, priceOf } from "../../money/prices.ts"
import { JUDGE_PREFIX } from "../../flow/judge-flow.ts"
import { judgeMost, MAX_EVIDENCE } from "../budget/judge-most.ts"
import { judgeVerdict } from "./judge-verdict.ts"
import { kept, type Verdict } from "../said/score.ts"
import { record, type Action } from "../action.ts"
import { worstCost } from "../budget/worst-case.ts"
import type { Fact, FactOf } from "../event.ts"
import { childKey, putBackKey, scoreKey } from "../key.ts"
import type { PinnedScorer } from "../event-parts.ts"
import { stepState, type Offered, type Rounds, type Run, type StepState } from "../state.ts"
import { changedFiles, type ChangedFile } from "../steps/changed-files.ts"
import { isJudged, JUDGE } from "./rounds.ts"

/** What an open step wants whose pass is over; undefined: it is at work. */
export function judging(run: Run, id: string, s: StepState, rounds: Rounds): readonly Action[] | undefined {
  const until = untilOf(run.plan.steps.get(id))
  if (!until || !rounds.offered) return undefined
  if (rounds.goesBack) return []
  const score = rounds.scored.at(-1)
  if (score?.pass === s.pass) {
    if (score.score !== null && rounds.round < until.rounds) return [record({ type: "step.reopened", step: id, pass: s.pass + 1, by: id })]
    return ended(run, { id, s, until, rounds })
  }
  if (isJudged(run, id)) return judged(run, { id, s, until, rounds })
  const key = scoreKey(id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "score", key, step: id }]
}

/** A pass that is over, of a step that is not. */
interface Over {
  readonly id: string
  readonly s: StepState
  readonly until: UntilSpec
  readonly rounds: Rounds
}

function judged(run: Run, { id, s, until, rounds }: Over): readonly Action[] {
  const { children: c } = s
  const { scorer, pin } = scorerOf(run, until)
  if (c && c.ended > 0) {
    const status = c.failed > 0 ? "failed" : "succeeded"
    const verdict = judgeVerdict(scorer?.judge?.levels ?? [], { status, output: c.report?.outputs, error: c.message })
    return [record(...scored(run, id, { ...verdict, ...defined({ judge: rounds.judge }) }))]
  }
  const key = childKey(id, s.pass, JUDGE)
  if (!c || Object.keys(c.open).length > 0 || Object.hasOwn(run.underway, key)) return []
  const marks = {
    ...(run.tainted || s.tainted ? { tainted: true as const } : {}),
    ...(run.private || s.private ? { private: true as const } : {}),
  }
  const flow = `${JUDGE_PREFIX}${until.scorer}`
  return [
    { do: "start-child", key, step: id, index: JUDGE, flow, task: "", inputs: {}, ...marks, most: mostOf(run, rounds, pin, scorer?.judge) },
  ]
}

const scorerOf = ({ plan, pins }: Run, { scorer }: UntilSpec) => ({
  scorer: plan.scorers?.[scorer],
  pin: pins?.scorers && Object.hasOwn(pins.scorers, scorer) ? pins.scorers[scorer] : undefined,
})

/** [V27] The most that the turns of a judge can cost. Dollars are unknown where a model has no price. */
function mostOf({ prices }: Run, { evidence = 0 }: Rounds, pin: PinnedScorer | undefined, judge: { rubric: string } | undefined): Amount {
  const { input, output } = judgeMost(Math.min(MAX_EVIDENCE, evidence), judge?.rubric ?? "")
  const models = pin?.judge ? [pin.judge.model, ...(pin.judge.fallbacks ?? [])] : []
  const costs = models.map((model) => {
    const price = priceOf(prices, model)
    return price ? worstCost(price, input, output) : isFree(model) ? 0 : undefined
  })
  const known = costs.flatMap((cost) => cost ?? [])
  return {
    tokens: models.every((model) => isFree(model)) ? 0 : input + output,
    ...(known.length < costs.length ? {} : { usd: Math.max(0, ...known) }),
  }
}

/** What a score makes of the pass. If it is enough, the step ends in the same decision. */
export function scored(run: Run, step: string, verdict: Verdict & { readonly judge?: string }): Fact[] {
  const s = stepState(run, step)
  const until = untilOf(run.plan.steps.get(step))
  if (!until || !s.rounds?.offered) return []
  const { pass, rounds } = s
  const { score, level, reason, error } = kept(verdict)
  const { judge } = verdict
  const enough = error === undefined && score !== null && score >= until.at_least
  const { version = "" } = scorerOf(run, until).pin ?? {}
  const about = { scorer: until.scorer, version, score, ...defined({ level, reason, error }), enough, ...defined({ judge }) }
  const event: Fact = { type: "step.scored", step, pass, round: rounds.round, ...about }
  return enough ? [event, endOf(step, pass, s.rounds.offered)] : [event]
}

const endOf = (
  step: string,
  pass: number,
  { status: _status, pass: _pass, seq: _seq, tainted: _t, origins: _o, private: _p, ...result }: Offered,
) => ({ type: "step.finished", step, pass, status: "complete", ...result }) as const

/** Not enough, and no round is left: the step fails with its best round's result. */
function ended(run: Run, { id, s, until, rounds }: Over): readonly Action[] {
  const { best } = rounds
  const key = putBackKey(id, s.pass)
  if (!best || !rounds.changed) return [record(failure(id, s, until, rounds))]
  const steps = [id, ...(rounds.reopened ?? [])]
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "put-back", key, step: id, to: best.result.seq, steps }]
}

export function putBack(run: Run, step: string, changed: readonly ChangedFile[]): Fact[] {
  const s = stepState(run, step)
  const until = untilOf(run.plan.steps.get(step))
  return until && s.rounds ? [...changedFiles(changed, { step }), failure(step, s, until, s.rounds)] : []
}

function failure(step: string, s: StepState, until: UntilSpec, { best, last, scored: scores }: Rounds): FactOf<"step.finished"> {
  const { summary = "", files = [], outputs = {}, ...more } = best?.result ?? last ?? {}
  const { artifacts, text } = more as Partial<Offered>
  return {
    type: "step.finished",
    step,
    pass: s.pass,
    status: "error",
    summary,
    files,
    ...defined({ artifacts }),
    outputs,
    source: "score",
    ...defined({ text }),
    message: whyNot(until, scores, best?.score),
  }
}

function whyNot({ scorer, at_least, rounds }: UntilSpec, scores: Rounds["scored"], best: number | undefined): string {
  const score = scores.at(-1)
  if (score?.error !== undefined) return `the scorer "${scorer}" gave no score: ${score.error}`
  if (score?.score === null) return `the scorer "${scorer}" says that it does not apply, and what cannot be judged is not good enough`
  const said = scores.findLast((one) => one.score === best)?.reason
  return `after ${rounds} rounds the best score of "${scorer}" is ${best ?? 0}, and ${at_least} is needed${said === undefined ? "" : `: ${said}`}`
}
