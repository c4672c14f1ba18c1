// Serves effects [K31–K35]: the ledger of a run, the undecided effects of all runs, and people's decisions. The tenant's object knows which
// effects are open; their rows are read from the runs' journals, so they are always current.

import { EFFECT_STATES, OPEN_STATES } from "../../core/run/effects/ledger.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { effects, ResolveBody, UndoBody } from "../../api/run/effects.ts"
import { defined } from "../../core/defined.ts"
import type { EffectLine } from "../../ports/tenant/effects.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { invalid, lost, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { whole, words } from "../middleware/query.ts"
import { refuseIf, runOf } from "./runs.ts"

export async function listRunEffects(c: Call): Promise<Response> {
  const rows = await runOf(c)?.effects()
  return rows ? page(c, rows.map(shown)) : refuse(c, NOT_FOUND)
}

export async function listEffects(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const states = words("state", c.req.query("state"), EFFECT_STATES)
  if (!states.ok) return refuse(c, states.error)
  const [tool, host, run, cursor] = ["tool", "host", "run", "cursor"].map((name) => c.req.query(name))
  const fits = (row: EffectLine): boolean =>
    (states.value?.includes(row.state) ?? true) && (tool === undefined || row.tool === tool) && (host === undefined || row.target === host)
  const tenant = c.get("tenant")
  if (run !== undefined) return page(c, ((isRunId(run) && (await tenant.run(run).effects())) || []).filter(fits).map(shown))
  const found = await tenant.runList.effects({ limit: limit.value, ...defined({ states: states.value, tool, host, cursor }) })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  const runs = [...new Set(found.data.map((one) => one.run))]
  const rows = new Map(
    await Promise.all(runs.map(async (id) => [id, new Map((await tenant.run(id).effects())?.map((row) => [row.key, row]))] as const)),
  )
  const open = found.data
    .flatMap(({ run: id, key }) => rows.get(id)?.get(key) ?? [])
    .filter((row) => OPEN_STATES.has(row.state) && fits(row))
  return c.json({ data: open.map(shown), next_cursor: found.next_cursor })
}

export async function resolveEffect(c: Call): Promise<Response> {
  const run = runOf(c)
  const key = param(c, "effect")
  const body = json(c, ResolveBody)
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const done = await run?.resolveEffect(key, body.value.resolve === "happened", c.get("caller").name)
  if (!done || (!done.ok && done.code === "not_found")) return refuse(c, NOT_FOUND)
  if (done.ok) return c.json(shown(done.effect))
  if (done.code === "definitions_lost") return refuse(c, lost(done.why))
  return refuse(c, {
    code: "not_uncertain",
    detail: `The effect is ${done.effect.state}: only an uncertain effect can be resolved, once.`,
    more: { effect: shown(done.effect) },
  })
}

export async function undoRun(c: Call): Promise<Response> {
  const run = runOf(c)
  const body = json(c, UndoBody)
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const done = await run?.undo(body.value.keys, c.get("caller").name)
  if (!done || (!done.ok && done.code === "not_found")) return refuse(c, NOT_FOUND)
  if (done.ok) return c.json({ run: param(c, "run"), keys: done.keys }, 202)
  if (done.code === "definitions_lost") return refuse(c, lost(done.why))
  if (done.code === "unknown_keys")
    return refuse(
      c,
      invalid([{ pointer: "/keys", message: `names effects that this run does not have: ${done.keys.slice(0, 5).join(", ")}` }]),
    )
  return refuse(c, {
    code: "run_not_over",
    detail: "The run has not ended: cancel it, or wait until it ends, and then undo its effects.",
  })
}

const shown = (row: EffectLine) => isoTimes(row, "at")

export const EFFECT_ROUTES = routes(effects, { listRunEffects, listEffects, resolveEffect, undoRun })
