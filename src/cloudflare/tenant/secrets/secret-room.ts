// Serves a tenant's vault. `open` is only for the Worker's own objects, never for an API response [T32].

import type { Answers, SecretsRoom } from "../../../ports/objects.ts"
import { forgetSecrets } from "../../platform/secret-cache.ts"
import { openedOf } from "./opened.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function secretRoom(resources: TenantResources): Answers<SecretsRoom> {
  const { tenant, secrets, inTurn } = resources
  const changed = <T>(write: () => Promise<T>): Promise<T> => inTurn(write).finally(() => forgetSecrets(tenant))
  return {
    list: () => secrets.list(),
    put: (scope, values) => changed(() => secrets.put(scope, values)),
    remove: (scope) => changed(async () => secrets.remove(scope)),
    open: () => openedOf(resources),
  }
}
