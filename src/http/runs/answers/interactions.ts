// Serves a run's questions to people, and takes the answers [Q1, Q2]: the first decision counts, and a wrong answer leaves the question
// open.

import type { Answer } from "../../../core/run/signal.ts"
import type { AnswerResult } from "../../../ports/run.ts"
import { json } from "../../middleware/body.ts"
import { param, routes, type Call } from "../../middleware/call.ts"
import { pointerStep } from "../../../core/text/pointer.ts"
import { invalid, lost, NOT_FOUND, refuse, type Fault, type Refusal } from "../../middleware/problem.ts"
import { page } from "../../middleware/page.ts"
import { words } from "../../middleware/query.ts"
import { isPage, maySee, shownInteraction } from "../public-run.ts"
import { answersOutside } from "../../middleware/stranger.ts"
import { refuseIf, runOf } from "../runs.ts"
import { AnswerBody, INTERACTION_STATUS, interactions } from "../../../api/run/interactions.ts"

const ALTERNATIVES = ["answer", "custom", "auto", "cancelled", "decision"] as const

/** Oldest first. */
export async function listInteractions(c: Call): Promise<Response> {
  const run = runOf(c)
  const given = c.req.query("status")
  const status = words("status", given, INTERACTION_STATUS)
  if (!status.ok) return refuseIf(c, run?.view(), status.error)
  const wanted = status.value
  const found = await run?.interactions(wanted?.length === 1 ? wanted[0] : undefined)
  if (!found) return refuse(c, NOT_FOUND)
  const seen = found.filter((i) => maySee(c, i) && (wanted === undefined || wanted.includes(i.status)))
  return page(
    c,
    seen.map((i) => shownInteraction(c, i)),
  )
}

export async function getInteraction(c: Call): Promise<Response> {
  const found = await runOf(c)?.interaction(param(c, "interaction"))
  return found && maySee(c, found) ? c.json(shownInteraction(c, found)) : refuse(c, NOT_FOUND)
}

export async function answerInteraction(c: Call): Promise<Response> {
  const run = runOf(c)
  const id = param(c, "interaction")
  if (isPage(c)) {
    const asked = await run?.interaction(id)
    if (!asked || !maySee(c, asked)) return refuse(c, NOT_FOUND)
  }
  const body = json(c, AnswerBody)
  if (!body.ok) return refuseIf(c, run?.interaction(id), body.error)
  const errors = oneAlternative(body.value)
  if (errors.length > 0) return refuseIf(c, run?.interaction(id), invalid(errors))

  const result = await run?.answer(id, body.value, c.get("caller").name, answersOutside(c))
  if (!result) return refuse(c, NOT_FOUND)
  if (result.ok) return c.json(shownInteraction(c, result.interaction))
  const refusal = refusalOf(result)
  return refuse(c, "interaction" in result ? { ...refusal, more: { interaction: shownInteraction(c, result.interaction) } } : refusal)
}

/** The refusal of an answer. */
export function refusalOf(result: Extract<AnswerResult, { ok: false }>): Refusal {
  switch (result.code) {
    case "not_found":
      return NOT_FOUND
    case "invalid":
      return invalid(result.errors.map((e) => ({ pointer: pointerOf(e.path), message: e.message })))
    case "definitions_lost":
      return lost(result.why)
    case "other_hash":
      return {
        code: "already_answered",
        detail: "The hash does not belong to the call that waits for approval: read the interaction again.",
        more: { interaction: result.interaction },
      }
    case "already_answered":
      return {
        code: "already_answered",
        detail: `The interaction is already ${result.interaction.status}; the first decision counts.`,
        more: { interaction: result.interaction },
      }
  }
}

export function oneAlternative(body: Answer): Fault[] {
  const chosen = ALTERNATIVES.filter((name) => name in body)
  if (chosen.length !== 1) {
    const given = chosen.length === 0 ? "it has none of them" : `it has ${chosen.join(" and ")}`
    return [{ pointer: "", message: `must have exactly one of ${ALTERNATIVES.join(", ")}; ${given}` }]
  }
  const faults: Fault[] = []
  if ("notes" in body && !("answer" in body)) faults.push({ pointer: "/notes", message: "is allowed only with answer" })
  for (const name of ["args", "feedback", "hash"] as const) {
    if (name in body && !("decision" in body)) faults.push({ pointer: `/${name}`, message: "is allowed only with decision" })
  }
  return faults
}

/** `answer.0` or `/answer/0`, as the validator writes it. */
export const pointerOf = (path: string): string => (path === "" || path.startsWith("/") ? path : path.split(".").map(pointerStep).join(""))

export const INTERACTION_ROUTES = routes(interactions, { listRunInteractions: listInteractions, getInteraction, answerInteraction })
