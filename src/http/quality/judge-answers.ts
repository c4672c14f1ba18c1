// Answers the routes of judges [V10, V22]. Loaded when one is asked.

import { ProbeBody } from "../../api/quality/judges.ts"
import { defined } from "../../core/defined.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { ProbeWish } from "../../ports/tenant/quality/scores.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { runsFrom, type From } from "./dataset-runs.ts"

const MOST = 20
/** Rows of a dataset that are looked at for runs: beyond them, few are left. */
const LOOK = 1_000

export async function probeScorer(c: Call): Promise<Response> {
  const body = json(c, ProbeBody)
  if (!body.ok) return refuse(c, body.error)
  const { dataset, most = MOST, budget } = body.value
  const of = typeof dataset === "string" ? await rowsOf(c, dataset) : await namedRuns(c, dataset)
  if (!of.ok) return refuse(c, of.error)
  const { scores } = c.get("tenant")
  const id = `probe_${(c.get("act") ?? crypto.randomUUID()).replaceAll("-", "")}`
  const by = c.get("caller").name
  const taken = await scores.probe({ id, scorer: param(c, "scorer"), of: of.value, most, by, ...defined({ budget }) })
  if (taken.ok) return c.json(taken.probe, 202)
  switch (taken.code) {
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "no_judge":
      return refuse(c, invalid([{ pointer: "", message: "the scorer asks no judge: there is nothing to probe" }]))
    case "no_budget":
      return refuse(c, invalid([{ pointer: "/budget", message: "is needed: the judge has a price" }]))
    case "no_runs":
      return refuse(c, invalid([{ pointer: "/dataset", message: "has no succeeded run that is still there" }]))
    case "quota":
      return refuse(c, {
        code: "quota",
        detail: "Too many scorings wait. Try again when some are through: GET /v1/settings/scoring/today.",
      })
  }
}

/** The newest run of each row. */
async function rowsOf(c: Call, dataset: string): Promise<Result<ProbeWish["of"], Refusal>> {
  const rows = await c.get("tenant").datasets.rows(dataset, { limit: LOOK })
  if (!rows) return err(invalid([{ pointer: "/dataset", message: "is no dataset: see GET /v1/datasets" }]))
  return ok(rows.flatMap(({ id, runs: [run] }) => (run === undefined ? [] : [{ run, dataset, row: id }])))
}

async function namedRuns(c: Call, from: From): Promise<Result<ProbeWish["of"], Refusal>> {
  const runs = await runsFrom(c, undefined, { ...from, ...(from.runs ? {} : { status: "succeeded" as const }) }, "/dataset")
  return runs.ok ? ok(runs.value.map((run) => ({ run }))) : runs
}

export async function getTrust(c: Call): Promise<Response> {
  const trust = await c.get("tenant").scores.trust(param(c, "scorer"))
  return trust ? c.json(trust) : refuse(c, NOT_FOUND)
}
