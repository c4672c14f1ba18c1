// Stores, shows and executes the plans of a run and the runs below it [C30–C35, T41]. The guard decides whether a plan may be executed before this
// is called. The rows guarantee that it happens once: the call that moves a plan to `executing` dispatches it, and only one can.
//
// If the object dies before the answer arrives, the plan stays in `executing`: what was done is unknown, so it is not done again.

import { canonical, type Json, type JsonObject } from "../../core/json.ts"
import { actionsOf, contextOf, readDispatched, readPlanBody, type PlanAction } from "../../core/plans/plan-body.ts"
import type { Dispatcher } from "../../core/plans/plan-spec.ts"
import { whyNot, type PlanState } from "../../core/plans/plan-state.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { PlanResult, PlanRows, Plans, PlanView } from "../../ports/tenant/authoring/plans.ts"
import type { References } from "../../ports/references.ts"
import { referenceFault } from "./references.ts"

/** The request to a dispatcher. It includes the values behind references, which no model ever sees [C26]. */
export interface Dispatch {
  readonly tenant: string
  readonly run: string
  readonly plan: string
  readonly planId: string
  readonly actions: readonly PlanAction[]
  /** The other members of the plan. */
  readonly context: JsonObject
  readonly resolved_refs: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

export interface PlansDeps {
  readonly tenant: string
  /** The root run, which no other run started. */
  readonly run: string
  readonly rows: PlanRows
  readonly references: Pick<References, "resolve" | "kinds">
  /** Checks before any change: why this dispatcher cannot be called; undefined: it can. */
  ready(dispatcher: Dispatcher): Promise<string | undefined>
  /** Called once. Throws an Error if there is no valid answer. */
  dispatch(dispatcher: Dispatcher, what: Dispatch, signal: AbortSignal): Promise<unknown>
}

const no = (message: string): PlanResult => ({ ok: false, message })

export function plansOf(deps: PlansDeps): Plans {
  const { run, rows } = deps
  return {
    async store({ spec: name, planId, body, ...marks }) {
      const spec = await rows.spec(name)
      if (!spec) return no(await unknownSpec(rows, name))
      const read = readPlanBody(spec, body)
      if (!read.ok) return no(read.error)
      if ((await rows.insert(run, { planId, plan: name, body: read.value, ...marks })) === "other")
        return no(`there is another plan ${JSON.stringify(planId)} already, and a plan never changes: store this one under another id`)
      return seen(await rows.find(run, planId), planId)
    },
    get: (planId) => rows.find(run, planId),
    async execute(planId, signal) {
      const plan = await rows.find(run, planId)
      if (!plan) return no(unknownPlan(planId))
      const spec = await rows.spec(plan.plan)
      if (!spec) return no(`nobody carries out plans of the kind "${plan.plan}": it is gone`)
      const unready = await deps.ready(spec.dispatcher)
      if (unready !== undefined) return no(`the plan "${planId}" was not executed: ${unready}`)
      if (plan.state === "draft") {
        // A concurrent second call finds the plan already approved.
        const moved = await rows.move(run, planId, "approved")
        if (moved !== "ok" && moved !== "approved") return no(cannot(planId, moved, "approved"))
      }
      const actions = actionsOf(plan.body)
      const hydrated = await hydrate(deps.references, actions)
      if (!hydrated.ok) return no(`the plan "${planId}" was not executed: ${hydrated.error}`)
      signal.throwIfAborted()
      const begun = await rows.move(run, planId, "executing")
      if (begun !== "ok") return no(cannot(planId, begun, "executing"))
      const what: Dispatch = {
        tenant: deps.tenant,
        run,
        plan: plan.plan,
        planId,
        actions,
        context: contextOf(plan.body),
        resolved_refs: hydrated.value,
      }
      const done = await dispatched(deps, spec.dispatcher, what, signal)
      // From here on users rely on the stored state. If the store does not answer, there is no retry, and the plan stays in `executing`.
      if (!done.ok) {
        await rows.move(run, planId, "failed", { error: done.error })
        return no(`the plan "${planId}" failed: ${done.error}`)
      }
      await rows.move(run, planId, "executed", { result: done.value })
      return seen(await rows.find(run, planId), planId)
    },
  }
}

async function dispatched(deps: PlansDeps, to: Dispatcher, what: Dispatch, signal: AbortSignal): Promise<Result<Json, string>> {
  try {
    const read = readDispatched(await deps.dispatch(to, what, signal))
    return read.ok ? ok(read.value === null ? null : { ...read.value }) : read
  } catch (e) {
    return err(messageOf(e, "the dispatcher did not answer"))
  }
}

const seen = (plan: PlanView | undefined, planId: string): PlanResult => (plan ? { ok: true, plan } : no(unknownPlan(planId)))

const unknownPlan = (planId: string): string => `there is no plan ${JSON.stringify(planId.slice(0, 100))} in this run`

const cannot = (planId: string, from: PlanState | "unknown", to: PlanState): string =>
  from === "unknown" ? unknownPlan(planId) : whyNot(planId, from, to)

async function unknownSpec(rows: PlanRows, name: string): Promise<string> {
  const known = (await rows.specs()).map((spec) => spec.name)
  return `there is no kind of plan ${JSON.stringify(name.slice(0, 100))}; known: ${known.join(", ") || "none"}`
}

/** Maximum characters of all values together, because a dispatcher receives them in one message. */
const MAX_HYDRATED = 16 * 1024 * 1024 // limit: characters of all values of a plan's references → the plan is not sent

/** Resolves each reference once. A missing reference stops the plan before anything is sent. */
async function hydrate(
  references: Pick<References, "resolve" | "kinds">,
  actions: readonly PlanAction[],
): Promise<Result<Dispatch["resolved_refs"], string>> {
  const resolved = new Map<string, Map<string, Json>>()
  let size = 0
  for (const { kind, id } of actions.flatMap((action) => action.references)) {
    if (resolved.get(kind)?.has(id)) continue
    const found = await references.resolve(kind, id)
    if (!found.ok) return err(referenceFault(found.code, kind, id, found.code === "unknown_kind" ? await references.kinds() : []))
    size += canonical(found.value.value).length
    if (size > MAX_HYDRATED) return err(`the values of its references are larger than ${MAX_HYDRATED} characters together`)
    const ofKind = resolved.get(kind) ?? new Map<string, Json>()
    resolved.set(kind, ofKind.set(id, found.value.value))
  }
  return ok(Object.fromEntries([...resolved].map(([kind, ids]) => [kind, Object.fromEntries(ids)])))
}
