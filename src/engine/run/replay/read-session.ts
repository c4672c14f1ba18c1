// Reads back the input of a session: the sticky session that it continues, its context files, a shorter conversation.

import { defined } from "../../../core/defined.ts"
import type { Compacted } from "../../../core/run/session/compaction.ts"
import { keepsApart } from "../../../core/run/session/apart.ts"
import type { SessionGrant } from "../../../core/run/session/sticky.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import type { Signal } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { keyOf, settledBy } from "./read-fact.ts"

export function contextRead(run: Run, events: readonly RunEvent[], from: number, e: EventOf<"context.read">): Signal {
  const faults: string[] = []
  for (let i = from + 1; ; i++) {
    const x = events[i]
    if (x?.type !== "warning" || x.code !== "context_file" || x.step !== e.step) break
    faults.push(x.message)
  }
  const read = {
    text: e.text,
    ...defined({ outside: e.outside }),
    files: e.files,
    faults,
    ...defined({ attached: e.attached, unseen: e.unseen }),
    ...(e.tainted ? { tainted: true as const } : {}),
    ...(e.private ? { private: true as const } : {}),
  }
  return { type: "context", key: keyOf(run, "context", e.step) ?? "", step: e.step, read }
}

export function sessionOpen(run: Run, e: EventOf<"session.opened">): Signal | undefined {
  const key = keyOf(run, "session", e.step)
  const { session } = stepState(run, e.step)
  if (key === undefined || !session) return undefined
  const definition = run.pins?.agents[session.agent] ?? ""
  const prompt =
    e.body === undefined
      ? {}
      : { prompt: { definition, inputs: session.sticky?.inputs ?? {}, body: e.body, ...(keepsApart(run) ? { apart: true as const } : {}) } }
  const grant: SessionGrant = {
    ok: true,
    chunks: e.chunks,
    bytes: e.bytes,
    tainted: e.tainted ?? false,
    private: e.private ?? false,
    ...prompt,
  }
  return { type: "session.open", key, grant }
}

interface Shortened {
  readonly run: Run
  readonly events: readonly RunEvent[]
  /** Where the shortening is in `events`. */
  readonly from: number
  /** Nothing was shortened. */
  readonly why?: string
}

export function compacted(e: EventOf<"context.compacted">, at: Shortened): Signal | undefined {
  const key = keyOf(at.run, "compact", e.step)
  return key === undefined ? undefined : { type: "compacted", key, step: e.step, done: doneBy(e, key, at) }
}

function doneBy(e: EventOf<"context.compacted">, key: string, { run, events, from, why }: Shortened): Compacted {
  const { upTo, bytes, usage, summary } = e
  const bill = usage && { usage, ...(usage.estimated === undefined ? { unbilled: true as const } : {}) }
  if (why === undefined && e.kind !== "summary") return { kind: e.kind, upTo, bytes }
  if (why === undefined) return { kind: "summary", upTo, bytes, summary: summary ?? "", ...bill }
  const paid = settledBy(events, from, key)
  const end = events[paid ? from + 2 : from + 1]
  const isStuck = end?.type === "step.finished" && end.step === e.step && end.source === "api_error"
  const isOther = upTo > 0 || summary !== undefined || bytes !== stepState(run, e.step).session?.bytes
  return {
    kind: "none",
    why,
    ...(isOther ? { instead: { upTo, bytes, ...defined({ summary }) } } : {}),
    ...(isStuck ? { stuck: true } : {}),
    ...bill,
    ...(e.lost === true ? { unsure: true } : {}),
  }
}
