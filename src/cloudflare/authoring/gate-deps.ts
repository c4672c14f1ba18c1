// Carries out the gate's demands on a write [K24]: the tests of flows, and backtests on their newest runs.

import type { GateDeps } from "../../engine/trial/gated-write.ts"
import type { Env } from "../platform/env.ts"
import { trialDeps } from "./trial-deps.ts"

export const gateDeps = (env: Env, tenant: string, by: string): GateDeps => ({
  ...trialDeps(env, tenant, by),
  // Few writes meet a gate that asks for this, and it needs what loads a run, which needs the catalog's port.
  backtest: async (wish) => (await import("./comparisons.ts")).gateBacktest(env, tenant, by, wish),
  evidence: async (wish) => (await import("./comparisons.ts")).evidenceOf(env, tenant, by, wish),
})
