// Refuses rules that name something missing when they are written [T30b]. Mere warnings are dropped, because the response of a setting
// cannot carry them.

import { defined } from "../../core/defined.ts"
import { GateBody, type GateSetting } from "../../core/tool/policy/gate-setting.ts"
import { ScoringBody, type ScoringSetting } from "../../core/score/scoring-setting.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Rulebook } from "../../ports/tenant/catalog.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"

export async function gateOf(c: Call): Promise<Result<GateSetting, Refusal>> {
  const body = json(c, GateBody)
  if (!body.ok) return body
  const missing = await missingNames(c, { gate: body.value })
  return missing === undefined ? ok(body.value) : err(missing)
}

/** [V13] */
export async function scoringOf(c: Call): Promise<Result<ScoringSetting, Refusal>> {
  const body = json(c, ScoringBody)
  if (!body.ok) return body
  const missing = await missingNames(c, { scoring: body.value })
  return missing === undefined ? ok(body.value) : err(missing)
}

export async function missingNames(c: Call, rules: Rulebook): Promise<Refusal | undefined> {
  const faults = (await c.get("tenant").catalog.ruleFaults(rules)).filter(({ isWarning }) => isWarning !== true)
  if (faults.length === 0) return undefined
  return invalid(faults.map(({ pointer, message, suggestion }) => ({ pointer, message, ...defined({ suggestion }) })))
}
