// A run as a page shows it, folded from the frames of its stream: what `useRun` gives. Pure.

import type { FlowOutput } from "../src/client/register.ts"
import type { RunEvent } from "../src/core/run/event.ts"
import type { Frame } from "../src/client/frame.ts"
import { defined } from "../src/core/defined.ts"

type Asking = Extract<RunEvent, { type: "interaction.asked" }>

export interface StepState {
  readonly status: "running" | "complete" | "error" | "blocked" | "skipped"
  readonly agent?: string
  /** What the model is writing now, and after its turn what it wrote last. */
  readonly text: string
  readonly summary?: string
}

/** `Event`: what of the journal the client may read, with its key or its token. `F`: the run's flow, whose output it has. */
export interface RunState<Event = RunEvent, F extends string = string> {
  readonly status: "loading" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled"
  /** The journal so far. */
  readonly events: readonly Event[]
  readonly steps: Readonly<Record<string, StepState>>
  /** Open questions. */
  readonly asked: readonly { readonly id: string; readonly kind: string; readonly step: string; readonly payload: Asking["payload"] }[]
  readonly output?: FlowOutput<F>
  /** Why the run failed, or why it cannot be read; while the connection is lost, that it is. */
  readonly error?: { readonly message: string }
}

export const LOADING: RunState = { status: "loading", events: [], steps: {}, asked: [] }

export function folded(state: RunState, frame: Frame): RunState {
  if (frame.type === "model.delta") {
    const { text, ...rest } = state.steps[frame.step] ?? RUNNING
    return withStep(state, frame.step, { ...rest, text: frame.whole === true ? frame.text : text + frame.text })
  }
  if (frame.type === "tool.progress") return state
  return applied({ ...state, events: [...state.events, frame] }, frame)
}

const RUNNING: StepState = { status: "running", text: "" }
const withStep = (state: RunState, id: string, step: StepState): RunState => ({ ...state, steps: { ...state.steps, [id]: step } })

function applied(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "run.started":
    case "run.resumed":
      return { ...state, status: "running" }
    case "run.waiting":
      return { ...state, status: "waiting" }
    case "run.paused":
      return { ...state, status: "paused" }
    case "step.opened":
      return withStep(live(state), event.step, { ...RUNNING, ...defined({ agent: event.agent }) })
    case "action.begun":
      return live(state)
    case "model.replied":
      return withStep(live(state), event.step, { ...(state.steps[event.step] ?? RUNNING), text: event.text })
    case "step.finished":
      return withStep(state, event.step, { ...(state.steps[event.step] ?? RUNNING), status: event.status, summary: event.summary })
    case "step.skipped":
      return withStep(state, event.step, { status: "skipped", text: "" })
    case "interaction.asked": {
      const { id, kind, step, payload } = event
      return { ...state, asked: [...state.asked, { id, kind, step, payload }] }
    }
    case "interaction.answered":
    case "interaction.expired":
      return { ...live(state), asked: state.asked.filter(({ id }) => id !== event.id) }
    case "run.ended":
      return {
        ...state,
        status: event.status,
        asked: [],
        ...defined({ output: event.output, error: event.error && { message: event.error.message } }),
      }
    default:
      return state
  }
}

/** A run that waited goes on without saying so. */
const live = (state: RunState): RunState =>
  state.status === "waiting" || state.status === "loading" ? { ...state, status: "running" } : state

/** In a row, about 1.4 s: a connection that is back sooner is worth no word. */
const TOLD_LOSSES = 3

/** Counts the losses of a connection in a row, and says from the third on what may be wrong; a browser tells a page no more than that nothing came. */
export function lossOf(origin: string | undefined): (isOpen: boolean) => string | undefined {
  let losses = 0
  const allowed = origin === undefined ? "" : `, or it does not allow the origin of this page, ${origin} (settings, cors)`
  return (isOpen) => {
    losses = isOpen ? 0 : losses + 1
    return losses < TOLD_LOSSES ? undefined : `no answer: the server cannot be reached${allowed}; it is tried again`
  }
}
