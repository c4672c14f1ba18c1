// toolCatalogPort: the registered tools of a tenant's object, as the rest of the Worker sees them. Registering twice leaves the same
// rows, so each of these may be asked a second time.

import type { ToolDef } from "../core/tool-def.ts"
import type { RegisteredTool, ToolCatalogPort } from "../ports/tool-catalog.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The object's methods. */
export interface ToolCatalogRpc {
  registeredTools(): Promise<readonly RegisteredTool[]>
  registerTools(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]>
  unregisterTool(name: string): Promise<boolean>
}

export function toolCatalogPort(env: TenantPortEnv, tenant: string): ToolCatalogPort {
  const ask = asking<ToolCatalogRpc>(env, tenant)
  return {
    registered: () => ask((o) => o.registeredTools()),
    register: (defs) => ask((o) => o.registerTools(defs)),
    unregister: (name) => ask((o) => o.unregisterTool(name)),
  }
}
