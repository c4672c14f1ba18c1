// Bodies that a parser of its own reads, and what the API answers about settings, keys and tenants; shapes.ts says how they are meant.

import { z } from "zod"
import { Price, Provider } from "../settings/settings.ts"
import { SCOPES } from "../../ports/tenants.ts"
import { JsonObject, Time } from "./shapes.ts"

const globs = z.array(z.string())
const profile = z.enum(["minimal", "messaging", "coding", "full"])
const rules = { profile: profile.exactOptional(), allow: globs.exactOptional(), deny: globs.exactOptional() }
export const Duration = z.union([z.number(), z.string()]).describe("milliseconds, or such as 30s, 5m, 2h, 3d")
export const ApprovalRule = z.union([z.enum(["never", "always"]), z.strictObject({ kind: z.literal("dynamic"), value: z.string() })])

/** core/policy/parse-policy.ts reads it; a test holds the two together. */
export const PolicyBody = z.strictObject({
  tools: z
    .strictObject({
      ...rules,
      agents: z.record(z.string(), z.strictObject(rules)).exactOptional(),
      providers: z.record(z.string(), z.strictObject(rules)).exactOptional(),
    })
    .exactOptional(),
  approvals: z
    .strictObject({
      tools: ApprovalRule.exactOptional(),
      plans: ApprovalRule.exactOptional(),
      allow_relax: z.boolean().exactOptional(),
      expires: Duration.exactOptional(),
    })
    .exactOptional(),
  hooks: z.strictObject({ confirm: globs.exactOptional(), log: globs.exactOptional(), silent: globs.exactOptional() }).exactOptional(),
  autonomy: z.enum(["conservative", "standard", "autonomous"]).exactOptional(),
  denylist: z.array(z.strictObject({ tool: z.string(), args: z.string().exactOptional(), reason: z.string() })).exactOptional(),
  network: z.strictObject({ allow: globs.exactOptional() }).exactOptional(),
  max_timeout: Duration.exactOptional(),
})

export const Prices = z.record(z.string(), Price)
export const RolesShown = z.record(z.string(), z.string())
export const ProviderShown = z.object({
  name: z.string(),
  kind: Provider.shape.kind,
  baseUrl: z.string().exactOptional(),
  apiKey: z.boolean().exactOptional().describe("whether there is one; the key itself is never shown"),
  turns: JsonObject.exactOptional(),
})
export const Origins = z.object({ origins: z.array(z.string()) })
export const Retention = z.object({ runs: z.string() })
export const SecretRow = z.object({ scope: z.string(), values: z.number(), updated: Time })

export const KeyRow = z.object({
  id: z.string(),
  prefix: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  created: Time,
  expires: Time.nullable(),
  last_used: Time.nullable(),
})
export const NewKey = KeyRow.extend({
  key: z.string().exactOptional().describe("shown here and never again; a replayed answer is without it"),
})

export const QuotasShown = z.object({
  concurrent_runs: z.number(),
  starts_per_minute: z.number(),
  catalog_bytes: z.number(),
  storage_bytes: z.number(),
  retention_max: z.number().describe("milliseconds"),
})
export const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  jurisdiction: z.enum(["eu", "us"]).nullable(),
  created: Time,
  quotas: QuotasShown,
  storage: z
    .object({ total: z.number(), runs: z.number(), files: z.number(), memory: z.number(), workspaces: z.number() })
    .exactOptional()
    .describe("bytes stored, against quotas.storage_bytes; not in the list"),
})
const count = z.number()
export const TenantDeleted = z.object({
  id: z.string(),
  status: z.literal("deleting").exactOptional(),
  deleted: z.object({
    runs: count,
    flows: count,
    agents: count,
    skills: count,
    hooks: count,
    schedules: count,
    callbacks: count,
    secrets: count,
    keys: count,
  }),
})

export const FirstPage = z.object({
  name: z.string(),
  version: z.string(),
  summary: z.string(),
  links: z.record(z.string(), z.string()),
})
export const Health = z.object({ status: z.string(), version: z.string() })
export const Readiness = z.object({ status: z.string(), checks: z.record(z.string(), z.boolean()) })

export const NAMED_OF_SETTINGS: Readonly<Record<string, z.ZodType>> = {
  ApprovalRule,
  KeyRow,
  Policy: PolicyBody,
  Price,
  ProviderShown,
  Quotas: QuotasShown,
  SecretRow,
  Tenant,
}
