// Arbitrary requests: bad input is a 4xx problem, never a 5xx and never an answer without a request id [H3] [H8].

import { pathForm } from "../../src/http/middleware/path-form.ts"
import { anyCharacter } from "../support/any-character.ts"
import { amount } from "../support/amount.ts"
import { fc, test as property } from "../support/http/property.ts"
import { afterEach, describe, expect, vi } from "vitest"
import { createApp, ROUTES } from "../../src/http/app.ts"
import { runId } from "../support/http/ask.ts"
import { FakeMemory, FakeObjects } from "../support/engine/shared-powers.ts"
import { FakeServices } from "../support/http/fake-services.ts"

const ID = runId("r")
/** Routes whose refusals have another form. */
const OWN = [...ROUTES.filter(([, , , , declared]) => declared?.errors !== undefined).map(([, path]) => pathForm(path)), /^\/a2a\//]

/** Routes that need no key, so they may answer anything but 401. A path may be open for one method only, and may end with a slash. */
const OPEN = ROUTES.filter(([, , scope]) => scope === "open").map(
  ([, path]) =>
    new RegExp(`^${path.replace(/:\w+(\{[^}]*\})?/g, (_, pattern: string | undefined) => pattern?.slice(1, -1) ?? "[^/]*")}/?$`),
)

function house(): FakeServices {
  const made = new FakeServices()
  const acme = made.of("acme")
  acme.powers_ = { objects: new FakeObjects(), memory: new FakeMemory() }
  acme.catalog.flow({ inputs: { topic: { type: "string", required: false } } })
  acme.run(ID).begin().interactions_ = [
    { id: "i1", run: ID, kind: "ask_user", status: "pending", step: "a", payload: {}, schema: {}, created: "2026-01-01T00:00:00.000Z" },
  ]
  return made
}

/** Ids that exist and ids that cannot exist, to reach both branches of every handler. */
const segment = fc.oneof(
  fc.constantFrom(
    "f",
    ID,
    "a",
    "i1",
    "echo",
    "agent_write",
    "subagent",
    "SKILL.md",
    "%00",
    "%",
    "%E0%A4%A",
    "..%2F..",
    "constructor",
    "__proto__",
    "%F0%9F%92%A9",
    "f@2",
  ),
  fc.string({ unit: "grapheme" }).map((s) => encodeURIComponent(s)),
  fc.string({ unit: "grapheme-ascii" }).map((s) => s.replace(/[#?\\]/g, "")),
)
const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS")
const route = fc
  .tuple(fc.constantFrom(...ROUTES), fc.array(segment, { minLength: 4, maxLength: 4 }))
  .map(([[verb, path], parts]): [string, string] => [verb, path.replace(/:\w+(\{[^}]*\})?/g, () => parts.shift() ?? "x")])
const stray = fc.tuple(
  method,
  fc.array(segment).map((parts) => `/${parts.join("/")}`),
)
/** Mostly existing routes, some with another route's method, some unknown paths. */
const target = fc.oneof(
  { weight: 8, arbitrary: route },
  { weight: 1, arbitrary: fc.tuple(method, route).map(([other, [, path]]): [string, string] => [other, path]) },
  { weight: 1, arbitrary: stray },
)

const field = fc.constantFrom(
  "task",
  "inputs",
  "tags",
  "autonomous",
  "answer",
  "custom",
  "auto",
  "message",
  "kind",
  "content",
  "path",
  "agents",
  "flows",
  "baseUrl",
  "apiKey",
  "turns",
  "fast",
  "default",
  "say",
  "agent",
)
const body = fc.oneof(
  fc.dictionary(field, fc.jsonValue(), { maxKeys: 4 }).map((v) => JSON.stringify(v)),
  fc.json(),
  fc.string({ unit: anyCharacter }),
  fc.uint8Array({ maxLength: 64 }),
  fc.nat({ max: 5000 }).map((n) => "[".repeat(n)),
  fc.nat({ max: 5000 }).map((n) => `{"inputs":${'{"a":'.repeat(n)}1${"}".repeat(n)}}`),
)
const printable = fc.string({ unit: "grapheme-ascii" })
const headers = fc.record(
  {
    accept: fc.oneof(fc.constantFrom("text/event-stream", "application/json", "*/*"), printable),
    "content-type": fc.oneof(fc.constantFrom("application/json", "text/plain", "application/yaml", "multipart/form-data"), printable),
    "idempotency-key": printable,
    "if-match": printable,
    "if-none-match": printable,
    "last-event-id": printable,
    prefer: fc.oneof(fc.constantFrom("wait=1", "wait=99999999999"), printable),
    traceparent: printable,
  },
  { requiredKeys: [] },
)
const query = fc.oneof(
  fc.constant(""),
  fc
    .dictionary(fc.constantFrom("limit", "cursor", "after", "status", "flow", "snapshot", "format", "revision"), printable)
    .map((q) => `?${new URLSearchParams(q)}`),
)

afterEach(() => {
  vi.restoreAllMocks()
})

describe("arbitrary requests", () => {
  property(
    "[H3] are never a 5xx, and every refusal is a problem document",
    { runs: amount(3_000, 900) },
    [target, query, headers, body],
    async ([m, p], q, h, b) => {
      const log = vi.spyOn(console, "error").mockImplementation(() => {})
      const bare = m === "GET" || m === "HEAD"
      const response = await createApp(house()).request(`http://x${p}${q}`, {
        method: m,
        headers: { ...h, authorization: "Bearer key-a" },
        ...(bare ? {} : { body: typeof b === "string" ? b : new Blob([b]) }),
      })
      expect(log.mock.calls).toEqual([])
      expect(response.status).toBeLessThan(500)
      expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/)
      // The tenant's stream has no end.
      if (p === "/v1/stream" && response.ok) return response.body?.cancel()
      const text = await response.text()
      if (response.status < 400) return
      // Refusals of the MCP server are JSON-RPC, too [H12].
      if (p === "/mcp" && m === "POST") {
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } })
        return
      }
      const own = OWN.some((path) => path.test(p))
      expect(response.headers.get("content-type")).toMatch(own ? /json$/ : /^application\/problem\+json$/)
      if (m === "HEAD") return
      // Doors refuse in the form of their protocol [P10].
      if (own) {
        expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } })
        return
      }
      const problem: unknown = JSON.parse(text)
      expect(problem).toMatchObject({
        status: response.status,
        title: expect.any(String),
        detail: expect.any(String),
        code: expect.any(String),
        instance: expect.any(String),
      })
    },
  )

  property("[H1] without a key are 401 or 413, whatever else they are", { runs: amount(500, 150) }, [target, body], async ([m, p], b) => {
    const bare = m === "GET" || m === "HEAD"
    const response = await createApp(house()).request(`http://x${p}`, {
      method: m,
      ...(bare ? {} : { body: typeof b === "string" ? b : new Blob([b]) }),
    })
    const { pathname } = new URL(`http://x${p}`)
    expect(OPEN.some((path) => path.test(pathname)) || response.status === 401).toBe(true)
  })
})
