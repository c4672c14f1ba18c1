// env → House: who a key is, and ports that are already that tenant's. The only place that puts a tenant and a store together [N1].

import { builtinsOf } from "../engine/catalog-ground.ts"
import { withBuiltins } from "../engine/catalog-bodies.ts"
import { currentSkills } from "../engine/skill-library.ts"
import type { Caller, House, Scope, TenantHouse } from "../ports/house.ts"
import { askUser } from "../tools/ask-user.ts"
import { TOOLS } from "../tools/toolbox.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { BUILTINS } from "./builtins.gen.ts"
import { clock, derivedId } from "./clock.ts"
import type { Env } from "./env.ts"
import { idempotencyPort, runPort } from "./run-port.ts"
import { subagents } from "./subagents.ts"
import { architectPort } from "./architect-port.ts"
import { tenantPort } from "./tenant-port.ts"

export const VERSION = "0.1.0"

const ALL: readonly Scope[] = ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "interactions:answer", "admin"]

/** [N5] Local development's own tenant and key. Keys of real tenants come with the service (issue 5). */
const LOCAL_KEY = "sl_local_dev"
const LOCAL: Caller = { tenant: "local", name: "local", scopes: ALL }

export function house(env: Env, later: (work: Promise<unknown>) => void): House {
  return {
    environment: env.ENVIRONMENT,
    version: VERSION,
    tools: TOOLS,
    others: [askUser],
    identify: async (bearer) => (env.ENVIRONMENT === "local" && (await sameSecret(bearer, LOCAL_KEY)) ? LOCAL : undefined),
    open: (caller) => tenantHouse(env, caller.tenant, later, caller.name),
  }
}

function tenantHouse(env: Env, tenant: string, later: (work: Promise<unknown>) => void, by: string): TenantHouse {
  const port = tenantPort(env, tenant, by)
  const runId = async (key?: string): Promise<string> => `run_${key === undefined ? clock.id() : await derivedId(tenant, key)}`
  return {
    tenant: port,
    run: (id) => runPort(env, tenant, id),
    runId,
    idempotency: async (key) => idempotencyPort(env, tenant, await runId(key)),
    async skills() {
      // A built-in body is in R2 only once a run has pinned it.
      return currentSkills((await port.files("skill")).data, withBuiltins(r2Blobs(env, tenant, later), await builtinsOf(BUILTINS)))
    },
    architect: architectPort(env, tenant, by),
    subagents: subagents(port, tenant, runId, (id) => runPort(env, tenant, id)),
  }
}

/** Constant time: digests of equal length are compared, whatever was sent [H1]. */
async function sameSecret(a: string, b: string): Promise<boolean> {
  const digest = (s: string): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", new TextEncoder().encode(s))
  return crypto.subtle.timingSafeEqual(await digest(a), await digest(b))
}
