// toolCatalogPort: the registered tools of a tenant's object, as the rest of the Worker sees them. Registering twice leaves the same
// rows, so each of these may be asked a second time.

import type { ToolCatalogPort } from "../../ports/tool-catalog.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function toolCatalogPort(env: TenantPortEnv, tenant: string): ToolCatalogPort {
  const ask = asking(env, tenant)
  return {
    registered: () => ask((o) => o.tools.registered()),
    register: (defs) => ask((o) => o.tools.register(defs)),
    unregister: (name) => ask((o) => o.tools.unregister(name)),
  }
}
