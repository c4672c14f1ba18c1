// Builds the dependencies for running test cases [K21], for a caller of this Worker or a run of this tenant.

import type { TrialDeps } from "../../engine/trial/run-case.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { runIdOf } from "../platform/run-id.ts"
import { filesKeeper } from "../clients/given-files.ts"
import { runPort } from "../clients/run-port.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "../clients/secrets.ts"

export const trialDeps = (env: Env, tenant: string, by: string): TrialDeps => ({
  tenant,
  by,
  runId: async () => runIdOf(env, tenant, clock.id()),
  run: (id) => runPort(env, tenant, id),
  keepFiles: filesKeeper(env, tenant, {
    later: () => undefined,
    retain: (hash) => portOf(env, tenant, "bodies").retain(hash),
    redactor: async () => (await openVault(env, tenant, clock.now)()).redactor,
  }),
  now: () => clock.now(),
})
