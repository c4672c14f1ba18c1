// Recovers the signals of a run from its journal: a model's reply, a tool's result, a person's answer, a timer.
//
// `admit` turns a signal into facts; this is the inverse. It needs the run as it was just before the commit, and the events from there
// on. A commit without a signal (an effect became due) gives undefined.
//
// A few values are not in the journal; they are replaced by values that lead to the same facts:
// - A model failure records only the time of the next try, so the dice are 0 and the provider asks for the whole delay.
// - An answer has no `hash` of the call that the person saw: it was checked on arrival.
// - A plan that executePlan runs without an approval is not recorded: it becomes a draft with an empty body. A policy with a condition
//   on the plan's body could have judged the original differently.
// - A child's outputs that were too large for the journal become a text of that length.

import { whyNot, PLAN_STATES } from "../../../src/core/plans/plan-state.ts"
import { EXECUTE_PLAN } from "../../../src/core/flow/toolkits.ts"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import { isObject } from "../../../src/core/json.ts"
import type { Rules } from "../../../src/core/policy/policy.ts"
import type { Amount } from "../../../src/core/money/amount.ts"
import type { ChildReport } from "../../../src/core/run/steps/children.ts"
import { calledKey, childKey, expiryKey, retryKey, RUN_TIMEOUT, stepTimeout, toolKey, waitKey } from "../../../src/core/run/key.ts"
import type { Compacted } from "../../../src/core/run/session/compaction.ts"
import type { EventOf, RunEvent } from "../../../src/core/run/event.ts"
import type { Answer, CodeResult, Lease, PlanShown, Signal } from "../../../src/core/run/signal.ts"
import { stepState, type Run, type Underway } from "../../../src/core/run/state.ts"
import type { SessionGrant } from "../../../src/core/run/session/sticky.ts"

/** Longer than the outputs of a child that a journal accepts. */
const TOO_LARGE = 300 * 1024

/** The signal that began the commit at `events[from]`; undefined: none. */
export function readSignal(run: Run, events: readonly RunEvent[], from: number): Signal | undefined {
  const e = events[from]
  const next = events[from + 1]
  switch (e?.type) {
    case "run.started": {
      const lease = next?.type === "budget.leased" && next.step === undefined ? leaseOf(next) : undefined
      const paused = events[lease ? from + 2 : from + 1]?.type === "run.paused"
      return { type: "start", started: factOf(e), ...(lease ? { lease } : {}), ...(paused ? { paused } : {}) }
    }
    case "rules.changed":
      return underRules(run, events, from, e.rules as unknown as Rules)
    case "model.replied":
      return modelReply(run, events, from, e, run.rules)
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
    case "action.lost":
      return { type: "lost", key: e.key }
    case "child.started":
      if (next?.type === "child.ended" && next.at === e.at && next.run === e.run) return childEnd(events, from + 1, next)
      return { type: "child.start", key: childKey(e.step, e.pass, e.index), index: e.index, run: e.run }
    case "child.ended":
      return stepState(run, e.step).children?.open[e.index] === e.run ? childEnd(events, from, e) : childFault(e)
    case "session.opened":
      return sessionOpen(run, e)
    case "budget.leased": {
      const key = keyOf(run, "lease", e.step)
      return key === undefined ? undefined : { type: "leased", key, lease: leaseOf(e) }
    }
    case "warning":
      return next?.type === "context.compacted" ? compacted(run, events, from + 1, next, e.message) : undefined
    case "context.compacted":
      return compacted(run, events, from, e)
    case "context.read": {
      const faults = events
        .slice(from + 1)
        .flatMap((x) => (x.at === e.at && x.type === "warning" && x.code === "context_file" ? [x.message] : []))
      const read = {
        text: e.text,
        files: e.files,
        faults,
        ...(e.tainted ? { tainted: true as const } : {}),
        ...(e.private ? { private: true as const } : {}),
      }
      return { type: "context", key: keyOf(run, "context", e.step) ?? "", step: e.step, read }
    }
    case "file.put":
      return { type: "file", file: e.file, by: e.by }
    case "signal.received":
      return { type: "signal", name: e.name, payload: e.payload, by: e.by, ...(e.id === undefined ? {} : { id: e.id }) }
    case "steer.queued":
      return { type: "steer", step: e.step, id: e.id, message: e.message, by: e.by }
    case "interaction.answered":
      return { type: "answer", id: e.id, body: answerOf(e), by: e.by }
    case "interaction.expired":
      return { type: "timer", key: expiryKey(e.id), at: e.at }
    case "run.paused":
      return { type: "pause", reason: pauseReason(e.reason) }
    case "run.resumed":
      return run.status === "paused" ? { type: "resume", reason: pauseReason(e.reason) } : undefined
    case "run.ended":
      return runEnd(e)
    default:
      return undefined
  }
}

const pauseReason = (text: string): "operator" | "parent" => (text === "parent" ? "parent" : "operator")

/** The event without its envelope. */
function factOf<E extends RunEvent>(event: E): Omit<E, "seq" | "at" | "v" | "prev"> {
  const { seq: _seq, at: _at, v: _v, prev: _prev, ...fact } = event
  return fact
}

const leaseOf = ({ granted, until, retry }: EventOf<"budget.leased">): Lease => ({
  granted,
  until,
  ...(retry === undefined ? {} : { retry }),
})

/** The effect of this kind under way for this step: each of these kinds has at most one. */
function keyOf(run: Run, kind: Underway["kind"], step: string | undefined): string | undefined {
  return Object.entries(run.underway).find(([, u]) => u.kind === kind && u.step === step)?.[0]
}

/** How the reservation under this key was settled, in the commit that begins at `from`. */
function settled(events: readonly RunEvent[], from: number, key: string): Amount | undefined {
  for (let i = from; events[i]?.at === events[from]?.at; i++) {
    const e = events[i]
    if (e?.type === "budget.settled" && e.key === key) return e.amount
  }
  return undefined
}

/** New rules come with a reply, with a person's decision on a call, or with a resume. */
function underRules(run: Run, events: readonly RunEvent[], from: number, rules: Rules): Signal | undefined {
  const e = events[from + 1]
  if (e?.type === "model.replied") return { ...modelReply(run, events, from + 1, e, rules), rules }
  const signal = readSignal(run, events, from + 1)
  return signal?.type === "answer" || signal?.type === "resume" ? { ...signal, rules } : signal
}

type ModelReply = Extract<Signal, { type: "model.reply" }>

function modelReply(run: Run, events: readonly RunEvent[], from: number, e: EventOf<"model.replied">, rules: Rules): ModelReply {
  const verdicts = verdictsOn(events, from)
  const digests: Record<string, string> = {}
  let at = e.at
  for (const v of verdicts) {
    if (v.type !== "interaction.asked" || v.callId === undefined) continue
    digests[v.callId] = text(v.payload["hash"])
    if (v.expires !== undefined) at = v.expires - rules.policy.approvals.expires
  }
  const plans = plansOf(e, verdicts)
  return {
    type: "model.reply",
    key: e.key,
    at,
    digests,
    ...(Object.keys(plans).length > 0 ? { plans } : {}),
    reply: {
      text: e.text,
      thinking: e.thinking ?? false,
      toolCalls: e.toolCalls,
      usage: e.usage,
      // A provider that is asked never uses nothing: the model was a rehearsal or a script.
      ...(e.usage.input === 0 && e.usage.output === 0 ? { unbilled: true } : {}),
      stopReason: e.stopReason,
      system: e.system ?? "",
      request: e.request ?? "",
      ...(e.state === undefined ? {} : { state: e.state }),
      ...(e.cut === undefined ? {} : { cut: e.cut }),
    },
  }
}

type Verdict = EventOf<"tool.refused"> | EventOf<"interaction.asked"> | EventOf<"finish.rejected"> | EventOf<"budget.settled">

/** The guard's verdicts on the calls of this reply. */
function verdictsOn(events: readonly RunEvent[], from: number): Verdict[] {
  const found: Verdict[] = []
  for (let i = from + 1; ; i++) {
    const e = events[i]
    if (e?.type !== "tool.refused" && e?.type !== "interaction.asked" && e?.type !== "finish.rejected" && e?.type !== "budget.settled")
      return found
    found.push(e)
  }
}

/** The plans that this reply's calls want to execute, as far as the verdicts show them. */
function plansOf(e: EventOf<"model.replied">, verdicts: readonly Verdict[]): Record<string, PlanShown> {
  const plans: Record<string, PlanShown> = {}
  for (const { id, name, args } of e.toolCalls) {
    const { planId } = args
    if (name !== EXECUTE_PLAN || typeof planId !== "string") continue
    const verdict = verdicts.find((v) => "callId" in v && v.callId === id)
    const shown = { plan: "", planId, body: {} }
    if (verdict?.type === "interaction.asked") plans[id] = { ...shown, ...planIn(verdict.payload), state: "draft" }
    else if (verdict?.type !== "tool.refused") plans[id] = { ...shown, state: "draft" }
    else {
      const state = PLAN_STATES.find((s) => whyNot(planId, s, "executing") === verdict.reason)
      if (state !== undefined) plans[id] = { ...shown, state }
    }
  }
  return plans
}

const planIn = ({ plan, body }: JsonObject): { readonly plan: string; readonly body: JsonObject } => ({
  plan: text(plan),
  body: isObject(body) ? (body as JsonObject) : {},
})

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

function modelFailure(e: EventOf<"model.failed">, events: readonly RunEvent[], from: number): Signal {
  const end = events.slice(from + 1, from + 3).find((x) => x.type === "step.finished")
  // The failure is slightly older than its commit. After an overflow the next try is immediate.
  const at = Math.min(e.at, e.retryAt ?? e.at)
  return {
    type: "model.failure",
    key: e.key,
    at,
    dice: 0,
    failure: {
      message: e.message,
      retryable: e.retryAt !== undefined,
      ...(e.retryAt === undefined ? {} : { retryAfter: e.retryAt - at }),
      ...(e.status === undefined ? {} : { status: e.status }),
      ...(e.overflow === true ? { overflow: true } : {}),
      ...((e.status ?? 0) >= 400 && Object.values(settled(events, from, e.key) ?? {}).some((n) => n > 0) ? { begun: true } : {}),
      ...(end?.type === "step.finished" && end.step === e.step && end.source === "config" ? { config: true } : {}),
    },
  }
}

function toolResult(run: Run, events: readonly RunEvent[], from: number, e: EventOf<"tool.returned">): Signal {
  const { pass, session } = stepState(run, e.step)
  const key = toolKey(e.step, pass, (session?.turn ?? 1) - 1, e.callId)
  const spent = settled(events, from, calledKey(key))
  return {
    type: "tool.result",
    key,
    result: {
      isError: e.isError,
      content: e.content,
      ...(e.digest === undefined ? {} : { digest: e.digest }),
      ...(e.details === undefined ? {} : { details: e.details }),
      ...(e.truncated === undefined ? {} : { truncated: e.truncated }),
      ...(e.tainted === true ? { untrusted: true } : {}),
      ...(e.private === true ? { private: true } : {}),
      ...(e.wrote === undefined ? {} : { wrote: e.wrote }),
      ...(e.child === undefined
        ? {}
        : { child: { run: e.child.run, ...(e.child.usage ? { usage: e.child.usage } : {}), ...(spent ? { spent } : {}) } }),
    },
  }
}

function codeResult(run: Run, e: EventOf<"step.finished">, logs: readonly string[] = []): Signal | undefined {
  const key = keyOf(run, "code", e.step)
  if (key === undefined) return undefined
  const result: CodeResult =
    e.status === "complete"
      ? { ok: true, value: { ...e.outputs, ...(e.branch === undefined ? {} : { branch: e.branch }) }, summary: e.summary, logs }
      : { ok: false, source: e.source ?? "code_error", message: e.summary, logs }
  return { type: "code.result", key, result }
}

/** A step's finish that is first in its commit: from a handler, a map, an unavailable session, or a timeout. */
function stepEnd(run: Run, e: EventOf<"step.finished">): Signal | undefined {
  if (e.source === "step_timeout") return { type: "timer", key: stepTimeout(e.step, e.pass), at: e.at }
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

function childEnd(events: readonly RunEvent[], from: number, e: EventOf<"child.ended">): Signal {
  const spent = settled(events, from, childKey(e.step, e.pass, e.index))
  const isCut = events.slice(from + 1, from + 3).some((x) => x.type === "warning" && x.code === "child_output" && x.step === e.step)
  const report: ChildReport = {
    status: e.status,
    summary: e.summary,
    outputs: isCut ? { lost: "x".repeat(TOO_LARGE) } : e.outputs,
    files: e.files,
    ...(e.artifacts === undefined ? {} : { artifacts: e.artifacts }),
    ...(e.usage === undefined ? {} : { usage: e.usage }),
    ...(spent ? { spent } : {}),
    ...(e.tainted === true ? { tainted: true } : {}),
    ...(e.private === true ? { private: true } : {}),
  }
  return { type: "child.end", step: e.step, pass: e.pass, index: e.index, run: e.run, report }
}

const childFault = (e: EventOf<"child.ended">): Signal => ({
  type: "child.start",
  key: childKey(e.step, e.pass, e.index),
  index: e.index,
  run: e.run,
  fault: e.summary,
})

function sessionOpen(run: Run, e: EventOf<"session.opened">): Signal | undefined {
  const key = keyOf(run, "session", e.step)
  const { session } = stepState(run, e.step)
  if (key === undefined || !session) return undefined
  const definition = run.pins?.agents[session.agent] ?? ""
  const prompt = e.body === undefined ? {} : { prompt: { definition, inputs: session.sticky?.inputs ?? {}, body: e.body } }
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

/** `why`: nothing was shortened. */
function compacted(run: Run, events: readonly RunEvent[], from: number, e: EventOf<"context.compacted">, why?: string): Signal | undefined {
  const key = keyOf(run, "compact", e.step)
  return key === undefined ? undefined : { type: "compacted", key, step: e.step, done: doneBy(run, events, from, e, key, why) }
}

function doneBy(
  run: Run,
  events: readonly RunEvent[],
  from: number,
  e: EventOf<"context.compacted">,
  key: string,
  why: string | undefined,
): Compacted {
  const { upTo, bytes, usage, summary } = e
  if (why === undefined && e.kind === "glimpse") return { kind: "glimpse", upTo, bytes }
  if (why === undefined) return { kind: "summary", upTo, bytes, summary: summary ?? "", usage: usage ?? { input: 0, output: 0 } }
  const held = Object.hasOwn(run.budget.holds, key) ? run.budget.holds[key]?.amount : undefined
  const paid = settled(events, from, key)
  const unsure = usage === undefined && paid !== undefined && JSON.stringify(paid) === JSON.stringify(held)
  const end = events.slice(from + 1, from + 3).find((x) => x.type === "step.finished")
  const isStuck = end?.type === "step.finished" && end.step === e.step && end.source === "api_error"
  return {
    kind: "none",
    why,
    ...(upTo > 0 || summary !== undefined ? { instead: { upTo, bytes, ...(summary === undefined ? {} : { summary }) } } : {}),
    ...(isStuck ? { stuck: true } : {}),
    ...(usage ? { usage } : {}),
    ...(unsure ? { unsure: true } : {}),
  }
}

function answerOf({ answer, notes, custom, auto, cancelled, decision, args, feedback }: EventOf<"interaction.answered">): Answer {
  const isDecision = decision === "approve" || decision === "reject" || decision === "edit"
  return {
    ...(answer === undefined ? {} : { answer }),
    ...(notes === undefined ? {} : { notes }),
    ...(custom === undefined ? {} : { custom }),
    ...(auto === true ? { auto } : {}),
    ...(cancelled === true ? { cancelled } : {}),
    ...(isDecision ? { decision } : {}),
    ...(args === undefined ? {} : { args }),
    ...(feedback === undefined ? {} : { feedback }),
  }
}

function runEnd({ status, error, at }: EventOf<"run.ended">): Signal | undefined {
  if (status === "canceled") return { type: "cancel", by: "" }
  if (error?.source === "run_timeout") return { type: "timer", key: RUN_TIMEOUT, at }
  return error?.source === "engine" ? { type: "broken", message: error.message } : undefined
}
