// Serves the queue of runs that wait for a person's grade [V21]: each with what a scorer sees of it, and with nothing that anybody said of it.

import { GradingBody, MAX_ADDED, MAX_GRADING_PAGE } from "../../api/quality/scores.ts"
import type { Account } from "../../core/score/account.ts"
import { defined } from "../../core/defined.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import type { GradingFilter, WaitingGrade } from "../../ports/tenant/quality/scores.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, type Call } from "../middleware/call.ts"
import { BAD_CURSOR } from "../middleware/page.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { oneWord, whole } from "../middleware/query.ts"
import { NO_SCORER } from "./no-scorer.ts"

const DEFAULT_ENTRIES = 20
const AT_ONCE = 6
/** Characters after which a page takes no more accounts. */
const PIECE = 4_000_000
/** Rows of an experiment that are read at once. */
const PAGE = 200

export async function listGrading(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_GRADING_PAGE, otherwise: DEFAULT_ENTRIES })
  if (!limit.ok) return refuse(c, limit.error)
  const brief = oneWord("brief", c.req.query("brief"), ["0", "1"])
  if (!brief.ok) return refuse(c, brief.error)
  const list = `${c.get("caller").tenant} ${c.req.path}`
  const cursor = c.req.query("cursor")
  const after = cursor === undefined ? undefined : placeOf(cursorPosition(cursor, list))
  if (cursor !== undefined && after === undefined) return refuse(c, BAD_CURSOR)
  const { scorer, flow } = c.req.query()
  const found = await c.get("tenant").scores.grading({ ...defined({ scorer, flow, after }), limit: limit.value + 1 })
  const waiting = found.slice(0, limit.value)
  const { data, read } = brief.value === "1" ? { data: waiting.map(shown), read: waiting.length } : await withAccounts(c, waiting)
  const last = waiting[read - 1]
  const next = found.length > read && last ? cursorText(list, last.since, last.run, last.scorer) : null
  return c.json({ data, next_cursor: next })
}

function placeOf([since, run, scorer, ...more]: readonly unknown[] = []): GradingFilter["after"] {
  return typeof since === "number" && typeof run === "string" && typeof scorer === "string" && more.length === 0
    ? { since, run, scorer }
    : undefined
}

const shown = ({ files: _files, ...entry }: WaitingGrade) => isoTimes(entry, "since")

type Shown = ReturnType<typeof shown> & { readonly account?: Account }

/** As many as a page holds. A run that was deleted in between is left out. */
async function withAccounts(
  c: Call,
  waiting: readonly WaitingGrade[],
): Promise<{ readonly data: readonly Shown[]; readonly read: number }> {
  const data: Shown[] = []
  let size = 0
  let read = 0
  while (read < waiting.length && size < PIECE) {
    const some = waiting.slice(read, read + AT_ONCE)
    const accounts = await Promise.all(some.map(({ run, files }) => c.get("tenant").run(run).account(files)))
    for (const [i, entry] of some.entries()) {
      const account = accounts[i]
      if (account === undefined) continue
      size += JSON.stringify(account).length
      data.push({ ...shown(entry), account })
    }
    read += some.length
  }
  return { data, read }
}

export async function addGrading(c: Call): Promise<Response> {
  const body = json(c, GradingBody)
  if (!body.ok) return refuse(c, body.error)
  const { scorer, most = MAX_ADDED } = body.value
  const runs = await runsOf(c, body.value)
  if (!runs.ok) return refuse(c, runs.error)
  const added = await c.get("tenant").scores.addGrading(scorer, runs.value.slice(0, most), c.get("caller").name)
  return added ? c.json(added) : refuse(c, invalid([{ pointer: "/scorer", message: NO_SCORER }]))
}

type Wish = { readonly runs?: readonly string[]; readonly experiment?: string; readonly most?: number }

async function runsOf(c: Call, { runs = [], experiment, most = MAX_ADDED }: Wish): Promise<Result<readonly string[], Refusal>> {
  if (experiment !== undefined) return trialsOf(c, experiment, most)
  const bad = runs.findIndex((id) => !isRunId(id))
  return bad < 0 ? ok(runs) : err(invalid([{ pointer: `/runs/${bad}`, message: "must be the id of a run" }]))
}

/** Its trials that succeeded, row by row: ids of rows are in no order of anything else. */
async function trialsOf(c: Call, experiment: string, most: number): Promise<Result<readonly string[], Refusal>> {
  const { experiments } = c.get("tenant")
  const found = new Set<string>()
  for (let after = ""; found.size < most;) {
    const rows = await experiments.rows(experiment, { after, limit: PAGE })
    if (!rows) return err(invalid([{ pointer: "/experiment", message: `there is no experiment "${experiment}"` }]))
    for (const { trials } of rows) for (const { run, state } of trials) if (run !== null && state === "succeeded") found.add(run)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) break
    after = last.row
  }
  return ok([...found])
}

export async function skipGrading(c: Call): Promise<Response> {
  const gone = await c.get("tenant").scores.skipGrading(param(c, "run"), param(c, "scorer"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}
