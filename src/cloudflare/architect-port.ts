// The architect's sessions in the tenant's object: for the HTTP routes, and as the author of a session's runs. A fresh stub for every
// call, as in tenant-port.ts; a write of the author may be asked twice, for the same text staged again changes nothing [J11].

import type { ArchitectPort } from "../ports/architect.ts"
import type { Author } from "../ports/catalog.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface ArchitectRpc {
  openArchitect: ArchitectPort["open"]
  lookArchitect: ArchitectPort["look"]
  listArchitect: ArchitectPort["list"]
  acceptArchitect(...args: [...Parameters<ArchitectPort["accept"]>, by: string | undefined]): ReturnType<ArchitectPort["accept"]>
  reviseArchitect: ArchitectPort["revise"]
  discardArchitect: ArchitectPort["discard"]
  stagedAgents(session: string): ReturnType<Author["agents"]>
  stage(session: string, run: string, kind: "agent" | "flow", path: string, content: string): ReturnType<Author["writeFlow"]>
}

/** `by`: the name that stands beside the revision of what is accepted [F72]. */
export function architectPort(env: TenantPortEnv, tenant: string, by: string): ArchitectPort {
  const ask = asking<ArchitectRpc>(env, tenant)
  // Each of them is idempotent, so each may be asked again when the platform says so.
  return {
    open: (wish) => ask((o) => o.openArchitect(wish)),
    look: (id) => ask((o) => o.lookArchitect(id)),
    list: (query) => ask((o) => o.listArchitect(query)),
    accept: (id, seen) => ask((o) => o.acceptArchitect(id, seen, by)),
    revise: (id, back) => ask((o) => o.reviseArchitect(id, back)),
    discard: (id) => ask((o) => o.discardArchitect(id)),
  }
}

/** What the authoring tools of `run` write to while it works for `session`: nothing of it reaches the catalog. */
export function stagingAuthor(env: TenantPortEnv, tenant: string, session: string, run: string): Author {
  const ask = asking<ArchitectRpc>(env, tenant)
  return {
    agents: () => ask((o) => o.stagedAgents(session)),
    writeAgent: (path, content) => ask((o) => o.stage(session, run, "agent", path, content)),
    writeFlow: (path, content) => ask((o) => o.stage(session, run, "flow", path, content)),
  }
}
