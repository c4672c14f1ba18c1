// The Kubernetes API over HTTPS [T25]: reads one path with the tenant's cluster and token. This module cannot write.

import { isObject } from "../../core/json.ts"
import type { ToolPowers } from "../../ports/tool.ts"
import { NO_SECRETS } from "../../core/secrets/redact.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { OutsideText } from "../../ports/outside.ts"
import { decoded } from "../web/http-answer.ts"

const SCOPE = "k8s"

/** The properties shared by the three tools. */
export const K8S: Pick<ToolSpec, "effect" | "contexts" | "private" | "untrusted" | "requiredSecretScopes" | "reach"> = {
  effect: "read",
  contexts: ["main", "agent"],
  private: true,
  // Whoever may run something in the cluster chooses its names and its logs [G11].
  untrusted: true,
  requiredSecretScopes: [SCOPE],
  reach: { method: { fixed: "GET" } },
}

/** Kubernetes names are DNS labels and subdomains, so a name cannot change the path. */
export const NAME = { type: "string", pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$" } as const

/** The arguments shared by the two tools that list. */
export const LISTS: Pick<ToolSpec, "parameters" | "truncate"> = {
  parameters: {
    type: "object",
    properties: {
      namespace: { ...NAME, description: "Default: every namespace." },
      selector: { type: "string", maxLength: 500, description: "Label selector, such as app=web." },
    },
    additionalProperties: false,
  },
  truncate: "head",
}

export interface ClusterAnswer {
  readonly text: OutsideText
  readonly url: string
}

export async function askCluster(path: string, powers: ToolPowers, signal: AbortSignal): Promise<ClusterAnswer> {
  const { net, secrets, services } = powers
  const token = await secrets?.get(SCOPE)
  const base = (await services?.get())?.k8s?.url
  if (!net || token === undefined) throw new Error(`this tool needs the secret "${SCOPE}": a token for the cluster's API`)
  if (base === undefined) throw new Error("no cluster is configured: an administrator sets its address with PUT /v1/settings/services")
  const answer = await net.fetch(
    {
      url: base.replace(/\/$/, "") + path,
      headers: { accept: "application/json, text/plain" },
      secretHeaders: { authorization: `Bearer ${token}` },
    },
    signal,
  )
  const body = decoded(answer)
  if (answer.status !== 200) throw new Error(`the cluster answered ${answer.status}: ${await reasonOf(body, powers, signal)}`)
  return { text: body, url: answer.url }
}

export async function listOf(
  path: string,
  powers: ToolPowers,
  signal: AbortSignal,
): Promise<{ readonly items: readonly Record<string, unknown>[]; readonly url: string }> {
  const { text, url } = await askCluster(path, powers, signal)
  const parsed = await text.json(signal)
  const items = parsed.ok && isObject(parsed.value) ? parsed.value["items"] : undefined
  if (!Array.isArray(items)) throw new Error("the cluster did not answer with a list")
  return { items: items.filter(isObject), url }
}

/** Without `namespace`: the whole cluster. */
export const pathOf = (api: string, kind: string, namespace: unknown): string =>
  typeof namespace === "string" ? `${api}/namespaces/${namespace}/${kind}` : `${api}/${kind}`

/** Values that are neither text nor numbers are left out. */
export const queryOf = (pairs: Readonly<Record<string, unknown>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(pairs)) if (typeof value === "string" || typeof value === "number") query.set(name, `${value}`)
  return query.size === 0 ? "" : `?${query.toString()}`
}

/** A nested member; an empty object if it is missing. */
export const part = (value: unknown, name: string): Record<string, unknown> => {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

export const list = (value: unknown, name: string): readonly Record<string, unknown>[] => {
  const found = isObject(value) ? value[name] : undefined
  return Array.isArray(found) ? found.filter(isObject) : []
}

export const count = (value: unknown): number => (typeof value === "number" ? value : 0)
export const word = (value: unknown): string => (typeof value === "string" ? value : "")

/** Aligns columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 0), title.length))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

async function reasonOf(body: OutsideText, { redactor }: ToolPowers, signal: AbortSignal): Promise<string> {
  const status = await body.json(signal)
  const message = status.ok && isObject(status.value) ? word(status.value["message"]) : ""
  return message || body.beginning(500, redactor?.() ?? NO_SECRETS) || "nothing more"
}
