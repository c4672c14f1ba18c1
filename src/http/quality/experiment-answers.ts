// Answers the routes of experiments [V32, V38]. Loaded when one is asked.

import type { z } from "zod"
import type { Experiment as ExperimentShown } from "../../api/doc/experiments.doc.ts"
import { ExperimentBody } from "../../api/quality/experiments.ts"
import { MAX_LAST } from "../../api/quality/datasets.ts"
import type { Shown } from "../../api/rows.ts"
import { defined } from "../../core/defined.ts"
import type { Json } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { isFlowId } from "../../core/text/names.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import type { ExperimentFixing, ExperimentRowGiven, ExperimentSeen, ExperimentWish } from "../../ports/tenant/quality/experiments.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { notFoundNear } from "../middleware/near.ts"
import { BAD_CURSOR, page } from "../middleware/page.ts"
import { faultOf, invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { oneWord, whole } from "../middleware/query.ts"
import { whyNot } from "../runs/begin-run.ts"
import { refuseIf } from "../runs/runs.ts"
import { NO_SCORER } from "./no-scorer.ts"
import { rowsFrom, runsFrom } from "./dataset-runs.ts"

const PAGE = 500
/** Characters of all rows: they go to the tenant's object in one call. */
const ROWS_SIZE = 24_000_000

type Asked = z.output<typeof ExperimentBody>

export async function startExperiment(c: Call): Promise<Response> {
  const check = oneWord("check", c.req.query("check"), ["0", "1"])
  if (!check.ok) return refuse(c, check.error)
  const body = json(c, ExperimentBody)
  if (!body.ok) return refuse(c, body.error)
  const forbidden = body.value.variants.some(({ definitions }) => definitions) ? lacks(c, "catalog:write") : undefined
  if (forbidden) return forbidden
  const { flow, variants, scorers, budget, name, dataset } = body.value
  const tenant = c.get("tenant")
  if (!isFlowId(flow)) return notFoundNear(c, "flow", flow)
  const twice = scorers.findIndex((one, i) => scorers.indexOf(one) !== i)
  if (twice >= 0) return refuse(c, invalid([{ pointer: `/scorers/${twice}`, message: "is named twice" }]))
  const rows = await rowsOf(c, body.value)
  if (!rows.ok) return refuse(c, rows.error)
  const wish: ExperimentWish = {
    flow,
    dataset: dataset as Json,
    variants: variants as ExperimentWish["variants"],
    scorers,
    repeats: body.value.repeats ?? 1,
    by: c.get("caller").name,
    ...defined({ budget, name }),
    ...(isChosen(body.value) ? { isChosen: true as const } : {}),
  }
  const fixing = await tenant.experiments.fix(wish)
  if (!fixing.ok) return refusedVariant(c, flow, fixing)
  const names = fixing.fixed.variants.map((one) => one.name)
  const same = names.findIndex((one, i) => names.indexOf(one) !== i)
  if (same >= 0)
    return refuse(c, invalid([{ pointer: `/variants/${same}/name`, message: `is the name of another variant: ${names[same] ?? ""}` }]))
  if (check.value === "1") return c.json(await tenant.experiments.check(fixing, rows.value))
  const begun = await tenant.experiments.begin(fixing.fixed, rows.value, c.get("act"))
  if (begun.ok) {
    const { id, status, rows: count } = begun
    return c.json({ id, status, rows: count }, 202, { location: `/v1/experiments/${id}` })
  }
  switch (begun.code) {
    case "quota":
      return refuse(c, { code: "quota", detail: "Five experiments are under way, and no more run at once. Wait for one, or stop it." })
    case "no_scorer":
      return refuse(c, invalid([{ pointer: `/scorers/${begun.at}`, message: NO_SCORER }]))
    case "no_price":
      return refuse(c, invalid([{ pointer: "/budget/usd", message: `no price: ${begun.models.join(", ")}` }]))
  }
}

/** [V37] By how their runs ended. */
const isChosen = ({ dataset }: Asked): boolean =>
  typeof dataset !== "string" && (dataset.status !== undefined || dataset.scorer !== undefined || dataset.feedback !== undefined)

async function rowsOf(c: Call, { flow, dataset }: Asked): Promise<Result<readonly ExperimentRowGiven[], Refusal>> {
  const found = typeof dataset === "string" ? await rowsIn(c, flow, dataset) : await rowsOfRuns(c, flow, dataset)
  if (!found.ok) return found
  if (found.value.length === 0) return err(invalid([{ pointer: "/dataset", message: "has no rows for this flow" }]))
  const size = found.value.reduce((sum, row) => sum + JSON.stringify(row).length, 0)
  if (size <= ROWS_SIZE) return found
  return err(invalid([{ pointer: "/dataset", message: `its rows have ${size} characters, and an experiment takes ${ROWS_SIZE}` }]))
}

async function rowsIn(c: Call, flow: string, name: string): Promise<Result<readonly ExperimentRowGiven[], Refusal>> {
  const { datasets, run } = c.get("tenant")
  const dataset = await datasets.find(name)
  const fault = (message: string): Result<never, Refusal> => err(invalid([{ pointer: "/dataset", message }]))
  if (!dataset) return fault(`is neither a dataset nor a \`from\`: there is no dataset "${name}"`)
  if (dataset.flow !== flow) return fault(`is a dataset of the flow ${dataset.flow}`)
  if (dataset.rows > MAX_LAST) return fault(`has ${dataset.rows} rows, and an experiment takes ${MAX_LAST}`)
  const rows: ExperimentRowGiven[] = []
  for (let after = ""; ;) {
    const some = (await datasets.rows(name, { after, limit: PAGE })) ?? []
    for (const { id, row, runs, untrusted } of some) {
      const recording = await firstThere(run, runs)
      rows.push({ id, row, ...defined({ run: recording, untrusted }) })
    }
    const last = some.at(-1)
    if (!last || some.length < PAGE) return ok(rows)
    after = last.id
  }
}

/** [V29] The newest run that is there is the row's recording. */
async function firstThere(run: (id: string) => { view(): Promise<unknown> }, ids: readonly string[]): Promise<string | undefined> {
  for (const id of ids) if (await run(id).view()) return id
  return undefined
}

async function rowsOfRuns(
  c: Call,
  flow: string,
  from: Exclude<Asked["dataset"], string>,
): Promise<Result<readonly ExperimentRowGiven[], Refusal>> {
  const ids = await runsFrom(c, flow, from, "/dataset")
  if (!ids.ok) return ids
  const { rows } = await rowsFrom(c, flow, ids.value, from.expect)
  const order = new Map(ids.value.map((id, i) => [id, i]))
  // Equal rows are one, and the newest run is its recording.
  const made = new Map<string, ExperimentRowGiven>()
  for (const { id, row, run, untrusted } of rows.toSorted((a, b) => (order.get(a.run ?? "") ?? 0) - (order.get(b.run ?? "") ?? 0)))
    if (!made.has(id)) made.set(id, { id, row, ...defined({ run, untrusted }) })
  return ok([...made.values()])
}

function refusedVariant(
  c: Call,
  flow: string,
  { at, change, why }: Extract<ExperimentFixing, { ok: false }>,
): Response | Promise<Response> {
  const pointer = `/variants/${at}`
  const fault = (under: string, message: string): Response => refuse(c, invalid([{ pointer: `${pointer}${under}`, message }]))
  switch (why.code) {
    case "faults": {
      const faults = Object.entries(why.diagnostics).flatMap(([path, list]): Fault[] =>
        list
          .filter((d) => d.severity === "error")
          .map((d) => ({ ...faultOf(d, `${pointer}/definitions${pointerStep(path)}`), message: `${path}: ${d.message}` })),
      )
      return refuse(c, { ...invalid(faults), more: { diagnostics: why.diagnostics } })
    }
    case "no_agent":
      return fault(`/models${pointerStep(why.agent)}`, "is not an agent of the flow")
    case "no_other":
      return fault(`/agents${pointerStep(why.agent)}`, why.message)
    case "no_session":
      return fault("", "is not an open session of the architect")
    case "not_pinned":
      if (why.why.code !== "not_found") return refuse(c, whyNot(why.why))
      if (change.revision !== undefined) return fault("/revision", `has no flow "${flow}": GET /v1/catalog/history lists the revisions`)
      if (change.draft !== undefined) return fault("/draft", `there is no such draft, or it has no flow "${flow}"`)
      return notFoundNear(c, "flow", flow)
  }
}

const shown = (seen: ExperimentSeen): Shown<typeof ExperimentShown> => isoTimes(seen, "created") as Shown<typeof ExperimentShown>

export const listExperiments = async (c: Call): Promise<Response> => page(c, (await c.get("tenant").experiments.list()).map(shown))

export async function getExperiment(c: Call): Promise<Response> {
  const found = await c.get("tenant").experiments.find(param(c, "experiment"))
  return found ? c.json(shown(found)) : refuse(c, NOT_FOUND)
}

export async function listExperimentRows(c: Call): Promise<Response> {
  const { experiments: port } = c.get("tenant")
  const id = param(c, "experiment")
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuseIf(c, port.find(id), limit.error)
  const cursor = c.req.query("cursor")
  const owner = `${c.get("caller").tenant} ${c.req.path}`
  const [after = "", ...more] = cursor === undefined ? [] : (cursorPosition(cursor, owner) ?? [0])
  if (typeof after !== "string" || more.length > 0) return refuseIf(c, port.find(id), BAD_CURSOR)
  const [scorer, worse] = [c.req.query("scorer"), c.req.query("worse")]
  const wrong = scorer === undefined && worse === undefined ? undefined : filterFault(await port.find(id), scorer, worse)
  if (wrong) return refuse(c, wrong)
  const rows = await port.rows(id, { after, limit: limit.value + 1, ...defined({ scorer, worse }) })
  if (!rows) return refuse(c, NOT_FOUND)
  const data = rows.slice(0, limit.value)
  const last = data.at(-1)
  return c.json({ data, next_cursor: rows.length > data.length && last ? cursorText(owner, last.row) : null })
}

/** A filter that could let no row through hides a wrong name. */
function filterFault(seen: ExperimentSeen | undefined, scorer: string | undefined, worse: string | undefined): Refusal | undefined {
  if (!seen) return NOT_FOUND
  const [first, ...others] = seen.variants.map(({ name }) => name)
  if (worse === undefined) return invalid([{ pointer: "?scorer", message: `belongs to ?worse=, a variant: ${others.join(", ")}` }])
  const faults: Fault[] = []
  if (!others.includes(worse))
    faults.push({ pointer: "?worse", message: `must be a variant that is compared with ${first ?? ""}: ${others.join(", ")}` })
  if (scorer !== undefined && !seen.scorers.includes(scorer))
    faults.push({ pointer: "?scorer", message: `must be a scorer of the experiment: ${seen.scorers.join(", ")}` })
  return faults.length > 0 ? invalid(faults) : undefined
}

export async function stopExperiment(c: Call): Promise<Response> {
  const found = await c.get("tenant").experiments.stop(param(c, "experiment"))
  return found ? c.json(shown(found)) : refuse(c, NOT_FOUND)
}

/** [V38] An admin alone deletes what the gate may rest on. */
export async function deleteExperiment(c: Call): Promise<Response> {
  const forbidden = lacks(c, "admin")
  const done = await c.get("tenant").experiments.remove(param(c, "experiment"), forbidden === undefined)
  if (done === "kept" && forbidden) return forbidden
  return done === "removed" ? c.body(null, 204) : refuse(c, NOT_FOUND)
}
