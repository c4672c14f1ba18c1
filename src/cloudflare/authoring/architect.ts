// Serves the architect's sessions, to the HTTP routes and to the authoring tools of a session's runs. Every call may be repeated: staging
// the same text again changes nothing [J11].

import { gatedWrite } from "../../engine/trial/gated-write.ts"
import { withOverrides } from "../../engine/with-overrides.ts"
import type { ArchitectPort } from "../../ports/tenant/authoring/architect.ts"
import type { Author } from "../../ports/tenant/catalog.ts"
import type { WriteAs } from "../../ports/tenant/authoring/gate.ts"
import type { Env } from "../platform/env.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"
import { gateDeps } from "./gate-deps.ts"

/** `as`: the author of an accepted revision [F72], and whether the gate applies [K24]. */
export function architectPort(env: Env, tenant: string, as: WriteAs): ArchitectPort {
  const room = portOf(env, tenant, "architect")
  const deps = gateDeps(env, tenant, as.by ?? "gate")
  return withOverrides(room, {
    accept: (id, seen) => gatedWrite(deps, as, (by) => room.accept(id, seen, by)),
  } satisfies Partial<ArchitectPort>)
}

/** The author for the tools of `run` while it works for `session`. Nothing reaches the catalog. */
export function stagingAuthor(env: TenantNamespace, tenant: string, session: string, run: string): Author {
  const room = portOf(env, tenant, "architect")
  return {
    agents: () => room.agents(session),
    writeAgent: (path, content) => room.write(session, run, "agent", path, content),
    writeFlow: (path, content) => room.write(session, run, "flow", path, content),
  }
}
