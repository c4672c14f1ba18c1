// Recovers the signals of a run from its journal [K18]: a model's reply, a tool's result, a person's answer, a timer.
//
// `admit` turns a signal into facts; this is the inverse. It needs the run as it was just before the decision, and the events from there
// on. A decision without a signal (an effect became due) gives undefined.
//
// A few values are not in the journal; they are replaced by values that lead to the same facts: a failed call records only the time of
// the next try, so the dice add nothing and the provider asks for the whole delay; an answer's `hash` was checked on arrival.

import { defined } from "../../../core/defined.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import { keptBy } from "../../../core/run/cached/kept-pass.ts"
import {
  cacheKey,
  childKey,
  expiryKey,
  isBatchKey,
  passOf,
  retryKey,
  RUN_TIMEOUT,
  scoreKey,
  stepTimeout,
  toolKey,
  waitKey,
} from "../../../core/run/key.ts"
import { questionIn } from "../../../core/run/session/ask/elicited.ts"
import type { Signal } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { answerOf } from "./read-answer.ts"
import { belowKey } from "../../../core/run/effects/outside.ts"
import { childEnd, childFault } from "./read-child.ts"
import { factOf, keyOf, leaseOf } from "./read-fact.ts"
import { forkSignal } from "./read-fork.ts"
import { modelFailure, modelReply, ownCalls } from "./read-reply.ts"
import { codeResult, toolResult } from "./read-result.ts"
import { compacted, contextRead, sessionOpen } from "./read-session.ts"

/** The signal that began the commit at `events[from]`; undefined: none. */
export function readSignal(run: Run, events: readonly RunEvent[], from: number): Signal | undefined {
  const e = events[from]
  const next = events[from + 1]
  switch (e?.type) {
    case "run.started": {
      const lease = next?.type === "budget.leased" && next.step === undefined ? leaseOf(next) : undefined
      const paused = events[lease ? from + 2 : from + 1]?.type === "run.paused"
      const cannot = next?.type === "run.ended" && next.status === "failed" ? next.error : undefined
      return {
        type: "start",
        started: factOf(e),
        ...defined({ lease }),
        ...(paused ? { paused } : {}),
        ...defined({ cannot }),
        ...(next?.type === "run.ended" && next.status === "canceled" ? { canceled: true } : {}),
        ...(next?.type === "run.superseded" ? { superseded: next.by } : {}),
      }
    }
    case "run.forked":
      return forkSignal(events, from, e)
    case "file.changed":
      return changing(run, events, from)
    case "rules.changed":
      return underRules(run, events, from, e.rules as unknown as Rules)
    case "step.called":
      return ownCalls(events, from, e, run.rules)
    case "model.replied":
      return modelReply(events, from, e, run.rules)
    case "model.failed":
      return modelFailure(e, events, from)
    case "tool.returned":
      return toolResult(run, events, from, e)
    case "code.logged":
      return next?.type === "step.finished" ? codeResult(run, next, e.messages) : undefined
    case "step.finished":
      return stepEnd(run, e)
    case "step.opened":
      return { type: "timer", key: retryKey(e.step, e.pass), at: e.at }
    // A loop counts before it opens.
    case "loop.iteration":
      return { type: "timer", key: retryKey(e.step, stepState(run, e.step).pass), at: e.at }
    case "action.lost":
      return { type: "lost", key: e.key }
    case "action.begun":
      return isBatchKey(e.key) ? { type: "batch.begin", key: e.key, step: e.step, pass: passOf(e.key) } : undefined
    case "model.paced": {
      const { key, until, ahead, fallback } = e
      return { type: "model.paced", key, until, ahead, other: fallback !== undefined }
    }
    case "model.batched":
      return { type: "model.batched", key: e.key }
    case "batch.sent":
      return factOf(e)
    case "batch.ended":
      return factOf(e)
    case "child.batched":
      return factOf(e)
    case "child.started":
      if (next?.type === "child.ended" && next.at === e.at && next.run === e.run) return childEnd(events, from + 1, next)
      if (next?.type === "child.batched" && next.at === e.at && next.run === e.run) return factOf(next)
      return { type: "child.start", key: childKey(e.step, e.pass, e.index), index: e.index, run: e.run }
    case "child.ended":
      return stepState(run, e.step).children?.open[e.index] === e.run ? childEnd(events, from, e) : childFault(e)
    case "child.asked": {
      const { step, pass, index, run: child, from: seq, waits, open, decided = [] } = e
      return { type: "child.ask", step, pass, index, run: child, from: seq, waits, open, decided }
    }
    case "session.opened":
      return sessionOpen(run, e)
    case "budget.leased": {
      const key = keyOf(run, "lease", e.step)
      return key === undefined ? undefined : { type: "leased", key, lease: leaseOf(e) }
    }
    case "warning":
      return next?.type === "context.compacted" ? compacted(next, { run, events, from: from + 1, why: e.message }) : undefined
    case "context.compacted":
      return compacted(e, { run, events, from })
    case "context.read":
      return contextRead(run, events, from, e)
    case "step.cached":
      return {
        type: "looked-up",
        key: cacheKey(e.step, e.pass),
        digest: e.digest,
        ...defined({ found: keptBy(e, next, events[from + 2]) }),
      }
    case "step.scored":
      return {
        type: "judged",
        key: scoreKey(e.step, e.pass),
        verdict: { score: e.score, ...defined({ level: e.level, reason: e.reason, error: e.error }) },
      }
    case "cache.missed":
      return { type: "looked-up", key: cacheKey(e.step, e.pass), digest: e.digest }
    case "file.put":
      return { type: "file", file: e.file, by: e.by }
    case "signal.received":
      return { type: "signal", name: e.name, payload: e.payload, by: e.by, ...defined({ id: e.id }) }
    case "steer.queued":
      return { type: "steer", step: e.step, id: e.id, message: e.message, by: e.by }
    case "interaction.asked":
      return e.kind === "elicitation" ? serverAsks(run, events, from, e) : undefined
    case "interaction.answered":
      return { type: "answer", id: e.id, body: answerOf(e), by: e.by, ...defined({ outside: e.tainted && (true as const) }) }
    case "effect.settled":
      return effectEnd(run, e)
    case "commit.asked":
      return { type: "commit", keys: e.keys, by: e.by }
    case "undo.asked":
      return e.error ? { type: "timer", key: RUN_TIMEOUT, at: e.at } : { type: "undo", keys: e.keys, by: e.by }
    case "run.scored": {
      // It was admitted once: whether it was asked again is not in the journal.
      return { type: "score", scored: factOf(e), again: true }
    }
    case "feedback.given":
      return { type: "feedback", given: factOf(e) }
    case "interaction.expired":
      return { type: "timer", key: expiryKey(e.id), at: e.at }
    case "run.paused":
      return { type: "pause", reason: pauseReason(e.reason) }
    case "run.resumed":
      return run.status === "paused" ? { type: "resume", reason: pauseReason(e.reason) } : undefined
    case "run.superseded":
      return { type: "supersede", by: e.by }
    case "run.ended":
      return runEnd(e)
    default:
      return undefined
  }
}

/** [T27] The questions that one call brought, which stand side by side. */
function serverAsks(run: Run, events: readonly RunEvent[], from: number, first: EventOf<"interaction.asked">): Signal {
  const { pass, session } = stepState(run, first.step)
  const all: EventOf<"interaction.asked">[] = []
  for (let i = from; i < events.length; i++) {
    const e = events[i]
    if (e?.type !== "interaction.asked" || e.callId !== first.callId || e.payload["round"] !== first.payload["round"]) break
    all.push(e)
  }
  return {
    type: "tool.asks",
    key: toolKey(first.step, pass, (session?.turn ?? 1) - 1, first.callId ?? ""),
    questions: all.map(({ payload }) => questionIn(payload)),
    at: first.expires === undefined ? first.at : first.expires - run.rules.policy.approvals.expires,
  }
}

/** [K6] A result that changed files: the changes come before it. */
function changing(run: Run, events: readonly RunEvent[], from: number): Signal | undefined {
  const changed: EventOf<"file.changed">[] = []
  for (let i = from; ; i++) {
    const e = events[i]
    if (e?.type !== "file.changed") break
    changed.push(e)
  }
  const signal = readSignal(run, events, from + changed.length)
  if (signal?.type === "tool.result") return { ...signal, result: { ...signal.result, changed } }
  return signal?.type === "collected" || signal?.type === "put-back" ? { ...signal, changed } : signal
}

const pauseReason = (text: string): "operator" | "parent" => (text === "parent" ? "parent" : "operator")

/** New rules come with a reply, with a person's decision on a call, or with a resume. */
function underRules(run: Run, events: readonly RunEvent[], from: number, rules: Rules): Signal | undefined {
  const e = events[from + 1]
  if (e?.type === "model.replied") return { ...modelReply(events, from + 1, e, rules), rules }
  if (e?.type === "step.called") return { ...ownCalls(events, from + 1, e, rules), rules }
  const signal = readSignal(run, events, from + 1)
  return signal && UNDER_RULES.has(signal.type) ? ({ ...signal, rules } as Signal) : signal
}

const UNDER_RULES: ReadonlySet<Signal["type"]> = new Set<Signal["type"]>(["answer", "resume", "effect.result", "commit", "undo"])

/** [K32–K35] The end of an effect that was carried out, a person's word about one, or the parent's that nobody chose it. */
function effectEnd(run: Run, e: EventOf<"effect.settled">): Signal {
  const key = e.run === undefined ? e.key : belowKey({ run: e.run, key: e.key })
  const { state, reason, content } = e
  if (Object.hasOwn(run.underway, key))
    return {
      type: "effect.result",
      key,
      result: { state, ...defined({ reason, content }) },
    }
  if (state === "discarded") return { type: "discard", reason: reason ?? "" }
  return { type: "resolve", key, happened: state === "confirmed", by: e.by ?? "" }
}

/** A step's finish that is first in its commit: from a handler, a map, an unavailable session, or a timeout. */
function stepEnd(run: Run, e: EventOf<"step.finished">): Signal | undefined {
  if (e.source === "step_timeout") return { type: "timer", key: stepTimeout(e.step, e.pass), at: e.at }
  const judging = e.source === "score" ? keyOf(run, "score", e.step) : undefined
  if (judging !== undefined) return { type: "put-back", key: judging, changed: [] }
  const code = codeResult(run, e)
  if (code) return code
  const collect = keyOf(run, "collect", e.step)
  if (collect !== undefined) return { type: "collected", key: collect, outputs: e.outputs, files: e.files }
  const session = keyOf(run, "session", e.step)
  if (session !== undefined) return { type: "session.open", key: session, grant: { ok: false, fault: e.summary } }
  if (run.plan.steps.get(e.step)?.type !== "wait") return undefined
  const key = e.branch === undefined ? waitKey(e.step, e.pass) : stepTimeout(e.step, e.pass)
  return { type: "timer", key, at: e.at }
}

function runEnd({ status, error, at }: EventOf<"run.ended">): Signal | undefined {
  if (status === "canceled") return { type: "cancel", by: "" }
  if (error?.source === "run_timeout") return { type: "timer", key: RUN_TIMEOUT, at }
  return error?.source === "engine" ? { type: "broken", message: error.message } : undefined
}
