// Sends writes of the catalog through the gate [K24]: 409 with the report of the tests, or `?force=1` of an admin to bypass it.

import { defined } from "../../core/defined.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { GateFailed, GatePending } from "../../ports/tenant/authoring/gate.ts"
import type { TenantServices } from "../../ports/services.ts"
import type { Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { refuse } from "../middleware/problem.ts"

type Ports = Pick<TenantServices, "catalog" | "architect" | "settings">

/** The ports for the writes of this request, or 403. */
export function writing(c: Call): Result<Ports, Response> {
  if (c.req.query("force") !== "1") return ok(c.get("tenant"))
  const forbidden = lacks(c, "admin")
  return forbidden ? err(forbidden) : ok(c.get("tenant").forcing())
}

/** The same for a DELETE, whose `?force=1` has a second meaning [F76]: only an admin's bypasses the gate. */
export const removing = (c: Call): Ports =>
  c.req.query("force") === "1" && c.get("caller").scopes.includes("admin") ? c.get("tenant").forcing() : c.get("tenant")

export function gateFailed(c: Call, { message, report }: GateFailed): Response {
  if (c.req.query("force") === "1")
    return refuse(c, { code: "forbidden", detail: `${message} Bypassing the gate needs a key with the scope admin.`, more: { report } })
  return refuse(c, {
    code: "gate_failed",
    detail: `${message} Fix it, or change its tests too; an admin may write with ?force=1.`,
    more: { report },
  })
}

/** [V42] How long it is worth to wait before the same write is sent again, in seconds. */
const RETRY = "5"

export const gatePending = (c: Call, { message, flows, experiment }: GatePending): Response =>
  refuse(c, {
    code: "gate_pending",
    detail: `${message} Send the same write again later.`,
    headers: { "retry-after": RETRY },
    more: { flows: [...flows], ...defined({ experiment }) },
  })
