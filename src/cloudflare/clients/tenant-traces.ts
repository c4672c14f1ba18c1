// Sends a tenant's traces [N9] to its own collector, with headers from its vault, over the guarded way out.

import { judgeCallback } from "../../engine/net/callback-address.ts"
import { guardedFetch, wayOf } from "../../engine/net/guarded-fetch.ts"
import { tracesUrl, type Collector } from "../../engine/net/otlp.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "./secrets.ts"

export interface TenantTraces {
  /** Absent: the tenant has none of its own. */
  readonly collector?: Collector
  /** Spans contain what was said. */
  readonly content: boolean
  readonly redactor: Redactor
}

/** Throws if a header's secret has no value now. */
export async function tenantTraces(env: Env, tenant: string): Promise<TenantTraces> {
  const { endpoint, headers = {}, content = false } = await portOf(env, tenant, "settings").get("telemetry")
  const { secrets, redactor } = await openVault(env, tenant, Date.now)(true)
  if (endpoint === undefined) return { content, redactor }
  const secretHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, scope]) => {
      const value = secrets.get(scope)?.[0]
      if (value === undefined) throw new Error(`the secret "${scope}" of the header "${name}" has no value`)
      return [name, value]
    }),
  )
  const way = wayOf(env)
  const judged = judgeCallback(endpoint, { allowPrivate: way.allowedPrivateHosts, ...way.zones })
  if (!judged.ok) throw new Error(`address refused: ${judged.error}`)
  return {
    content,
    redactor,
    collector: {
      url: tracesUrl(judged.value),
      headers: {},
      send: async (url, { body, signal }) =>
        guardedFetch(
          { url, method: "POST", headers: { "content-type": "application/json" }, secretHeaders, body, redirects: 0, signal },
          way,
        ),
    },
  }
}
