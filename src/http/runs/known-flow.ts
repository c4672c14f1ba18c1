// Checks that a flow exists, before any fault of the body is reported [H10]. A draft may have flows that the catalog does not have [F80].

import type { Call } from "../middleware/call.ts"
import type { FlowTarget } from "./begin-run.ts"

export async function isKnownFlow(c: Call, target: FlowTarget): Promise<boolean> {
  const { catalog } = c.get("tenant")
  if (target.draft === undefined) return (await catalog.read("flow", target.flow, target.revision)) !== undefined
  const pinned = await catalog.pin(target, { rehearse: false })
  // Where there is no draft of this name, the start says so.
  return pinned.ok || pinned.code !== "not_found" || pinned.message !== undefined
}
