// Collects the powers that one tenant's tools have beyond a run: the network, its memory, its shared files, its sessions, and the models
// bound to the Worker. The same for runs and for POST /v1/tools; a power without a binding is absent.

import { defined } from "../../core/defined.ts"
import { wayOf } from "../../engine/net/guarded-fetch.ts"
import { netOf } from "../../engine/net/net.ts"
import type { ToolPowers } from "../../ports/tool.ts"
import type { Env } from "../platform/env.ts"
import { memoryPort } from "../clients/memory.ts"
import { modelPowers } from "./model-powers.ts"
import { r2Objects } from "../blobs/objects-r2.ts"
import { dataOf } from "./data-d1.ts"
import { portOf } from "../platform/port-of.ts"
import { referencesPort } from "../clients/references.ts"
import { systemFacts } from "./system-facts.ts"

export type TenantPowers = Pick<
  ToolPowers,
  "net" | "connection" | "services" | "memory" | "objects" | "models" | "sessions" | "system" | "references" | "data"
>

/** The base address in PUBLIC_URL, without its query and fragment; absent: not set, or not an address. */
export function publicUrl({ PUBLIC_URL = "" }: Pick<Env, "PUBLIC_URL">): { readonly publicUrl?: string } {
  const url = URL.parse(PUBLIC_URL)
  return url && /^https?:$/.test(url.protocol) ? { publicUrl: url.origin + url.pathname.replace(/\/+$/, "") } : {}
}

/** `root`: the address for links of a call from outside; a run uses PUBLIC_URL, and without it its links are paths. */
export function tenantPowers(env: Env, tenant: string, root = publicUrl(env).publicUrl ?? ""): TenantPowers {
  const models = modelPowers(env.AI)
  const sessions = portOf(env, tenant, "sessions")
  const data = dataOf(env, tenant)
  return {
    net: netOf(wayOf(env, root)),
    connection: (server, url) => {
      const room = portOf(env, tenant, "connections")
      return { token: () => room.token(server, url), renewed: (rejected) => room.token(server, url, rejected) }
    },
    services: { get: () => portOf(env, tenant, "settings").get("services") },
    memory: memoryPort(env, tenant),
    system: systemFacts(env),
    objects: r2Objects(env, tenant, root),
    sessions: {
      list: async () => (await sessions.list()).map((row) => ({ ...row })),
      remove: (agent, id) => sessions.remove(agent, id),
    },
    references: referencesPort(env, tenant),
    ...defined({ data, models }),
  }
}
