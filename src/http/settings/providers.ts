// Serves a tenant's providers [N6]. A key is written and never returned: answers have `apiKey: true|false` instead.
//
// PUT replaces the whole entry with its key: otherwise an old key would be sent to a new base URL.

import { isName } from "../../core/text/names.ts"
import type { JsonObject } from "../../core/json.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { removing } from "../catalog/past-gate.ts"
import { refusedInUse } from "../middleware/in-use.ts"
import { outward } from "../middleware/outward.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { providerFaults } from "../../core/project/provider-body.ts"
import { providerNameFault } from "../../engine/catalog/pin/model-choice.ts"
import { faultOfBaseUrl } from "../../engine/net/provider-address.ts"
import { page } from "../middleware/page.ts"
import { ProviderBody, settings } from "../../api/settings.ts"

const shown = (name: string, settings: JsonObject): JsonObject => ({ name, ...settings })

export async function listProviders(c: Call): Promise<Response> {
  const all = await c.get("tenant").settings.providers()
  return page(
    c,
    Object.entries(all).map(([name, settings]) => shown(name, settings)),
  )
}

export async function getProvider(c: Call): Promise<Response> {
  const name = param(c, "provider")
  const all = await c.get("tenant").settings.providers()
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  return found ? c.json(shown(name, found)) : refuse(c, NOT_FOUND)
}

export async function putProvider(c: Call): Promise<Response> {
  const name = param(c, "provider")
  const body = json(c, ProviderBody)
  if (!body.ok) return refuse(c, body.error)
  const wrong = settingsRefused(c, name, body.value)
  if (wrong) return refuse(c, wrong)
  try {
    await c.get("tenant").settings.putProvider(name, body.value)
  } catch (e) {
    // RPC keeps the name of an error, not its class.
    if (e instanceof Error && e.name === "VaultError") return refuse(c, { code: "not_configured", detail: e.message })
    throw e
  }
  return getProvider(c)
}

export async function deleteProvider(c: Call): Promise<Response> {
  const name = param(c, "provider")
  const { settings } = c.get("tenant")
  const known = Object.hasOwn(await settings.providers(), name)
  const inUse = known ? await refusedInUse(c, "provider", name) : undefined
  if (inUse) return inUse
  const gone = await removing(c).settings.removeProvider(name)
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

/** What is wrong with a provider of this name; `at`: the pointer of its settings. */
export function settingsRefused(c: Call, name: string, settings: ProviderSettings, at = ""): Refusal | undefined {
  if (!isName(name)) return invalid([{ pointer: "", message: 'the name of a provider must have 1 to 100 letters, digits, "_" or "-"' }])
  const named = providerNameFault(name)
  if (named !== undefined) return invalid([{ pointer: "", message: named }])
  const faults = [...providerFaults(settings, "/apiKey")]
  const { baseUrl } = settings
  const wrong = baseUrl === undefined ? undefined : faultOfBaseUrl(baseUrl, c.get("services").environment === "local", outward(c))
  if (wrong !== undefined && !faults.some(({ pointer }) => pointer === "/baseUrl")) faults.push({ pointer: "/baseUrl", message: wrong })
  return faults.length > 0 ? invalid(faults.map((fault) => ({ ...fault, pointer: at + fault.pointer }))) : undefined
}

export const PROVIDER_ROUTES = routes(settings, { listProviders, getProvider, putProvider, deleteProvider })
