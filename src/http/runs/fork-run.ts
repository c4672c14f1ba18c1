// POST /v1/runs/:run/fork and …/again [K7]: starts a new run from a moment of another run, and responds like a start.

import { forks, AgainBody, ForkBody, type Fork } from "../../api/run/forks.ts"
import type { Scope } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import type { From } from "../../core/run/fork/cut.ts"
import type { ForkRequest, ForkResult } from "../../ports/fork.ts"
import { BODY_LIMIT, json, tooLarge } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { limitHeaders } from "../middleware/limits.ts"
import { invalid, lost, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { keyBusy } from "./line-up.ts"
import { notForkable } from "./no-cut.ts"
import { refuseIf, runOf } from "./runs.ts"
import { whyNot } from "./begin-run.ts"
import { asksForStream } from "./events.ts"
import { unpriced } from "./start-refusal.ts"
import { accepted, answer } from "./start-run.ts"

export async function forkRun(c: Call): Promise<Response> {
  const source = runOf(c)
  const body = json(c, ForkBody)
  if (!body.ok) return refuseIf(c, source?.view(), body.error)
  if (c.get("body").byteLength > BODY_LIMIT && body.value.patch === undefined) return refuse(c, tooLarge(BODY_LIMIT))
  const check = words("check", c.req.query("check"), ["0", "1"])
  if (!check.ok) return refuseIf(c, source?.view(), check.error)
  const missing = missingScope(c, body.value)
  if (missing !== undefined)
    return refuseIf(c, source?.view(), { code: "forbidden", detail: `This needs a key with the scope ${missing}.` })
  const { from = {}, ...wish } = body.value
  return fork(c, { ...wish, from, ...(check.value?.[0] === "1" ? { check: true as const } : {}) })
}

/** Runs a failed run again, with the current definitions. */
export async function runAgain(c: Call): Promise<Response> {
  const body = json(c, AgainBody)
  if (!body.ok) return refuseIf(c, runOf(c)?.view(), body.error)
  return fork(c, { effects: "source", ...body.value, from: {}, patch: { revision: "latest" }, again: true })
}

async function fork(c: Call, wish: Omit<ForkRequest, "tenant" | "run" | "source" | "by">): Promise<Response> {
  if (!runOf(c)) return refuse(c, NOT_FOUND)
  // A fork's stream begins with what its source did, and so does its view.
  const reads = c.get("caller").scopes.includes("runs:read")
  if (!reads && asksForStream(c))
    return refuse(c, { code: "forbidden", detail: "A fork's stream shows its source too, which needs a key with the scope runs:read." })
  const tenantServices = c.get("tenant")
  const id = await tenantServices.runId(keyOf(c))
  const { tenant, name } = c.get("caller")
  const trace = c.get("trace")
  const done = await tenantServices.run(id).fork({ ...wish, tenant, run: id, source: param(c, "run"), by: name, ...defined({ trace }) })
  if (!done.ok) return refuse(c, refusalOf(done, wish.from))
  if ("check" in done) return c.json(done.check)
  // A run outlives the record of its key: the key then names the old run.
  const isOther = done.view.fork !== undefined && done.view.fork.run !== param(c, "run")
  if (isOther || done.view.fork === undefined)
    return refuse(c, { code: "idempotency_mismatch", detail: "This Idempotency-Key was used for another run; use a new key." })
  if (done.limits) for (const [header, value] of Object.entries(limitHeaders(done.limits))) c.header(header, value)
  return reads ? answer(c, done.view) : accepted(c, done.view)
}

/** [K7] Who may not do a thing may not do it by a fork either. */
export function missingScope(c: Call, { instead, patch }: Pick<Fork, "instead" | "patch">): Scope | undefined {
  const { scopes } = c.get("caller")
  const needed: Scope[] = []
  if (instead && "answer" in instead) needed.push("interactions:answer")
  if (instead && "reply" in instead && instead.reply.toolCalls?.some((call) => !ENDS.has(call.name)) === true) needed.push("tools:call")
  if (patch?.definitions !== undefined || patch?.revision !== undefined) needed.push("catalog:write")
  return needed.find((scope) => !scopes.includes(scope))
}

/** An agent's own end is no call of a tool. */
const ENDS: ReadonlySet<string> = new Set(["finish", "subagent_finalize"])

function refusalOf(done: Extract<ForkResult, { ok: false }>, from: From): Refusal {
  switch (done.code) {
    case "not_found":
      return NOT_FOUND
    case "not_forkable":
      return notForkable(done, from)
    case "patch_conflict": {
      const steps = done.steps.map((step) => `"${step}"`).join(", ")
      const detail = `These steps of the run have opened, and the patched flow does not have them with their types: ${steps}. Keep them as they are, or fork from before they opened.`
      return { code: "patch_conflict", detail, more: { steps: done.steps } }
    }
    case "invalid":
      return invalid(done.errors)
    case "no_price":
      return unpriced(done.models)
    case "definitions_lost":
      return lost(done.why)
    case "key_busy":
      return keyBusy(done)
    case "refused":
      return whyNot(done.why)
  }
}

export const FORK_ROUTES = routes(forks, { forkRun, runAgain })
