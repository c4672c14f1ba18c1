// [N7] A server that stops says so, begins nothing, and answers who waits with what has begun.

import { expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const { services, ask } = setUp()
services.stopping = true

test("[N7] it is alive, and not ready", async () => {
  expect((await ask("GET", "/healthz", { key: null })).status).toBe(200)
  const { status, headers, text } = await ask("GET", "/readyz", { key: null })
  expect([status, headers.get("retry-after")]).toEqual([503, "5"])
  expect(text).toContain("The server stops, and begins nothing new.")
})

test.each([
  ["GET", "/v1/runs"],
  ["POST", "/v1/flows/any/runs"],
  ["DELETE", "/v1/runs/run_none"],
  ["POST", "/v1/chat/completions"],
])("[N7] %s %s is refused, and may be sent again", async (method, path) => {
  const { status, headers, text } = await ask(method, path, method === "POST" ? { body: {} } : {})
  expect([status, headers.get("retry-after")]).toEqual([503, "5"])
  expect(text).toContain("send the request again then")
})
