// Files for browsers: which there are, and how a browser and a cache may use them. They need no key.

import { describe, expect, test } from "vitest"
import { ADDRESS_HEADER } from "../../../src/core/instance-name.ts"
import { setUp } from "../../support/http/ask.ts"

const FILES: Readonly<Record<string, string>> = {
  "sluice-chat.js": "export {}",
  "console/index.html": '<script type="module" src="/console/assets/app-1a2b.js"></script>',
  "console/assets/app-1a2b.js": "export {}",
  "console/assets/app-1a2b.css": ":root {}",
}

function pages(files = FILES) {
  const { services, ask } = setUp()
  const read: string[] = []
  const asset = async (path: string): Promise<Response> => {
    read.push(path)
    const text = Object.hasOwn(files, path) ? files[path] : undefined
    return new Response(text ?? "no", { status: text === undefined ? 404 : 200 })
  }
  Object.assign(services, { asset })
  return { read, get: (path: string, headers: Record<string, string> = {}) => ask("GET", path, { key: null, headers }) }
}

describe("/sluice-chat.js", () => {
  test("pages of every origin may load it, and caches ask again with its tag", async () => {
    const { get, read } = pages()
    const first = await get("/sluice-chat.js", { origin: "https://shop.example" })
    expect([first.status, first.headers.get("content-type"), first.text]).toEqual([200, "text/javascript; charset=utf-8", "export {}"])
    expect(first.headers.get("access-control-allow-origin")).toBe("*")
    expect(first.headers.get("cross-origin-resource-policy")).toBe("cross-origin")
    expect(first.headers.get("cache-control")).toMatch(/^public, max-age=300/)
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    const again = await get("/sluice-chat.js", { "if-none-match": etag })
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag])
    expect(read).toEqual(["sluice-chat.js"])
  })

  test("a file that is dropped is read again, since an isolate keeps only so many bytes", async () => {
    const large = "x".repeat(2_500_000)
    const { get, read } = pages({ "console/assets/a.js": large, "console/assets/b.js": large })
    for (const name of ["a", "b", "b", "a"]) expect((await get(`/console/assets/${name}.js`)).status).toBe(200)
    expect(read.map((path) => path.at(-4))).toEqual(["a", "b", "a"])
  })

  test("a browser that takes gzip gets the packed file with a tag of its own, and another one the file itself", async () => {
    const { get, read } = pages({ "sluice-chat.js": "export {}", "sluice-chat.js.gz": "packed" })
    const packed = await get("/sluice-chat.js", { "accept-encoding": "br, gzip;q=0.5" })
    expect([packed.text, packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
      "packed",
      "gzip",
      "accept-encoding, Origin",
    ])
    const again = await get("/sluice-chat.js", { "accept-encoding": "gzip", "if-none-match": packed.headers.get("etag") ?? "" })
    expect(again.status).toBe(304)
    for (const accepted of ["br", "gzip;q=0", "gzip; q=0.0, br", "identity"]) {
      const plain = await get("/sluice-chat.js", { "accept-encoding": accepted, "if-none-match": packed.headers.get("etag") ?? "" })
      expect([accepted, plain.text, plain.headers.get("content-encoding")]).toEqual([accepted, "export {}", null])
    }
    expect(read).toEqual(["sluice-chat.js.gz", "sluice-chat.js"])
  })

  test("a file that was not packed is sent as it is", async () => {
    const { get } = pages()
    const plain = await get("/sluice-chat.js", { "accept-encoding": "gzip" })
    expect([plain.text, plain.headers.get("content-encoding")]).toEqual(["export {}", null])
  })

  test("a Worker without files answers 404", async () => {
    expect((await setUp().ask("GET", "/sluice-chat.js", { key: null })).status).toBe(404)
    expect((await setUp().ask("GET", "/console/", { key: null })).status).toBe(404)
  })
})

describe("/console", () => {
  test.each(["/console/", "/console/chat", "/console/chat/assist/chat-7", "/console/runs/run_1?step=act"])(
    "%s is the page, with a policy that lets nothing run or load from elsewhere",
    async (path) => {
      const page = await pages().get(path)
      expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
        200,
        "text/html; charset=utf-8",
        "no-cache",
      ])
      const policy = page.headers.get("content-security-policy") ?? ""
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"])
        expect(policy).toContain(rule)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
    },
  )

  test("its files keep for a year, since their names have a hash", async () => {
    const { get } = pages()
    const [script, style] = [await get("/console/assets/app-1a2b.js"), await get("/console/assets/app-1a2b.css")]
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"])
    expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"])
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
  })

  test("no other path reads a file", async () => {
    const { get, read } = pages()
    for (const path of ["/console/assets/", "/console/assets/none.js", "/console/assets/..%2f..%2fworker.js", "/console/assets/a/b.js"])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    expect(read).toEqual(["console/assets/none.js"])
    expect((await get("/console/%2e%2e/%2e%2e/worker.js")).text).not.toContain("export")
  })

  test("[N2] behind a dispatcher the page names its files below /t/NAME", async () => {
    const { get } = pages()
    const headers = { [ADDRESS_HEADER]: "/t/acme" }
    expect((await get("/console/", headers)).text).toContain('src="/t/acme/console/assets/app-1a2b.js"')
    const moved = await get("/console?a=b", headers)
    expect([moved.status, moved.headers.get("location")]).toEqual([308, "/t/acme/console/?a=b"])
  })
})
