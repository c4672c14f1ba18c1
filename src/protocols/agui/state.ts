// Derives the state of a run for an AG-UI client [P19]: the status of the run and of each step from the run's view, and the JSON Patch from
// the state that the client last got to the current one.

import { defined } from "../../core/defined.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import type { StepStatus } from "../../core/run/event-parts.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { ProtocolState } from "../../core/run/protocol/protocol-state.ts"

interface StepNow {
  status: StepStatus
  summary?: string
  /** It does nothing itself until a time comes, or child runs end. */
  waits?: boolean
  /** Its model is asked again at a later time. */
  retries?: boolean
}

export class AguiState {
  readonly #steps: Map<string, StepNow>
  /** What the client was told last. */
  #told: JsonObject | undefined

  constructor(from?: AguiState) {
    this.#steps = new Map([...(from ? from.#steps : [])].map(([id, step]) => [id, { ...step }]))
    this.#told = from === undefined ? undefined : from.#told
  }

  take(e: RunEvent, plan: Plan): void {
    switch (e.type) {
      case "run.started":
        for (const id of plan.stepIds) this.#steps.set(id, { status: "pending" })
        return
      case "run.ended":
        for (const step of this.#steps.values())
          if (step.status === "pending" || step.status === "running" || step.status === "waiting") step.status = "canceled"
        return
      case "step.opened": {
        const step = this.#of(e.step)
        step.status = "running"
        step.waits = e.total !== undefined || e.stepType === "wait"
        step.retries = false
        return
      }
      case "step.finished": {
        const step = this.#of(e.step)
        step.status = e.status
        step.summary = e.summary
        return
      }
      case "step.skipped": {
        const step = this.#of(e.step)
        step.status = "skipped"
        delete step.summary
        return
      }
      case "step.reopened":
        this.#of(e.step).status = "pending"
        return
      case "model.failed":
        if (e.retryAt !== undefined) this.#of(e.step).retries = true
        return
      case "model.replied":
      case "action.begun":
        this.#of(e.step).retries = false
        return
      default:
        return
    }
  }

  /** Steps that are at work, in the order of the flow. */
  open(): string[] {
    return [...this.#steps].flatMap(([id, { status }]) => (status === "running" ? [id] : []))
  }

  snapshot(story: ProtocolState): JsonObject {
    this.#told = this.#now(story)
    return this.#told
  }

  /** RFC 6902; empty: nothing has changed. */
  delta(story: ProtocolState): JsonObject[] {
    const before = this.#told
    const now = this.snapshot(story)
    return before === undefined ? [] : changes(before, now, "")
  }

  #now({ run, flow, status, open }: ProtocolState): JsonObject {
    const asking = new Set([...open.values()].map(({ step }) => step))
    const steps = [...this.#steps].map(([id, { status: own, summary, waits, retries }]): [string, Json] => {
      const isWaiting = own === "running" && (waits === true || retries === true || asking.has(id))
      return [id, { status: isWaiting ? "waiting" : own, ...defined({ summary }) }]
    })
    return { run, flow, status, steps: Object.fromEntries(steps) }
  }

  #of(id: string): StepNow {
    const known = this.#steps.get(id)
    if (known) return known
    const step: StepNow = { status: "pending" }
    this.#steps.set(id, step)
    return step
  }
}

/** Both are objects of objects and texts, as `#now` makes them. */
function changes(before: JsonObject, now: JsonObject, path: string): JsonObject[] {
  const ops: JsonObject[] = []
  for (const [name, value] of Object.entries(now)) {
    const at = path + stepOf(name)
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    if (old === undefined) ops.push({ op: "add", path: at, value })
    else if (isMembers(old) && isMembers(value)) ops.push(...changes(old, value, at))
    else if (old !== value) ops.push({ op: "replace", path: at, value })
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(now, name)) ops.push({ op: "remove", path: path + stepOf(name) })
  return ops
}

/** One step of a JSON Pointer. */
const stepOf = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

const isMembers = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)
