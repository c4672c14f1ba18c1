// Answers 404 with a suggestion when a flow or an agent has a near namesake [F3]: otherwise the same document as every 404 [H2]. Only a key
// that may read the catalog gets it, and only the names of its own tenant are compared.

import type { Call } from "./call.ts"
import { NOT_FOUND, refuse } from "./problem.ts"

export async function notFoundNear(c: Call, kind: "flow" | "agent", id: string): Promise<Response> {
  const near = c.get("caller").scopes.includes("catalog:read") ? await c.get("tenant").catalog.nearest(kind, id) : undefined
  if (near === undefined || near === id) return refuse(c, NOT_FOUND)
  return refuse(c, {
    ...NOT_FOUND,
    detail: `There is no ${kind} of this name; did you mean "${near}"?`,
    errors: [{ pointer: "", message: `there is no ${kind} of this name`, suggestion: `did you mean "${near}"?` }],
  })
}
