// Sends spans, and scores as log records, as OTLP over HTTP in JSON [N9, V17]. The operator, not a tenant, sets the endpoint, so it is not checked like an address
// from a model. Each request is limited in spans and time, and its answer's body is not read.

import { defined } from "../../core/defined.ts"
import type { Attribute } from "../../core/run/views/span-attributes.ts"
import type { Evaluation } from "../../core/run/views/evaluations.ts"
import type { Span } from "../../core/run/views/spans.ts"
import { deadline } from "../../ports/timers.ts"

export interface Collector {
  /** For traces. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A way out of its own; absent: the platform's fetch. */
  readonly send?: (url: string, init: { readonly body: string; readonly signal: AbortSignal }) => Promise<Response>
}

/** `refused`: retrying will not help. Failures that may pass later are thrown. */
export type SpanDelivery = "sent" | "refused"

/** Limit: spans of a request → the next request has the rest. */
export const SPANS_AT_ONCE = 500
const PATIENCE_MS = 10_000 // limit: milliseconds of an export → it is tried again
const PATH = "/v1/traces"
const LOGS_PATH = "/v1/logs"
/** Statuses that the protocol lets clients retry. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The instance's collector; undefined if none is configured. Throws if the configuration is invalid. */
export function collectorOf(env: { readonly OTLP_ENDPOINT?: string; readonly OTLP_HEADERS?: string }): Collector | undefined {
  const endpoint = env.OTLP_ENDPOINT?.trim() ?? ""
  if (endpoint === "") return undefined
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) throw new Error("OTLP_ENDPOINT is not an http(s) address")
  return { url: tracesUrl(new URL(endpoint)), headers: headersOf(env.OTLP_HEADERS ?? "") }
}

/** The traces URL of an endpoint for all signals, or for traces. */
export function tracesUrl({ href }: URL): string {
  const url = new URL(href)
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/$/, "") + PATH
  return url.href
}

/** `name=value,name=value`, like OpenTelemetry's variables. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "")
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) throw new Error("OTLP_HEADERS is not a list of name=value")
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())]
    }),
  )
}

type Resource = Readonly<Record<string, Attribute>>
type Send = (url: string, init: RequestInit) => Promise<Response>

export const sendSpans = (to: Collector, resource: Resource, spans: readonly Span[], send?: Send): Promise<SpanDelivery> =>
  delivered(to, to.url, otlp(resource, spans), send)

export const sendEvaluations = (to: Collector, resource: Resource, all: readonly Evaluation[], send?: Send): Promise<SpanDelivery> =>
  delivered(to, to.url.replace(/\/v1\/traces$/, LOGS_PATH), otlpLogs(resource, all), send)

async function delivered(
  { headers, send: own }: Collector,
  url: string,
  request: unknown,
  send: Send = (to, init) => fetch(to, init),
): Promise<SpanDelivery> {
  const patience = deadline(PATIENCE_MS, `no answer in ${PATIENCE_MS / 1000} s`)
  const { signal } = patience
  const body = JSON.stringify(request)
  // The headers hold a key: they go only to the configured address, not to a redirect's target.
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body, redirect: "manual" as const, signal }
  const response = await (own ? own(url, { body, signal }) : send(url, init)).finally(patience.end)
  await response.body?.cancel().catch(() => {})
  if (response.ok) return "sent"
  if (LATER.has(response.status)) throw new Error(`the collector answered ${response.status}`)
  return "refused"
}

const KIND = { internal: 1, client: 3 } as const
const FAILED = 2

/** An ExportTraceServiceRequest in JSON: ids are hex, 64-bit numbers are strings. */
export function otlp(resource: Resource, spans: readonly Span[]): unknown {
  const wire = spans.map((span) => ({
    traceId: span.trace,
    spanId: span.id,
    ...defined({ parentSpanId: span.parent }),
    name: span.name,
    kind: KIND[span.kind],
    startTimeUnixNano: nanos(span.start),
    endTimeUnixNano: nanos(span.end),
    attributes: attributesOf(span.attributes),
    ...(span.failed ? { status: { code: FAILED } } : {}),
  }))
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope: { name: "sluice" }, spans: wire }] }] }
}

/** An ExportLogsServiceRequest in JSON. */
export function otlpLogs(resource: Resource, all: readonly Evaluation[]): unknown {
  const logRecords = all.map(({ trace, span, at, attributes }) => ({
    timeUnixNano: nanos(at),
    observedTimeUnixNano: nanos(at),
    eventName: "gen_ai.evaluation.result",
    traceId: trace,
    spanId: span,
    attributes: attributesOf(attributes),
  }))
  return { resourceLogs: [{ resource: { attributes: attributesOf(resource) }, scopeLogs: [{ scope: { name: "sluice" }, logRecords }] }] }
}

const nanos = (ms: number): string => `${Math.trunc(ms)}000000`

const attributesOf = (all: Readonly<Record<string, Attribute>>): unknown[] =>
  Object.entries(all).map(([key, value]) => ({ key, value: valueOf(value) }))

function valueOf(value: Attribute): unknown {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map(valueOf) } }
}
