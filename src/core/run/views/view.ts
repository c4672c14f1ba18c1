// Builds the view of a run that the API and pages show [H5]. `view` is below its types.

import { waitingCall } from "../session/paced.ts"
import { defined } from "../../defined.ts"
import type { Lost } from "../usage/figures.ts"
import type { Amount } from "../../money/amount.ts"
import { isoTime } from "../../text/iso-time.ts"
import { untilOf, type Step, type UntilSpec } from "../../flow/flow.ts"
import type { Json, JsonObject } from "../../json.ts"
import { shown } from "../budget/budget-ledger.ts"
import { newLedger } from "../budget/budget-state.ts"
import type {
  FailureSource,
  FileRef,
  InteractionKind,
  RunError,
  RunStatus,
  StartFile,
  StartTimes,
  StepStatus,
  Trial,
  Trigger,
  Starter,
} from "../event-parts.ts"
import type { EffectsMode } from "../../tool/policy/effects-modes.ts"
import type { ShownWait } from "../../start/start-wait.ts"
import { shownScores, thumbsOf, type ShownFeedback } from "../said/said.ts"
import { shownStatus } from "../shown-status.ts"
import type { Batches, Interaction, RoundScore, Run, StepState } from "../state.ts"
import { questionsBelow, waitsForPeople } from "../steps/child-questions.ts"

export interface StepView {
  readonly status: StepStatus
  readonly type: string
  readonly agent?: string
  readonly summary?: string
  readonly files?: readonly FileRef[]
  readonly artifacts?: string
  readonly outputs?: JsonObject
  readonly branch?: string
  readonly source?: FailureSource
  readonly usage: { readonly input: number; readonly output: number }
  /** ISO 8601 UTC. */
  readonly started?: string
  readonly ended?: string
  /** Model calls begun in this pass. */
  readonly attempts: number
  readonly pass: number
  /** [R34] Of a map: calls sent in batches, answered, and waiting at their provider; when it gives up the last of these. */
  readonly batch?: { readonly sent: number; readonly answered: number; readonly waiting: number; readonly until?: string }
  /** [R30] While its model call waits for its turn: the model, when it is asked again, how many go before it; and how long the calls of this
   *  pass have waited. */
  readonly paced?: { readonly model: string; readonly until: string; readonly ahead: number }
  readonly paced_ms?: number
  /** [R41] The run whose result it took over, and when that run asked. */
  readonly cached?: { readonly run: string; readonly at: string }
  /** [V23] Of a step with `until`: the current round of this entry, and what each said. */
  readonly until?: UntilSpec & { readonly round: number; readonly scored: readonly RoundScore[] }
}

/** A step in the API. `attempts` equals `model_calls`, under the name of the contract. */
export interface ToldStep extends StepView {
  /** Model calls begun in this pass, repeats of failed ones included. */
  readonly model_calls: number
  /** [F35] How often the step was begun again after a soft failure, since it was last entered. */
  readonly retries: number
}

export interface RunView {
  readonly id: string
  readonly flow: string
  /** [P1] */
  readonly thread: string
  readonly status: RunStatus
  readonly created: string
  /** When it got its status. */
  readonly since: string
  readonly ended?: string
  readonly task: string
  readonly inputs: JsonObject
  /** [F55] The files that it was started with. */
  readonly files?: readonly StartFile[]
  readonly autonomous: boolean
  /** [G11] The run was given, or has read, text from outside. */
  readonly tainted?: true
  readonly output?: Json
  readonly error?: RunError
  readonly steps: Readonly<Record<string, ToldStep>>
  /** `estimated`: the part of `tokens` that no provider reported [B3]. `lost`: calls whose answers were lost, which `tokens` leaves out. */
  readonly usage: {
    readonly tokens: number
    readonly usd: number | null
    readonly tool_calls: number
    readonly estimated?: number
    readonly lost?: Lost
  }
  /** The units that the run itself limits; without limits: `{limit: {}, spent: {}, reserved: {}}`. */
  readonly budget?: { readonly limit: Amount; readonly spent: Amount; readonly reserved: Amount }
  /** `signal`: the name that a step waits for, if the reason is `signal`. */
  readonly waiting?: { readonly reason: string; readonly signal?: string } | ShownWait
  /** Open interactions: a run can need a person while other steps still run. */
  readonly pending: number
  /** [P5] What runs below ask, which is answered there; absent: nothing. */
  readonly asks?: readonly { readonly run: string; readonly id: string; readonly kind: InteractionKind; readonly step: string }[]
  readonly pinned: JsonObject
  readonly rehearsed: boolean
  /** [R19] */
  readonly start?: StartTimes
  /** [R9] Who else started it, by starts that joined. */
  readonly starters?: readonly Starter[]
  /** [R8] The run that took its place. */
  readonly superseded?: string
  /** [K30] */
  readonly effects: EffectsMode
  readonly trigger: Trigger
  /** [V34] Of a run of an experiment. */
  readonly trial?: Trial
  readonly tags: readonly string[]
  readonly seq: number
  readonly parent?: { readonly run: string; readonly step: string; readonly index: number; readonly depth: number }
  readonly children: readonly string[]
  /** [V17] By scorer; null: it does not apply. */
  readonly scores?: Readonly<Record<string, number | null>>
  readonly feedback?: Pick<ShownFeedback, "up" | "down">
  /** [K15] Of a fork: the run and the event that it was forked from, and what that history had cost [K11]. */
  readonly fork?: { readonly run: string; readonly seq: number }
  readonly inherited?: { readonly tokens: number; readonly usd: number | null; readonly tool_calls: number; readonly steps: number }
}

/** [Q1] */
export interface InteractionView {
  readonly id: string
  readonly run: string
  readonly kind: InteractionKind
  readonly status: "pending" | "answered" | "expired" | "withdrawn"
  readonly step: string
  /** Of the step: who wants the call, or asks. */
  readonly agent?: string
  readonly payload: JsonObject
  /** JSON Schema of the answer's body. */
  readonly schema: JsonObject
  readonly risk?: string
  readonly created: string
  readonly expires?: string
  readonly default?: Json
  readonly answer?: JsonObject
  readonly by?: string
  /** Absent while it is pending. */
  readonly decided?: string
}

/** The view of the run for the API. */
export function runView(run: Run): RunView {
  const { steps, waiting, ...shown } = view(run)
  const status = shownStatus(run)
  return {
    ...shown,
    status,
    ...(status === "waiting" && waiting !== undefined ? { waiting: { ...waiting, ...awaited(run, waiting.reason) } } : {}),
    steps: Object.fromEntries(Object.entries(steps).map(([id, step]) => [id, told(step, run.steps[id]?.retries ?? 0)])),
    thread: run.thread ?? run.id,
    since: isoTime(run.since ?? run.started),
    ...(isTainted(run) ? { tainted: true } : {}),
    ...asksBelow(run),
  }
}

/** [F23i] The signal of the first step that waits for one. */
function awaited({ plan, steps }: Run, reason: string): { readonly signal?: string } {
  if (reason !== "signal") return {}
  for (const id of plan.stepIds) {
    const step = plan.steps.get(id)
    if (step?.type === "wait" && step.signal !== undefined && steps[id]?.status === "running") return { signal: step.signal }
  }
  return {}
}

const told = (step: StepView, retries: number): ToldStep => ({ ...step, model_calls: step.attempts, retries })

function asksBelow(run: Run): Pick<RunView, "asks"> {
  const asks = questionsBelow(run).map(({ run: child, id, kind, step }) => ({ run: child, id, kind, step }))
  return asks.length === 0 ? {} : { asks }
}

/** [H9] Tells whether the run cannot continue until a person answers, here or in a run below. */
export const asksPeople = ({ status, pending, waiting }: Pick<RunView, "status" | "pending" | "waiting">): boolean =>
  status === "waiting" && (pending > 0 || waitsForPeople({ status, reason: waiting?.reason }))

/** [G11] Its start was, or a step has read something. */
const isTainted = ({ tainted, steps }: Run): boolean =>
  tainted || Object.values(steps).some((s) => s.tainted === true || s.session?.tainted === true || s.result?.tainted === true)

function agentOf(run: Run, id: string): string | undefined {
  const step = run.plan.steps.get(id)
  return step && "agent" in step ? step.agent : undefined
}

/** The view without derived fields: golden journals freeze these members. */
export function view(run: Run): Omit<RunView, "thread" | "since" | "steps"> & { readonly steps: Readonly<Record<string, StepView>> } {
  const pending = Object.values(run.interactions).filter((i) => i.status === "pending")
  const asking = new Set(pending.map((i) => i.step))
  const steps: Record<string, StepView> = {}
  for (const id of run.plan.stepIds) {
    const s = run.steps[id]
    const step = run.plan.steps.get(id)
    if (s && step) steps[id] = stepView(step, agentOf(run, id), s, asking.has(id))
  }
  return {
    id: run.id,
    flow: run.flow,
    status: run.status,
    created: isoTime(run.started),
    task: run.task,
    inputs: run.inputs,
    autonomous: run.autonomous,
    steps,
    budget: shown(run.budget.run ?? newLedger({})),
    usage: {
      tokens: run.usage.input + run.usage.output + run.usage.children,
      usd: run.usage.usd,
      tool_calls: run.usage.tool_calls,
      ...defined({ estimated: run.usage.estimated, lost: run.usage.lost }),
    },
    pending: pending.length,
    pinned: pinned(run),
    rehearsed: run.rehearsed,
    effects: run.effects ?? "live",
    trigger: run.trigger,
    ...defined({ trial: run.trial }),
    tags: run.tags,
    seq: run.endSeq ?? run.seq,
    children: run.children,
    ...defined({ files: run.given, ended: isoTime(run.ended), output: run.output, error: run.error }),
    ...(run.status === "waiting" ? { waiting: { reason: run.reason ?? "" } } : {}),
    ...(run.said ? defined({ scores: shownScores(run.said), feedback: thumbsOf(run.said) }) : {}),
    ...defined({ parent: run.parent, fork: run.fork, inherited: run.inherited, start: run.start, superseded: run.superseded }),
    ...defined({ starters: run.starters }),
  }
}

function pinned(run: Run): JsonObject {
  const p = run.pins
  if (!p) return {}
  return {
    revision: p.revision,
    ...defined({ draft: p.draft }),
    flow: p.flow,
    agents: p.agents,
    skills: p.skills,
    models: p.models,
    ...defined({ fallbacks: p.fallbacks, rehearsal: p.rehearsal, scorers: p.scorers as JsonObject | undefined }),
  }
}

function stepView(step: Step, agent: string | undefined, s: StepState, asking: boolean): StepView {
  const r = s.result
  const { type } = step
  const until = untilOf(step)
  const waits = s.status === "running" && (asking || s.session?.retryAt !== undefined || s.children !== undefined || type === "wait")
  return {
    status: waits ? "waiting" : s.status,
    type,
    usage: s.usage,
    attempts: s.attempts,
    pass: s.pass,
    ...defined({ agent }),
    ...pacedOf(s),
    ...(s.cache?.run === undefined ? {} : { cached: { run: s.cache.run, at: isoTime(s.cache.asked ?? 0) } }),
    ...(until && s.rounds ? { until: { ...until, round: s.rounds.round, scored: s.rounds.scored } } : {}),
    ...(r === undefined || r.status === "skipped"
      ? {}
      : {
          summary: r.summary,
          files: r.files,
          outputs: r.outputs,
          ...defined({ artifacts: r.artifacts, branch: r.branch, source: r.source }),
        }),
    ...defined({ started: isoTime(s.opened), ended: isoTime(s.ended), batch: batchOf(s.children?.batches) }),
  }
}

function pacedOf(s: StepState): Pick<StepView, "paced" | "paced_ms"> {
  const call = s.status === "running" ? waitingCall(s) : undefined
  const paced = call && { model: call.model, until: isoTime(call.until), ahead: call.ahead }
  return defined({ paced, paced_ms: s.pacedMs })
}

function batchOf(batches: Batches | undefined): StepView["batch"] {
  if (!batches) return undefined
  const open = Object.values(batches.open)
  const waiting = open.reduce((sum, { calls }) => sum + calls, 0)
  const until = open.length === 0 ? undefined : isoTime(Math.max(...open.map(({ expires }) => expires)))
  return { sent: batches.sent, answered: batches.answered, waiting, ...defined({ until }) }
}

export function interactionView(run: Run, i: Interaction): InteractionView {
  return {
    id: i.id,
    run: run.id,
    kind: i.kind,
    status: i.status,
    step: i.step,
    ...defined({ agent: agentOf(run, i.step) }),
    payload: i.payload,
    schema: i.schema,
    created: isoTime(i.created),
    ...defined({ risk: i.risk, expires: isoTime(i.expires), default: i.default, answer: i.answer, by: i.by, decided: isoTime(i.decided) }),
  }
}
