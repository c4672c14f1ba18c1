// POST /v1/tools/import: where the document comes from, how large it may be, and what a dry run says [T26].

import { createServer } from "node:http"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { cpuClock } from "../../support/cpu-clock.ts"
import { setUp } from "../../support/http/ask.ts"

const DOC = {
  openapi: "3.0.0",
  servers: [{ url: "/v2" }],
  paths: {
    "/pets": { get: { operationId: "pets", summary: "All pets." } },
    "/up": { post: { operationId: "up", requestBody: { required: true, content: { "image/png": {} } } } },
  },
}
const GZIP = { "content-encoding": "gzip", "content-type": "application/json" }

const server = createServer((request, response) => {
  if (request.url === "/docs/gz") response.end(gzipSync(JSON.stringify(DOC)))
  else if (request.url === "/docs/api.json") response.end(JSON.stringify(DOC))
  else if (request.url === "/inner") response.writeHead(302, { location: "http://169.254.169.254/" }).end()
  else if (request.url !== "/silent") response.writeHead(404).end("none")
})
let at = ""
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  at = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : ""
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function setUpOpen() {
  const open = setUp()
  open.services.privateHosts = [new URL(at).host, "127.0.0.1"]
  return open
}

describe("importing a document", () => {
  test("[T26] by its address: a server without a host is at that address, and gzip is unpacked", async () => {
    for (const path of ["/docs/api.json", "/docs/gz"]) {
      const { ask, acme } = setUpOpen()
      const done = await ask("POST", "/v1/tools/import", { body: { url: at + path } })
      expect([done.status, done.body["skipped"]]).toEqual([201, [{ operation: "POST /up", reason: expect.stringContaining("image/png") }]])
      expect(acme.registered.rows.get("pets")?.def).toMatchObject({ request: { url: `${at}/v2/pets` } })
    }
  })

  test("[T21] the address is judged, redirects too, and a fault names it", async () => {
    const { ask } = setUpOpen()
    for (const [url, why] of [
      ["http://10.0.0.1/x", "address refused"],
      [`${at}/inner`, "address refused"],
      [`${at}/none`, "answered 404"],
    ])
      expect(await ask("POST", "/v1/tools/import", { body: { url } })).toMatchObject({
        status: 422,
        text: expect.stringContaining(why ?? ""),
      })
    expect((await ask("POST", "/v1/tools/import", { body: { url: at, openapi: DOC } })).status).toBe(422)
    expect((await ask("POST", "/v1/tools/import", { body: {} })).status).toBe(422)
  })

  test("[T21] an address that does not answer in time is a fault", async () => {
    const { ask } = setUpOpen()
    // The ten seconds of the time limit pass in a moment.
    const later = globalThis.setTimeout
    const sooner = (work: () => void, ms = 0, ...more: unknown[]) =>
      Reflect.apply(later, undefined, [work, ms === 10_000 ? 50 : ms, ...more])
    const limits = vi.spyOn(globalThis, "setTimeout").mockImplementation(sooner as never)
    const done = await ask("POST", "/v1/tools/import", { body: { url: `${at}/silent` } }).finally(() => limits.mockRestore())
    expect([done.status, done.text]).toEqual([422, expect.stringContaining("timed out after 10000 ms")])
  })

  test("[T26] dry=1 registers nothing and says each tool's weight, and what is left out and why", async () => {
    const { ask, acme } = setUp()
    const openapi = { ...DOC, servers: [{ url: "https://e.com" }], paths: { ...DOC.paths, "/r": { get: { operationId: "read" } } } }
    const done = await ask("POST", "/v1/tools/import?dry=1", { body: { openapi } })
    expect([done.status, done.body]).toEqual([
      200,
      {
        tools: [
          {
            name: "pets",
            id: "pets",
            operation: "GET /pets",
            description: expect.any(String),
            effect: "read",
            host: "e.com",
            tokens: expect.any(Number),
          },
        ],
        tokens: expect.any(Number),
        skipped: [
          { operation: "POST /up", reason: expect.stringContaining("image/png") },
          { operation: "GET /r", reason: expect.stringContaining('"read"') },
        ],
      },
    ])
    expect(acme.registered.rows.size).toBe(0)
  })

  test("[H3] a long description in a preview is cut, and is whole in the tool", async () => {
    const { ask } = setUp()
    const paths = { "/long": { get: { operationId: "long", summary: "Reads. ".repeat(100) } } }
    const openapi = { openapi: "3.0.0", servers: [{ url: "https://e.com" }], paths }
    const dry = await ask("POST", "/v1/tools/import?dry=1", { body: { openapi } })
    expect((dry.body["tools"] as { description: string }[]).map(({ description }) => description.length)).toEqual([200])
    const made = await ask("POST", "/v1/tools/import", { body: { openapi } })
    expect((made.body["registered"] as { description: string }[])[0]?.description.length).toBeGreaterThan(200)
  })

  test("[H3] a compressed body is unpacked within the limit", async () => {
    const { ask } = setUp()
    const body = JSON.stringify({ openapi: { ...DOC, servers: [{ url: "https://e.com" }] } })
    expect((await ask("POST", "/v1/tools/import", { body: new Uint8Array(gzipSync(body)), headers: GZIP })).status).toBe(201)
    const bomb = new Uint8Array(gzipSync(new Uint8Array(64 * 1_048_576)))
    expect(await ask("POST", "/v1/tools/import", { body: bomb, headers: GZIP })).toMatchObject({
      status: 422,
      text: expect.stringContaining("10 MiB"),
    })
    expect((await ask("POST", "/v1/tools/import", { body: bomb.subarray(0, 100), headers: GZIP })).status).toBe(422)
    expect((await ask("POST", "/v1/tools/import", { body, headers: { ...GZIP, "content-encoding": "br" } })).status).toBe(415)
  })

  test("[H3] a document of nearly 10 MiB is read in time", async () => {
    const { ask } = setUp()
    const member = (n: number) => ({
      type: "object",
      description: "d".repeat(200),
      properties: { a: { type: "string" }, b: { $ref: `#/components/schemas/S${n + 1}` } },
    })
    const schemas = Object.fromEntries(Array.from({ length: 24_000 }, (_, n) => [`S${n}`, member(n)]))
    const body = (n: number) => ({
      operationId: `o${n}`,
      requestBody: { content: { "application/x-www-form-urlencoded": { schema: { $ref: `#/components/schemas/S${n}` } } } },
    })
    const paths = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`/p${n}`, { post: body(n) }]))
    const openapi = { openapi: "3.0.0", servers: [{ url: "https://e.com" }], paths, components: { schemas } }
    expect(JSON.stringify(openapi).length).toBeGreaterThan(7_000_000)
    const spent = cpuClock()
    const done = await ask("POST", "/v1/tools/import?dry=1", { body: { openapi } })
    expect([done.status, Array.isArray(done.body["tools"]) && done.body["tools"].length]).toEqual([200, 600])
    expect(spent()).toBeLessThan(10_000)
  })
})
