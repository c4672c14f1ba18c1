// Builds a run's row in its tenant's list: its view without the fields that only the run itself shows.

import { PACE } from "../../core/run/shown-status.ts"
import { stood } from "../../core/run/stood.ts"
import { defined } from "../../core/defined.ts"
import type { Json } from "../../core/json.ts"
import { openRows, type EffectRow } from "../../core/run/effects/ledger.ts"
import { questionsBelow } from "../../core/run/steps/child-questions.ts"
import { runSumOf } from "../../core/run/usage/run-sum.ts"
import { usageOf } from "../../core/run/usage/run-usage.ts"
import { nowOf, SHOWN_IN_ROW } from "../../core/run/views/now.ts"
import { runView } from "../../core/run/views/view.ts"
import type { Run } from "../../core/run/state.ts"
import { cutAt } from "../../core/text/cut-at.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { OpenLine } from "../../ports/tenant/effects.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"

const MAX_TOLD = 128 * 1024 // limit: characters of an output or a question in a callback → it is left out, and named in `omitted`

function toldOf(run: Run): NonNullable<ListedRun["told"]> {
  if (run.output !== undefined) return isLong(run.output) ? { omitted: ["output"] } : { output: run.output }
  const [first] = run.pending
  const own = first === undefined ? undefined : run.interactions[first]
  const [below] = questionsBelow(run)
  const asked = own ?? below
  if (asked === undefined) return {}
  const { id, kind, step, payload, expires } = asked
  const interaction = { id, ...(own || !below ? {} : { run: below.run }), kind, step, ...defined({ expires }) }
  return isLong(payload) ? { interaction, omitted: ["interaction.payload"] } : { interaction: { ...interaction, payload } }
}

const isLong = (value: Json): boolean => JSON.stringify(value).length > MAX_TOLD

const lineOf = ({ key, state, tool, target, at }: EffectRow): OpenLine => ({ key, state, tool, target, at })

const MAX_DECIDED = 200 // limit: answers of one run in its tenant's list → older ones are in the run alone

function decidedOf(run: Run): NonNullable<ListedRun["decided"]> {
  return Object.values(run.interactions)
    .flatMap(({ id, kind, status, decided }) => (status === "answered" && decided !== undefined ? [{ id, kind, at: decided }] : []))
    .slice(-MAX_DECIDED)
}

export function rowOf(run: Run): ListedRun {
  const { steps: _steps, output: _output, inputs: _inputs, files: _files, task, pinned: _pinned, asks: _asks, ...row } = runView(run)
  const now = nowOf(run)
  const place = { task: cutAt(task, SHOWN_IN_ROW), revision: run.pins?.revision, now: now && { ...now, at: isoTime(run.at) } }
  const ended = defined({ ended: run.ended })
  const decided = decidedOf(run)
  const usage = usageOf(run)
  const reported = {
    notices: run.notices,
    ...(run.callback === undefined
      ? {}
      : { callback: run.address === undefined ? run.callback : { ...run.callback, address: run.address } }),
    ...defined({ callbacks: run.callbacks }),
  }
  return {
    id: run.id,
    flow: run.flow,
    status: run.reason === PACE ? "running" : row.status,
    created: run.started,
    ...defined({ tenancy: run.tenancy }),
    ...ended,
    ...defined({ usage, sum: runSumOf(run, usage) }),
    ...(run.ended !== undefined && !run.budget.lease && !run.budget.lifted ? { unleased: true as const } : {}),
    ...reported,
    ...(stood(run.start) ? { lined: {} } : {}),
    ...(decided.length === 0 ? {} : { decided }),
    ...(run.notices.length === 0 ? {} : { told: toldOf(run) }),
    ...defined({ effects: run.outside.seen && { seq: run.seq, open: openRows(run).map(lineOf) } }),
    view: JSON.parse(JSON.stringify({ ...row, ...place, session: run.session })),
  }
}

/** [P2] Adds the texts that the tenant remembers of the run, read together with the row. */
export const withGiven = async (row: ListedRun, remembered: readonly string[]): Promise<ListedRun> => ({
  ...row,
  given: await Promise.all(remembered.map((text) => sha256(text))),
})
