// Describes the pieces of runs, and holds the values that examples of runs share.

import { GIVEN_FILE_TEXTS } from "../../../core/case/case-fields.ts"
import type { FieldTexts } from "../shape.doc.ts"

export const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
export const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

export const ATTACHMENT_FIELDS: FieldTexts = {
  path: "The file's path in the workspace.",
  hash: "SHA-256 of its content.",
  type: "The media type according to its bytes.",
  size: "Its bytes.",
  tokens: "The maximum number of tokens that it adds to a request.",
  width: "Pixels, if its header says them.",
  height: "Pixels, if its header says them.",
  pages: "Pages of a PDF, if they can be counted.",
  tainted: "True if it comes from outside.",
}

export const GIVEN_FILE_FIELDS: FieldTexts = GIVEN_FILE_TEXTS

export const START_FILE_FIELDS: FieldTexts = {
  path: "The file's path in the workspace.",
  hash: "SHA-256 of its content.",
  size: "Its bytes.",
  type: "Its media type, if known.",
  tainted: "Whether the file's text comes from outside.",
}

export const STARTER_FIELDS: FieldTexts = {
  kind: "What it was started by.",
  key: "The name of its key.",
  hook: "Its hook.",
  schedule: "Its schedule.",
  asker: "The key whose message it was.",
}
export const TRIAL_FIELDS: FieldTexts = {
  experiment: "The experiment's id.",
  row: "The row's id.",
  variant: "The variant's name.",
  repeat: "From 1.",
  recording: "The run whose recording answers its calls and questions.",
}
export const TRIGGER_FIELDS: FieldTexts = {
  kind: "What started the run.",
  test: "For a child run: whether a test started its root run.",
  hook: "For a webhook: the hook.",
  delivery: "For a webhook: the delivery.",
  depth: "For a webhook: the number of callbacks in the chain that led to the delivery.",
  overruled: "Members of the hook's or schedule's `start` that its flow sets by now: the flow's count.",
  missing: "For a webhook: references of the hook's mapping that had no value in the delivery.",
  schedule: "For a schedule: the schedule.",
  key: "The name of the key that started it.",
  score: [
    "For a judge's run: what it judges.",
    { run: "The judged run.", scorer: "The scorer whose judge it is.", probe: "For a probe: its scoring." },
  ],
}
const HELD_KEY_FIELDS: FieldTexts = {
  pool: "The pool of the key: the flow's id, unless its block names another.",
  key: "The key.",
  limit: "The start's own limit.",
}
export const START_TIMES_FIELDS: FieldTexts = {
  arrived: "When it arrived, in milliseconds.",
  ready: "When it came into line; absent: it never did.",
  began: "When it began; absent: it never did.",
  held: "What held it last: `throttle`, `concurrency` or `room`; absent: nothing did.",
  merged: "The number of starts that it is made of, if more than one.",
  priority: "Its priority, if it is not `normal`.",
  concurrency: ["The key that it holds while it and the runs below it go on.", HELD_KEY_FIELDS],
  throttle: [
    "The key by which its beginning is counted.",
    { ...HELD_KEY_FIELDS, period: "Within so many milliseconds no more than `limit` begin." },
  ],
  attended: "Present if a person waits for the run.",
}
export const ERROR_FIELDS: FieldTexts = {
  step: "The step that failed.",
  source: "The source of the failure.",
  message: "What went wrong.",
}
export const FILE_FIELDS: FieldTexts = {
  path: "The file's path in the workspace.",
  action: "What the step did with the file.",
  claimed: "False if the step wrote the file but its finish does not name it.",
}
