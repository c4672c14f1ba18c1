// Asks a provider which models it offers [N6]: `GET /models` of its API, or what the account's binding or a script has. The call is made like a
// run's: the same guard of addresses, no redirects, no key in any message.

import { defined } from "../core/defined.ts"
import { isObject } from "../core/json.ts"
import { readJson } from "../core/outside/json-pieces.ts"
import { err, ok, type Result } from "../core/result.ts"
import type { Redactor } from "../core/secrets/redact.ts"
import { Breath } from "../ports/breath.ts"
import type { ModelError } from "../ports/model.ts"
import type { ListedModel, ProviderSettings } from "../ports/tenant/providers.ts"
import { baseUrlOf } from "./base-url.ts"
import { checkProvider, straight, type ProviderDeps } from "./providers.ts"
import { failureOf, refusal } from "./reply/failure.ts"
import { startOf } from "./reply/no-stream.ts"
import { withSettings } from "./request-extras.ts"

const MAX_MODELS = 1_000 // limit: models that are told of a provider's own list → the rest is left out, and the answer says so
const MAX_BODY = 4 * 1024 * 1024 // limit: characters read of a provider's list of models → it counts as no list
const MAX_ID = 200 // limit: characters of a model's id in that list → the model is left out

export interface ModelList {
  readonly models: readonly ListedModel[]
  readonly complete: boolean
}

interface Asked {
  readonly signal: AbortSignal
  readonly redactor: Redactor
}

export async function listedModels(settings: ProviderSettings, deps: ProviderDeps, asked: Asked): Promise<Result<ModelList, ModelError>> {
  const wrong = checkProvider(settings, deps.environment, deps.zones)
  if (wrong !== undefined) return err(refusal(wrong))
  const secrets = settings.apiKey === undefined ? [] : [settings.apiKey]
  try {
    switch (settings.kind) {
      case "scripted":
        return ok(
          listOf(
            Object.keys(settings.turns ?? {})
              .filter((id) => id !== "*")
              .map((id) => ({ id })),
          ),
        )
      case "workers-ai":
        return await fromBinding(deps.ai)
      case "anthropic":
      case "google":
      case "openai":
      case "openai-compatible":
        return await fromServer(settings, deps, asked)
    }
  } catch (error) {
    return err(failureOf(error, secrets, { redactor: asked.redactor }))
  }
}

async function fromServer(
  settings: ProviderSettings,
  deps: ProviderDeps,
  { signal, redactor }: Asked,
): Promise<Result<ModelList, ModelError>> {
  const send = straight(
    withSettings(deps.fetch ?? globalThis.fetch, { ...defined({ headers: settings.headers }) }),
    settings.apiKey === undefined,
  )
  const base = (baseUrlOf(settings) ?? "").replace(/\/+$/, "")
  const response = await send(`${base}/models${QUERY[settings.kind] ?? ""}`, { headers: keyHeaders(settings), signal })
  const text = response.body ? await startOf(response.body, MAX_BODY + 1) : ""
  if (!response.ok) {
    const { status: statusCode, headers } = response
    throw Object.assign(new Error(response.statusText), { statusCode, responseBody: text, responseHeaders: Object.fromEntries(headers) })
  }
  const list = text.length > MAX_BODY ? undefined : await readList(text)
  if (list === undefined) return err(refusal("the answer is no list of models"))
  // What repeats a secret is no name of a model.
  const isClean = ({ id, name = "" }: ListedModel): boolean =>
    redactor.text(`${id} ${name}`) === `${id} ${name}` && (settings.apiKey === undefined || !`${id} ${name}`.includes(settings.apiKey))
  return ok({ ...list, models: list.models.filter(isClean) })
}

/** One page has them all at the providers that page. */
const QUERY: Readonly<Record<string, string>> = { anthropic: "?limit=1000", google: "?pageSize=1000" }

export function keyHeaders({ kind, apiKey = "" }: ProviderSettings): Record<string, string> {
  if (kind === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" }
  return kind === "google" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` }
}

/** `data` at OpenAI, Anthropic and whoever speaks like them, `models` at Google and Ollama, or the list itself. */
async function readList(text: string): Promise<ModelList | undefined> {
  const read = await new Breath().through(readJson(text))
  if (!read.ok) return undefined
  const body = read.value
  const rows = Array.isArray(body) ? body : isObject(body) ? (body["data"] ?? body["models"]) : undefined
  if (!Array.isArray(rows)) return undefined
  const hasMore = isObject(body) && (body["has_more"] === true || typeof body["nextPageToken"] === "string")
  return listOf(rows.flatMap(readModel), hasMore)
}

function readModel(row: unknown): ListedModel[] {
  if (!isObject(row)) return []
  // Google's list also has models that only embed or answer in other ways.
  const methods = row["supportedGenerationMethods"]
  if (Array.isArray(methods) && !methods.includes("generateContent")) return []
  const id = [row["id"], row["name"]].find((value) => typeof value === "string")?.replace(/^models\//, "")
  if (id === undefined || id === "" || id.length > MAX_ID) return []
  const name = [row["display_name"], row["displayName"]].find((value) => typeof value === "string")
  return [{ id, ...(name === undefined || name === id || name.length > MAX_ID ? {} : { name }) }]
}

async function fromBinding(ai: unknown): Promise<Result<ModelList, ModelError>> {
  if (!isObject(ai) || typeof ai["models"] !== "function")
    return err(refusal("this deployment has no Workers AI binding that lists models"))
  const rows: unknown = await (ai as { models(params: object): Promise<unknown> }).models({ task: "Text Generation", per_page: MAX_MODELS })
  return ok(listOf(Array.isArray(rows) ? rows.flatMap((row) => (isObject(row) ? readModel({ id: row["name"] }) : [])) : []))
}

function listOf(all: readonly ListedModel[], hasMore = false): ModelList {
  const models = [...new Map(all.map((model) => [model.id, model])).values()]
  return { models: models.slice(0, MAX_MODELS), complete: !hasMore && models.length <= MAX_MODELS }
}
