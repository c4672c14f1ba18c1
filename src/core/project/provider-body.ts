// Defines the settings of a model provider [N6] as the file `providers/NAME.yaml` has them. `PUT /v1/settings/providers/NAME` takes its key too.

import { z } from "zod"
import { readTurns } from "../case/rehearsal.ts"
import type { JsonObject } from "../json.ts"
import { MAX_GIVEN, name, recordOf, within } from "../schema/bounded.ts"
import type { BodyFault } from "../schema/body-faults.ts"
import { later } from "../schema/later.ts"
import { isOwnHeader, isOwnMember } from "../schema/provider-extras.ts"
import { pointerStep } from "../text/pointer.ts"

/** The kinds of model provider. Each is a case in src/models/providers.ts. */
export const PROVIDER_KINDS = ["anthropic", "google", "openai", "openai-compatible", "workers-ai", "scripted"] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** Characters of a provider's options as JSON: they are part of every request. */
const MAX_OPTIONS = 10_000 // limit: characters of a provider's options as JSON → 422

/** How long a provider may say nothing; a whole call takes no longer than an hour. */
const MAX_SILENCE_SECONDS = 3_600 // limit: seconds of a provider's `silenceSeconds` → 422

const MOST_TURN_FAULTS = 50 // limit: faults told of the turns of one scripted model → further ones are not told

/** Headers that are shown, so they hold no secret. */
export const OpenHeaders = later(() =>
  recordOf(
    z.string().regex(/^[\x20-\x7e]{0,1000}$/, "must be at most 1000 printable ASCII characters"),
    20,
    z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "must be the name of a header"),
  ),
)

export const ProviderFile = later(() =>
  z.strictObject({
    kind: z.enum(PROVIDER_KINDS).describe("The protocol that the provider speaks."),
    baseUrl: z.string().min(1).max(2048).exactOptional().describe("The provider's address; required for `openai-compatible`."),
    key: z
      .strictObject({ secret: name.min(1).describe("The name (scope) of the secret in the vault whose newest value is the API key.") })
      .exactOptional()
      .describe("Where the API key is: a scope of the vault."),
    api: z
      .enum(["responses", "chat"])
      .exactOptional()
      .describe("For `openai`: the API to use; by default `responses`, or `chat` with a `baseUrl`."),
    headers: OpenHeaders.exactOptional().describe("Headers of every request. They are visible, so they must not contain secrets."),
    options: within(z.record(z.string().min(1), z.json()), MAX_OPTIONS)
      .exactOptional()
      .describe("Additional members of every request's body. Members that Sluice sets itself are refused."),
    silenceSeconds: z
      .number()
      .int()
      .min(1)
      .max(MAX_SILENCE_SECONDS)
      .exactOptional()
      .describe(
        "Seconds of silence, in a reply or before it, after which the connection counts as lost and the call is repeated; by default 600.",
      ),
    turns: within(z.record(z.string().min(1), z.array(z.json())), MAX_GIVEN)
      .exactOptional()
      .describe("For `scripted`: model, or `*` → its scripted turns."),
  }),
)
export type ProviderFile = z.output<typeof ProviderFile>

interface Given extends Omit<ProviderFile, "options" | "turns"> {
  readonly apiKey?: string
  readonly options?: JsonObject | Readonly<Record<string, unknown>>
  readonly turns?: Readonly<Record<string, readonly unknown[]>>
}

/** Which fields each kind takes. `keyAt`: where a key that is missing belongs. Where the base URL may lead is judged elsewhere. */
export function providerFaults(settings: Readonly<Given>, keyAt: "/apiKey" | "/key"): BodyFault[] {
  const { kind, baseUrl, apiKey, key, headers = {}, options = {}, turns = {} } = settings
  const faults: BodyFault[] = []
  const inside = kind === "workers-ai" || kind === "scripted"
  for (const field of ["baseUrl", "apiKey", "key", "headers", "options"] as const)
    if (inside && field in settings)
      faults.push({ pointer: `/${field}`, message: `is not allowed for the kind ${kind}, which calls no server` })
  if (kind === "scripted" && "silenceSeconds" in settings)
    faults.push({
      pointer: "/silenceSeconds",
      message: "is not allowed for the kind scripted, which is never silent: a turn has its delay",
    })
  if (apiKey !== undefined && key !== undefined) faults.push({ pointer: "/key", message: "and `apiKey` are two keys: send one of them" })
  if (kind !== "openai" && "api" in settings) faults.push({ pointer: "/api", message: "is allowed only for the kind openai" })
  for (const name of Object.keys(headers))
    if (isOwnHeader(name))
      faults.push({
        pointer: `/headers${pointerStep(name)}`,
        message: `is set by Sluice, or holds a secret: headers are shown, so ${keyAt === "/key" ? "name the key's scope with `key`" : "send a key as apiKey"}`,
      })
  for (const name of Object.keys(options))
    if (isOwnMember(name))
      faults.push({ pointer: `/options${pointerStep(name)}`, message: "is set by Sluice itself and cannot be an option" })
  const needsKey = (kind === "anthropic" || kind === "google" || kind === "openai") && baseUrl === undefined
  if (needsKey && apiKey === undefined && key === undefined)
    faults.push({
      pointer: keyAt,
      message: `is required for the kind ${kind}; only a server at a baseUrl may need none`,
      ...(keyAt === "/key" ? { suggestion: "key: { secret: SCOPE }, and the key itself in the vault (sluice secrets put SCOPE)" } : {}),
    })
  if (kind === "openai-compatible" && baseUrl === undefined)
    faults.push({ pointer: "/baseUrl", message: "is required for the kind openai-compatible" })
  if (kind === "scripted" && settings.turns === undefined)
    faults.push({ pointer: "/turns", message: "is required for the kind scripted: {MODEL or *: [turn, …]}" })
  if (kind !== "scripted" && "turns" in settings) faults.push({ pointer: "/turns", message: "is allowed only for the kind scripted" })
  for (const [model, list] of Object.entries(turns)) {
    const read = readTurns(list)
    if (!read.ok)
      for (const message of read.error.slice(0, MOST_TURN_FAULTS)) faults.push({ pointer: `/turns${pointerStep(model)}`, message })
  }
  return faults
}
