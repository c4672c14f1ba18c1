// Sends a plan's actions to its dispatcher [C35, T41]: a service binding of this Worker, or a webhook signed according to Standard Webhooks.
// Each request is sent once: redirects are not followed and nothing is retried.

import { Redactor } from "../../core/secrets/redact.ts"
import { callbackSignature } from "../../engine/net/callback-signature.ts"
import { outgoing } from "../outgoing/connections.ts"
import { guardedFetch, wayOf } from "../../engine/net/guarded-fetch.ts"
import type { Dispatch } from "../../engine/run/plans.ts"
import type { Dispatcher } from "../../core/plans/plan-spec.ts"
import { joined } from "../../core/text/joined-bytes.ts"
import { Breath } from "../../ports/breath.ts"
import { Outside, type OutsideText } from "../../ports/outside.ts"
import type { Secrets } from "../../ports/secrets.ts"
import { signalAfter } from "../../ports/timers.ts"
import type { Env } from "../platform/env.ts"

/** Below the tool's own timeout, so a slow dispatcher is reported as such and not as a tool that hangs. */
const TIMEOUT_MS = 90_000 // limit: milliseconds of a dispatcher → the plan fails
const MAX_BYTES = 1024 * 1024 // limit: bytes of a dispatcher's answer → the plan fails
const SHOWN_ERROR = 300

export interface DispatchDeps {
  readonly env: Env
  secrets(): Promise<Secrets>
  now(): number
}

export async function readyToDispatch({ env, secrets }: DispatchDeps, to: Dispatcher): Promise<string | undefined> {
  if ("binding" in to) return fetcherOf(env, to.binding) ? undefined : `this Worker has no service binding ${to.binding}`
  const values = (await secrets()).get(to.secret) ?? []
  const signature = await callbackSignature(values, { id: "", timestamp: 0, body: "" })
  return signature === undefined
    ? `the secret "${to.secret}" has no value that can sign (PUT /v1/secrets/${to.secret}, whsec_…)`
    : undefined
}

export async function dispatchPlan(
  { env, secrets, now }: DispatchDeps,
  to: Dispatcher,
  what: Dispatch,
  signal: AbortSignal,
): Promise<unknown> {
  const timestamp = Math.floor(now() / 1000)
  const body = JSON.stringify({ type: "plan.execute", timestamp: new Date(now()).toISOString(), data: what })
  // The id of a plan is unique only within its run.
  const key = `${what.run}/${what.planId}`
  const headers = { "content-type": "application/json", "idempotency-key": key, "webhook-id": key, "webhook-timestamp": String(timestamp) }
  const until = AbortSignal.any([signal, signalAfter(TIMEOUT_MS)])
  if ("binding" in to) {
    const fetcher = fetcherOf(env, to.binding)
    if (!fetcher) throw new Error(`this Worker has no service binding ${to.binding}`)
    const asked = { method: "POST", headers, body, redirect: "manual" as const, signal: until }
    return answerOf(await fetcher.fetch("https://dispatcher/plan", asked), await secrets())
  }
  const signature = await callbackSignature((await secrets()).get(to.secret) ?? [], { id: key, timestamp, body })
  if (signature === undefined) throw new Error(`the secret "${to.secret}" has no value that can sign`)
  const request = {
    url: to.url,
    method: "POST",
    headers,
    secretHeaders: { "webhook-signature": signature },
    body,
    redirects: 0,
    signal: until,
  }
  return answerOf(await guardedFetch(request, { ...wayOf(env), fetch: outgoing }), await secrets())
}

/** Accepts a 2xx response with JSON or with an empty body. */
async function answerOf(response: Response, known: Secrets): Promise<unknown> {
  const text = await capped(response)
  const redactor = new Redactor(known)
  if (!response.ok)
    throw new Error(`the dispatcher answered ${response.status}${text.length === 0 ? "" : `: ${text.beginning(SHOWN_ERROR, redactor)}`}`)
  if (text.isBlank) return null
  const answer = await text.json()
  if (!answer.ok) throw new Error(`the dispatcher's answer ${answer.error}`)
  // Before anything of it is cut, or told to the planner.
  return new Breath().through(redactor.jsonPieces(answer.value))
}

async function capped(response: Response): Promise<OutsideText> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`the dispatcher's answer is larger than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Outside(joined(chunks)).text()
}

/** Only the bindings that the deployment names for dispatching can be reached. */
function fetcherOf(env: Env, binding: string): Fetcher | undefined {
  const bound: unknown = binding.startsWith("DISPATCH_") ? Reflect.get(env, binding) : undefined
  return isFetcher(bound) ? bound : undefined
}

const isFetcher = (bound: unknown): bound is Fetcher =>
  typeof bound === "object" && bound !== null && "fetch" in bound && typeof bound.fetch === "function"
