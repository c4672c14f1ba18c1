// The architect's sessions in the tenant's object: for the HTTP routes, and as the author of a session's runs. A fresh stub for every
// call, as in tenant-port.ts; a write of the author may be asked twice, for the same text staged again changes nothing [J11].

import type { ArchitectPort } from "../../ports/architect.ts"
import type { Author } from "../../ports/catalog.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** `by`: the name that stands beside the revision of what is accepted [F72]. */
export function architectPort(env: TenantPortEnv, tenant: string, by: string): ArchitectPort {
  const ask = asking(env, tenant)
  // Each of them is idempotent, so each may be asked again when the platform says so.
  return {
    open: (wish) => ask((o) => o.architect.open(wish)),
    look: (id) => ask((o) => o.architect.look(id)),
    list: (query) => ask((o) => o.architect.list(query)),
    accept: (id, seen) => ask((o) => o.architect.accept(id, seen, by)),
    revise: (id, back) => ask((o) => o.architect.revise(id, back)),
    discard: (id) => ask((o) => o.architect.discard(id)),
  }
}

/** What the authoring tools of `run` write to while it works for `session`: nothing of it reaches the catalog. */
export function stagingAuthor(env: TenantPortEnv, tenant: string, session: string, run: string): Author {
  const ask = asking(env, tenant)
  return {
    agents: () => ask((o) => o.architect.agents(session)),
    writeAgent: (path, content) => ask((o) => o.architect.write(session, run, "agent", path, content)),
    writeFlow: (path, content) => ask((o) => o.architect.write(session, run, "flow", path, content)),
  }
}
