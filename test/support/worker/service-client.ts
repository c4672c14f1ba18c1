// The whole Worker as an instance with tenants: its admin, and a client for each tenant.

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { SCOPES } from "../../../src/api/route/route.ts"

export interface Client {
  raw(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  ask<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
}

export function client(key: string): Client {
  const raw: Client["raw"] = (method, path, body, headers = {}) =>
    SELF.fetch(`http://sluice${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    raw,
    async ask<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const r = await raw(method, path, body, headers)
      const text = await r.text()
      if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
      return (text === "" ? undefined : JSON.parse(text)) as T
    },
  }
}

export const admin = client("sl_admin_local")

export interface Tenant extends Client {
  readonly id: string
  readonly key: string
  readonly keyId: string
}

export async function tenant(id: string): Promise<Tenant> {
  await admin.ask("POST", "/v1/tenants", { id })
  const { key, id: keyId } = await admin.ask<{ key: string; id: string }>("POST", `/v1/tenants/${id}/keys`, { name: "all", scopes: SCOPES })
  return { id, key, keyId, ...client(key) }
}

const agent = "---\nname: a\ndescription: a\nmodel: rehearsal/default\ntools: write, read\n---\nDo it. ${{task}}\n"
const flow = (name: string): string => `name: ${name}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n`

/** `quick` ends at once; `long` is under way until it is canceled. */
export const CATALOG = {
  agents: { "a.md": agent },
  flows: {
    "quick.yaml": flow("quick"),
    "long.yaml": "name: long\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 10m }\n",
  },
}

export const start = async (t: Client, name: string, headers?: Record<string, string>): Promise<string> =>
  (await t.ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go" }, headers)).id

/** Polls until it appears. The number of tries is a limit for a hang, far above a busy machine's need: it is not a claim about time. */
export async function until<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (let i = 0; i < 3_000; i++) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`${what} did not happen`)
}

export const ended = (t: Client, id: string): Promise<{ status: string }> =>
  until(async () => {
    const run = await t.ask<{ status: string; ended?: string }>("GET", `/v1/runs/${id}`)
    return run.ended === undefined ? undefined : run
  }, `the end of ${id}`)

export const runObject = (tenant: string, id: string) => env.RUN.get(env.RUN.idFromName(`${tenant}/${id}`))
export const tenantObject = (id: string) => env.TENANT.get(env.TENANT.idFromName(id))
