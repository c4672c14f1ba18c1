// A provider's address gets the same checks as every address that a tenant names [T21, N6]: internal names are refused.

import { expect, test } from "vitest"
import { faultOfBaseUrl } from "../../../src/engine/net/provider-address.ts"
import { checkBaseUrl } from "../../../src/models/base-url.ts"

test.each([
  "https://169.254.169.254.nip.io/v1",
  "https://localtest.me/v1",
  "https://api.localhost/v1",
  "https://vault.corp/v1",
  "https://models.lan/v1",
  "https://metadata.google.internal/v1",
  "https://router.home.arpa./v1",
])("[T21] %s is refused as a provider's address on a public instance", (url) => {
  expect(faultOfBaseUrl(url, false)).toBeDefined()
})

test("[N6] a public provider may have its own port", () => {
  expect([faultOfBaseUrl("https://llm.example.com:9443/v1", false), checkBaseUrl("https://llm.example.com:9443/v1", "production")]).toEqual(
    [undefined, undefined],
  )
})
