// Tools that access the network, with a net that answers what a test sets.

import { describe, expect, test } from "vitest"
import { guardedFetch } from "../../../src/engine/net/guarded-fetch.ts"
import type { Net, NetRequest } from "../../../src/ports/net.ts"
import type { Services } from "../../../src/ports/tenant/settings.ts"
import type { ToolPowers } from "../../../src/ports/tool.ts"
import { htmlToMarkdown } from "../../../src/tools/web/html-markdown.ts"
import { Outside } from "../../../src/ports/outside.ts"
import { ToolBench } from "../../support/engine/tool-bench.ts"
import { whole } from "../../support/whole.ts"

interface Page {
  readonly status?: number
  readonly type?: string
  readonly body?: string | Uint8Array
  readonly url?: string
}

function outside(page: Page | ((request: NetRequest) => Page), more: Partial<ToolPowers> = {}) {
  const asked: NetRequest[] = []
  const net: Net = {
    async fetch(request) {
      asked.push(request)
      const {
        status = 200,
        type = "text/html; charset=utf-8",
        body = "",
        url = request.url,
      } = typeof page === "function" ? page(request) : page
      return {
        status,
        url,
        headers: type === "" ? {} : { "content-type": type },
        body: new Outside(typeof body === "string" ? new TextEncoder().encode(body) : body),
      }
    },
  }
  return { asked, bench: new ToolBench({ net, ...more }) }
}

const textOf = (outcome: { readonly content: readonly { readonly type: string }[] }): string =>
  outcome.content.map((part) => ("text" in part ? String(part.text) : "")).join("\n")

describe("web.fetch", () => {
  test("[T21] a page arrives as Markdown between delimiters, with its final address", async () => {
    const { bench } = outside({
      url: "https://e.com/there/",
      body: "<html><head><title>The  T</title><script>alert(1)</script><style>p{}</style></head><body><h1>Title</h1><p>a <a href='x?y'>link</a></p></body></html>",
    })
    const done = await bench.call("web.fetch", { url: "https://e.com/" })
    expect(done.isError).toBe(false)
    expect(done.untrusted).toBe(true)
    expect(textOf(done)).toMatch(/<untrusted id="\w+" source="https:\/\/e\.com\/there\/">/)
    expect(textOf(done)).toContain("Title: The T\n\n# Title\n\na [link](https://e.com/there/x?y)")
    expect(textOf(done)).not.toMatch(/alert|p\{/)
    expect(done.details).toMatchObject({ status: 200, url: "https://e.com/there/", title: "The T" })
  })

  test("[T21] a status of 400 or more is an error with the beginning of the body", async () => {
    const { bench } = outside({ status: 404, type: "text/plain", body: `nothing here${" x".repeat(10_000)}` })
    const done = await bench.call("web.fetch", { url: "https://e.com/" })
    expect(done.isError).toBe(true)
    expect(textOf(done)).toMatch(/404 from https:\/\/e\.com\/\nnothing here( x)+…/)
    expect(textOf(done).length).toBeLessThan(3_000)
  })

  test("[T21] an error page is also read as a page", async () => {
    const head = `<head><title>Gone</title><style>${"p{}".repeat(2_000)}</style></head>`
    const { bench } = outside({ status: 410, body: `<html>${head}<body><h1>No longer here</h1></body></html>` })
    const done = await bench.call("web.fetch", { url: "https://e.com/" })
    expect([done.isError, textOf(done)]).toEqual([
      true,
      expect.stringContaining("410 from https://e.com/\nTitle: Gone\n\n# No longer here"),
    ])
  })

  const latin = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
  test.each<[string, string, Uint8Array, string]>([
    ["a page's own declaration", "text/html", latin('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2'), "Привет"],
    [
      "an older page's own declaration",
      "text/html",
      latin("<meta http-equiv=content-type content='text/html; charset=ISO-8859-1'>caf\xe9"),
      "café",
    ],
    ["the header, before the page", "text/html; charset=utf-8", latin("<meta charset=koi8-r><p>caf\xc3\xa9"), "café"],
    ["marks at the beginning, before both", "text/plain; charset=latin1", latin("\xff\xfeh\x00\xe9\x00"), "hé"],
    ["an XML declaration", "application/rss+xml", latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>'), "<a>é</a>"],
    ["a declaration that only looks like one in text", "text/plain", latin("<meta charset=latin1> caf\xc3\xa9"), "café"],
    ["an unknown charset", "text/html", latin("<meta charset=klingon><p>caf\xc3\xa9"), "café"],
  ])("[T21] charset: %s", async (_what, type, body, said) => {
    const { bench } = outside({ type, body })
    expect(textOf(await bench.call("web.fetch", { url: "https://e.com/" }))).toContain(said)
  })

  test("[T21] JSON is formatted, text is decoded by its charset, anything else is named and measured", async () => {
    const fetched = async (page: Page): Promise<string> => textOf(await outside(page).bench.call("web.fetch", { url: "https://e.com/" }))
    expect(await fetched({ type: "application/json", body: '{"a":[1]}' })).toContain('{\n  "a": [\n    1\n  ]\n}')
    expect(await fetched({ type: "application/json", body: '{"id":12345678901234567890}' })).toContain('{"id":12345678901234567890}')
    expect(await fetched({ type: "text/plain; charset=latin1", body: new Uint8Array([0x66, 0xfc, 0x72]) })).toContain("für")
    expect(await fetched({ type: "image/png", body: new Uint8Array(70) })).toContain("[image/png, 70 bytes: not text]")
    expect(await fetched({ type: "", body: new Uint8Array([1, 0, 2]) })).toContain("3 bytes: not text")
    expect(await fetched({ status: 204 })).toContain("[the page has no text]")
  })

  test("[T21] method, headers, body and time come from the call", async () => {
    const { bench, asked } = outside({ type: "text/plain", body: "ok" })
    await bench.call("web.fetch", { url: "https://e.com/", method: "POST", headers: { "x-a": "b" }, body: { c: 1 }, timeout: 500 })
    await bench.call("web.fetch", { url: "https://e.com/", method: "PUT", body: "plain" })
    expect(asked).toMatchObject([
      { method: "POST", headers: { "x-a": "b", "content-type": "application/json" }, body: '{"c":1}' },
      { method: "PUT", body: "plain" },
    ])
    expect(asked[1]?.headers).not.toHaveProperty("content-type")
    expect((await bench.call("web.fetch", { url: "https://e.com/", body: "x" })).isError).toBe(true)
    expect(asked).toHaveLength(2)
  })
})

describe("Markdown", () => {
  const of = (html: string): string => whole(htmlToMarkdown(html, "https://e.com/d/")).markdown

  test.each([
    ["lists", "<ul><li>one<ul><li>two<li>three</ul><li><p>p</p><p>q</p></ul>", "- one\n  - two\n  - three\n- p\n\n  q"],
    ["numbers", "<ol start=3><li>a<li>b</ol>", "3. a\n4. b"],
    ["code", "<pre><code class='language-js'>a\n ``` b</code></pre><p><code>x`y</code>", "````js\na\n ``` b\n````\n\n`` x`y ``"],
    ["quotes", "<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["tables", "<table><tr><th>A<th>B<tr><td>1|2<td>x<br>y</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | x y |"],
    ["a layout table", "<table><tr><td><h2>H</h2><td>text</table>", "## H\n\ntext"],
    ["emphasis", "a <b>b </b><i> c</i>d", "a **b** _c_d"],
    ["entities", "<p>&lt;b&gt; &amp; &eacute; &#x1F600;", "<b> & é 😀"],
    ["links without an address to follow", "<a href='javascript:alert(1)'>x</a> <a href='#y'>y</a> <img src='data:x' alt='z'>", "x y z"],
    ["what is hidden", "<p hidden>no</p><div style='color:red; display : none'>no</div><span aria-hidden=true>no</span>yes", "yes"],
    ["a form", "<form><input value=no><select><option>no</select><button>Go</button></form>", "Go"],
  ])("[T21] %s", (_what, html, markdown) => {
    expect(of(html)).toBe(markdown)
  })

  test("[T21] endlessly nested markup is still read", () => {
    expect(of(`${"<div>".repeat(500)}deep${"</div>".repeat(500)}<p>after`)).toBe("deep\n\nafter")
    expect(of(`${"<b>".repeat(1_000_000)}deep`)).toBe("deep")
    expect(of("<".repeat(100_000))).toBeTypeOf("string")
    expect(of(`${"<blockquote>x".repeat(140)}${"<p>y".repeat(200_000)}`).length).toBeLessThan(10_000_000)
  })
})

describe("guarded requests", () => {
  const way = (answers: Readonly<Record<string, string>>) => ({
    allowedPrivateHosts: [],
    fetch: async (url: string) => {
      const location = answers[url]
      return location === undefined ? new Response("end") : new Response(null, { status: 302, headers: { location } })
    },
  })

  test("[T21] https redirects only to https; http may redirect to https", async () => {
    await expect(guardedFetch({ url: "https://a.com/" }, way({ "https://a.com/": "http://a.com/x" }))).rejects.toThrow(
      /^address refused: .* from https to http/,
    )
    expect(await (await guardedFetch({ url: "http://a.com/" }, way({ "http://a.com/": "https://a.com/x" }))).text()).toBe("end")
  })

  test("[G11] no redirect makes a write of a look, nor carries a replaced method to another host", async () => {
    const evil = "https://b.com/x?_method=DELETE"
    for (const [from, to] of [
      ["https://a.com/", evil],
      ["https://a.com/", "/x?X-HTTP-Method-Override=PUT"],
      ["https://a.com/?_method=PUT", evil],
    ] as const)
      await expect(guardedFetch({ url: from }, way({ [from]: to }))).rejects.toThrow(/^address refused: a\.com redirects .* method/)
    const same = "https://a.com/?_method=PUT"
    expect(await (await guardedFetch({ url: same }, way({ [same]: "https://a.com/x?_method=PUT" }))).text()).toBe("end")
  })

  test("[T21] a stricter rule is checked at each hop", async () => {
    const only = {
      ...way({ "https://a.com/": "https://b.com/" }),
      permits: (url: URL) => (url.hostname === "a.com" ? undefined : `${url.hostname} is not named`),
    }
    await expect(guardedFetch({ url: "https://a.com/" }, only)).rejects.toThrow("address refused: b.com is not named")
  })

  test("[T21] a header that cannot be sent is named, its value is not shown", async () => {
    const failed = guardedFetch({ url: "https://a.com/", secretHeaders: { "x-key": "se\ncret" } }, way({}))
    await expect(failed).rejects.toThrow(/"x-key"/)
    await expect(failed).rejects.not.toThrow(/cret/)
  })
})

const withKey = (scope: string, services: Services = {}): Partial<ToolPowers> => ({
  secrets: { get: async (asked) => (asked === scope ? "the-key-123" : undefined) },
  services: { get: async () => services },
})

describe("web.search", () => {
  const RESULTS = {
    brave: {
      web: { results: [{ title: "<strong>A</strong>", url: "https://a.com", description: "<em>what&#x27;s</em> 1 < 2 &amp; about a" }] },
    },
    tavily: { results: [{ title: "A", url: "https://a.com", content: "what's 1 < 2 & about a" }] },
    searxng: { results: [{ title: "A", url: "https://a.com", content: "what's 1 < 2 & about a" }, { title: "no address" }] },
  }

  test.each([
    ["brave", "https://api.search.brave.com/res/v1/web/search?q=what+is+%26&count=3", { "x-subscription-token": "the-key-123" }],
    ["tavily", "https://api.tavily.com/search", { authorization: "Bearer the-key-123" }],
    ["searxng", "https://s.example.com/search?q=what+is+%26&format=json", { authorization: "Bearer the-key-123" }],
  ] as const)("[T22] %s is called with its key, and returns rows", async (provider, url, secretHeaders) => {
    const services: Services = { search: { provider, ...(provider === "searxng" ? { baseUrl: "https://s.example.com/" } : {}) } }
    const { bench, asked } = outside({ type: "application/json", body: JSON.stringify(RESULTS[provider]) }, withKey("web_search", services))
    const done = await bench.call("web.search", { query: "what is &", limit: 3 })
    expect(textOf(done)).toContain("1. A\n   https://a.com\n   what's 1 < 2 & about a")
    expect(done.details).toEqual([{ title: "A", url: "https://a.com", snippet: "what's 1 < 2 & about a" }])
    expect(done.untrusted).toBe(true)
    expect(asked).toMatchObject([{ url, secretHeaders }])
  })

  test("[T22] without a key no request is made; an invalid answer is an error", async () => {
    const none = outside({}, withKey("other"))
    expect(textOf(await none.bench.call("web.search", { query: "q" }))).toContain("web_search")
    expect(none.asked).toEqual([])
    const bad = await outside({ status: 401, type: "text/plain", body: "no" }, withKey("web_search")).bench.call("web.search", {
      query: "q",
    })
    expect(bad.isError).toBe(true)
    expect(textOf(bad)).toMatch(/brave did not search: 401/)
  })
})

describe("k8s", () => {
  const cluster = (answer: unknown, status = 200) =>
    outside(
      { status, type: "application/json", body: typeof answer === "string" ? answer : JSON.stringify(answer) },
      withKey("k8s", { k8s: { url: "https://k8s.example.com/" } }),
    )

  test("[T25] pods: how many containers are ready, and why one is waiting", async () => {
    const { bench, asked } = cluster({
      items: [
        {
          metadata: { name: "web-1", namespace: "shop" },
          spec: { nodeName: "n1", containers: [{}, {}] },
          status: {
            phase: "Running",
            containerStatuses: [
              { ready: true, restartCount: 1 },
              { ready: false, restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } } },
            ],
          },
        },
        { metadata: { name: "new" } },
      ],
    })
    const done = await bench.call("k8s.pods", { namespace: "shop", selector: "app=web,tier in (a)" })
    expect(asked).toMatchObject([
      {
        url: "https://k8s.example.com/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%29&limit=500",
        secretHeaders: { authorization: "Bearer the-key-123" },
      },
    ])
    // Whoever may run something there chooses its names [G11].
    expect(done.untrusted).toBe(true)
    expect(textOf(done).split("\n")[2]).toBe("shop       web-1  1/2    CrashLoopBackOff  5         n1")
    expect(done.details).toMatchObject([
      { ready: "1/2", restarts: 5 },
      { name: "new", ready: "0/0" },
    ])
  })

  test("[T25] deployments: ready replicas of the desired number", async () => {
    const { bench, asked } = cluster({
      items: [{ metadata: { name: "web", namespace: "d" }, spec: { replicas: 3 }, status: { readyReplicas: 2, updatedReplicas: 3 } }],
    })
    const done = await bench.call("k8s.deployments", {})
    expect(asked[0]?.url).toBe("https://k8s.example.com/apis/apps/v1/deployments?limit=500")
    expect(done.details).toEqual([{ namespace: "d", name: "web", ready: "2/3", upToDate: 3, available: 0 }])
  })

  test("[T25] logs: the last lines, from outside; a name cannot change the path", async () => {
    const { bench, asked } = cluster("line 1\nline 2\n")
    const done = await bench.call("k8s.logs", { pod: "web-1", namespace: "shop", container: "app", lines: 2, since: "10m" })
    expect(asked[0]?.url).toBe("https://k8s.example.com/api/v1/namespaces/shop/pods/web-1/log?container=app&tailLines=2&sinceSeconds=600")
    expect(asked[0]?.method ?? "GET").toBe("GET")
    expect(done.untrusted).toBe(true)
    for (const pod of ["../secrets/x", "..", "a/b", "a%2fb", "A", ""])
      await expect(bench.call("k8s.logs", { pod }), pod).rejects.toThrow(/pod/)
    expect(asked).toHaveLength(1)
  })

  test("[T25] a refusal by the cluster is reported in its own words", async () => {
    const done = await cluster({ kind: "Status", message: "pods is forbidden" }, 403).bench.call("k8s.pods", {})
    expect(done.isError).toBe(true)
    expect(textOf(done)).toContain("the cluster answered 403: pods is forbidden")
  })
})
