// POST /v1/runs/:run/steps/:step/try [K19]: calls a model again with the recorded request of a turn and another model, prompt or thinking level.

import { forks, TryBody } from "../../api/run/forks.ts"
import { defined } from "../../core/defined.ts"
import type { DefinitionsGone } from "../../ports/run.ts"
import type { TurnTried, TurnWish } from "../../ports/turn.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lost, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { notThere } from "./no-cut.ts"
import { refuseIf, runOf } from "./runs.ts"
import { unpriced } from "./start-refusal.ts"

export async function tryTurn(c: Call): Promise<Response> {
  const run = runOf(c)
  if (!run) return refuse(c, NOT_FOUND)
  const body = json(c, TryBody)
  if (!body.ok) return refuseIf(c, run.view(), body.error)
  const check = words("check", c.req.query("check"), ["0", "1"])
  if (!check.ok) return refuseIf(c, run.view(), check.error)
  const wish: TurnWish = { ...body.value, step: param(c, "step"), ...(check.value?.[0] === "1" ? { check: true as const } : {}) }
  const done = await c.get("tenant").tryTurn(param(c, "run"), wish)
  if (!done) return refuse(c, NOT_FOUND)
  if (!done.ok) return refuse(c, refusalOf(done, wish))
  return c.json(done.check ?? done.tried)
}

function refusalOf(done: Extract<TurnTried, { ok: false }> | DefinitionsGone, { step, pass, turn }: TurnWish): Refusal {
  switch (done.code) {
    case "no_turn": {
      const place = { step, ...defined({ pass }), turn: turn ?? 0 }
      return { code: "not_triable", ...notThere(done.why, place) }
    }
    case "not_triable":
      return { code: "not_triable", detail: `The turn cannot be tried: ${done.why}.` }
    case "no_price":
      return unpriced([done.model])
    case "definitions_lost":
      return lost(done.why)
    case "quota": {
      const need = [
        ...(done.need.usd === undefined ? [] : [`$${done.need.usd}`]),
        ...(done.need.tokens === undefined ? [] : [`${done.need.tokens} tokens`]),
      ].join(" and ")
      const seconds = Math.max(1, Math.ceil((done.retry - Date.now()) / 1000))
      const detail = `The turn may cost ${need}, which is more than the rest of the tenant's daily budget: try a cheaper model, try again later, or raise the budget with PUT /v1/settings/budget.`
      return { code: "quota", detail, headers: { "retry-after": String(seconds) } }
    }
    case "model_failed":
      return { code: "model_failed", detail: `The model was called and did not answer: ${done.why}. Try it again.` }
  }
}

export const TRY_ROUTES = routes(forks, { tryTurn })
