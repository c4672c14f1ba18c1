// Answers what is asked about scores of runs [V12] and feedback [V19].

import { FeedbackBody, ScoresBody } from "../../api/quality/scores.ts"
import { defined } from "../../core/defined.ts"
import { versionsIn } from "../../core/run/said/scored-events.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { FeedbackWish, SaidEvents } from "../../ports/tenant/quality/scoring.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { NO_SCORER } from "./no-scorer.ts"
import { isPage, pageRefusal } from "./page-feedback.ts"
import { refuseIf, runOf } from "../runs/runs.ts"

export async function scoreRun(c: Call): Promise<Response> {
  const run = runOf(c)
  if (!run) return refuse(c, NOT_FOUND)
  const body = json(c, ScoresBody)
  if (!body.ok) return refuseIf(c, run.view(), body.error)
  const [said, view] = await Promise.all([run.said(), run.view()])
  if (!said || !view) return refuse(c, NOT_FOUND)
  if (!said.isOver) return refuse(c, { code: "run_not_over", detail: "Scores are of ended runs. Wait for the end of this one." })
  if (said.status === "canceled") return refuse(c, invalid([{ pointer: "/scorers/0", message: "canceled runs are not scored" }]))
  const versions = versionsIn(said.events)
  const { scorers, again } = body.value
  const by = c.get("caller").name
  const ask = c.get("act") ?? crypto.randomUUID()
  const taken = await c.get("tenant").scores.ask({ run: view.id, flow: view.flow, scorers, by, ask, versions, ...defined({ again }) })
  if (taken.ok) return c.json({ data: taken.data }, 202)
  const pointer = `/scorers/${taken.at}`
  switch (taken.code) {
    case "unknown":
      return refuse(c, invalid([{ pointer, message: NO_SCORER }]))
    case "no_budget": {
      const message = "asks a judge with a price, and nothing bounds what judges may use: PUT /v1/settings/scoring with a `budget`"
      return refuse(c, invalid([{ pointer, message }]))
    }
    case "quota":
      return refuse(c, { code: "quota", detail: "What judges may use today is used up. It begins anew with the UTC day." })
  }
}

export async function getScores(c: Call): Promise<Response> {
  const run = runOf(c)
  const said = run && (await run.said())
  if (!said) return refuse(c, NOT_FOUND)
  const rows = said.events.length === 0 ? [] : await c.get("tenant").scores.scorers()
  const current = new Map(rows.map(({ name, version }) => [name, version]))
  return c.json({
    scores: said.events.flatMap((e) => scoreIn(e, current)),
    feedback: said.events.flatMap((e) => feedbackIn(e, param(c, "run"))),
  })
}

function scoreIn(e: SaidEvents[number], current: ReadonlyMap<string, string>) {
  if (e.type !== "run.scored") return []
  const { scorer, version, score, level, reason, error, by, judge, at } = e
  const isCurrent = current.get(scorer) === version
  return [{ scorer, version, current: isCurrent, score, ...defined({ level, reason, error }), by, at: isoTime(at), ...defined({ judge }) }]
}

function feedbackIn(e: SaidEvents[number], run: string) {
  if (e.type !== "feedback.given") return []
  const { id, by, at, thumb, score, comment, correction, scorer, user } = e
  return [{ id, run, at: isoTime(at), by, ...defined({ thumb, score, comment, correction, scorer, user }) }]
}

export async function giveFeedback(c: Call): Promise<Response> {
  const run = runOf(c)
  if (!run) return refuse(c, NOT_FOUND)
  const body = json(c, FeedbackBody)
  if (!body.ok) return refuseIf(c, run.view(), body.error)
  const view = await run.view()
  if (!view) return refuse(c, NOT_FOUND)
  const refused = isPage(c) ? pageRefusal(c, body.value, view) : undefined
  if (refused) return refuse(c, refused)
  const { thumb, score, comment, correction, scorer, user } = body.value
  if (thumb === undefined && score === undefined && comment === undefined && correction === undefined)
    return refuse(c, invalid([{ pointer: "", message: "must have one of thumb, score, comment, correction" }]))
  if (thumb !== undefined && score !== undefined)
    return refuse(c, invalid([{ pointer: "/score", message: "is said by `thumb`: give one of the two" }]))
  const { scores: port } = c.get("tenant")
  if (scorer !== undefined) {
    if (!c.get("caller").scopes.includes("interactions:answer"))
      return refuse(c, { code: "forbidden", detail: "A grade needs a key with the scope interactions:answer." })
    const levels = await port.levels(scorer)
    if (levels === undefined) return refuse(c, invalid([{ pointer: "/scorer", message: NO_SCORER }]))
    if (score === undefined) return refuse(c, invalid([{ pointer: "/score", message: "a grade needs `score`" }]))
    if (levels !== null && !levels.some((level) => level.score === score))
      return refuse(
        c,
        invalid([{ pointer: "/score", message: `must be one of the levels: ${levels.map((level) => level.score).join(", ")}` }]),
      )
  }
  const wish: FeedbackWish = {
    id: `fb_${c.get("act") ?? crypto.randomUUID().replaceAll("-", "")}`,
    by: c.get("caller").name,
    ...(isPage(c) ? { page: true as const } : {}),
    ...defined({ thumb, score, comment, correction, scorer, user }),
  }
  const taken = await run.feedback(wish)
  if (!taken.ok) {
    if (taken.code === "not_found") return refuse(c, NOT_FOUND)
    if (taken.code === "too_many")
      return refuse(c, { code: "quota", detail: "This run takes no more feedback: 50 from keys, 10 from pages, and 50 grades." })
    return refuse(c, { code: "not_running", detail: "The run has not begun, so there is nothing to say of it." })
  }
  const { id, by, ...given } = taken.given
  await port.heard(view.id, view.flow, taken)
  return c.json({ id, run: view.id, at: isoTime(taken.at), by, ...given }, 201)
}

export const getScoringToday = async (c: Call): Promise<Response> => c.json(await c.get("tenant").scores.today())
