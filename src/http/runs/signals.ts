// POST /v1/runs/:run/signals/:signal: a word from outside for the step that waits for it; its JSON body is the step's `payload`.
//
// 202 whether a step waits already or will later: a signal is kept until it is asked for [wait steps].

import type { Json } from "../../core/json.ts"
import { parseJson } from "../middleware/body.ts"
import { isName } from "../../core/flow/path-id.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lost, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { refuseIf, runOf } from "./runs.ts"
import { runs } from "../../api/runs.ts"

export async function signalRun(c: Call): Promise<Response> {
  const run = runOf(c)
  const name = param(c, "signal")
  if (!run || !isName(name)) return refuse(c, NOT_FOUND)
  const body = parseJson(c)
  if (!body.ok) return refuseIf(c, run.view(), body.error)
  const told = await run.signal(name, body.value as Json, c.get("caller").name, c.get("act"))
  if (typeof told === "object") return refuse(c, lost(told.why))
  switch (told) {
    case "ok":
      return c.json({ run: param(c, "run"), signal: name, status: "accepted" }, 202)
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "over":
      return refuse(c, { code: "run_over", detail: "The run has ended: nothing waits for a signal any more." })
    case "too_many":
      return refuse(c, {
        code: "too_many_signals",
        detail: "100 signals, or 2 MiB of them, are kept for this run already, and no step has asked for one of them.",
      })
  }
}

export const SIGNAL_ROUTES = routes(runs, { signalRun })
