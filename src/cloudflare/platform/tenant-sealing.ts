// Encrypts the state that providers want back with their replies [J20] for one tenant.

import type { Sealing } from "../../ports/model.ts"
import { Vault, type VaultEnv } from "./vault.ts"

export function tenantSealing(env: VaultEnv, tenant: string): Sealing {
  const vault = new Vault(env)
  return {
    seal: (text, place) => vault.seal(text, `${tenant}/${place}`),
    open: (sealed, place) => vault.open(sealed, `${tenant}/${place}`),
  }
}
