// Declares a tenant's settings [N6]: model providers, roles, prices, policy, budget, CORS, retention, services; and the secrets of its vault.

import { z } from "zod"
import { GateBody } from "../core/tool/policy/gate-setting.ts"
import { Prices } from "../core/money/price-table.ts"
import { BudgetSetting } from "../core/money/budget-setting.ts"
import { CorsBody } from "../core/project/origins-body.ts"
import { PacingBody } from "../core/project/pacing-body.ts"
import { ProviderFile } from "../core/project/provider-body.ts"
import { RetentionBody } from "../core/project/retention-body.ts"
import { RolesBody } from "../core/project/roles-body.ts"
import { ScoringBody } from "../core/score/scoring-setting.ts"
import { TelemetryBody } from "../core/project/telemetry-body.ts"
import { SHORTEST_SECRET } from "../core/secrets/secret-forms.ts"
import { PLAN_KINDS, REFERENCE_KINDS } from "./references.ts"
import { FORCE, PAGE, type Routes } from "./route/route.ts"
import { objectRoutes, setting, settingRoutes } from "./stored.ts"
import { later } from "../core/schema/later.ts"

const MAX_ASK = 2_000 // limit: characters of the question of a provider's test → 422

export const ProviderBody = later(() =>
  z.strictObject({
    ...ProviderFile.shape,
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{4,4096}$/, "must be 4 to 4096 printable ASCII characters without spaces")
      .exactOptional()
      .describe("The API key for the provider."),
  }),
)
/** The type of the request body for clients. */
export type Provider = z.input<typeof ProviderBody>

/** `model`: the id without the provider; by default one that a role names. `settings`: tried in place of the saved ones, and not kept. */
export const ProviderTestBody = later(() =>
  z.strictObject({
    model: z.string().min(1).max(200).exactOptional(),
    settings: ProviderBody.exactOptional(),
    ask: z.string().min(1).max(MAX_ASK).exactOptional(),
  }),
)

export type ProviderTestRequest = z.input<typeof ProviderTestBody>

const url = z.string().min(1).max(2_000)
export const ServicesBody = later(() =>
  z.strictObject({
    search: z.strictObject({ provider: z.enum(["brave", "tavily", "searxng"]), baseUrl: url.exactOptional() }).exactOptional(),
    k8s: z.strictObject({ url }).exactOptional(),
  }),
)

/** The console's display settings for all people of the tenant. */
export const ConsoleBody = later(() => z.strictObject({ first_run: z.enum(["shown", "hidden"]).exactOptional() }))

/** The settings that are stored as sent; each has a row, a port, two routes and a client member. */
export const SETTINGS = {
  console: setting({ body: ConsoleBody, otherwise: {}, what: "the console's display settings for all people of the tenant" }),
  gate: setting({ body: GateBody, otherwise: {}, what: "the gate: flows that no write of the catalog may break" }),
  pacing: setting({ body: PacingBody, otherwise: {}, what: "what the providers of models allow a minute" }),
  prices: setting({ body: Prices, otherwise: {}, what: "the price table: `provider/model` → US dollars per million tokens" }),
  roles: setting({ body: RolesBody, otherwise: {}, what: "which model serves each role", gated: true }),
  scoring: setting({ body: ScoringBody, otherwise: {}, what: "which runs are scored, by which scorers, and what judges may use in a day" }),
  services: setting({ body: ServicesBody, otherwise: {}, what: "the services that tools use" }),
  telemetry: setting({
    body: TelemetryBody,
    otherwise: {},
    what: "where the traces of the tenant's runs go, and whether they contain what was said",
  }),
}
export type SettingName = keyof typeof SETTINGS
export type SettingValue<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]["body"]>

/** The collections that are stored as sent. */
export const COLLECTIONS = { references: REFERENCE_KINDS, plans: PLAN_KINDS }
export type CollectionName = keyof typeof COLLECTIONS
export type Item<Name extends CollectionName> = NonNullable<(typeof COLLECTIONS)[Name]["item"]>

/** Limit: values of a scope during a rotation. For incoming requests any value is accepted; outgoing requests are signed with all. */
export const MAX_VALUES = 3 // limit: values of a secret's scope → 422 at `/values`
/** Characters. A key file fits, and the redactor, which holds every value in all its forms, stays small. */
export const MAX_SECRET = 16_384 // limit: characters of a secret → 422 at the value

const Value = z
  .string()
  .max(MAX_SECRET, `must have at most ${MAX_SECRET} characters`)
  .refine(
    (text) => text.trim().length >= SHORTEST_SECRET,
    `must have at least ${SHORTEST_SECRET} characters, not counting spaces at its ends`,
  )
  // On the wire half of a surrogate pair becomes another character, so the redactor would not find the value again.
  .refine((text) => !/\p{Surrogate}/u.test(text), "must not contain half of a surrogate pair")

export const SecretBody = later(() =>
  z.strictObject({
    value: Value.exactOptional(),
    values: z
      .array(Value)
      .min(1, "must have at least one value; use DELETE to remove the scope")
      .max(MAX_VALUES, `must have at most ${MAX_VALUES} values, the newest first`)
      .exactOptional(),
  }),
)

const SETTING = { scope: "admin", tag: "Settings" } as const

export const settings = {
  listProviders: {
    ...SETTING,
    method: "GET",
    path: "/v1/settings/providers",
    summary: "List model providers",
    query: PAGE,
    answers: { 200: { description: "All providers, without their keys.", body: "ProviderShown[]" } },
  },
  getProvider: {
    ...SETTING,
    method: "GET",
    path: "/v1/settings/providers/:provider",
    summary: "Read a model provider",
    answers: { 200: { description: "The provider, without its key.", body: "ProviderShown" } },
  },
  putProvider: {
    ...SETTING,
    method: "PUT",
    path: "/v1/settings/providers/:provider",
    summary: "Replace a model provider and its key",
    body: ProviderBody,
    answers: { 200: { description: "The provider, without its key.", body: "ProviderShown" } },
    problems: ["not_configured"],
  },
  testProvider: {
    ...SETTING,
    method: "POST",
    path: "/v1/settings/providers/:provider/test",
    summary: "Test a model provider with a short call",
    description: "The call is real and may be billed. The response names the fault, never the key.",
    body: ProviderTestBody,
    optional: true,
    answers: { 200: { description: "The result of the test.", body: "ProviderTest" } },
  },
  listProviderModels: {
    ...SETTING,
    method: "GET",
    path: "/v1/settings/providers/:provider/models",
    summary: "List the models that a provider offers",
    description: "Asks the provider for its own list. The response names the fault, never the key.",
    answers: { 200: { description: "The list, or why there is none.", body: "ProviderModels" } },
  },
  listGivenModels: {
    ...SETTING,
    method: "POST",
    path: "/v1/settings/providers/:provider/models",
    summary: "List the models that a provider would offer with settings that are not saved",
    description: "Nothing is kept. The response names the fault, never the key.",
    body: ProviderBody,
    answers: { 200: { description: "The list, or why there is none.", body: "ProviderModels" } },
  },
  deleteProvider: {
    ...SETTING,
    method: "DELETE",
    path: "/v1/settings/providers/:provider",
    summary: "Remove a model provider",
    query: { force: FORCE },
    answers: { 204: { description: "Removed." } },
    problems: ["in_use", "gate_failed", "gate_pending", "catalog_moved"],
  },
  ...objectRoutes("DayBudget", {
    name: "budget",
    what: "the budget",
    description:
      "The limits of the day, and in `run` those of each run: `default` for units that neither the start nor the flow limits, and `most`, the maximum for any run. `{}` removes all limits.",
    body: BudgetSetting,
    shape: "BudgetSetting",
  }),
  readDayBudgetToday: {
    ...SETTING,
    method: "GET",
    path: "/v1/settings/budget/today",
    summary: "Read the spent and leased parts of the daily budget",
    description: "In the limited units; without a limit nothing is leased. `GET /v1/usage` reports all usage.",
    answers: { 200: { description: "The current day.", body: "DayBudgetToday" } },
  },
  readPacingNow: {
    ...SETTING,
    method: "GET",
    path: "/v1/settings/pacing/now",
    summary: "Read how the tenant's models stand",
    description: "Of the last minute, and each model that a limit bounds or that was asked.",
    answers: { 200: { description: "The models.", body: "PacingNow" } },
  },
  ...objectRoutes("Cors", {
    name: "cors",
    what: "the origins whose pages may read answers",
    body: CorsBody,
    shape: "Origins",
    noun: "origins",
  }),
  ...objectRoutes("Retention", { name: "retention", what: "the retention of ended runs", body: RetentionBody }),
  ...objectRoutes("Policy", {
    name: "policy",
    what: "the policy of tools and approvals",
    media: { "application/json": "Policy" },
    put: "The new policy, with its defaults.",
  }),
  ...settingRoutes(SETTINGS),
  listSecrets: {
    ...SETTING,
    method: "GET",
    path: "/v1/secrets",
    summary: "List the scopes of the vault",
    query: PAGE,
    answers: { 200: { description: "All scopes, without values.", body: "SecretRow[]" } },
  },
  putSecret: {
    ...SETTING,
    method: "PUT",
    path: "/v1/secrets/:scope",
    summary: "Replace the values of a scope",
    description: "Send `value`, or `values` with the newest first to rotate a secret.",
    body: SecretBody,
    answers: { 204: { description: "Written." } },
    problems: ["not_configured"],
  },
  deleteSecret: {
    ...SETTING,
    method: "DELETE",
    path: "/v1/secrets/:scope",
    summary: "Remove a scope",
    answers: { 204: { description: "Removed." } },
  },
} as const satisfies Routes
