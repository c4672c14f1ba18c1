// Shows the runs of a backtest, and those that a gate was tried on, for a person. Pure.

import type { Backtest } from "../../src/api/doc/tests.doc.ts"
import { plain } from "../../local/show-run.ts"

const WHY: Readonly<Record<string, string>> = {
  prompt: "what the model is asked differs",
  tools: "the tools that it may use differ",
  model: "the model differs",
  guard: "a call is judged differently",
  route: "it takes another way",
  schema: "an output no longer fits",
  code: "a handler answers differently",
}

const MARKS = { same: "same    ", changed: "changed ", diverged: "PARTED  ", failed: "unknown " } as const

/** Rows may be of a newer server, with causes of its own. */
export function backtestLine({ run, result, step, pass, turn, why, live, message }: Backtest["runs"][number]): string {
  const place = step === undefined ? "" : ` at ${plain(step)}${pass === undefined || pass === 1 ? "" : `, pass ${pass}`}`
  const when = turn === undefined ? "" : `, turn ${turn + 1}`
  const cause = why === undefined ? "" : `: ${WHY[why] ?? plain(why)} (${plain(why)})`
  const then = live === undefined ? "" : `; it went on live: ${plain(live)}`
  return `${MARKS[result] ?? plain(result)}${plain(run)}${place}${when}${cause}${then}${message === undefined ? "" : `: ${plain(message)}`}`
}
