// GET / [H11]: a page for a browser, JSON for a program; it needs no key and shows nothing of any tenant.

import { describe, expect, test } from "vitest"
import { ROUTES } from "../../../src/http/app.ts"
import { setUp } from "../../support/http/ask.ts"

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

describe("GET /", () => {
  test("[H11] a browser gets a page without a key; its policy forbids scripts and external files", async () => {
    const page = await setUp().ask("GET", "/", { key: null, headers: { accept: BROWSER } })
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; frame-ancestors 'none'/)
    expect(page.headers.get("vary")).toMatch(/^accept, x-sluice-address, origin$/i)
    expect(page.text).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|\sstyle=/i)
    expect(page.text).toContain("prefers-color-scheme:dark")
    expect(page.text).toContain('name="viewport"')
  })

  test("[H11] the policy has the hash of the page's only style sheet", async () => {
    const page = await setUp().ask("GET", "/", { key: null, headers: { accept: BROWSER } })
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page.text) ?? []
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)))
    expect(page.headers.get("content-security-policy")).toContain(`'sha256-${btoa(String.fromCharCode(...digest))}'`)
  })

  test.each([
    [{ publicUrl: "https://flows.example.com" }, "https://flows.example.com"],
    [{ publicUrl: "http://localhost:8791/t/acme" }, "http://localhost:8791/t/acme"],
    [{ environment: "production" }, "https://YOUR-SERVER"],
    // Nothing that a shell would run.
    [{ publicUrl: "https://a;reboot.example" }, "https://YOUR-SERVER"],
  ])("[H11] the command of the page is for this server: %j", async (where, server) => {
    const { services, ask } = setUp()
    Object.assign(services, where)
    const page = await ask("GET", "/", { key: null, headers: { accept: BROWSER } })
    expect(page.text).toContain(`<pre tabindex="0">URL=${server}\nKEY=`)
  })

  test("[H11] links are relative, so they work below /t/NAME/ too, and lead to routes that need no key", async () => {
    const { services, ask } = setUp()
    Object.assign(services, { asset: async () => new Response("<!doctype html>") })
    const page = await ask("GET", "/", { key: null, headers: { accept: BROWSER } })
    const links = [...page.text.matchAll(/href="([^"]*)"/g)].map(([, to]) => to ?? "")
    expect(links).toEqual(expect.arrayContaining(["docs", "openapi.json", "healthz", "readyz"]))
    for (const link of links) {
      expect(link).toMatch(/^[a-z]/)
      expect((await ask("GET", `/${link}`, { key: null })).status, link).toBe(200)
    }
    const docs = await ask("GET", "/docs", { key: null })
    expect(docs.text).not.toMatch(/href="\//)
  })

  test.each([undefined, "*/*", "application/json"])("[H11] a program that accepts %j gets the same links as JSON", async (accept) => {
    const { ask } = setUp()
    const r = await ask("GET", "/", { key: null, headers: accept === undefined ? {} : { accept } })
    expect([r.status, r.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(r.body).toMatchObject({ name: "Sluice", version: "1.2.3", links: { docs: "/docs", openapi: "/openapi.json" } })
    for (const [name, path] of Object.entries(r.body["links"] ?? {}))
      expect(
        ROUTES.map(([, at]) => at),
        name,
      ).toContain(path)
  })

  test("[H11] a key, a wrong key and no key get the same answer", async () => {
    const { services, ask } = setUp()
    const texts = new Set<string>()
    for (const key of [null, "wrong", "key-a"]) texts.add((await ask("GET", "/", { key, headers: { accept: BROWSER } })).text)
    expect(texts.size).toBe(1)
    expect(services.opened).toEqual([])
  })

  test("[H10] another method is 405, and every other path without a route is still 401", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/", { key: null })).status).toBe(405)
    expect((await ask("GET", "/index.html", { key: null })).status).toBe(401)
    const head = await ask("HEAD", "/", { key: null, headers: { accept: BROWSER } })
    expect([head.status, head.text]).toEqual([200, ""])
  })
})
