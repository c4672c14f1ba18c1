// A run as its tenant's keys see it: a run that a delivery promises is started before a caller could learn that it does not exist [W3].

import { promised } from "../../engine/run/promised-run.ts"
import type { RunPort } from "../../ports/run.ts"
import type { RunDoor, TenantDoor } from "../platform/stubs.ts"
import { portOf } from "./port-of.ts"
import { runPort } from "./run-port.ts"

export const promisedRun = (env: RunDoor & TenantDoor, tenant: string, id: string): RunPort =>
  promised(runPort(env, tenant, id), () => portOf(env, tenant, "hooks").begin(id))
