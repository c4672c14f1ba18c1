// Shows a run to its tenant's keys: a run that a delivery or a fire promises is started before a caller could learn that it does not exist [W3], and
// no object is asked about a made-up id [N1].

import { promised } from "../../engine/run/begin/promised-run.ts"
import { RUN_ID, type RunPort } from "../../ports/run.ts"
import type { RunNamespace, TenantNamespace } from "../platform/stubs.ts"
import { isOwnRunId } from "../platform/run-id.ts"
import type { VaultEnv } from "../platform/vault.ts"
import { ifListed } from "./known-names.ts"
import { portOf } from "../platform/port-of.ts"
import { NO_RUN, runPort } from "./run-port.ts"

export function promisedRun(env: RunNamespace & TenantNamespace & VaultEnv, tenant: string, id: string): RunPort {
  if (!RUN_ID.test(id)) return NO_RUN
  const port = promised(runPort(env, tenant, id), () => portOf(env, tenant, "starts").begin(id))
  return isOwnRunId(env, tenant, id) ? port : ifListed(env, tenant, id, port)
}
