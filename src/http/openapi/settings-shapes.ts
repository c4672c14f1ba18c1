// Bodies that a parser of its own reads, and what the API answers about settings, keys and tenants; shapes.ts says how they are meant.

import { z } from "zod"
import { Price, Provider } from "../settings.ts"
import { SCOPES } from "../../ports/tenants.ts"
import { JsonObject, Time } from "./shapes.ts"

const globs = z.array(z.string())
const profile = z.enum(["minimal", "messaging", "coding", "full"])
const rules = { profile: profile.optional(), allow: globs.optional(), deny: globs.optional() }
export const Duration = z.union([z.number(), z.string()]).describe("milliseconds, or such as 30s, 5m, 2h, 3d")
export const ApprovalRule = z.union([z.enum(["never", "always"]), z.strictObject({ kind: z.literal("dynamic"), value: z.string() })])

/** core/policy/parse-policy.ts reads it; a test holds the two together. */
export const PolicyBody = z.strictObject({
  tools: z
    .strictObject({
      ...rules,
      agents: z.record(z.string(), z.strictObject(rules)).optional(),
      providers: z.record(z.string(), z.strictObject(rules)).optional(),
    })
    .optional(),
  approvals: z
    .strictObject({
      tools: ApprovalRule.optional(),
      plans: ApprovalRule.optional(),
      allow_relax: z.boolean().optional(),
      expires: Duration.optional(),
    })
    .optional(),
  hooks: z.strictObject({ confirm: globs.optional(), log: globs.optional(), silent: globs.optional() }).optional(),
  autonomy: z.enum(["conservative", "standard", "autonomous"]).optional(),
  denylist: z.array(z.strictObject({ tool: z.string(), args: z.string().optional(), reason: z.string() })).optional(),
  network: z.strictObject({ allow: globs.optional() }).optional(),
  max_timeout: Duration.optional(),
})

export const Prices = z.record(z.string(), Price)
export const RolesShown = z.record(z.string(), z.string())
export const ProviderShown = z.object({
  name: z.string(),
  kind: Provider.shape.kind,
  baseUrl: z.string().optional(),
  apiKey: z.boolean().optional().describe("whether there is one; the key itself is never shown"),
  turns: JsonObject.optional(),
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
export const NewKey = KeyRow.extend({ key: z.string().optional().describe("shown here and never again; a replayed answer is without it") })

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
})
const count = z.number()
export const TenantDeleted = z.object({
  id: z.string(),
  status: z.literal("deleting").optional(),
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

export const Health = z.object({ status: z.string(), version: z.string() })

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
