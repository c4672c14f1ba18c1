// Projects a run to what a page may show to anyone [H1]: its status, its agents' texts and summaries, its questions, its output and the
// files that its agents name. Everything else is private: tasks and prompts, tools, their arguments and results, rules, scopes, keys,
// costs, other runs, and the text of a failure, which may quote any of these.
//
// Each projection lists its fields, so a new field of an event or a view is private until it is listed here.

import { PACE } from "../shown-status.ts"
import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { StepType } from "../../flow/flow.ts"
import type { FailureSource, FileRef, InteractionKind, RunStatus, StepStatus } from "../event-parts.ts"
import type { RunEvent } from "../event.ts"
import type { Plan } from "../plan.ts"
import type { PiFlowsFrame } from "./pi-flows.ts"
import type { InteractionView, RunView, StepView } from "./view.ts"

export interface PublicStep {
  readonly status: StepStatus
  readonly type: string
  readonly summary?: string
  readonly outputs?: JsonObject
  readonly branch?: string
  readonly files?: readonly FileRef[]
  readonly source?: FailureSource
  readonly started?: string
  readonly ended?: string
  readonly pass: number
}

export interface PublicRun {
  readonly id: string
  readonly flow: string
  readonly status: RunStatus
  readonly created: string
  readonly ended?: string
  readonly output?: Json
  readonly error?: { readonly step?: string; readonly source: FailureSource }
  readonly steps: Readonly<Record<string, PublicStep>>
  readonly waiting?: { readonly reason: string }
  readonly rehearsed: boolean
  readonly seq: number
}

export interface PublicInteraction {
  readonly id: string
  readonly run: string
  readonly kind: InteractionKind
  readonly status: InteractionView["status"]
  readonly step: string
  readonly payload: JsonObject
  readonly schema: JsonObject
  readonly created: string
  readonly expires?: string
  readonly default?: Json
}

/** Steps whose summary and outputs an agent writes, or a person chooses, knowing that they leave the step. What code computes, a signal
 *  brings or another run answers is inside, until it becomes the output of the run. */
const SAYING: ReadonlySet<string> = new Set<StepType>(["agent", "agent-decision", "agent-loop-decision", "fork"])

export function publicRun(view: RunView): PublicRun {
  const { id, flow, status, created, ended, output, error, waiting, rehearsed, seq } = view
  return {
    id,
    flow,
    status,
    created,
    rehearsed,
    seq,
    steps: Object.fromEntries(Object.entries(view.steps).map(([step, seen]) => [step, publicStep(seen)])),
    ...defined({ ended, output, error: error && publicError(error), waiting: waiting && { reason: waiting.reason } }),
  }
}

function publicStep({ status, type, summary, outputs, branch, files, source, started, ended, pass, until }: StepView): PublicStep {
  // [V27] What was not good enough is nobody else's business.
  const said = until && ended === undefined ? {} : { summary, outputs, files, source }
  return { status, type, pass, ...publicResult(type, said), ...defined({ branch, started, ended }) }
}

interface Said {
  readonly summary?: string | undefined
  readonly outputs?: JsonObject | undefined
  readonly files?: readonly FileRef[] | undefined
  readonly source?: FailureSource | undefined
}

/** The summary of a failure is the engine's: it quotes what failed. */
function publicResult(type: string | undefined, { summary, outputs, files, source }: Said) {
  if (source !== undefined) return { source }
  if (type === undefined || !SAYING.has(type)) return {}
  return defined({
    summary,
    outputs,
    files: files && files.filter(({ claimed }) => claimed !== false).map(({ path, action }) => ({ path, action })),
  })
}

const publicError = ({ step, source }: { readonly step?: string | undefined; readonly source: FailureSource }) => ({
  ...defined({ step }),
  source,
})

/** Tells whether a question is public. Approvals and budgets show calls and amounts, so they are not. */
export const isPublicQuestion = ({ kind }: { readonly kind: InteractionKind }): boolean => kind === "ask_user" || kind === "fork"

export function publicInteraction(i: InteractionView): PublicInteraction {
  const { id, run, kind, status, step, payload, schema, created, expires, default: assumed } = i
  return { id, run, kind, status, step, payload: publicPayload(payload), schema, created, ...defined({ expires, default: assumed }) }
}

const ASKED = ["question", "type", "multiSelect", "allowCustom", "defaultValue"] as const

function publicPayload(payload: JsonObject): JsonObject {
  const { options } = payload
  const given = ASKED.flatMap((name): [string, Json][] => (payload[name] === undefined ? [] : [[name, payload[name]]]))
  const labels = Array.isArray(options) ? { options: options.map((o) => (isObject(o) ? { label: o["label"] ?? "" } : o)) } : {}
  return { ...Object.fromEntries(given), ...labels }
}

/** The paths that steps name in their results: the files that a page may read. */
export const publicFiles = (view: RunView): ReadonlySet<string> =>
  new Set(Object.values(publicRun(view).steps).flatMap(({ files = [] }) => files.map(({ path }) => path)))

/** The members of each public event, besides `seq`, `at`, `v` and `type`. */
interface Kept {
  "run.started": "run" | "flow" | "rehearsed"
  "run.waiting": "reason"
  "run.paused": "reason"
  "run.resumed": "reason"
  "run.ended": "status" | "output"
  "step.opened": "step" | "stepType" | "pass"
  "step.finished": "step" | "pass" | "status" | "branch"
  "step.skipped": "step" | "pass"
  "step.reopened": "step" | "pass"
  "model.replied": "step" | "pass" | "turn" | "text"
  "model.failed": "step" | "turn" | "attempt"
  "interaction.asked": "id" | "kind" | "step" | "payload" | "schema" | "expires" | "default"
  "interaction.answered": "id"
  "interaction.expired": "id"
}
/** What an agent's step says when it ends; other steps keep it to themselves. */
interface Saying {
  readonly summary?: string
  readonly outputs?: JsonObject
  readonly files?: readonly FileRef[]
  readonly source?: FailureSource
}
type Whole<T extends keyof Kept> = Extract<RunEvent, { type: T }>
type Part<T extends keyof Kept> = Pick<Whole<T>, Extract<"seq" | "at" | "v" | "type" | Kept[T], keyof Whole<T>>>
/** An event as a public token reads it. */
export type PublicEvent =
  | { [T in Exclude<keyof Kept, "run.ended" | "step.finished">]: Part<T> }[Exclude<keyof Kept, "run.ended" | "step.finished">]
  | (Part<"run.ended"> & { readonly error?: PublicRun["error"] })
  | (Part<"step.finished"> & Saying)

/** The public events of a journal, as events; `seq` has gaps where private events are. */
export class PublicEvents {
  readonly #plan: Plan

  constructor(plan: Plan) {
    this.#plan = plan
  }

  copy(): PublicEvents {
    return this
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    const fields = this.#fields(e)
    return fields === undefined ? [] : [{ event: e.type, data: { seq: e.seq, at: e.at, v: e.v, type: e.type, ...fields } }]
  }

  #fields(e: RunEvent): JsonObject | undefined {
    switch (e.type) {
      case "run.started":
        return { run: e.run, flow: e.flow, rehearsed: e.rehearsed }
      case "run.waiting":
      case "run.paused":
      case "run.resumed":
        // [R30] How fast a tenant may ask its models is nobody else's business.
        return e.reason === PACE ? undefined : { reason: e.reason }
      case "run.ended":
        return { status: e.status, ...defined({ output: e.output, error: e.error && publicError(e.error) }) }
      case "step.opened":
        return { step: e.step, stepType: e.stepType, pass: e.pass }
      case "step.finished":
        return {
          step: e.step,
          pass: e.pass,
          status: e.status,
          ...(publicResult(this.#plan.steps.get(e.step)?.type, e) as JsonObject),
          ...defined({ branch: e.branch }),
        }
      case "step.skipped":
      case "step.reopened":
        return { step: e.step, pass: e.pass }
      case "model.replied":
        return { step: e.step, pass: e.pass, turn: e.turn, text: e.text }
      // Whoever shows partial text drops it here.
      case "model.failed":
        return { step: e.step, turn: e.turn, attempt: e.attempt }
      case "interaction.asked":
        return isPublicQuestion(e)
          ? {
              id: e.id,
              kind: e.kind,
              step: e.step,
              payload: publicPayload(e.payload),
              schema: e.schema,
              ...defined({ expires: e.expires, default: e.default }),
            }
          : undefined
      case "interaction.answered":
      case "interaction.expired":
        return { id: e.id }
      default:
        return undefined
    }
  }
}

/** Of the frames that are not stored, only a model's text is public: a tool's progress is part of its result. */
export const isPublicFrame = (event: string): boolean => event === "model.delta"
