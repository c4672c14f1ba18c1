// Reads back how a child run ended, or why it could not start.

import { defined } from "../../../core/defined.ts"
import type { ChildReport } from "../../../core/run/steps/children.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import { childKey } from "../../../core/run/key.ts"
import type { Signal } from "../../../core/run/signal.ts"
import { settledBy } from "./read-fact.ts"

/** Longer than the outputs of a child that a journal accepts: such outputs stay in the child. */
const LARGE = 300 * 1024

export function childEnd(events: readonly RunEvent[], from: number, e: EventOf<"child.ended">): Signal {
  const spent = settledBy(events, from, childKey(e.step, e.pass, e.index))
  const note = events[spent ? from + 2 : from + 1]
  const isCut = note?.type === "warning" && note.code === "child_output" && note.message.includes(` of ${e.run} `)
  const report: ChildReport = {
    status: e.status,
    summary: e.summary,
    outputs: isCut ? { lost: "x".repeat(LARGE) } : e.outputs,
    files: e.files,
    ...defined({ artifacts: e.artifacts, usage: e.usage, spent, head: e.head, effects: e.effects }),
    ...(e.tainted === true ? { tainted: true } : {}),
    ...(e.private === true ? { private: true } : {}),
  }
  return { type: "child.end", step: e.step, pass: e.pass, index: e.index, run: e.run, report }
}

export const childFault = (e: EventOf<"child.ended">): Signal => ({
  type: "child.start",
  key: childKey(e.step, e.pass, e.index),
  index: e.index,
  run: e.run,
  fault: e.summary,
})
