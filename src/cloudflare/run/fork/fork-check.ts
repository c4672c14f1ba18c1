// Judges a fork before it begins [K7, K13]: what stands against it, and what would become of it.

import type { Plan } from "../../../core/run/plan.ts"
import type { ForkSignal, Refusal } from "../../../core/run/signal.ts"
import { isDone, type Run } from "../../../core/run/state.ts"
import type { ForkCheck, ForkRequest, ForkResult, ForkSource } from "../../../ports/fork.ts"

type Refused = Extract<ForkResult, { ok: false }>

/** [K13] Steps that have opened and are gone under the plan, or of another type. */
export const conflicts = (run: Run, plan: Plan): string[] =>
  plan === run.plan
    ? []
    : run.plan.stepIds.filter((id) => run.steps[id]?.openedSeq !== undefined && plan.steps.get(id)?.type !== run.plan.steps.get(id)?.type)

/** [H3] A fault is pointed at in the body of the request, where `instead` holds a finish, a reply or an answer. */
export function refusedBy(refusal: Refusal, { instead }: ForkRequest): Refused {
  const at = ["/instead", ...Object.keys(instead ?? {})].join("/")
  if (refusal.code === "invalid")
    return { ok: false, code: "invalid", errors: refusal.errors.map(({ path, message }) => ({ pointer: `${at}${path}`, message })) }
  const why: Readonly<Partial<Record<Refusal["code"], string>>> = {
    not_found: "the question is not open at this place",
    already_answered: "the question is not open at this place",
    other_hash: "the hash is of another call",
  }
  return { ok: false, code: "invalid", errors: [{ pointer: at, message: why[refusal.code] ?? `it is refused: ${refusal.code}` }] }
}

export function checkOf(run: Run, { after }: ForkSource, { forked }: ForkSignal): Omit<ForkCheck, "asked" | "changed"> {
  const kept = run.plan.stepIds.flatMap((step) => {
    const s = run.steps[step]
    return s && s.result !== undefined && s.result.status !== "skipped" && isDone(s) ? [{ step, pass: s.pass }] : []
  })
  return { kept, staged: forked.effects === "live" ? [] : (after?.staged ?? []) }
}

/** [K12] A step whose finish is given does not run: it ends as the fork begins. */
export function askedOf({ after }: ForkSource, { from, instead }: ForkRequest): ForkCheck["asked"] {
  const asked = after?.asked ?? []
  if (instead === undefined || !("finish" in instead) || !("step" in from)) return asked
  const given = asked.findIndex(({ step }) => step === from.step)
  return asked.filter((_, at) => at !== given)
}
