// Scores at a collector [V17] in workerd: they follow the spans, once each, also those that come when the trace was sent long ago.

import { env } from "cloudflare:workers"
import { runInDurableObject } from "cloudflare:test"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import type { TelemetryEnv } from "../../../src/cloudflare/run/run-telemetry.ts"
import { agent, ask, call, ended, flow, start, stub, until } from "../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: { "told.yaml": flow("told", "  - { id: a, type: agent, agent: a }\n") },
    scorers: { "fits.yaml": "name: fits\ndescription: d\nexpect: { turns: 99 }\n" },
  })
})

interface LogRecord {
  readonly eventName: string
  readonly traceId: string
  readonly spanId: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
}
let logs: LogRecord[] = []
let spans: { readonly traceId: string; readonly spanId: string; readonly name: string }[] = []
/** The answers for logs, in order; then 200. */
let answers: number[] = []

function collect(): void {
  ;[logs, spans] = [[], []]
  const real = globalThis.fetch
  vi.spyOn(globalThis, "fetch").mockImplementation(async (to, init) => {
    const url = String(to)
    if (!url.startsWith("https://otlp.example/")) return real(to, init)
    const body = JSON.parse(String(init?.body))
    if (url.endsWith("/v1/traces")) for (const { scopeSpans } of body.resourceSpans) for (const one of scopeSpans) spans.push(...one.spans)
    else {
      const status = answers.shift() ?? 200
      if (status !== 200) return new Response("{}", { status })
      for (const { scopeLogs } of body.resourceLogs) for (const one of scopeLogs) logs.push(...one.logRecords)
    }
    return new Response("{}")
  })
}

const bind = (more: Partial<TelemetryEnv>): void => void Object.assign(env, more)
afterEach(() => {
  bind({ OTLP_ENDPOINT: "" })
  answers = []
  vi.restoreAllMocks()
})
const mark = (id: string) => runInDurableObject(stub(id), async (_, ctx) => ctx.storage.kv.get<unknown>("traces"))
const soon = () => ({ timeout: 30_000, interval: 20 })

test("[V17] a score that comes after its run's trace was sent goes to /v1/logs under the run's span, once, and again only if nobody took it", async () => {
  collect()
  vi.spyOn(console, "error").mockImplementation(() => {})
  bind({ OTLP_ENDPOINT: "https://otlp.example" })
  const id = await start("told")
  await until(id, ended)
  await vi.waitFor(async () => expect(await mark(id)).toBe("done"), soon())
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["fits"] })
  await vi.waitFor(() => expect(logs).toHaveLength(1), soon())
  const root = spans.find(({ name }) => name === "invoke_workflow told")
  expect(logs[0]).toMatchObject({ eventName: "gen_ai.evaluation.result", traceId: root?.traceId, spanId: root?.spanId })
  const values = Object.fromEntries((logs[0]?.attributes ?? []).map(({ key, value }) => [key, value]))
  expect(values).toEqual({ "gen_ai.evaluation.name": { stringValue: "fits" }, "gen_ai.evaluation.score.value": { intValue: "0" } })
  await vi.waitFor(async () => expect(await mark(id)).toBe("done"), soon())
  const sent = spans.length
  // The next one meets a collector that is down.
  answers = [503]
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["tools-worked"] })
  await vi.waitFor(async () => expect(await mark(id)).toMatchObject({ tries: 1 }), soon())
  await runInDurableObject(stub(id), async (_, ctx) => {
    const kept = ctx.storage.kv.get<object>("traces")
    ctx.storage.kv.put("traces", { ...kept, next: 0 })
  })
  await call("POST", `/v1/runs/${id}/feedback`, { thumb: "up" })
  await vi.waitFor(() => expect(logs).toHaveLength(2), soon())
  await vi.waitFor(async () => expect(await mark(id)).toBe("done"), soon())
  expect([logs[1]?.attributes[0]?.value, spans.length]).toEqual([{ stringValue: "tools-worked" }, sent])
})
