// Reads from a run's row what lists of questions show of the run that asks: no row is read or written for it besides the run's own.

import { defined } from "../../../core/defined.ts"
import type { AskingRun } from "../../../ports/tenant/run-list.ts"

/** Over a row of `run`; JSON. */
export const ABOUT_RUN = "json_object('task', json_extract(view, '$.task'), 'tags', json_extract(view, '$.tags'))"

/** A run that has just been deleted, and a question from outside, has no row. */
export function aboutRun(text: string | null): AskingRun {
  const { task, tags } = JSON.parse(text ?? "{}") as { task?: string | null; tags?: readonly string[] | null }
  return defined({ task: task ?? undefined, tags: tags ?? undefined })
}
