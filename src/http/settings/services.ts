// Settings of the services that tools use [T22, T25]: the search provider and the cluster. Their keys are secrets: PUT /v1/secrets/{scope}.

import { judgeAddress } from "../../engine/net/address-guard.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { invalid, refuse, type Fault } from "../middleware/problem.ts"
import { ServicesBody, settings } from "../../api/settings.ts"

export const getServices = async (c: Call): Promise<Response> => c.json(await c.get("tenant").services.get())

/** Replaces all services. */
export async function putServices(c: Call): Promise<Response> {
  const body = json(c, ServicesBody)
  if (!body.ok) return refuse(c, body.error)
  const { search, k8s } = body.value
  const { privateHosts: allowPrivate = [], environment } = c.get("house")
  const faults: Fault[] = []
  if (search?.provider === "searxng" && search.baseUrl === undefined)
    faults.push({ pointer: "/search/baseUrl", message: "is required for searxng, which you host yourself" })
  for (const [pointer, address] of [
    ["/search/baseUrl", search?.baseUrl],
    ["/k8s/url", k8s?.url],
  ] as const) {
    if (address === undefined) continue
    const judged = judgeAddress(address, { allowPrivate })
    if (!judged.ok) faults.push({ pointer, message: `address refused: ${judged.error}` })
    else if (judged.value.protocol !== "https:" && environment !== "local") faults.push({ pointer, message: "must be https" })
    else if (judged.value.search !== "" || judged.value.hash !== "")
      faults.push({ pointer, message: "must not have a query or a fragment" })
  }
  if (faults.length > 0) return refuse(c, invalid(faults))
  await c.get("tenant").services.put(body.value)
  return getServices(c)
}

export const SERVICE_ROUTES = routes(settings, { getServices, putServices })
