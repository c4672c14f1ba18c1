// [N7] While the disk is nearly full, reads, deletions and cancels go on, and nothing else that writes.

import { expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const { services, ask } = setUp()
services.nearlyFull = true

test.each([
  ["POST", "/v1/flows/any/runs"],
  ["PUT", "/v1/settings/retention"],
  ["POST", "/v1/runs/run_none/signals/go"],
  ["POST", "/v1/chat/completions"],
])("[N7] %s %s is refused, with the reason", async (method, path) => {
  const { status, headers, text } = await ask(method, path, { body: {} })
  expect([status, headers.get("retry-after")]).toEqual([503, "30"])
  expect(text).toContain("The disk of the server is full, so nothing was written.")
})

test.each([
  ["GET", "/healthz"],
  ["DELETE", "/v1/runs/run_none"],
  ["POST", "/v1/runs/run_none/cancel"],
  ["OPTIONS", "/v1/runs"],
])("[N7] %s %s goes on", async (method, path) => {
  expect((await ask(method, path)).status).not.toBe(503)
})

test("[H1] who has no key learns nothing of the disk", async () => {
  expect((await ask("POST", "/v1/flows/any/runs", { key: null, body: {} })).status).toBe(401)
})
