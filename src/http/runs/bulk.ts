// Serves bulks [R42–R46]: one act on many runs, with a count before, its progress, and a stop.

import type { z } from "zod"
import type { Bulk as BulkShown } from "../../api/doc/run/bulk.doc.ts"
import type { Shown } from "../../api/rows.ts"
import { bulk, BULK_OUTCOMES, BulkBody, MOST_BY_DEFAULT } from "../../api/run/bulk.ts"
import { NoBody } from "../../api/route/route.ts"
import type { Scope } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { cleanJson } from "../../engine/run/arrival.ts"
import { MOST_LOOKED, MOST_UNDER_WAY, type BulkOrder, type BulkRow, type BulkRuns } from "../../ports/tenant/bulks.ts"
import { pathAt } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { BAD_CURSOR } from "../middleware/page.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { oneWord, whole, words } from "../middleware/query.ts"
import { missingScope } from "./fork-run.ts"
import { filterOf } from "./run-filter.ts"
import { refuseIf } from "./runs.ts"

type Body = z.output<typeof BulkBody>

const RETRY = { "retry-after": "30" }

export async function startBulk(c: Call): Promise<Response> {
  const body = json(c, BulkBody)
  if (!body.ok) return refuse(c, body.error)
  const missing = scopeFor(c, body.value)
  if (missing !== undefined) return refuse(c, { code: "forbidden", detail: `This needs a key with the scope ${missing}.` })
  const check = oneWord("check", c.req.query("check"), ["0", "1"])
  if (!check.ok) return refuse(c, check.error)
  const runs = runsOf(body.value)
  if (!runs.ok) return refuse(c, runs.error)
  const { bulks, secrets } = c.get("tenant")
  const { action, most = MOST_BY_DEFAULT } = body.value
  if (check.value === "1") return c.json({ action, ...(await bulks.count(runs.value)) })
  // It is stored, so secrets are removed.
  const { again, fork } = await cleanJson({ again: body.value.again, fork: body.value.fork }, await secrets.redactor())
  const { name, keyId } = c.get("caller")
  const order: BulkOrder = { action, by: name, ...defined({ keyId, again, fork }) }
  const begun = await bulks.begin(order, runs.value, most, c.get("act"))
  if (begun.ok) return c.json(begun.bulk, 202, { location: pathAt(c, `/v1/bulk/${begun.bulk.id}`) })
  return refuse(c, refusalOf(begun, most))
}

function refusalOf(refused: Exclude<Awaited<ReturnType<Call["var"]["tenant"]["bulks"]["begin"]>>, { ok: true }>, most: number): Refusal {
  switch (refused.code) {
    case "too_many": {
      const message = `${refused.count} runs match, which is more than ${most}: raise \`most\`, or narrow the filter`
      return { ...invalid([{ pointer: "/most", message }]), more: { count: refused.count } }
    }
    case "too_wide":
      return invalid([
        {
          pointer: "/filter",
          message: `has more than ${MOST_LOOKED} runs to look at: narrow it, such as with \`since\`, \`flow\` or \`status\``,
        },
      ])
    case "busy": {
      const detail = `${MOST_UNDER_WAY} bulks of this tenant are under way. Stop one, or try again when one is done.`
      return { code: "quota", detail, headers: RETRY }
    }
  }
}

/** [K7] Who may not do a thing may not do it by a bulk either, nor learn by words what runs say. */
function scopeFor(c: Call, { fork, filter }: Body): Scope | undefined {
  const missing = fork && missingScope(c, fork)
  if (missing !== undefined) return missing
  return filter?.q !== undefined && !c.get("caller").scopes.includes("runs:read") ? "runs:read" : undefined
}

function runsOf({ action, filter, runs, again, fork }: Body): Result<BulkRuns, Refusal> {
  const faults: Fault[] = []
  if (again !== undefined && action !== "again") faults.push({ pointer: "/again", message: "is for the action `again`" })
  if (fork !== undefined && action !== "fork") faults.push({ pointer: "/fork", message: "is for the action `fork`" })
  if ((filter === undefined) === (runs === undefined)) faults.push({ pointer: "", message: "must have either `filter` or `runs`" })
  if (filter !== undefined && Object.keys(filter).length === 0)
    faults.push({ pointer: "/filter", message: "must have at least one filter of the list of runs" })
  for (const [i, id] of (runs ?? []).entries()) if (!isRunId(id)) faults.push({ pointer: `/runs/${i}`, message: "must be the id of a run" })
  if (faults.length > 0) return err(invalid(faults))
  if (runs !== undefined) return ok({ runs })
  const found = filterOf((name) => filter?.[name as keyof typeof filter])
  if (found.ok) return ok({ filter: found.value })
  // [H3] The filters of the list, in a body.
  const { errors = [] } = found.error
  return err({ ...found.error, errors: errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\?/, "/filter/") })) })
}

export async function listBulks(c: Call): Promise<Response> {
  const page = pageOf(c)
  if (!page.ok) return refuse(c, page.error)
  const found = await c.get("tenant").bulks.list(page.value)
  if ("badCursor" in found) return refuse(c, BAD_CURSOR)
  return c.json({ ...found, data: found.data.map(shown) })
}

export async function getBulk(c: Call): Promise<Response> {
  const row = await c.get("tenant").bulks.find(param(c, "bulk"))
  return row ? c.json(shown(row)) : refuse(c, NOT_FOUND)
}

export async function listBulkItems(c: Call): Promise<Response> {
  const { bulks } = c.get("tenant")
  const id = param(c, "bulk")
  const page = pageOf(c)
  if (!page.ok) return refuseIf(c, bulks.find(id), page.error)
  const outcome = words("outcome", c.req.query("outcome"), BULK_OUTCOMES)
  if (!outcome.ok) return refuseIf(c, bulks.find(id), outcome.error)
  const found = await bulks.items(id, { ...page.value, ...defined({ outcome: outcome.value }) })
  if (!found) return refuse(c, NOT_FOUND)
  return "badCursor" in found ? refuse(c, BAD_CURSOR) : c.json(found)
}

export async function stopBulk(c: Call): Promise<Response> {
  const { bulks } = c.get("tenant")
  const id = param(c, "bulk")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, bulks.find(id), body.error)
  const row = await bulks.stop(id)
  return row ? c.json(shown(row)) : refuse(c, NOT_FOUND)
}

function pageOf(c: Call): Result<{ limit: number; cursor?: string }, Refusal> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  return limit.ok ? ok({ limit: limit.value, ...defined({ cursor: c.req.query("cursor") }) }) : limit
}

const shown = (row: BulkRow): Shown<typeof BulkShown> => isoTimes(row, "created")

export const BULK_ROUTES = routes(bulk, { startBulk, listBulks, getBulk, listBulkItems, stopBulk })
