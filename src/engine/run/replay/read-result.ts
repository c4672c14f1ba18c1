// Reads back the results of tools and handlers.

import { defined } from "../../../core/defined.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import { calledKey, toolKey } from "../../../core/run/key.ts"
import type { CalledRun, CodeResult, Signal } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { keyOf, settledBy } from "./read-fact.ts"

export function toolResult(run: Run, events: readonly RunEvent[], from: number, e: EventOf<"tool.returned">): Signal {
  const { pass, session } = stepState(run, e.step)
  const key = toolKey(e.step, pass, (session?.turn ?? 1) - 1, e.callId)
  const spent = settledBy(events, from, calledKey(key))
  return {
    type: "tool.result",
    key,
    result: {
      isError: e.isError,
      content: e.content,
      ...defined({ attached: e.attached, digest: e.digest, details: e.details, truncated: e.truncated }),
      ...(e.tainted === true ? { untrusted: true } : {}),
      ...(e.private === true ? { private: true } : {}),
      ...defined({ wrote: e.wrote, uncertain: e.uncertain, child: e.child && calledRun(e.child, spent) }),
    },
  }
}

function calledRun({ run, usage, effects, head }: NonNullable<EventOf<"tool.returned">["child"]>, spent: Amount | undefined): CalledRun {
  return { run, ...defined({ usage, spent, effects, head }) }
}

export function codeResult(run: Run, e: EventOf<"step.finished">, logs: readonly string[] = []): Signal | undefined {
  const key = keyOf(run, "code", e.step)
  if (key === undefined) return undefined
  const result: CodeResult =
    e.status === "complete"
      ? { ok: true, value: { ...e.outputs, ...defined({ branch: e.branch }) }, summary: e.summary, logs }
      : { ok: false, source: e.source ?? "code_error", message: e.summary, logs }
  return { type: "code.result", key, result }
}
