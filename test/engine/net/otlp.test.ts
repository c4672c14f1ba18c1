// Spans on the wire [N9], against a collector on loopback: the requests, and how answers are handled.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { RunEvaluations } from "../../../src/core/run/views/evaluations.ts"
import { RunSpans, type Span } from "../../../src/core/run/views/spans.ts"
import { collectorOf, otlp, sendEvaluations, sendSpans } from "../../../src/engine/net/otlp.ts"

let server: Server
let url = ""
let answer = { status: 200, headers: {} as Record<string, string> }
let heard: { path: string; headers: IncomingHttpHeaders; body: unknown }[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      heard.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) })
      response.writeHead(answer.status, answer.headers).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  heard = []
  answer = { status: 200, headers: {} }
})

const span: Span = {
  trace: "a".repeat(32),
  id: "b".repeat(16),
  parent: "c".repeat(16),
  name: "chat m",
  kind: "client",
  start: 1_700_000_000_001,
  end: 1_700_000_000_250,
  attributes: { text: "x", whole: 7, part: 0.25, yes: true, list: ["a", "b"] },
  failed: true,
}
const to = (env: { OTLP_ENDPOINT?: string; OTLP_HEADERS?: string }) => {
  const collector = collectorOf(env)
  if (!collector) throw new Error("none is configured")
  return collector
}

describe("the collector", () => {
  test("[N9] is asked at /v1/traces, with the headers that were configured", async () => {
    const collector = to({ OTLP_ENDPOINT: `${url}/base/`, OTLP_HEADERS: "Authorization=Bearer%20k%2C1, x-org = o " })
    expect(await sendSpans(collector, { "service.name": "sluice" }, [span])).toBe("sent")
    expect(heard).toHaveLength(1)
    expect(heard[0]).toMatchObject({
      path: "/base/v1/traces",
      headers: { authorization: "Bearer k,1", "x-org": "o", "content-type": "application/json" },
      body: otlp({ "service.name": "sluice" }, [span]),
    })
    expect(to({ OTLP_ENDPOINT: `${url}/v1/traces` }).url).toBe(`${url}/v1/traces`)
  })

  test("[N9] reads ids as hex, times and whole numbers as text, a failure as status 2", () => {
    expect(otlp({ "service.name": "s" }, [span])).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "s" } }] },
          scopeSpans: [
            {
              scope: { name: "sluice" },
              spans: [
                {
                  traceId: "a".repeat(32),
                  spanId: "b".repeat(16),
                  parentSpanId: "c".repeat(16),
                  name: "chat m",
                  kind: 3,
                  startTimeUnixNano: "1700000000001000000",
                  endTimeUnixNano: "1700000000250000000",
                  attributes: [
                    { key: "text", value: { stringValue: "x" } },
                    { key: "whole", value: { intValue: "7" } },
                    { key: "part", value: { doubleValue: 0.25 } },
                    { key: "yes", value: { boolValue: true } },
                    { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } } },
                  ],
                  status: { code: 2 },
                },
              ],
            },
          ],
        },
      ],
    })
  })

  test.each([429, 502, 503, 504])("[N9] %i is retried", async (status) => {
    answer = { status, headers: {} }
    await expect(sendSpans(to({ OTLP_ENDPOINT: url }), {}, [span])).rejects.toThrow(String(status))
  })

  test.each([400, 401, 404, 500])("[N9] %i is not retried", async (status) => {
    answer = { status, headers: {} }
    expect(await sendSpans(to({ OTLP_ENDPOINT: url }), {}, [span])).toBe("refused")
  })

  test("[N9] a redirect is not followed: the headers hold a key", async () => {
    answer = { status: 307, headers: { location: `${url}/elsewhere` } }
    expect(await sendSpans(to({ OTLP_ENDPOINT: url }), {}, [span])).toBe("refused")
    expect(heard).toHaveLength(1)
  })

  test("[N9] an unreachable address is retried", async () => {
    await expect(sendSpans(to({ OTLP_ENDPOINT: "http://127.0.0.1:1" }), {}, [span])).rejects.toThrow()
  })

  test("[N9] no collector, or an invalid one, is configured", () => {
    expect(collectorOf({})).toBeUndefined()
    expect(collectorOf({ OTLP_ENDPOINT: " " })).toBeUndefined()
    expect(() => collectorOf({ OTLP_ENDPOINT: "otlp.example" })).toThrow(/OTLP_ENDPOINT/)
    expect(() => collectorOf({ OTLP_ENDPOINT: "file:///tmp/x" })).toThrow(/OTLP_ENDPOINT/)
    expect(() => collectorOf({ OTLP_ENDPOINT: url, OTLP_HEADERS: "nonsense" })).toThrow(/OTLP_HEADERS/)
  })
})

describe("scores", () => {
  const RUN = "run_1"
  const hash = (text: string): string => text.replaceAll(/[^a-z0-9]/g, "").padEnd(64, "0")
  const log = [
    { seq: 1, at: 1_000, type: "run.started", run: RUN, trace: { id: "d".repeat(32) } },
    { seq: 2, at: 2_000, type: "step.scored", step: "write", pass: 2, round: 1, scorer: "calm", version: "v", score: 0.5, enough: false },
    { seq: 3, at: 3_000, type: "run.ended", status: "succeeded" },
    {
      seq: 4,
      at: 4_000,
      type: "run.scored",
      scorer: "helpful",
      version: "v",
      score: 1,
      level: "all",
      reason: "It names canary.",
      by: "ci",
    },
    { seq: 5, at: 5_000, type: "run.scored", scorer: "broken", version: "v", score: null, error: "It threw canary.", by: "ci" },
  ] as unknown as readonly RunEvent[]
  const recorded = (clean?: (reason: string) => string) => {
    const evaluations = new RunEvaluations(hash, clean)
    return log.flatMap((e) => evaluations.take(e) ?? [])
  }
  const record = (ms: number, span: string, attributes: readonly unknown[]) => ({
    timeUnixNano: `${ms}000000`,
    observedTimeUnixNano: `${ms}000000`,
    eventName: "gen_ai.evaluation.result",
    traceId: "d".repeat(32),
    spanId: hash(`${RUN} ${span}`).slice(0, 16),
    attributes,
  })
  const name = (of: string) => ({ key: "gen_ai.evaluation.name", value: { stringValue: of } })
  const score = (value: object) => ({ key: "gen_ai.evaluation.score.value", value })
  const label = { key: "gen_ai.evaluation.score.label", value: { stringValue: "all" } }
  const failed = { key: "error.type", value: { stringValue: "scorer" } }

  test("[V17] go to /v1/logs as gen_ai.evaluation.result, under the span of the run or of the step's pass", async () => {
    expect(await sendEvaluations(to({ OTLP_ENDPOINT: `${url}/base` }), { "service.name": "sluice" }, recorded())).toBe("sent")
    expect(heard).toHaveLength(1)
    expect(heard[0]?.path).toBe("/base/v1/logs")
    expect(heard[0]?.body).toEqual({
      resourceLogs: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "sluice" } }] },
          scopeLogs: [
            {
              scope: { name: "sluice" },
              logRecords: [
                record(2_000, "step/write/2", [name("calm"), score({ doubleValue: 0.5 })]),
                record(4_000, "run", [name("helpful"), score({ intValue: "1" }), label]),
                record(5_000, "run", [name("broken"), failed]),
              ],
            },
          ],
        },
      ],
    })
  })

  test("[V17] the span is the one that the trace has, and only with `content` is there an explanation, without secrets", async () => {
    const spans = new RunSpans(hash)
    const [root] = log.flatMap((e) => spans.take({ flow: "f", trigger: { kind: "api" }, ...e } as unknown as RunEvent))
    const withContent = recorded((reason) => reason.replace("canary", "***"))
    expect([withContent[1]?.span, withContent[1]?.trace]).toEqual([root?.id, root?.trace])
    expect(withContent.map(({ attributes }) => attributes["gen_ai.evaluation.explanation"])).toEqual([
      undefined,
      "It names ***.",
      "It threw ***.",
    ])
    expect(JSON.stringify(recorded())).not.toContain("explanation")
  })

  test.each([429, 503])("[V17] %i is retried", async (status) => {
    answer = { status, headers: {} }
    await expect(sendEvaluations(to({ OTLP_ENDPOINT: url }), {}, recorded())).rejects.toThrow(String(status))
  })
})
