// Makes rows of a tenant's ended runs [V30]: which runs, and what a row of each is.

import type { z } from "zod"
import type { FromBody } from "../../api/quality/datasets.ts"
import { besideFailure, isCut } from "../../core/case/beside-failure.ts"
import { expectationOf } from "../../core/case/recorded-expectation.ts"
import { foundIn } from "../../core/case/tested-run.ts"
import { recordedRow } from "../../core/dataset/recorded-row.ts"
import { MAX_ROW, rowId, type AddedRow } from "../../core/dataset/row.ts"
import { canonical, isObject, type Json, type JsonObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { cleanJson } from "../../engine/run/arrival.ts"
import { atOnce } from "../../engine/at-once.ts"
import { sha256 } from "../../engine/sha256.ts"
import { givenOf, readRecorded } from "../../engine/trial/record-case.ts"
import type { EventOf } from "../../core/run/event.ts"
import { correctionIn } from "../../core/run/said/said.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { filterOf } from "../runs/run-filter.ts"
import { isRunId, type Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import { trialDeps } from "../catalog/tests.ts"

export type From = z.output<typeof FromBody>

const PAGE = 200
const LOOK = 10_000
const AT_ONCE = 6
const IDS = 500

export interface LeftOut {
  readonly run: string
  readonly why: string
}

export interface MadeRows {
  readonly rows: readonly AddedRow[]
  readonly left_out: readonly LeftOut[]
}

/** The ids of the runs, the newest first. `at`: the pointer of `from`. */
export async function runsFrom(c: Call, flow: string | undefined, from: From, at: string): Promise<Result<readonly string[], Refusal>> {
  if (from.runs !== undefined) {
    const bad = from.runs.findIndex((id) => !isRunId(id))
    return bad < 0 ? ok([...new Set(from.runs)]) : err(invalid([{ pointer: `${at}/runs/${bad}`, message: "must be the id of a run" }]))
  }
  const query: Readonly<Record<string, string | undefined>> = {
    flow,
    status: from.status ?? "succeeded,failed",
    tag: from.tag,
    since: from.since,
  }
  const filter = filterOf((name) => query[name])
  if (!filter.ok) {
    const { errors = [] } = filter.error
    return err({ ...filter.error, errors: errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\?/, `${at}/`) })) })
  }
  const found: string[] = []
  const { runList } = c.get("tenant")
  let cursor: string | undefined
  for (let looked = 0; looked < LOOK && found.length < (from.last ?? 0); looked += PAGE) {
    const page = await runList.list({ ...filter.value, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    if ("badCursor" in page) break
    for (const row of page.data) if (typeof row["id"] === "string" && isWanted(row, from)) found.push(row["id"])
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  return ok(found.slice(0, from.last))
}

/** By score and feedback, as the list shows them. */
function isWanted(row: JsonObject, { scorer, at_most = 1, at_least = 0, feedback }: From): boolean {
  if (isApart(row)) return false
  if (scorer !== undefined) {
    const scores = isObject(row["scores"]) ? row["scores"] : {}
    const score = Object.hasOwn(scores, scorer) ? scores[scorer] : undefined
    if (typeof score !== "number" || score > at_most || score < at_least) return false
  }
  if (feedback === undefined) return true
  const given = isObject(row["feedback"]) ? row["feedback"] : {}
  const count = given[feedback]
  return typeof count === "number" && count > 0
}

/** Tests and trials are about the flow, and say nothing about what it meets. */
const isApart = (row: Readonly<Record<string, unknown>>): boolean => {
  const trigger = isObject(row["trigger"]) ? row["trigger"] : {}
  return trigger["kind"] === "test" || trigger["kind"] === "experiment" || trigger["kind"] === "score" || trigger["test"] === true
}

export async function rowsFrom(c: Call, flow: string, ids: readonly string[], expect: From["expect"]): Promise<MadeRows> {
  const redactor = await c.get("tenant").secrets.redactor()
  const rows: AddedRow[] = []
  const left_out: LeftOut[] = []
  await atOnce(
    ids,
    async (run) => {
      const made = await rowOf(c, flow, run, expect)
      if (!made.ok) left_out.push({ run, why: made.error })
      else {
        const row = await cleanJson(made.value.row, redactor)
        const text = canonical(row)
        if (text.length > MAX_ROW) left_out.push({ run, why: `its row would have more than ${MAX_ROW} bytes` })
        else rows.push({ ...made.value, row, run, id: rowId(await sha256(text)) })
      }
    },
    AT_ONCE,
  )
  return { rows, left_out }
}

async function rowOf(c: Call, flow: string, run: string, expect: From["expect"]): Promise<Result<Omit<AddedRow, "id" | "run">, string>> {
  const port = c.get("tenant").run(run)
  const view = await port.view()
  if (!view) return err("it is not a run of this tenant")
  if (view.flow !== flow) return err(`it is a run of the flow ${view.flow}`)
  if (view.ended === undefined) return err("it has not ended")
  if (view.status === "canceled") return err("it was canceled")
  if (view.parent !== undefined) return err("another run started it")
  if (isApart(view as unknown as JsonObject)) return err("it is the run of a test or of an experiment")
  const [started] = (await port.events(0, 1))?.data ?? []
  if (started?.type !== "run.started") return err("its journal has no start")
  const files = await givenOf(trialDeps(c), started)
  if (!files.ok) return err(files.error)
  const correction = correctionIn((await port.said())?.events ?? [])
  const expected = correction === undefined ? await expectOf(c, view, expect) : undefined
  return ok(recordedRow(view, started as EventOf<"run.started">, files.value, { expect: expected, correction }))
}

async function expectOf(c: Call, view: RunView, expect: From["expect"]): Promise<JsonObject | undefined> {
  if (expect === undefined) return undefined
  if (expect === "output") return view.output === undefined ? { status: view.status } : { output: view.output as Json }
  const root = await readRecorded(trialDeps(c), view.id, view.flow, { left: IDS })
  const found = foundIn(view, root.events, 0)
  return expectationOf(found, { files: new Map(), beside: besideFailure(root.events), cut: isCut(root) || root.children.size > 0 })
}
