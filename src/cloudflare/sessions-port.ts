// The tenant's sticky sessions [J25] as the rest of the Worker sees them. Each call may be asked twice when the platform says so: a
// claim by the one who has the session already, or a session given back that is given back, changes nothing.

import type { StickySessions } from "../ports/sessions.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface SessionsRpc {
  claimSession: StickySessions["claim"]
  giveBackSession: StickySessions["giveBack"]
  listSessions: StickySessions["list"]
  removeSession: StickySessions["remove"]
}

export function sessionsPort(env: TenantPortEnv, tenant: string): StickySessions {
  const ask = asking<SessionsRpc>(env, tenant)
  return {
    claim: (claim) => ask((o) => o.claimSession(claim)),
    giveBack: (claim, said) => ask((o) => o.giveBackSession(claim, said)),
    list: () => ask((o) => o.listSessions()),
    remove: (agent, id) => ask((o) => o.removeSession(agent, id)),
  }
}
