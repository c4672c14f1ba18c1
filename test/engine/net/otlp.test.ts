// Spans on the wire [N9], against a collector on loopback: the requests, and how answers are handled.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Span } from "../../../src/core/run/views/spans.ts"
import { collectorOf, otlp, sendSpans } from "../../../src/engine/net/otlp.ts"

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
