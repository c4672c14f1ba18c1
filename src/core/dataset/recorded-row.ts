// Makes a row of an ended run [V30]: what it was given, and, if wanted, what is expected of it.

import { defined } from "../defined.ts"
import type { JsonObject } from "../json.ts"
import type { EventOf } from "../run/event.ts"
import type { GivenFiles } from "../run/given-file.ts"
import type { RunView } from "../run/views/view.ts"
import type { RowCase } from "./row.ts"

export interface RecordedRow {
  readonly row: RowCase
  readonly untrusted?: true
}

export function recordedRow(
  view: Pick<RunView, "task" | "inputs" | "autonomous">,
  started: EventOf<"run.started">,
  files: GivenFiles,
  expect?: JsonObject,
): RecordedRow {
  const isOutside = started.tainted === true || started.origins !== undefined || (started.files ?? []).some((file) => file.tainted === true)
  const row: RowCase = {
    ...(view.task === "" ? {} : { task: view.task }),
    ...(Object.keys(view.inputs).length === 0 ? {} : { inputs: view.inputs }),
    ...defined({ trigger: started.payload as JsonObject | undefined, conversation: started.conversation }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...(view.autonomous ? { autonomous: true } : {}),
    ...defined({ expect }),
  }
  return { row, ...(isOutside ? { untrusted: true as const } : {}) }
}
