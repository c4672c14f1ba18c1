// Describes the API's answers about keys and tenants.

import { z } from "zod"
import { SCOPES } from "../route/route.ts"
import { documented, Time } from "./shape.doc.ts"
import { JURISDICTIONS, KeyBody, QuotaBody, TenantBody } from "../tenants.ts"

export const KeyRow = z.object({
  id: z.string().describe("The key's id."),
  prefix: z.string().describe("The first characters of the key, for recognition."),
  name: z.string().describe("The key's name in journals."),
  scopes: z.array(z.enum(SCOPES)).describe("The key's scopes."),
  created: Time.describe("When the key was created."),
  expires: Time.nullable().describe("When the key expires; null if it never does."),
  last_used: Time.nullable().describe("When the key was last used; null if it never was."),
})
export type KeyRow = z.output<typeof KeyRow>

export const NewKey = KeyRow.extend({
  key: z.string().exactOptional().describe("The key itself. It is shown only here; a replayed response leaves it out."),
})
export type MadeKey = z.output<typeof NewKey>

const QUOTA_FIELDS = {
  concurrent_runs: "Runs that have not ended; child runs are not counted.",
  starts_per_minute: "Starts of runs per minute.",
  catalog_bytes: "Bytes of the tenant's own flows, agents, skills and handlers.",
  storage_bytes: "Bytes of the tenant's runs, shared files, memory, workspaces and cached results.",
}

export const Quotas = z.object({
  concurrent_runs: z.number().describe(QUOTA_FIELDS.concurrent_runs),
  starts_per_minute: z.number().describe(QUOTA_FIELDS.starts_per_minute),
  catalog_bytes: z.number().describe(QUOTA_FIELDS.catalog_bytes),
  storage_bytes: z.number().describe(QUOTA_FIELDS.storage_bytes),
  retention_max: z.number().describe("The longest retention of ended runs, in milliseconds."),
})
export type Quotas = z.output<typeof Quotas>

const bytes = z.number()
export const Tenant = z.object({
  id: z.string().describe("The tenant's id."),
  name: z.string().describe("The tenant's name."),
  jurisdiction: z.enum(JURISDICTIONS).nullable().describe("The jurisdiction of the tenant's data; null if there is none."),
  created: Time.describe("When the tenant was created."),
  quotas: Quotas.describe("The tenant's quotas."),
  storage: z
    .object({
      total: bytes.describe("Everything together."),
      runs: bytes.describe("Journals and outputs of runs."),
      files: bytes.describe("Shared files."),
      memory: bytes.describe("Memory of agents."),
      workspaces: bytes.describe("Named workspaces."),
    })
    .exactOptional()
    .describe("Stored bytes, counted against `quotas.storage_bytes`; absent in lists."),
})
export type Tenant = z.output<typeof Tenant>

const count = z.number()
export const TenantDeleted = z.object({
  id: z.string().describe("The tenant's id."),
  status: z.literal("deleting").exactOptional().describe("Present while deletion continues."),
  deleted: z
    .object({
      runs: count.describe("Runs."),
      flows: count.describe("Flows."),
      agents: count.describe("Agents."),
      skills: count.describe("Skills."),
      hooks: count.describe("Hooks."),
      schedules: count.describe("Schedules."),
      callbacks: count.describe("Callbacks."),
      secrets: count.describe("Scopes of the vault."),
      keys: count.describe("Keys."),
    })
    .describe("The number of deleted things by kind."),
})
export type TenantDeleted = z.output<typeof TenantDeleted>

const KEY = {
  id: "key_6x1m9k",
  prefix: "slk_acme_3f",
  name: "ci",
  scopes: ["runs:write", "runs:read"],
  created: "2026-11-22T09:00:00.000Z",
  expires: null,
  last_used: null,
} satisfies z.input<typeof KeyRow>
const QUOTAS = {
  concurrent_runs: 200,
  starts_per_minute: 1_200,
  catalog_bytes: 67_108_864,
  storage_bytes: 10_737_418_240,
  retention_max: 31_536_000_000,
} as const

export const tenantsDoc = documented({
  parameters: {
    key: { description: "The key's id, or the path of a shared file.", example: "key_6x1m9k" },
    tenant: { description: "The tenant's id.", example: "acme" },
  },
  shapes: { KeyBody, KeyRow, NewKey, QuotaBody, Quotas, Tenant, TenantBody, TenantDeleted },
  examples: {
    KeyBody: { name: "ci", scopes: ["runs:write", "runs:read"] },
    KeyRow: KEY,
    NewKey: { ...KEY, key: "slk_acme_3fPq8s2Vx7Yz0a1B" },
    QuotaBody: { concurrent_runs: 50, retention_max: "90d" },
    Quotas: QUOTAS,
    Tenant: { id: "acme", name: "Acme", jurisdiction: "eu", created: "2026-11-22T09:00:00.000Z", quotas: QUOTAS },
    TenantBody: { id: "acme", name: "Acme", jurisdiction: "eu" },
    TenantDeleted: {
      id: "acme",
      deleted: { runs: 12, flows: 3, agents: 4, skills: 1, hooks: 1, schedules: 0, callbacks: 1, secrets: 2, keys: 3 },
    },
  },
  fields: [
    [
      KeyBody,
      {
        name: "The key's name in journals; `key` by default.",
        scopes: "The key's scopes; no scope implies another.",
        expires: "When the key expires, in ISO 8601; by default never.",
      },
    ],
    [
      TenantBody,
      {
        id: "2 to 31 lowercase letters, digits or `-`, starting with a letter.",
        name: "The tenant's name; the id by default.",
        jurisdiction: "The jurisdiction of the tenant's data. It cannot be changed later.",
      },
    ],
    [QuotaBody, { ...QUOTA_FIELDS, retention_max: "The longest retention of ended runs: milliseconds, or a duration such as `90d`." }],
  ],
})
