// Describes the API's answers about settings and secrets, and the policy, which has its own parser.

import { ScoringBody } from "../../core/score/scoring-setting.ts"
import { PacingBody } from "../../core/project/pacing-body.ts"
import { GateBody } from "../../core/tool/policy/gate-setting.ts"
import { ApprovalRule, PolicyBody } from "../../core/project/policy-body.ts"
import { Amount } from "../../core/money/amount.ts"
import { BudgetSetting, RunBudget } from "../../core/money/budget-setting.ts"
import { RolesBody } from "../../core/project/roles-body.ts"
import { z } from "zod"
import type { FieldTexts } from "./shape.doc.ts"
import { AMOUNT_FIELDS, documented, JsonObject, Time } from "./shape.doc.ts"
import { ConsoleBody, ProviderBody, ProviderTestBody, SecretBody, ServicesBody } from "../settings.ts"
import { Prices } from "../../core/money/price-table.ts"
import { CorsBody } from "../../core/project/origins-body.ts"
import { RetentionBody } from "../../core/project/retention-body.ts"
import { TelemetryBody } from "../../core/project/telemetry-body.ts"

export const Roles = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export const ProviderShown = z.object({
  name: z.string().describe("The provider's name, the first part of `provider/model`."),
  kind: ProviderBody.shape.kind.describe("The protocol of the provider."),
  baseUrl: z.string().exactOptional().describe("Its address."),
  apiKey: z.boolean().exactOptional().describe("Whether it has a key, or the vault has its `key`; the key itself is never shown."),
  key: z
    .object({ secret: z.string().describe("The vault's scope.") })
    .exactOptional()
    .describe("The name (scope) of the secret in the vault that is its key."),
  api: z.enum(["responses", "chat"]).exactOptional().describe("For `openai`: the API to use."),
  headers: z.record(z.string(), z.string()).exactOptional().describe("Headers of every request."),
  options: JsonObject.exactOptional().describe("Additional members of every request's body."),
  silenceSeconds: z.number().exactOptional().describe("Seconds of silence after which a connection counts as lost."),
  turns: JsonObject.exactOptional().describe("For `scripted`: model → its scripted turns."),
})
export type ProviderTestResult = z.output<typeof ProviderTest>
export type ProviderRow = z.output<typeof ProviderShown>

export const ProviderTest = z.object({
  ok: z.boolean().describe("Whether the provider answered."),
  provider: z.string().describe("The provider's name."),
  model: z.string().describe("The model that was called."),
  host: z.string().nullable().describe("The host that was called; null if the kind calls no server."),
  status: z.number().exactOptional().describe("The HTTP status, if the provider refused."),
  message: z.string().describe("The provider's answer, or the fault and its remedy."),
  ms: z.number().describe("The duration in milliseconds."),
  usage: z
    .object({ input: z.number().describe("Tokens of the request."), output: z.number().describe("Tokens of the answer.") })
    .exactOptional()
    .describe("The tokens that the provider reports."),
})

export const ProviderModels = z.object({
  ok: z.boolean().describe("Whether the provider gave its list."),
  provider: z.string().describe("The provider's name."),
  host: z.string().nullable().describe("The host that was called; null if the kind calls no server."),
  models: z
    .array(
      z.object({
        id: z.string().describe("The model's id, the second part of `provider/model`."),
        name: z.string().exactOptional().describe("The provider's name for people."),
      }),
    )
    .describe("At most 1,000, in the provider's order."),
  complete: z.boolean().describe("Whether these are all."),
  status: z.number().exactOptional().describe("The HTTP status, if the provider refused."),
  message: z.string().exactOptional().describe("The fault and its remedy."),
  ms: z.number().describe("The duration in milliseconds."),
})

export type ProviderModelsResult = z.output<typeof ProviderModels>

export const DayBudgetToday = z.object({
  day: z.string().describe("The day in UTC."),
  limit: Amount.describe("The daily budget."),
  spent: Amount.describe("The usage of runs that have ended."),
  held: Amount.describe("The amount leased to active runs; the unused part returns when they end."),
})
export type DayBudgetToday = z.output<typeof DayBudgetToday>

const Pace = z.object({
  rpm: z.number().exactOptional().describe("Requests per minute."),
  tpm: z.number().exactOptional().describe("Tokens per minute, of requests and replies together."),
  itpm: z.number().exactOptional().describe("Input tokens per minute."),
  otpm: z.number().exactOptional().describe("Output tokens per minute."),
})
export const PacingNow = z.object({
  data: z
    .array(
      z.object({
        model: z.string().describe("The model as `provider/model`, or `provider/*` for all models of a provider."),
        set: Pace.describe("What the settings say."),
        learned: Pace.describe("What the provider's answers said."),
        used: z
          .object({
            requests: z.number().describe("Calls that were answered."),
            input: z.number().describe("Their input tokens."),
            output: z.number().describe("Their output tokens."),
          })
          .describe("What the tenant's calls used in the last minute, as far as is known."),
        waiting: z.number().describe("Calls that wait for their turn."),
        longest_ms: z.number().describe("The longest wait of the last minute, in milliseconds."),
        stopped_until: Time.exactOptional().describe("The provider refused a call: none is sent until then."),
      }),
    )
    .describe("The models."),
})
export type PacingNow = z.output<typeof PacingNow>
const PACING = { models: { "anthropic/*": { rpm: 50 }, "anthropic/claude-haiku-4-5": { itpm: 30_000, otpm: 8_000 } } }

export const Origins = z.object({ origins: z.array(z.string()).describe("Origins whose pages may read responses.") })
export const Retention = z.object({ runs: z.string().describe("How long ended runs are kept, such as `30d`.") })
export const SecretRow = z.object({
  scope: z.string().describe("The scope's name."),
  values: z.number().describe("The number of values."),
  updated: Time.describe("When the scope was last written."),
})
export type SecretRow = z.output<typeof SecretRow>

const SERVICE_FIELDS: FieldTexts = {
  search: [
    "The search engine behind `web_search`.",
    { provider: "Which engine.", baseUrl: "The engine's address; required for searxng, which you host yourself." },
  ],
  k8s: ["The Kubernetes cluster that tools read.", { url: "The address of the cluster's API." }],
}
const PRICES = { "anthropic/claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }
const ROLES = { default: ["anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5"], fast: "anthropic/claude-haiku-4-5" }
const SERVICES = { search: { provider: "brave" } } as const
const TELEMETRY = { content: true, endpoint: "https://otlp.example.com" }
const ORIGINS = { origins: ["https://app.example.com"] }

const SCORING = { flows: [{ match: "support*", scorers: ["helpful"], sample: 0.05, low: 0.5 }], budget: { usd: 5 } }
const GATE = { flows: [{ match: "billing:*", tests: true }] }
const GATE_FIELDS: FieldTexts = {
  flows: [
    "Rules.",
    {
      match: "Ids of flows; `*` stands for any characters.",
      backtest: [
        "Try a write that affects such a flow on its newest ended runs.",
        { last: "The number of runs.", allow: "The accepted kinds of differences; default none." },
      ],
      tests: "Whether a write that affects such a flow runs its tests; default true.",
      score: [
        "Compare the flow as it is with the flow as it would be, in an experiment.",
        {
          dataset: "The dataset whose rows are tried. The rule holds for its flow.",
          scorers: "Scorer → the most that a write may lose, such as 0.05 for 5 points of 100.",
          repeats: "Trials of a row and side; default 1.",
          budget: [
            "What all experiments of the rule may use in a UTC day. Without one, no model with a price is asked.",
            { usd: "US dollars.", tokens: "Tokens." },
          ],
        },
      ],
    },
  ],
}

export const settingsDoc = documented({
  parameters: {
    provider: { description: "The provider's name.", example: "anthropic" },
    scope: { description: "The scope's name.", example: "github" },
  },
  shapes: {
    ApprovalRule,
    Console: ConsoleBody,
    CorsBody,
    Origins,
    Pacing: PacingBody,
    PacingNow,
    Policy: PolicyBody,
    Prices,
    ProviderBody,
    ProviderShown,
    ProviderTest,
    ProviderModels,
    DayBudgetToday,
    BudgetSetting,
    ProviderTestBody,
    Retention,
    RetentionBody,
    Roles,
    RolesBody,
    SecretBody,
    SecretRow,
    Gate: GateBody,
    Scoring: ScoringBody,
    Services: ServicesBody,
    Telemetry: TelemetryBody,
  },
  examples: {
    Console: { first_run: "hidden" },
    CorsBody: ORIGINS,
    BudgetSetting: { usd: 16, run: { default: { usd: 0.5 }, most: { usd: 2 } } },
    DayBudgetToday: { day: "2026-11-23", limit: { usd: 16 }, spent: { usd: 6.49 }, held: { usd: 1 } },
    Origins: ORIGINS,
    Pacing: PACING,
    PacingNow: {
      data: [
        {
          model: "anthropic/claude-haiku-4-5",
          set: { itpm: 30_000, otpm: 8_000 },
          learned: { rpm: 50 },
          used: { requests: 48, input: 28_400, output: 7_100 },
          waiting: 4,
          longest_ms: 14_200,
        },
      ],
    },
    Policy: {
      tools: { profile: "coding", deny: ["bash"] },
      approvals: { tools: { kind: "dynamic", value: "args.amount > 100" }, plans: "always", expires: "2h" },
      autonomy: "standard",
      denylist: [{ tool: "web_fetch", args: "internal", reason: "Internal pages are off limits." }],
    },
    Prices: PRICES,
    ProviderBody: { kind: "anthropic", apiKey: "sk-ant-api03-example" },
    ProviderShown: { name: "anthropic", kind: "anthropic", apiKey: true },
    ProviderModels: {
      ok: true,
      provider: "anthropic",
      host: "api.anthropic.com",
      models: [{ id: "claude-haiku-4-5", name: "Claude Haiku 4.5" }],
      complete: true,
      ms: 212,
    },
    ProviderTest: {
      ok: false,
      provider: "anthropic",
      model: "claude-haiku-4-5",
      host: "api.anthropic.com",
      status: 401,
      message: "the provider answered 401: invalid x-api-key. Write the provider again with a valid apiKey.",
      ms: 212,
    },
    ProviderTestBody: { model: "claude-haiku-4-5" },
    Retention: { runs: "30d" },
    RetentionBody: { runs: "30d" },
    Roles: ROLES,
    RolesBody: ROLES,
    SecretBody: { values: ["ghs_new_secret_value", "ghs_old_secret_value"] },
    SecretRow: { scope: "github", values: 2, updated: "2026-11-22T09:00:00.000Z" },
    Gate: GATE,
    Scoring: SCORING,
    Services: SERVICES,
    Telemetry: TELEMETRY,
  },
  fields: [
    [
      ConsoleBody,
      { first_run: "Whether the console may open with the page for a first run; it does so only while there is no other run." },
    ],
    [
      ScoringBody,
      {
        budget: [
          "What the judges of scorings may use in a UTC day. A rule with a judge needs one.",
          { usd: "US dollars.", tokens: "Tokens." },
        ],
      },
    ],
    [
      BudgetSetting,
      {
        ...AMOUNT_FIELDS,
        run: "The limits of each run.",
      },
    ],
    [
      RunBudget,
      {
        default: "The default limit of each unit that neither the start nor the flow limits.",
        most: "The maximum limit of any run.",
      },
    ],
    [
      ProviderTestBody,
      {
        model: "The model to ask, without the provider; by default one that a role names.",
        settings: "Settings to try in place of the saved ones; they are not kept.",
        ask: "The question; by default one that is answered by one word.",
      },
    ],
    [
      RolesBody,
      {
        planning: "The model for plans.",
        coding: "The model for writing code.",
        fast: "The model for quick, cheap work.",
        research: "The model for research.",
        compact: "The model that summarizes long conversations.",
        vision: "The model for images.",
        architect: "The model of the architect.",
        judge: "The model of judges, which score runs.",
        default: "The model for agents that do not name one.",
      },
    ],
    [SecretBody, { value: "The scope's only value.", values: "The scope's values, the newest first; 3 at most." }],
    [ServicesBody, SERVICE_FIELDS],
    [GateBody, GATE_FIELDS],
  ],
})
