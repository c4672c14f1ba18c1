// Serves a tenant's providers [N6]. A key is written and never returned: answers have `apiKey: true|false` instead.
//
// PUT replaces the whole entry with its key: otherwise an old key would be sent to a new base URL.

import { isName } from "../../core/text/names.ts"
import { readTurns } from "../../core/case/rehearsal.ts"
import type { JsonObject } from "../../core/json.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { refusedInUse } from "../middleware/in-use.ts"
import { outward } from "../middleware/outward.ts"
import type { Zones } from "../../core/tool/policy/closed-hosts.ts"
import { isOwnHeader, isOwnMember } from "../../core/schema/provider-extras.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal, MAX_FAULTS } from "../middleware/problem.ts"
import { faultOfBaseUrl } from "./base-url.ts"
import { page } from "../middleware/page.ts"
import { ProviderBody, settings } from "../../api/settings.ts"

/** The provider name of the built-in rehearsal model. */
const RESERVED = "rehearsal"

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
  const gone = await settings.removeProvider(name)
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

/** What is wrong with a provider of this name; `at`: the pointer of its settings. */
export function settingsRefused(c: Call, name: string, settings: ProviderSettings, at = ""): Refusal | undefined {
  if (!isName(name)) return invalid([{ pointer: "", message: 'the name of a provider must have 1 to 100 letters, digits, "_" or "-"' }])
  if (name === RESERVED)
    return invalid([{ pointer: "", message: `"${RESERVED}" is the built-in model, which needs no settings; use another name` }])
  const faults = faultsOf(settings, c.get("services").environment === "local", outward(c))
  return faults.length > 0 ? invalid(faults.map((fault) => ({ ...fault, pointer: at + fault.pointer }))) : undefined
}

/** Which fields each kind takes, and where a base URL may lead. */
function faultsOf(settings: ProviderSettings, local: boolean, zones: Zones): Fault[] {
  const { kind, baseUrl } = settings
  const faults: Fault[] = []
  const inside = kind === "workers-ai" || kind === "scripted"
  for (const field of ["baseUrl", "apiKey"] as const) {
    if (inside && field in settings)
      faults.push({ pointer: `/${field}`, message: `is not allowed for the kind ${kind}, which calls no server` })
  }
  for (const field of ["headers", "options"] as const)
    if (inside && field in settings)
      faults.push({ pointer: `/${field}`, message: `is not allowed for the kind ${kind}, which calls no server` })
  if (kind === "scripted" && "silenceSeconds" in settings)
    faults.push({
      pointer: "/silenceSeconds",
      message: "is not allowed for the kind scripted, which is never silent: a turn has its delay",
    })
  if (kind !== "openai" && "api" in settings) faults.push({ pointer: "/api", message: "is allowed only for the kind openai" })
  for (const name of Object.keys(settings.headers ?? {}))
    if (isOwnHeader(name))
      faults.push({
        pointer: `/headers${pointerStep(name)}`,
        message: "is set by Sluice, or holds a secret: headers are shown, so send a key as apiKey",
      })
  for (const name of Object.keys(settings.options ?? {}))
    if (isOwnMember(name))
      faults.push({ pointer: `/options${pointerStep(name)}`, message: "is set by Sluice itself and cannot be an option" })
  if ((kind === "anthropic" || kind === "google" || kind === "openai") && baseUrl === undefined && settings.apiKey === undefined)
    faults.push({ pointer: "/apiKey", message: `is required for the kind ${kind}; only a server at a baseUrl may need none` })
  if (kind === "openai-compatible" && baseUrl === undefined)
    faults.push({ pointer: "/baseUrl", message: "is required for the kind openai-compatible" })
  if (kind === "scripted" && settings.turns === undefined)
    faults.push({ pointer: "/turns", message: "is required for the kind scripted: {MODEL or *: [turn, …]}" })
  if (kind !== "scripted" && "turns" in settings) faults.push({ pointer: "/turns", message: "is allowed only for the kind scripted" })
  for (const [model, turns] of Object.entries(settings.turns ?? {})) {
    const read = readTurns(turns)
    if (!read.ok)
      for (const message of read.error.slice(0, MAX_FAULTS + 1)) faults.push({ pointer: `/turns${pointerStep(model)}`, message })
  }
  const wrong = baseUrl === undefined || inside ? undefined : faultOfBaseUrl(baseUrl, local, zones)
  if (wrong !== undefined) faults.push({ pointer: "/baseUrl", message: wrong })
  return faults
}

export const PROVIDER_ROUTES = routes(settings, { listProviders, getProvider, putProvider, deleteProvider })
