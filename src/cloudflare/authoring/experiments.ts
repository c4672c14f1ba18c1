// Serves a tenant's experiments [V32]. What the variants run is fixed here, because that needs the definitions; the tenant's object drives the rest.

import { defined } from "../../core/defined.ts"
import type { ExperimentsPort } from "../../ports/tenant/quality/experiments.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"

export function experimentsPort(env: Env, tenant: string, by: string): ExperimentsPort {
  const room = portOf(env, tenant, "experiments")
  const work = async () => new (await import("./comparisons.ts")).ExperimentVariants(env, tenant, by)
  return {
    fix: async (...wish) => (await work()).fix(...wish),
    check: async (...wish) => (await work()).check(...wish),
    begin: (...wish) => room.begin(...wish),
    list: () => room.list(),
    find: (id) => room.find(id),
    rows: (id, page) => room.rows(id, defined(page)),
    stop: (id) => room.stop(id),
    remove: (...asked) => room.remove(...asked),
  }
}
