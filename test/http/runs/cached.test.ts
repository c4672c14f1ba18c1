// DELETE /v1/flows/FLOW/cache [R41].

import { expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

test("[R41] the kept results of a flow, or of one of its steps, are forgotten by who may start runs", async () => {
  const { ask, acme, services } = setUp()
  expect((await ask("DELETE", "/v1/flows/legal:nda/cache?step=facts")).status).toBe(204)
  expect((await ask("DELETE", "/v1/flows/f/cache")).status).toBe(204)
  expect(acme.forgotten).toEqual([{ flow: "legal:nda", step: "facts" }, { flow: "f" }])
  services.key("reader", "acme", ["runs:read"])
  expect((await ask("DELETE", "/v1/flows/f/cache", { key: "reader" })).status).toBe(403)
  expect((await ask("DELETE", "/v1/flows/f/cache?steps=a")).status).toBe(422)
  expect(acme.forgotten).toHaveLength(2)
})
