// Laws about the course of a run, checked on its journal: what a step waited for, what a choice excluded, how often a
// loop repeated. The flow graph is the kernel's; the run's position in it is tracked here independently.

import { activeFrom } from "../../../src/core/flow/graph.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { isBackward, type Plan } from "../../../src/core/run/plan.ts"

interface Course {
  readonly done: Set<string>
  /** Steps whose route is not taken yet. */
  readonly routing: Set<string>
  readonly excluded: Map<string, Set<string>>
  /** The active set of the last route, until its segment is left. */
  active: Set<string>
  /** `decider label` → how often it went back; decider → how often it was entered. Both since it was last reopened from outside. */
  readonly back: Map<string, number>
  readonly entered: Map<string, number>
  /** The label that a step's last end chose. */
  readonly chosen: Map<string, string>
}

export function detours(plan: Plan, log: readonly RunEvent[]): string[] {
  const wrong: string[] = []
  const c: Course = {
    done: new Set(),
    routing: new Set(),
    excluded: new Map(),
    active: new Set(),
    back: new Map(),
    entered: new Map(),
    chosen: new Map(),
  }
  for (const [i, e] of log.entries()) {
    const fault = step(plan, c, e, log, i)
    if (fault !== undefined) wrong.push(`${e.seq} ${e.type}: ${fault}`)
  }
  return wrong
}

const segmentOf = (plan: Plan, id: string): number => plan.graph.segmentOf[plan.graph.order.get(id) ?? -1] ?? -1
const decides = (plan: Plan, id: string): boolean =>
  ["agent-decision", "code-decision", "fork", "conditional"].includes(plan.steps.get(id)?.type ?? "")

/** Takes one event, and returns what is wrong with it. */
function step(plan: Plan, c: Course, e: RunEvent, log: readonly RunEvent[], i: number): string | undefined {
  switch (e.type) {
    case "step.opened": {
      const waits = (plan.steps.get(e.step)?.blockedBy ?? []).filter(
        (b) => segmentOf(plan, b) === segmentOf(plan, e.step) && !c.done.has(b),
      )
      const by = [...c.excluded].flatMap(([decider, ids]) => (ids.has(e.step) ? [decider] : []))
      const named = c.active.has(e.step)
      if (![...c.active].some((id) => segmentOf(plan, id) === segmentOf(plan, e.step))) c.active = new Set()
      c.done.delete(e.step)
      if (decides(plan, e.step)) c.excluded.delete(e.step)
      const held = [...c.routing].filter((id) => plan.graph.waiters.get(id)?.has(e.step) === true)
      if (held.length > 0) return `[F14] "${e.step}" waits for ${held.join(", ")}, which routed`
      if (waits.length > 0) return `[F11] "${e.step}" waits for ${waits.join(", ")}`
      return by.length > 0 && !named ? `[F15] "${e.step}" is excluded by ${by.join(", ")}` : undefined
    }
    case "step.finished":
      c.done.add(e.step)
      c.chosen.set(e.step, e.branch ?? "")
      if (routes(plan, e, log[i + 1])) c.routing.add(e.step)
      return undefined
    case "step.skipped":
      c.done.add(e.step)
      return undefined
    case "step.reopened":
      c.done.delete(e.step)
      c.excluded.delete(e.step)
      if (e.by !== undefined && e.by !== e.step) forget(c, e.step)
      return undefined
    case "branch.taken":
      return taken(plan, c, e)
    case "loop.iteration":
    case "loop.exhausted":
      if (e.type === "loop.exhausted") c.routing.delete(e.step)
      return counted(plan, c, e, log, i)
    default:
      return undefined
  }
}

/** Does its end lead to a route? The end of a step that is retried does not. */
function routes(plan: Plan, e: Extract<RunEvent, { type: "step.finished" }>, next: RunEvent | undefined): boolean {
  const of = plan.steps.get(e.step)
  if (e.status === "complete") return of?.on_complete !== undefined || e.branch !== undefined
  return of?.on_error !== undefined && e.hard !== true && !(next?.type === "step.reopened" && next.step === e.step)
}

function forget(c: Course, id: string): void {
  c.entered.delete(id)
  for (const key of c.back.keys()) if (key.startsWith(`${id} `)) c.back.delete(key)
}

function taken(plan: Plan, c: Course, e: Extract<RunEvent, { type: "branch.taken" }>): string | undefined {
  for (const ids of c.excluded.values()) ids.delete(e.target)
  c.active = activeFrom(plan.graph, e.target)
  c.routing.clear()
  if (e.by === "error" || e.by === "complete") return isBackward(plan, e.step, e.target) ? `[F16] ${e.branch} leads back` : undefined
  if (decides(plan, e.step)) c.excluded.set(e.step, new Set(plan.graph.exclusions[e.step]?.[e.branch]?.filter((id) => id !== e.target)))
  const key = `${e.step} ${e.branch}`
  if (decides(plan, e.step) && isBackward(plan, e.step, e.target)) c.back.set(key, (c.back.get(key) ?? 0) + 1)
  return undefined
}

/** [F17], [F18] The number in the event equals the number counted here, and nothing passes the cap. */
function counted(
  plan: Plan,
  c: Course,
  e: Extract<RunEvent, { type: "loop.iteration" | "loop.exhausted" }>,
  log: readonly RunEvent[],
  i: number,
): string | undefined {
  if (plan.steps.get(e.step)?.type === "agent-loop-decision") {
    if (e.type === "loop.exhausted") return e.iteration > e.max ? undefined : `[F17] ${e.iteration} of ${e.max} is not past the cap`
    const entered = (c.entered.get(e.step) ?? 0) + 1
    c.entered.set(e.step, entered)
    const over = e.iteration > e.max && log[i + 2]?.type !== "loop.exhausted"
    if (over) return `[F17] ${e.iteration} of ${e.max}, and the loop goes on`
    return e.iteration === entered ? undefined : `[F19] says ${e.iteration}, but was entered ${entered} times`
  }
  const label = c.chosen.get(e.step) ?? ""
  const times = (c.back.get(`${e.step} ${label}`) ?? 0) + 1
  if (e.type === "loop.iteration" ? e.iteration > e.max : e.iteration <= e.max) return `[F18] ${e.iteration} of ${e.max}`
  return e.iteration === times ? undefined : `[F19] says ${e.iteration}, but "${label}" was taken ${times - 1} times before`
}
