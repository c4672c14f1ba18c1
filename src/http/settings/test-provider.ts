// POST /v1/settings/providers/:provider/test [N6]: asks the provider for one word, and says what is wrong. GET …/models: asks it what it offers.
// Settings in the body are tried as they are, checked like those that are saved, and kept nowhere.

import { defined } from "../../core/defined.ts"
import { modelRefs, parseModelRef } from "../../core/flow/model-ref.ts"
import type { JsonObject } from "../../core/json.ts"
import { settings, ProviderBody, ProviderTestBody } from "../../api/settings.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { settingsRefused } from "./providers.ts"

/** A small model of each kind, for a provider that no role names yet. */
const SMALL: Readonly<Record<string, string>> = { anthropic: "claude-haiku-4-5", google: "gemini-2.5-flash", openai: "gpt-5-mini" }

export async function testProvider(c: Call): Promise<Response> {
  const name = param(c, "provider")
  const body = json(c, ProviderTestBody)
  if (!body.ok) return refuse(c, body.error)
  const tenant = c.get("tenant")
  const { settings: given, ask } = body.value
  const wrong = given && settingsRefused(c, name, given, "/settings")
  if (wrong) return refuse(c, wrong)
  const all = await tenant.settings.providers()
  const provider = given ?? (Object.hasOwn(all, name) ? all[name] : undefined)
  if (!provider) return refuse(c, NOT_FOUND)
  const model = body.value.model ?? named(await tenant.settings.get("roles"), name) ?? own(provider as JsonObject)
  if (model === undefined) {
    const message = `is required: no role names a model of "${name}" yet, so name one, as {"model": "ID"}`
    return refuse(c, invalid([{ pointer: "/model", message }]))
  }
  const answer = await tenant.testProvider(name, model, defined({ settings: given, ask }))
  if (!answer) return refuse(c, NOT_FOUND)
  const redactor = await tenant.secrets.redactor()
  return c.json({ ...answer, provider: name, model, message: redactor.text(answer.message) })
}

export const listProviderModels = (c: Call): Promise<Response> => modelsOf(c)

export async function listGivenModels(c: Call): Promise<Response> {
  const body = json(c, ProviderBody)
  if (!body.ok) return refuse(c, body.error)
  const wrong = settingsRefused(c, param(c, "provider"), body.value)
  return wrong ? refuse(c, wrong) : modelsOf(c, body.value)
}

async function modelsOf(c: Call, given?: ProviderSettings): Promise<Response> {
  const provider = param(c, "provider")
  const tenant = c.get("tenant")
  const answer = await tenant.providerModels(provider, given)
  if (!answer) return refuse(c, NOT_FOUND)
  const { message, ...told } = answer
  return c.json({ ...told, provider, ...defined({ message: message && (await tenant.secrets.redactor()).text(message) }) })
}

function named(roles: Readonly<Record<string, string | readonly string[] | undefined>>, provider: string): string | undefined {
  for (const models of Object.values(roles))
    for (const model of typeof models === "string" ? modelRefs(models) : (models ?? [])) {
      const ref = parseModelRef(model)
      if (ref.kind === "provider" && ref.provider === provider) return ref.id
    }
  return undefined
}

function own({ kind, baseUrl, turns }: JsonObject): string | undefined {
  if (kind === "scripted" && typeof turns === "object" && turns !== null) return Object.keys(turns)[0]
  return baseUrl === undefined && typeof kind === "string" && Object.hasOwn(SMALL, kind) ? SMALL[kind] : undefined
}

export const PROVIDER_TEST_ROUTES = routes(settings, { testProvider, listProviderModels, listGivenModels })
