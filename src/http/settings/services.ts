// Serves the settings of services that tools use [T22, T25]: the search provider and the cluster. Their keys are secrets: PUT
// /v1/secrets/{scope}.

import { judgeAddress } from "../../engine/net/address-guard.ts"
import { json } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import { invalid, type Fault, type Refusal } from "../middleware/problem.ts"
import { ServicesBody } from "../../api/settings.ts"
import { err, type Result } from "../../core/result.ts"
import type { Services } from "../../ports/tenant/settings.ts"

/** Checks the addresses of the services. */
export function servicesOf(c: Call): Result<Services, Refusal> {
  const body = json(c, ServicesBody)
  if (!body.ok) return body
  const { search, k8s } = body.value
  const { environment } = c.get("services")
  const faults: Fault[] = []
  if (search?.provider === "searxng" && search.baseUrl === undefined)
    faults.push({ pointer: "/search/baseUrl", message: "is required for searxng, which you host yourself" })
  for (const [pointer, address] of [
    ["/search/baseUrl", search?.baseUrl],
    ["/k8s/url", k8s?.url],
  ] as const) {
    if (address === undefined) continue
    const judged = judgeAddress(address, outward(c))
    if (!judged.ok) faults.push({ pointer, message: `address refused: ${judged.error}` })
    else if (judged.value.protocol !== "https:" && environment !== "local") faults.push({ pointer, message: "must be https" })
    else if (judged.value.search !== "" || judged.value.hash !== "")
      faults.push({ pointer, message: "must not have a query or a fragment" })
  }
  return faults.length > 0 ? err(invalid(faults)) : body
}
