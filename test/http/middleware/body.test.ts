// Bodies that say they are compressed [H3]: a small one may become any size, so none is unpacked but that of an OpenAPI document.

import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const JSON_TYPE = { "content-type": "application/json" }

describe("a body with a content encoding", () => {
  test.each(["gzip", "br", "deflate", "GZIP", "gzip, identity", "x".repeat(19)])(
    "[H3] %s is 415 and says what to send",
    async (encoding) => {
      const { ask, acme } = setUp()
      const headers = { "content-encoding": encoding }
      const json = await ask("PUT", "/v1/settings/roles", { body: { default: "a/b" }, headers: { ...JSON_TYPE, ...headers } })
      const text = await ask("PUT", "/v1/agents/a", { body: "x", headers: { "content-type": "text/markdown", ...headers } })
      for (const { status, body } of [json, text]) {
        expect([status, body["code"]]).toEqual([415, "unsupported_media_type"])
        expect(body["detail"]).toContain("send it plain")
      }
      expect(acme.catalog.puts).toEqual([])
    },
  )

  test.each(["identity", "Identity", ""])("[H3] %j is none", async (encoding) => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/agents/a", { body: "x", headers: { "content-encoding": encoding } })).status).toBe(200)
  })

  test("[T26] gzip of an OpenAPI document is read", async () => {
    const { ask } = setUp()
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: "https://api.example.com" }], paths: {} }
    const body = new Uint8Array(gzipSync(JSON.stringify({ document })))
    const headers = { ...JSON_TYPE, "content-encoding": "gzip" }
    expect((await ask("POST", "/v1/tools/import", { body, headers })).body["code"]).not.toBe("unsupported_media_type")
  })
})
