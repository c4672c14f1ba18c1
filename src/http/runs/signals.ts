// POST /v1/runs/:run/signals/:signal: sends a signal to the step that waits for it; its JSON body is the step's `payload`. 202 whether a
// step waits now or later: a signal is kept until a step waits for it.

import type { Json } from "../../core/json.ts"
import { parseJson } from "../middleware/body.ts"
import { isName } from "../../core/text/names.ts"
import { nearest } from "../../core/text/nearest.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, lost, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { refuseIf, runOf } from "./runs.ts"
import { runs } from "../../api/run/runs.ts"
import { defined } from "../../core/defined.ts"

export async function signalRun(c: Call): Promise<Response> {
  const run = runOf(c)
  const name = param(c, "signal")
  if (!run || !isName(name)) return refuse(c, NOT_FOUND)
  const body = parseJson(c)
  if (!body.ok) return refuseIf(c, run.view(), body.error)
  const result = await run.signal(name, body.value as Json, c.get("caller").name, c.get("act"))
  if (typeof result === "object")
    return refuse(c, result.code === "unknown_signal" ? invalid([{ pointer: "", ...unknown(name, result.known) }]) : lost(result.why))
  switch (result) {
    case "ok":
      return c.json({ run: param(c, "run"), signal: name, status: "accepted" }, 202)
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "over":
      return refuse(c, { code: "run_over", detail: "The run has ended, so no step waits for a signal." })
    case "too_many":
      return refuse(c, {
        code: "too_many_signals",
        detail: "This run already keeps 100 signals, or 2 MiB of them, for which no step has waited yet.",
      })
  }
}

/** [F23i] A name that no step waits for would be kept for ever. */
function unknown(name: string, known: readonly string[]): { readonly message: string; readonly suggestion?: string } {
  if (known.length === 0) return { message: `no step of this run's flow waits for a signal, so "${name}" would reach nobody` }
  const near = nearest(name, known)
  const message = `no step of this run's flow waits for a signal "${name}"; its steps wait for ${known.map((one) => `"${one}"`).join(", ")}`
  return { message: near === undefined ? message : `${message}. Did you mean "${near}"?`, ...defined({ suggestion: near }) }
}

export const SIGNAL_ROUTES = routes(runs, { signalRun })
