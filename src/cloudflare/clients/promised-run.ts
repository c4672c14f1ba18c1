// A run as its tenant's keys see it: the tenant's object begins a run that a delivery promises before a caller is told that there is none [W3].

import { promised } from "../../engine/run/promised-run.ts"
import type { RunPort } from "../../ports/run.ts"
import { runPort } from "./run-port.ts"
import type { RunDoor, TenantDoor } from "../platform/stubs.ts"
import { asking } from "./tenant-port.ts"

export const promisedRun = (env: RunDoor & TenantDoor, tenant: string, id: string): RunPort =>
  promised(runPort(env, tenant, id), () => asking(env, tenant)((o) => o.hooks.begin(id)))
