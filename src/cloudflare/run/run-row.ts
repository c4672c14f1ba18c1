// A run's row in its tenant's list: its view without the fields that only the run itself shows.

import { view } from "../../core/run/views/view.ts"
import type { Run } from "../../core/run/state.ts"
import type { RunRow } from "../../ports/run-list.ts"

export function rowOf(run: Run): RunRow {
  const { steps: _steps, output: _output, inputs: _inputs, files: _files, task: _task, pinned: _pinned, ...row } = view(run)
  const ended = run.ended === undefined ? {} : { ended: run.ended }
  const reported = { notices: run.notices, ...(run.callback === undefined ? {} : { callback: run.callback }) }
  return {
    id: run.id,
    flow: run.flow,
    status: run.status,
    created: run.started,
    ...ended,
    ...reported,
    view: JSON.parse(JSON.stringify(row)),
  }
}
