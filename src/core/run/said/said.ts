// Keeps what was said of a run: its scores [V11], and people's feedback and grades [V19–V21]. It decides nothing in the run, and a fork
// inherits none of it.

import { ok } from "../../result.ts"
import { defined } from "../../defined.ts"
import type { EventOf, Fact, FactOf } from "../event.ts"
import { refuse, type Admitted } from "../session/admit-session.ts"
import { isOver, type Run } from "../state.ts"
import type { SaidOfRun } from "./said-of-run.ts"

export const MAX_KEY_FEEDBACK = 50 // limit: feedback of keys on a run → 429 `quota`
export const MAX_PAGE_FEEDBACK = 10 // limit: changes of feedback from pages on a run → 429 `quota`
export const MAX_GRADES = 50 // limit: grades of a run → 429 `quota`

const saidOf = (run: Run): SaidOfRun => (run.said ??= { scores: {}, feedback: {}, given: { keys: 0, pages: 0, grades: 0 } })

/** [V11] A version scores a run once, unless it is asked again; and a request is answered once. */
export function scored(run: Run, { scored: fact, again }: { readonly scored: FactOf<"run.scored">; readonly again?: boolean }): Admitted {
  if (!isOver(run) || run.status === "canceled") return refuse("not_running")
  const before = run.said?.scores[fact.scorer]
  const isKnown = before !== undefined && before.versions.includes(fact.version)
  if (isKnown && (again !== true || (fact.ask !== undefined && before.ask === fact.ask))) return ok([])
  return ok([fact])
}

/** [V19] A request that comes again says nothing new, also after the giver has said something else. */
export function feedbackGiven(run: Run, fact: FactOf<"feedback.given">): Admitted {
  if (run.said?.ids?.includes(fact.id) === true) return ok([])
  const { keys = 0, pages = 0, grades = 0 } = run.said?.given ?? {}
  if (fact.scorer !== undefined ? grades >= MAX_GRADES : fact.page ? pages >= MAX_PAGE_FEEDBACK : keys >= MAX_KEY_FEEDBACK)
    return refuse("too_many")
  return ok([fact] satisfies Fact[])
}

export function scoreHeard(run: Run, e: EventOf<"run.scored">): void {
  const { scores } = saidOf(run)
  const { scorer, version, score, level, reason, error, judge, by, ask, at } = e
  const before = scores[scorer]?.versions ?? []
  const versions = before.includes(version) ? before : [...before, version]
  scores[scorer] = { version, score, by, at, versions, ...defined({ level, reason, error, judge, ask }) }
}

export function feedbackHeard(run: Run, e: EventOf<"feedback.given">): void {
  const said = saidOf(run)
  const { feedback, given } = said
  said.ids = [...(said.ids ?? []), e.id]
  given[e.scorer !== undefined ? "grades" : e.page ? "pages" : "keys"] += 1
  const giver = giverOf(e)
  const score = e.score ?? (e.thumb === "up" ? 1 : e.thumb === "down" ? 0 : undefined)
  const before = (said.corrected ?? []).filter((one) => one !== giver)
  if (e.thumb === "none") delete feedback[giver]
  else if (score !== undefined) feedback[giver] = { score, at: e.at, ...defined({ scorer: e.scorer }) }
  if (e.thumb === "none" && said.corrected) said.corrected = before
  else if (isCorrection(e)) said.corrected = [...before, giver]
}

/** A page is no key, also of a key that is named so. */
const giverOf = (e: Said): string => JSON.stringify(e.page ? ["page"] : [e.by, e.user ?? "", e.scorer ?? ""])

type Said = EventOf<"feedback.given">

/** A grade answers a scorer's question, and corrects nothing. */
const isCorrection = ({ correction, scorer }: Said): boolean => correction !== undefined && scorer === undefined

/** [V30] What the answer should have been, by who said so last and did not take it back. `events`: newest first. */
export function correctionIn(events: readonly (Said | EventOf<"run.scored">)[]): Said | undefined {
  const back = new Set<string>()
  for (const e of events) {
    if (e.type !== "feedback.given") continue
    const giver = giverOf(e)
    if (e.thumb === "none") back.add(giver)
    else if (isCorrection(e) && !back.has(giver)) return e
  }
  return undefined
}

/** From this score on a thumb is up. */
const UP = 0.5

export interface ShownFeedback {
  readonly up: number
  readonly down: number
  /** The givers' mean, where it is not that of thumbs. */
  readonly mean?: number
  /** How many say what the answer should have been; absent: nobody. */
  readonly corrected?: number
}

/** [V17] Grades apart; undefined: nobody has said anything. */
export function shownFeedback({ feedback, corrected = [] }: Pick<SaidOfRun, "feedback" | "corrected">): ShownFeedback | undefined {
  const all = Object.values(feedback).filter(({ scorer }) => scorer === undefined)
  const more = corrected.length === 0 ? {} : { corrected: corrected.length }
  if (all.length === 0) return corrected.length === 0 ? undefined : { up: 0, down: 0, ...more }
  const up = all.filter(({ score }) => score >= UP).length
  const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length
  return { up, down: all.length - up, ...(mean === up / all.length ? {} : { mean }), ...more }
}

/** [V17] The newest of each scorer; undefined: none. An error is no score. */
export function shownScores({ scores }: Pick<SaidOfRun, "scores">): Readonly<Record<string, number | null>> | undefined {
  const all = Object.entries(scores).flatMap(([name, { score, error }]) => (error === undefined ? [[name, score] as const] : []))
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

/** [V17] Undefined: nobody says anything; null: somebody says something, and nobody how good the run is. */
export function meanOf(shown: ShownFeedback | undefined): number | null | undefined {
  if (!shown) return undefined
  const { up, down, mean } = shown
  return mean ?? (up + down === 0 ? null : up / (up + down))
}

/** [V17] */
export function thumbsOf({ feedback }: Pick<SaidOfRun, "feedback">): Pick<ShownFeedback, "up" | "down"> | undefined {
  const shown = shownFeedback({ feedback })
  return shown && { up: shown.up, down: shown.down }
}
