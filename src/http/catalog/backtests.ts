// POST /v1/flows/:flow/backtest and GET /v1/backtests/:backtest [K23]: tries a change on recorded runs.

import type { Backtest as BacktestShown } from "../../api/doc/tests.doc.ts"
import type { Shown } from "../../api/rows.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import type { z } from "zod"
import { isFlowId } from "../../core/text/names.ts"
import { parseIsoTime } from "../../core/text/iso-time.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Backtest, BacktestWish, Proposal } from "../../ports/tenant/authoring/backtests.ts"
import { BacktestBody, MAX_RUNS, tests } from "../../api/tests.ts"
import { defined } from "../../core/defined.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { notFoundNear } from "../middleware/near.ts"
import { faultOf, invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { whyNot } from "../runs/begin-run.ts"

export async function backtestFlow(c: Call): Promise<Response> {
  const flow = param(c, "flow")
  const tenant = c.get("tenant")
  if (!isFlowId(flow)) return notFoundNear(c, "flow", flow)
  const body = json(c, BacktestBody)
  const known = body.ok && body.value.change?.definitions !== undefined ? true : await tenant.catalog.read("flow", flow)
  if (!known) return notFoundNear(c, "flow", flow)
  if (!body.ok) return refuse(c, body.error)
  const { against, change = {}, match = "position", beyond = "stop", budget } = body.value
  const needs = change.definitions !== undefined || change.session !== undefined ? lacks(c, "catalog:write") : undefined
  if (needs) return needs
  const ways = ["definitions", "revision", "session"].filter((name) => Object.hasOwn(change, name))
  if (ways.length > 1) return refuse(c, invalid([{ pointer: "/change", message: `must have one of ${ways.join(", ")}` }]))
  const runs = await runsOf(c, flow, against)
  if (!runs.ok) return refuse(c, runs.error)
  const wish: BacktestWish = { flow, runs: runs.value, change, match, beyond, ...defined({ budget }) }
  const proposal = await tenant.backtests.propose({ flow, change, rehearse: true, autonomous: true })
  if (!proposal.ok) return refusedProposal(c, flow, change, proposal)
  const id = await tenant.backtests.begin(wish)
  return c.json({ id, status: "running", flow }, 202, { location: `/v1/backtests/${id}` })
}

type Against = z.output<typeof BacktestBody>["against"]

async function runsOf(c: Call, flow: string, against: Against): Promise<Result<string[], Refusal>> {
  const tenant = c.get("tenant")
  if ("runs" in against && against.runs !== undefined) {
    const faults: Fault[] = []
    for (const [i, id] of against.runs.entries()) {
      const view = isRunId(id) ? await tenant.run(id).view() : undefined
      const message = !view
        ? "is not a run of this tenant"
        : view.flow !== flow
          ? `is a run of the flow ${view.flow}`
          : view.ended === undefined
            ? "has not ended"
            : undefined
      if (message !== undefined) faults.push({ pointer: `/against/runs/${i}`, message })
    }
    return faults.length > 0 ? err(invalid(faults)) : ok([...new Set(against.runs)])
  }
  const { last = MAX_RUNS, status, tag, since } = against
  const after = since === undefined ? undefined : parseIsoTime(since)
  if (since !== undefined && after === undefined)
    return err(invalid([{ pointer: "/against/since", message: "must be a time such as 2026-12-24T18:00:00Z" }]))
  const found = await tenant.runList.list({
    limit: last,
    flow: [flow],
    status: typeof status === "string" ? [status] : (status ?? ["succeeded", "failed"]),
    ...defined({ tag, createdAfter: after }),
  })
  return ok("badCursor" in found ? [] : found.data.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))
}

function refusedProposal(
  c: Call,
  flow: string,
  change: BacktestWish["change"],
  proposal: Extract<Proposal, { ok: false }>,
): Response | Promise<Response> {
  switch (proposal.code) {
    case "faults": {
      const faults = Object.entries(proposal.diagnostics).flatMap(([path, list]): Fault[] =>
        list
          .filter((d) => d.severity === "error")
          .map((d) => ({ ...faultOf(d, `/change/definitions${pointerStep(path)}`), message: `${path}: ${d.message}` })),
      )
      return refuse(c, { ...invalid(faults), more: { diagnostics: proposal.diagnostics } })
    }
    case "no_session":
      return refuse(c, invalid([{ pointer: "/change/session", message: "is not an open session of the architect" }]))
    case "no_agent":
      return refuse(c, invalid([{ pointer: `/change/models${pointerStep(proposal.agent)}`, message: "is not an agent of the flow" }]))
    case "not_pinned":
      if (proposal.why.code !== "not_found") return refuse(c, whyNot(proposal.why))
      // The catalog has the flow, so it is what is tried that has it not.
      return change.revision === undefined
        ? notFoundNear(c, "flow", flow)
        : refuse(
            c,
            invalid([{ pointer: "/change/revision", message: `has no flow "${flow}": GET /v1/catalog/history lists the revisions` }]),
          )
  }
}

export async function getBacktest(c: Call): Promise<Response> {
  const found = await c.get("tenant").backtests.find(param(c, "backtest"))
  return found ? c.json(shown(found)) : refuse(c, NOT_FOUND)
}

const shown = ({ wish, at: _at, ...backtest }: Backtest): Shown<typeof BacktestShown> => ({
  ...isoTimes(backtest, "created"),
  flow: wish.flow,
})

export const BACKTEST_ROUTES = routes(tests, { backtestFlow, getBacktest })
