// The vault of one tenant, for the HTTP door and for its runs: rows and writes go to the tenant's object, opened values stay in the
// isolate for a moment (secret-cache.ts).

import type { Secrets, SecretsPort } from "../../ports/secrets.ts"
import { scopedSecrets } from "../../engine/run/tool-secrets.ts"
import { forgetRules } from "./rules-cache.ts"
import { cachedSecrets, forgetSecrets, type OpenVault } from "./secret-cache.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** What a run has of it; `fresh`: the kept one does not do. */
export const openVault = (env: TenantPortEnv, tenant: string, now: () => number): ((fresh?: boolean) => Promise<OpenVault>) => {
  const ask = asking(env, tenant)
  return cachedSecrets(tenant, () => ask((o) => o.secrets.open()), now)
}

export function secretsPort(env: TenantPortEnv, tenant: string, now: () => number): SecretsPort {
  const ask = asking(env, tenant)
  const open = openVault(env, tenant, now)
  const secrets = async (fresh: boolean): Promise<Secrets> => (await open(fresh)).secrets
  return {
    list: () => ask((o) => o.secrets.list()),
    // The same values again change nothing, so both may be asked twice.
    async put(scope, values) {
      const done = await ask((o) => o.secrets.put(scope, values))
      forgetSecrets(tenant)
      forgetRules(tenant)
      return done
    },
    async remove(scope) {
      const gone = await ask((o) => o.secrets.remove(scope))
      forgetSecrets(tenant)
      forgetRules(tenant)
      return gone
    },
    redactor: async () => (await open()).redactor,
    of: (tool) => scopedSecrets(tool, secrets),
  }
}
