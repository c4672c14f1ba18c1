// GET /v1/runs/{run}/steps/{step}/prompt: the prompt of a model's turn [J21].

import { prompts } from "../../api/prompts.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { refuseIf } from "./runs.ts"

/** Below 0: it was not given. */
const WHOLE = { min: 0, max: 1_000_000, otherwise: -1 }

async function getStepPrompt(c: Call): Promise<Response> {
  const id = param(c, "run")
  const run = isRunId(id) ? c.get("tenant").run(id) : undefined
  const pass = whole("pass", c.req.query("pass"), { ...WHOLE, min: 1 })
  const turn = whole("turn", c.req.query("turn"), WHOLE)
  const layer = whole("layer", c.req.query("layer"), WHOLE)
  const wrong = [pass, turn, layer].flatMap((r) => (r.ok ? [] : [r.error]))[0]
  if (!run || wrong || !pass.ok || !turn.ok || !layer.ok) return refuseIf(c, run?.view(), wrong ?? invalid([]))
  const found = await run.prompt(param(c, "step"), {
    ...(pass.value < 0 ? {} : { pass: pass.value }),
    ...(turn.value < 0 ? {} : { turn: turn.value }),
    ...(layer.value < 0 ? {} : { layer: layer.value }),
  })
  return found ? c.json(found) : refuse(c, NOT_FOUND)
}

export const PROMPT_ROUTES = routes(prompts, { getStepPrompt })
