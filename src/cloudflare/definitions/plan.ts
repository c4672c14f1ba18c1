// Compiles the plan of a run from its pinned definitions: for the run itself, to show it before it begins, and for backtests.

import { defined } from "../../core/defined.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import { compile, type Plan } from "../../core/run/plan.ts"
import { loadDefinitions, type Definitions } from "../../engine/catalog/definitions.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import { specsFor } from "../../tools/toolbox.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { missingTools } from "../capabilities/missing-tools.ts"
import type { Env } from "../platform/env.ts"
import { shellOf } from "../sandbox/containers.ts"

interface Lookup {
  readonly env: Env
  readonly later: (work: Promise<unknown>) => void
}

/** Throws if a pinned definition cannot be loaded. */
export async function loadPlan({ env, later }: Lookup, { tenant, pins }: { readonly tenant: string; readonly pins: Pins }): Promise<Plan> {
  return planOf(env, tenant, await loadDefinitions(pins, r2Blobs(env, tenant, later)))
}

/** Compiled once per definitions: the cost grows faster than the number of steps, and an isolate starts many runs of one flow. */
export function planOf(env: Env, tenant: string, definitions: Definitions): Plan {
  const shell = shellOf(env, tenant)
  const cached = plans[shell].get(definitions)
  if (cached) return cached
  const missing = missingTools(env, shell)
  const skills = Object.fromEntries(Object.entries(definitions.skills).map(([name, s]) => [name, s.skill]))
  const plan = compile({
    flow: definitions.flow,
    agents: definitions.agents,
    skills,
    missing,
    ...defined({ scorers: definitions.scorers }),
    tools: [...[...specsFor(shell).values()].filter(({ name }) => !missing.has(name)), ...definitions.tools.map(specOf)],
  })
  plans[shell].set(definitions, plan)
  return plan
}

/** Keyed by shell, because definitions are shared by hash while tenants in different jurisdictions may have different machines. */
const plans = { worker: new WeakMap<Definitions, Plan>(), sealed: new WeakMap<Definitions, Plan>(), open: new WeakMap<Definitions, Plan>() }
