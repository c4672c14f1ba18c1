// Shared files and their links inside workerd: workerd's R2, the Worker's own routes, and every way to alter a link.

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { download, r2Objects } from "../../../src/cloudflare/blobs/objects-r2.ts"
import { readToken, signToken } from "../../../src/cloudflare/platform/tokens/signed-token.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const HOST = "https://sluice.test"
const ask = (path: string, init: RequestInit = {}): Promise<Response> => SELF.fetch(HOST + path, init)
const keyed = ({ headers, ...init }: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {}): RequestInit => ({
  ...init,
  headers: { authorization: "Bearer sl_local_dev", ...headers },
})
const tokenOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1)
const body64 = (said: object): string => btoa(JSON.stringify(said)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

// The first request loads the whole Worker, which must not count toward the time of any test.
beforeAll(async () => {
  await (await ask("/healthz")).body?.cancel()
})

afterEach(() => {
  vi.useRealTimers()
})

describe("shared files", () => {
  test("[T24] a file is read back with its type and its taint, listed by prefix, and gone when removed", async () => {
    const objects = r2Objects(env, "o-files", "")
    await objects.put("reports/a.md", bytes("one"), { contentType: "text/markdown", tainted: true })
    await objects.put("reports-old/b.md", bytes("two"), { tainted: false })
    expect(await objects.get("reports/a.md")).toEqual({ body: bytes("one"), contentType: "text/markdown", tainted: true })
    expect(await objects.get("/reports-old/./b.md")).toMatchObject({ tainted: false })
    expect((await objects.list("reports", 10)).map((o) => o.key)).toEqual(["reports-old/b.md", "reports/a.md"])
    expect((await objects.list("reports/", 10)).map((o) => o.key)).toEqual(["reports/a.md"])
    expect((await objects.list("", 1, "reports-old/b.md")).map((o) => o.key)).toEqual(["reports/a.md"])
    expect(await objects.remove("reports/a.md")).toBe(true)
    expect(await objects.remove("reports/a.md")).toBe(false)
    expect(await objects.get("reports/a.md")).toBeUndefined()
  })

  test("[N1] no key reaches outside the tenant's own files", async () => {
    const objects = r2Objects(env, "o-mine", "")
    await env.BLOBS.put("t/o-other/objects/x", "theirs")
    for (const key of ["../../o-other/objects/x", "a/../../../o-other/objects/x", "..%2f..%2fo-other/objects/x", "..\\x", "", "a\0b"]) {
      await expect((async () => objects.get(key))()).rejects.toThrow()
      await expect((async () => objects.put(key, bytes("x"), { tainted: false }))()).rejects.toThrow()
    }
    await expect((async () => objects.list("../../", 5))()).rejects.toThrow("leads out")
    expect(await objects.list("", 10)).toEqual([])
    expect(() => r2Objects(env, "a/b", "")).toThrow("not a tenant's name")
  })

  test("[G11] a file that was put into the bucket in another way counts as tainted", async () => {
    await env.BLOBS.put("t/o-raw/objects/x", "?")
    expect(await r2Objects(env, "o-raw", "").get("x")).toMatchObject({ tainted: true })
  })

  test("[T24] a kept file has a key derived from its content, so a link always shows the same file", async () => {
    const objects = r2Objects(env, "o-kept", "")
    const first = await objects.keep("shared", "a.txt", bytes("one"), { tainted: false })
    expect(await objects.keep("shared", "a.txt", bytes("one"), { tainted: false })).toEqual(first)
    expect((await objects.keep("shared", "a.txt", bytes("two"), { tainted: false })).key).not.toBe(first.key)
    expect(new TextDecoder().decode((await objects.get(first.key))?.body)).toBe("one")
  })
})

describe("links", () => {
  test("[T24] anyone who has a link gets the file, as a file", async () => {
    const objects = r2Objects(env, "o-link", HOST)
    await objects.put("p/ünï page.html", bytes("<script>1</script>"), { contentType: "text/html", tainted: false })
    const { url } = await objects.link("p/ünï page.html", 60)
    const answer = await ask(new URL(url).pathname)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe("<script>1</script>")
    expect(answer.headers.get("content-type")).toBe("application/octet-stream")
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="_n__page\.html"; /)
    expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''%C3%BCn%C3%AF%20page.html")
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    expect(answer.headers.get("content-security-policy")).toContain("sandbox")
    await objects.put("p/a.png", bytes("png"), { contentType: "image/png", tainted: false })
    const image = await ask(new URL((await objects.link("p/a.png", 60)).url).pathname)
    expect(image.headers.get("content-type")).toBe("image/png")
    expect(await image.text()).toBe("png")
  })

  test("[T24] an expired link is refused, from the exact moment it expires", async () => {
    const objects = r2Objects(env, "o-late", HOST)
    await objects.put("a", bytes("a"), { tainted: false })
    const { url, expires } = await objects.link("a", 3_600)
    vi.useFakeTimers({ toFake: ["Date"], now: expires - 1 })
    expect(await download(env, tokenOf(url))).toMatchObject({ size: 1 })
    vi.setSystemTime(expires)
    expect(await download(env, tokenOf(url))).toBe("refused")
    expect((await objects.link("a", 1e9)).expires).toBe(expires + 7 * 86_400_000)
  })

  test("[T24] a link is refused if any part of it is altered", async () => {
    const objects = r2Objects(env, "o-forged", HOST)
    await objects.put("a", bytes("a"), { tainted: false })
    await objects.put("secret", bytes("s"), { tainted: false })
    await env.BLOBS.put("t/o-victim/objects/a", "theirs")
    const token = tokenOf((await objects.link("a", 3_600)).url)
    const [head = "", seal = ""] = token.split(".")
    const exp = Date.now() + 60_000
    const forged = [
      `${body64({ tenant: "o-forged", key: "secret", exp })}.${seal}`,
      `${body64({ tenant: "o-victim", key: "a", exp })}.${seal}`,
      `${body64({ tenant: "o-forged", key: "a", exp: exp * 2 })}.${seal}`,
      `${head}.${seal.startsWith("A") ? "B" : "A"}${seal.slice(1)}`,
      `${head}.${seal.slice(0, -2)}`,
      `${head}.`,
      head,
      `.${seal}`,
      `${token}.`,
      `${token}.${seal}`,
      `${head}=.${seal}`,
      token.toUpperCase(),
      "x",
      "%00",
      "A".repeat(9000),
      await signToken({ ENVIRONMENT: "local", VAULT_KEY: "another" }, "download links", { tenant: "o-forged", key: "a" }, exp),
      await signToken(env, "another purpose", { tenant: "o-forged", key: "a" }, exp),
      await signToken(env, "download links", { tenant: "o-forged" }, exp),
    ]
    for (const each of forged) {
      if (!each.includes("%")) expect(await download(env, each), each).toBe("refused")
      const answer = await ask(`/d/${each}`)
      expect(answer.status, each).toBe(403)
      expect(answer.headers.get("content-type")).toContain("problem+json")
      await answer.body?.cancel()
    }
    expect((await ask(`/d/${token}`)).status).toBe(200)
    // base64url leaves unused bits at the end of the signature, which must be zero.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const twin = seal.slice(0, -1) + (alphabet[alphabet.indexOf(seal.at(-1) ?? "A") ^ 1] ?? "A")
    expect(await readToken(env, "download links", `${head}.${twin}`, Date.now())).toBeUndefined()
  })

  test("[T24] a link to a file that is gone is a 404, and without a secret there are no links at all", async () => {
    const objects = r2Objects(env, "o-gone", HOST)
    await objects.put("a", bytes("a"), { tainted: false })
    const { url } = await objects.link("a", 3_600)
    await objects.remove("a")
    expect((await ask(new URL(url).pathname)).status).toBe(404)
    const bare = { BLOBS: env.BLOBS, TENANT: env.TENANT, ENVIRONMENT: "production" }
    await expect(r2Objects(bare, "o-gone", HOST).link("a", 60)).rejects.toThrow("VAULT_KEY")
    expect(await download(bare, tokenOf(url))).toBe("refused")
  })

  test("[H1] a link opens nothing else: other paths still need a key", async () => {
    for (const path of ["/d", "/d/", "/d/x/y", "/v1/objects", "/v1/objects/a"]) expect((await ask(path)).status, path).toBe(401)
  })
})

describe("over HTTP", () => {
  test("[T24] people put, list and remove files; a tool takes one into the memory", async () => {
    const text = "The lighthouse was painted in 1921."
    const put = await ask("/v1/objects/http/light.txt", keyed({ method: "PUT", body: text, headers: { "content-type": "text/plain" } }))
    expect(await put.json()).toEqual({ key: "http/light.txt", size: text.length, untrusted: false })
    await ask("/v1/objects/http/page.txt?untrusted=1", keyed({ method: "PUT", body: "The lighthouse keeper is bribed." }))
    const listed = await (await ask("/v1/objects?prefix=http/&limit=1", keyed())).json()
    expect(listed).toEqual({ data: [{ key: "http/light.txt", size: text.length }], next_cursor: "http/light.txt" })
    expect(await (await ask("/v1/objects?prefix=http/&cursor=http/light.txt", keyed())).json()).toMatchObject({
      data: [{ key: "http/page.txt" }],
      next_cursor: null,
    })

    const call = async (tool: string, args: object): Promise<{ content: unknown; details: unknown; isError?: boolean }> =>
      (
        await ask(
          `/v1/tools/${tool}`,
          keyed({ method: "POST", body: JSON.stringify(args), headers: { "content-type": "application/json" } }),
        )
      ).json()
    expect(await call("minio.ingest", { object_key: "http/light.txt", namespace: "http" })).toMatchObject({ details: { entries: 1 } })
    expect(await call("r2.ingest", { object_key: "http/page.txt", namespace: "http" })).toMatchObject({ details: { tainted: true } })
    expect(await call("memory.search", { query: "painted", namespace: "http" })).toMatchObject({
      details: { entries: [{ namespace: "http", tainted: false }] },
    })
    const shared = await call("r2.share", { object_key: "http/light.txt", expiry: "10m" })
    const { url } = shared.details as { url: string }
    expect(url.startsWith(`${HOST}/d/`)).toBe(true)
    expect(await (await ask(new URL(url).pathname)).text()).toBe(text)

    expect((await ask("/v1/objects/http/light.txt", keyed({ method: "DELETE" }))).status).toBe(204)
    expect((await ask("/v1/objects/http/light.txt", keyed({ method: "DELETE" }))).status).toBe(404)
    expect((await ask(new URL(url).pathname)).status).toBe(404)
  })

  test("[T25] tools without their binding are absent, and the list says why", async () => {
    const list = async (query: string): Promise<{ name: string; available: boolean; reason?: string }[]> => {
      const page: { data: { name: string; available: boolean; reason?: string }[] } = await (await ask(`/v1/tools${query}`, keyed())).json()
      return page.data
    }
    const all = await list("?explain=1")
    expect(all.find((t) => t.name === "image.analyze")).toMatchObject({ available: false, reason: expect.stringContaining("Workers AI") })
    expect(all.find((t) => t.name === "browser.click")).toMatchObject({
      available: false,
      reason: expect.stringContaining("Browser Rendering"),
    })
    expect(all.find((t) => t.name === "memory.search")).toMatchObject({ available: true })
    expect((await list("")).some((t) => t.name === "browser.click")).toBe(false)
    const call = await ask("/v1/tools/image.analyze", keyed({ method: "POST", body: '{"data":"AAAA","mimeType":"image/png"}' }))
    expect(call.status).toBe(503)
    expect(await call.text()).toContain("Workers AI")
  })

  test("[T24] invalid keys and parameters are refused with the reason", async () => {
    expect((await ask("/v1/objects/a%5Cb", keyed({ method: "PUT", body: "x" }))).status).toBe(422)
    expect((await ask("/v1/objects/a?untrusted=yes", keyed({ method: "PUT", body: "x" }))).status).toBe(422)
    expect((await ask("/v1/objects?prefix=../x", keyed())).status).toBe(422)
    expect((await ask("/v1/objects?limit=0", keyed())).status).toBe(422)
    expect((await ask("/v1/objects/a", keyed({ method: "PUT", body: "x".repeat(1_048_577) }))).status).toBe(413)
  })
})
