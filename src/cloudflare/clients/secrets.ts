// Serves a tenant's vault to the HTTP routes and its runs: reads and writes go to the tenant's object, and the isolate caches opened values
// briefly (secret-cache.ts).

import { withOverrides } from "../../engine/with-overrides.ts"
import { scopedSecrets } from "../../engine/run/call/tool-secrets.ts"
import type { Secrets, SecretsPort } from "../../ports/secrets.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { deskFor, deskOr } from "../desks/known-desks.ts"
import { portOf } from "../platform/port-of.ts"
import { forgetRules } from "./cache/rules-cache.ts"
import { cachedSecrets, forgetSecrets, type OpenVault } from "../platform/secret-cache.ts"

/** A run's view of the vault; `fresh`: the cached one is not good enough. */
export const openVault = (env: TenantNamespace, tenant: string, now: () => number): ((fresh?: boolean) => Promise<OpenVault>) =>
  cachedSecrets(tenant, () => deskOr(deskFor(env, tenant, tenant, now()), (desk) => desk.vault(), portOf(env, tenant, "secrets").open), now)

export function secretsPort(env: TenantNamespace, tenant: string, now: () => number): SecretsPort {
  const room = portOf(env, tenant, "secrets")
  const open = openVault(env, tenant, now)
  const secrets = async (fresh: boolean): Promise<Secrets> => (await open(fresh)).secrets
  const changed = <T>(answer: T): T => {
    forgetSecrets(tenant)
    forgetRules(tenant)
    return answer
  }
  return withOverrides(room, {
    put: (scope, values) => room.put(scope, values).then(changed),
    remove: (scope) => room.remove(scope).then(changed),
    redactor: async () => (await open()).redactor,
    of: (tool) => scopedSecrets(tool, secrets),
  } satisfies Partial<SecretsPort>)
}
