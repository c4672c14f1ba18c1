// Defines where a tenant's traces go [N9, O30]: the body of `PUT /v1/settings/telemetry`, and the file `telemetry.yaml`. The older form has the
// members of a single collector at the top; it is the collector `default`.

import { z } from "zod"
import { defined } from "../defined.ts"
import { err, ok, type Result } from "../result.ts"
import type { BodyFault } from "../schema/body-faults.ts"
import { name, recordOf } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"
import { isOwnHeader } from "../schema/provider-extras.ts"
import { isName } from "../text/names.ts"
import { pointerStep } from "../text/pointer.ts"
import { OpenHeaders } from "./provider-body.ts"

const MOST_COLLECTORS = 10 // limit: collectors of a tenant → 422 at `/collectors`

const members = () => ({
  endpoint: z.string().min(1).max(2_000).describe("The OTLP/HTTP endpoint for the spans of ended runs; `/v1/traces` is added if missing."),
  headers: recordOf(name, 20, z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "must be the name of a header"))
    .exactOptional()
    .describe("Header → the name (scope) of the secret in the vault with its value."),
  plain: OpenHeaders.exactOptional().describe("Headers that are no secrets: they are visible."),
  content: z.boolean().exactOptional().describe("Put prompts, messages, arguments and results into the spans; false by default."),
})

const Collector = later(() => z.strictObject(members()))

export const TelemetryBody = later(() => {
  const { endpoint, ...others } = members()
  return z.strictObject({
    endpoint: endpoint.exactOptional(),
    ...others,
    collectors: recordOf(Collector, MOST_COLLECTORS).exactOptional().describe("Name → a collector."),
  })
})
export type Telemetry = z.output<typeof TelemetryBody>
export type Collector = z.output<typeof Collector>

/** A collector with the place of its settings in the body. */
interface PlacedCollector extends Collector {
  readonly name: string
  readonly pointer: string
}

const DEFAULT = "default"

export function collectorsOf({ endpoint, headers, plain, content, collectors = {} }: Telemetry): readonly PlacedCollector[] {
  const first = endpoint === undefined ? [] : [{ name: DEFAULT, pointer: "", endpoint, ...defined({ headers, plain, content }) }]
  const named = Object.entries(collectors).map(([name, one]) => ({ name, pointer: `/collectors${pointerStep(name)}`, ...one }))
  return [...first, ...named]
}

/** What no schema can say; where an endpoint may lead is judged elsewhere. */
export function readTelemetry(given: Telemetry): Result<Telemetry, readonly BodyFault[]> {
  const faults: BodyFault[] = []
  if (given.endpoint === undefined)
    for (const field of ["headers", "plain"] as const)
      if (Object.keys(given[field] ?? {}).length > 0)
        faults.push({ pointer: `/${field}`, message: "are sent only to an endpoint of your own: add `endpoint`" })
  for (const { name, pointer, headers = {}, plain = {} } of collectorsOf(given)) {
    if (pointer !== "" && !isName(name))
      faults.push({ pointer, message: 'the name of a collector must have 1 to 100 letters, digits, "-" or "_"' })
    if (pointer !== "" && name === DEFAULT && given.endpoint !== undefined)
      faults.push({ pointer, message: "is the collector that `endpoint` names too: keep one of them" })
    for (const header of Object.keys(plain))
      if (isOwnHeader(header) || header in headers)
        faults.push({
          pointer: `${pointer}/plain${pointerStep(header)}`,
          message:
            "is set by Sluice, or holds a secret: plain headers are shown, so put a secret in the vault, and its scope under `headers`",
        })
  }
  return faults.length > 0 ? err(faults) : ok(given)
}
