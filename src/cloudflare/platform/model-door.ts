// Selects the bindings and variables on which the choice of a model depends [M2].

import { zonesOf } from "../../engine/net/address-guard.ts"
import type { ProviderDeps } from "../../models/providers.ts"
import type { Env } from "./env.ts"

export const modelDoor = (env: Pick<Env, "ENVIRONMENT" | "AI"> & Parameters<typeof zonesOf>[0]): ProviderDeps => ({
  environment: env.ENVIRONMENT,
  zones: zonesOf(env),
  ...(env.AI ? { ai: env.AI } : {}),
})
