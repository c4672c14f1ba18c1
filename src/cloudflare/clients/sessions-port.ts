// The tenant's sticky sessions [J25] as the rest of the Worker sees them. Each call may be asked twice when the platform says so: a
// claim by the one who has the session already, or a session given back that is given back, changes nothing.

import type { StickySessions } from "../../ports/sessions.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function sessionsPort(env: TenantPortEnv, tenant: string): StickySessions {
  const ask = asking(env, tenant)
  return {
    claim: (claim) => ask((o) => o.sessions.claim(claim)),
    giveBack: (claim, said) => ask((o) => o.sessions.giveBack(claim, said)),
    list: () => ask((o) => o.sessions.list()),
    remove: (agent, id) => ask((o) => o.sessions.remove(agent, id)),
  }
}
