// Protects definitions in use from removal [F76]: 409 with the list of uses, unless `?force=1`.

import type { UsableKind, Use } from "../../ports/tenant/catalog.ts"
import type { Call } from "./call.ts"
import { refuse } from "./problem.ts"

/** Uses named in the sentence; the answer's `used_by` has all of them. */
const SHOWN = 5

/** The refusal, or undefined if the definition may be removed. */
export async function refusedInUse(c: Call, kind: UsableKind, id: string): Promise<Response | undefined> {
  if (c.req.query("force") === "1") return undefined
  const uses = await c.get("tenant").catalog.uses(kind, id)
  if (uses.length === 0) return undefined
  const more = uses.length > SHOWN ? `, and ${uses.length - SHOWN} more` : ""
  return refuse(c, {
    code: "in_use",
    detail: `${uses.slice(0, SHOWN).map(said).join(", ")}${more} would be left without it. Change them first, or remove it with ?force=1.`,
    more: { used_by: uses },
  })
}

const said = ({ kind, id, step }: Use): string => `${kind} "${id}"${step === undefined ? "" : ` (step "${step}")`}`
