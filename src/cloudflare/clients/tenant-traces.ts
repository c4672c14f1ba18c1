// Sends a tenant's traces [N9] to its own collectors, with headers from its vault, over the guarded way out.

import { collectorsOf, type Collector as Wanted } from "../../core/project/telemetry-body.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import { guardedFetch, wayOf } from "../../engine/net/guarded-fetch.ts"
import { tracesUrl, type Collector } from "../../engine/net/otlp.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "./secrets.ts"

/** A collector of the tenant's own. */
export interface OwnCollector {
  readonly name: string
  /** Spans contain what was said. */
  readonly content: boolean
  /** Throws if a header's secret has no value now, or the address is refused. */
  open(): Collector
}

export interface TenantTraces {
  readonly collectors: readonly OwnCollector[]
  /** Without a collector of its own: the spans that the instance's gets contain what was said. */
  readonly content: boolean
  readonly redactor: Redactor
}

export async function tenantTraces(env: Env, tenant: string): Promise<TenantTraces> {
  const telemetry = await portOf(env, tenant, "settings").get("telemetry")
  const { secrets, redactor } = await openVault(env, tenant, Date.now)(true)
  const collectors = collectorsOf(telemetry).map((one) => ({
    name: one.name,
    content: one.content ?? false,
    open: () => opened(env, one, (scope) => secrets.get(scope)?.[0]),
  }))
  return { collectors, content: collectors.length === 0 && telemetry.content === true, redactor }
}

function opened(env: Env, { endpoint, headers = {}, plain = {} }: Wanted, secret: (scope: string) => string | undefined): Collector {
  const secretHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, scope]) => {
      const value = secret(scope)
      if (value === undefined) throw new Error(`the secret "${scope}" of the header "${name}" has no value`)
      return [name, value]
    }),
  )
  const way = wayOf(env)
  const judged = judgeCallback(endpoint, { allowPrivate: way.allowedPrivateHosts, ...way.zones })
  if (!judged.ok) throw new Error(`address refused: ${judged.error}`)
  return {
    url: tracesUrl(judged.value),
    headers: {},
    send: async (url, { body, signal }) =>
      guardedFetch(
        {
          url,
          method: "POST",
          headers: { ...plain, "content-type": "application/json" },
          secretHeaders,
          body,
          redirects: 0,
          signal,
        },
        way,
      ),
  }
}
