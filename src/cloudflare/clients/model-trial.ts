// Tries a model once, outside any run: with one word, to show the person who sets up a provider what is wrong [N6], or with a recorded turn
// [K19]. Both calls are made like a run's: the same address guard, no redirects, no key in any message.

import { defined } from "../../core/defined.ts"
import { start } from "../../core/secrets/beginning.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { ProviderAnswer, ProviderModels, ProviderSettings } from "../../ports/tenant/providers.ts"
import { chooseModel, type ModelChoice } from "../../models/choose.ts"
import { baseUrlOf } from "../../models/base-url.ts"
import { listedModels } from "../../models/listed-models.ts"
import { modelDoor } from "../platform/model-door.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import { DefinitionsLost, loadDefinitions } from "../../engine/catalog/definitions.ts"
import { isRehearsal } from "../../engine/catalog/pin/model-choice.ts"
import { tryTurn } from "../../engine/run/try-turn.ts"
import { refusal } from "../../models/reply/failure.ts"
import type { RunPort } from "../../ports/run.ts"
import type { TenantServices } from "../../ports/services.ts"
import type { TurnWish } from "../../ports/turn.ts"
import { signalAfter } from "../../ports/timers.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { sha256 } from "../platform/sha256.ts"
import { tenantSealing } from "../platform/tenant-sealing.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "./secrets.ts"

/** Milliseconds for the whole answer. */
const PATIENCE_MS = 20_000
/** A model that thinks needs more than the word. */
const MAX_TOKENS = 256 // limit: output tokens of a provider's test → the provider ends the reply
const MAX_ANSWER = 2_000 // limit: characters of the answer to a question of a provider's test → the rest is cut
const MAX_SAID = 200 // limit: characters of what a tested provider said → the rest is cut

interface Trial {
  readonly provider: string
  readonly model: string
  readonly redactor: Redactor
  /** Absent: for one word. */
  readonly ask?: string
}

export async function testProvider(
  env: Parameters<typeof modelDoor>[0],
  settings: ProviderSettings,
  { provider, model, redactor, ask }: Trial,
): Promise<ProviderAnswer> {
  const began = Date.now()
  const answer = (ok: boolean, message: string, status?: number): ProviderAnswer => ({
    ok,
    host: hostOf(settings),
    ...defined({ status }),
    message,
    ms: Date.now() - began,
  })
  const chosen = await chooseModel(`${provider}/${model}`, {
    ...modelDoor(env),
    provider: async () => settings,
    rehearsal: undefined,
  })
  if ("error" in chosen) return answer(false, chosen.error.message)
  const patience = signalAfter(PATIENCE_MS)
  const request = {
    model: chosen.id,
    system: "",
    messages: [{ role: "user" as const, text: ask ?? "Reply with the one word: ready" }],
    tools: [],
    maxOutputTokens: MAX_TOKENS,
    redactor,
    place: { flow: "", step: "", pass: 1, turn: 0, failures: 0, agent: "", stepType: "agent" },
  }
  for await (const chunk of chosen.model.reply(request, patience)) {
    if (chunk.type !== "final") continue
    if (!chunk.error) {
      const said = start(chunk.text.trim(), ask === undefined ? MAX_SAID : MAX_ANSWER, redactor)
      const usage = chunk.usage && { input: chunk.usage.input, output: chunk.usage.output }
      return { ...answer(true, settings.apiKey === undefined ? said : said.replaceAll(settings.apiKey, "[key]")), ...defined({ usage }) }
    }
    if (patience.aborted) return answer(false, `no answer came within ${PATIENCE_MS / 1000} seconds: check the baseUrl, or try again`)
    return answer(false, `${chunk.error.message}. ${nextStep(chunk.error.status, model)}`, chunk.error.status)
  }
  return answer(false, "the stream ended without an answer: try again")
}

/** [N6] The models that a provider offers, by its own list. */
export async function listModels(
  env: Parameters<typeof modelDoor>[0],
  settings: ProviderSettings,
  redactor: Redactor,
): Promise<ProviderModels> {
  const began = Date.now()
  const patience = signalAfter(PATIENCE_MS)
  const listed = await listedModels(settings, modelDoor(env), { signal: patience, redactor })
  const told = { host: hostOf(settings), ms: Date.now() - began }
  if (listed.ok) return { ok: true, ...told, ...listed.value }
  const { message, status } = listed.error
  const late = `no list came within ${PATIENCE_MS / 1000} seconds: check the baseUrl, or try again`
  const next = status === 404 ? "This provider may publish no list: name a model by hand." : nextStep(status)
  return {
    ok: false,
    ...told,
    models: [],
    complete: false,
    ...defined({ status }),
    message: patience.aborted ? late : `${message}. ${next}`,
  }
}

function nextStep(status: number | undefined, model = ""): string {
  if (status === undefined) return "Check the baseUrl, and that the server can be reached from the public internet."
  if (status === 401 || status === 403) return "Write the provider again with a valid apiKey that may use this model."
  if (status === 404) return `Check that the baseUrl ends where the API begins, such as /v1, and that the model "${model}" exists.`
  if (status === 429) return "The key works, but its quota or rate limit is used up: raise it at the provider, or try again later."
  if (status >= 500) return "The provider has a fault: try again later."
  return "The message comes from the provider and says what the request lacks."
}

function hostOf(settings: ProviderSettings): string | null {
  const url = baseUrlOf(settings)
  return url !== undefined && URL.canParse(url) ? new URL(url).host : null
}

/** The run's object only returns the recorded request, so a try delays no run and leaves nothing in it. */
export async function trialOf(
  { env, tenant, later }: { readonly env: Env; readonly tenant: string; readonly later: (work: Promise<unknown>) => void },
  run: RunPort,
  wish: TurnWish,
): ReturnType<TenantServices["tryTurn"]> {
  const blobs = r2Blobs(env, tenant, later)
  return tryTurn(
    {
      turn: (ask) => run.turn(ask),
      ground: (recorded, wanted) => portOf(env, tenant, "starts").groundTurn(recorded, wanted),
      async choose(ref: string, pins: Pins | undefined): Promise<ModelChoice> {
        try {
          const definitions = isRehearsal(ref) && pins ? await loadDefinitions(pins, blobs) : undefined
          const { chooseInTurn } = await import("./choose-in-turn.ts")
          return await chooseInTurn({ env, tenant, rank: "attended" }, ref, { ...modelDoor(env), rehearsal: definitions?.rehearsal })
        } catch (e) {
          if (e instanceof DefinitionsLost) return { error: refusal(e.message) }
          throw e
        }
      },
      redactor: async () => (await openVault(env, tenant, clock.now)()).redactor,
      hash: sha256,
      blobs,
      sealing: tenantSealing(env, tenant),
      dayBudget: portOf(env, tenant, "dayBudget"),
      used: (turn) => portOf(env, tenant, "usage").tried(turn),
      clock,
    },
    wish,
  )
}
