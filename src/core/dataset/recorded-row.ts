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

/** What somebody said the answer should have been [V19]. */
type Correction = Pick<EventOf<"feedback.given">, "correction" | "page">

interface Expected {
  readonly expect?: JsonObject | undefined
  readonly correction?: Correction | undefined
}

/** A text is an answer; anything else is the output. */
const corrected = ({ correction = null }: Correction): JsonObject =>
  typeof correction === "string" ? { answer: correction } : { output: correction }

export function recordedRow(
  view: Pick<RunView, "task" | "inputs" | "autonomous">,
  started: EventOf<"run.started">,
  files: GivenFiles,
  { expect, correction }: Expected = {},
): RecordedRow {
  const isOutside =
    correction?.page === true ||
    started.tainted === true ||
    started.origins !== undefined ||
    (started.files ?? []).some((file) => file.tainted === true)
  const row: RowCase = {
    ...(view.task === "" ? {} : { task: view.task }),
    ...(Object.keys(view.inputs).length === 0 ? {} : { inputs: view.inputs }),
    ...defined({ trigger: started.payload as JsonObject | undefined, conversation: started.conversation }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...(view.autonomous ? { autonomous: true } : {}),
    ...defined({ expect: correction === undefined ? expect : corrected(correction) }),
  }
  return { row, ...(isOutside ? { untrusted: true as const } : {}) }
}
