// Compares a held write with the flow as it is [V41, V42]: fixes what both sides run, and asks the tenant's object what an experiment has shown.
// Loaded when a rule of the gate asks for scores.

import { undecided } from "../../core/experiment/verdict.ts"
import { defined } from "../../core/defined.ts"
import type { Evidence, EvidenceWish } from "../../engine/trial/gated-write.ts"
import type { EvidenceFound, ExperimentFixed, FixedVariant } from "../../ports/tenant/quality/experiments.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"
import { ExperimentVariants } from "./experiment-variants.ts"

const [BEFORE, AFTER] = ["now", "write"] as const

export async function evidenceOf(env: Env, tenant: string, by: string, wish: EvidenceWish): Promise<Evidence> {
  const { flow, rule, isNew, changes, models } = wish
  if (isNew) return known({ decision: "passed", dataset: rule.dataset })
  const variants = new ExperimentVariants(env, tenant, by)
  const after = defined({ write: changes !== undefined && changes.length > 0 ? changes : undefined, settings: models })
  const fixing = await variants.fix({
    flow,
    name: `gate: ${flow}`,
    dataset: rule.dataset,
    variants: [{ name: BEFORE }, { name: AFTER, ...after }],
    scorers: Object.keys(rule.scorers),
    repeats: rule.repeats ?? 1,
    by,
  })
  if (!fixing.ok) return known(undecided(rule.dataset, `the flow cannot start ${fixing.at === 0 ? "as it is" : "as it would be"}`))
  const { fixed } = fixing
  if (fixed.isEqual) return known({ decision: "passed", dataset: rule.dataset })
  const [was, is] = fixed.variants
  if (was?.form === undefined || is?.form === undefined || losesMode(was, is))
    return known(undecided(rule.dataset, "the flow cannot start as it would be"))
  return looking(env, tenant, { flow, rule, before: was.form, after: is.form }, fixed)
}

const looking = (
  env: Env,
  tenant: string,
  ask: { readonly flow: string; readonly rule: EvidenceWish["rule"]; readonly before: string; readonly after: string },
  begin: ExperimentFixed,
): Evidence => ({
  look: (begins) => portOf(env, tenant, "experiments").evidence({ ...ask, ...(begins ? { begin } : {}) }),
})

const known = (found: EvidenceFound): Evidence => ({ look: async () => found })

/** A way to begin a run that the flow has now, and would not have. */
const losesMode = ({ pinned: was = {} }: FixedVariant, { pinned: is = {} }: FixedVariant): boolean =>
  Object.keys(was).some((mode) => is[mode] === undefined)
