// Reads the filters of the list of runs and of its counts [H5] from the query.

import { defined } from "../../core/defined.ts"
import { RunStatus, Trigger } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { RunFilter } from "../../ports/tenant/run-list.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import { time, words } from "../middleware/query.ts"

export function filterOf(c: Call): Result<RunFilter, Refusal> {
  const status = words("status", c.req.query("status"), RunStatus.options)
  if (!status.ok) return status
  const trigger = words("trigger", c.req.query("trigger"), Trigger.shape.kind.options)
  if (!trigger.ok) return trigger
  const createdAfter = time("created_after", c.req.query("created_after"))
  if (!createdAfter.ok) return createdAfter
  const createdBefore = time("created_before", c.req.query("created_before"))
  if (!createdBefore.ok) return createdBefore
  const [tag, ...more] = c.req.queries("tag") ?? []
  if (tag === "" || more.length > 0) return err(invalid([{ pointer: "?tag", message: "must be one tag" }]))
  const children = words("children", c.req.query("children"), ["0", "1"])
  if (!children.ok) return children
  const flow = c.req.query("flow")?.split(",")
  const [parent, thread, session, forkOf] = ["parent", "thread", "session", "fork_of"].map((name) => c.req.query(name))
  return ok({
    ...(children.value?.[0] === "1" ? { children: true as const } : {}),
    ...defined({
      parent,
      forkOf,
      thread,
      session,
      flow,
      status: status.value,
      tag,
      trigger: trigger.value,
      createdAfter: createdAfter.value,
      createdBefore: createdBefore.value,
    }),
  })
}
