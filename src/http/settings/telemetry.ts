// Sets where a tenant's traces go [N9]: the address must lead outside, and each header's secret must be in the vault.

import { TelemetryBody } from "../../api/settings.ts"
import { err, type Result } from "../../core/result.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import type { SettingValue } from "../../ports/tenant/settings.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import { invalid, type Fault, type Refusal } from "../middleware/problem.ts"

export async function telemetryOf(c: Call): Promise<Result<SettingValue<"telemetry">, Refusal>> {
  const body = json(c, TelemetryBody)
  if (!body.ok) return body
  const { endpoint, headers = {} } = body.value
  const faults: Fault[] = []
  if (endpoint !== undefined) {
    const judged = judgeCallback(endpoint, outward(c))
    if (!judged.ok) faults.push({ pointer: "/endpoint", message: `address refused: ${judged.error}` })
    else if (judged.value.search !== "" || judged.value.hash !== "" || judged.value.username !== "" || judged.value.password !== "")
      faults.push({ pointer: "/endpoint", message: "must have no query, fragment or user: send keys as headers from the vault" })
  } else if (Object.keys(headers).length > 0)
    faults.push({ pointer: "/headers", message: "are sent only to an endpoint of your own: add `endpoint`" })
  const known = Object.keys(headers).length === 0 ? [] : (await c.get("tenant").secrets.list()).map(({ scope }) => scope)
  for (const [name, scope] of Object.entries(headers))
    if (!known.includes(scope))
      faults.push({
        pointer: `/headers${pointerStep(name)}`,
        message: `the vault has no secret "${scope}": PUT /v1/secrets/${scope} first`,
      })
  return faults.length > 0 ? err(invalid(faults)) : body
}
