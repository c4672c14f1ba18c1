// Sets where a tenant's traces go [N9]: the addresses must lead outside, and each header's secret must be in the vault.

import { collectorsOf, readTelemetry, TelemetryBody } from "../../core/project/telemetry-body.ts"
import { err, type Result } from "../../core/result.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { collectorFault } from "../../engine/net/collector-address.ts"
import type { SettingValue } from "../../ports/tenant/settings.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import { invalid, type Fault, type Refusal } from "../middleware/problem.ts"

export async function telemetryOf(c: Call): Promise<Result<SettingValue<"telemetry">, Refusal>> {
  const body = json(c, TelemetryBody)
  if (!body.ok) return body
  const read = readTelemetry(body.value)
  if (!read.ok) return err(invalid(read.error))
  const collectors = collectorsOf(read.value)
  const named = collectors.some(({ headers = {} }) => Object.keys(headers).length > 0)
  const known = named ? (await c.get("tenant").secrets.list()).map(({ scope }) => scope) : []
  const faults = collectors.flatMap(({ pointer, endpoint, headers = {} }): Fault[] => {
    const wrong = collectorFault(endpoint, outward(c))
    return [
      ...(wrong === undefined ? [] : [{ pointer: `${pointer}/endpoint`, message: wrong }]),
      ...Object.entries(headers).flatMap(([name, scope]) =>
        known.includes(scope)
          ? []
          : [
              {
                pointer: `${pointer}/headers${pointerStep(name)}`,
                message: `the vault has no secret "${scope}": PUT /v1/secrets/${scope} first`,
              },
            ],
      ),
    ]
  })
  return faults.length > 0 ? err(invalid(faults)) : body
}
