// Bodies that say they are compressed [H3]: a small one may become any size, so none is unpacked but that of an OpenAPI document.

import { createHmac } from "node:crypto"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { ROUTES } from "../../../src/http/app.ts"
import { setUp } from "../../support/http/ask.ts"

const JSON_TYPE = { "content-type": "application/json" }

/** `:task{[^/]+:cancel}` and its like. */
const PARAMETER = /:\w+(?:\{([^}]*)\})?/g
const HOOK = { flow: "f", kind: "hmac", secret: "hs", mapping: {}, autonomous: true, enabled: true } as const

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

  const reading = ROUTES.filter(([, , , , declared]) => declared?.body !== undefined || declared?.media !== undefined)
  test.each(reading.map(([method, path, scope]) => [method, path, scope] as const))(
    "[H3] %s %s refuses zstd before anything is read",
    async (method, path, scope) => {
      const { ask, acme } = setUp()
      const hook = await acme.hooks.create(HOOK)
      const address = path
        .replace(":hook", hook === "too_many" ? "" : hook.id)
        .replaceAll(PARAMETER, (_, form: string | undefined) => (form?.includes(":") === true ? form.replace("[^/]+", "x") : "x"))
      const headers = { ...JSON_TYPE, "content-encoding": "zstd" }
      const key = scope === "open" ? null : scope === "instance" ? "key-admin" : "key-a"
      const r = await ask(method, address, { key, body: new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x80]), headers })
      expect([r.status, r.text]).toEqual([path.startsWith("/a2a/") ? 400 : 415, expect.stringContaining("zstd")])
    },
  )

  test("[H3] /mcp refuses it in its own form", async () => {
    const { ask } = setUp()
    const body = new Uint8Array(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })))
    const r = await ask("POST", "/mcp", { body, headers: { ...JSON_TYPE, "content-encoding": "gzip" } })
    expect([r.status, r.body["error"]]).toMatchObject([415, { message: expect.stringContaining("send it plain") }])
  })

  test("[H3] without a key or without the scope it is 401 or 403, as every body", async () => {
    const { ask, services } = setUp()
    services.key("key-r", "acme", ["runs:read"])
    const sent = { body: new Uint8Array(gzipSync("{}")), headers: { ...JSON_TYPE, "content-encoding": "gzip" } }
    expect((await ask("POST", "/v1/hooks", { ...sent, key: null })).status).toBe(401)
    expect((await ask("POST", "/v1/hooks", { ...sent, key: "key-r" })).status).toBe(403)
  })
})

describe("a delivery with a content encoding", () => {
  const PLAIN = JSON.stringify({ title: "Größe" })
  const PACKED = new Uint8Array(gzipSync(PLAIN))

  test.each([
    ["over what was sent", PACKED],
    ["over the plain text", PLAIN],
  ])("[H3] signed %s it starts nothing, and the deliveries say why", async (_, signed) => {
    const { ask, acme } = setUp()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    await acme.secrets.put("hs", ["a-secret"])
    acme.hooks.secrets = ["a-secret"]
    const made = await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs" } })
    const id = String(made.body["id"])
    const proof = { "x-signature": createHmac("sha256", "a-secret").update(signed).digest("hex") }
    const r = await ask("POST", `/v1/hooks/${id}`, { key: null, body: PACKED, headers: { ...proof, "content-encoding": "x-gzip" } })
    expect([r.status, r.body["code"]]).toEqual([415, "unsupported_media_type"])
    expect(acme.hooks.refused).toEqual([{ verdict: "malformed", reason: expect.stringContaining("encoded as x-gzip; send it plain") }])
    expect(acme.hooks.delivered).toEqual([])
  })

  test("[W2] a body of plain bytes that is named identity is read", async () => {
    const { ask, acme } = setUp()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    await acme.secrets.put("hs", ["a-secret"])
    acme.hooks.secrets = ["a-secret"]
    const made = await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs" } })
    const proof = { "x-signature": createHmac("sha256", "a-secret").update(PLAIN).digest("hex"), ...JSON_TYPE }
    const headers = { ...proof, "content-encoding": "identity" }
    expect((await ask("POST", `/v1/hooks/${String(made.body["id"])}`, { key: null, body: PLAIN, headers })).status).toBe(202)
  })
})
