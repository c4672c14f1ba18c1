// Checks the body of PUT /v1/settings/roles [F52]: the models of each role. A model that no provider offers would prevent every start of
// agents with that role, so it is refused here.

import { resolveModel } from "../../engine/catalog/pin/model-choice.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { RolesBody } from "../../core/project/roles-body.ts"
import type { SettingValue } from "../../ports/tenant/settings.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Fault, type Refusal } from "../middleware/problem.ts"

export async function rolesOf(c: Call): Promise<Result<SettingValue<"roles">, Refusal>> {
  const body = json(c, RolesBody)
  if (!body.ok) return body
  const settings = { providers: Object.keys(await c.get("tenant").settings.providers()), roles: {} }
  const faults: Fault[] = []
  for (const [role, models] of Object.entries(body.value))
    for (const [i, model] of (typeof models === "string" ? [models] : models).entries()) {
      const found = resolveModel(model, undefined, settings)
      const pointer = `${pointerStep(role)}${typeof models === "string" ? "" : `/${i}`}`
      if (!found.ok) faults.push({ pointer, message: found.error })
    }
  return faults.length > 0 ? err(invalid(faults)) : ok(body.value)
}
