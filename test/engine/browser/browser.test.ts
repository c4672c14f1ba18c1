// The engine's browser against a fake DevTools peer: the order of calls, and the handling of a page's requests. test/browser
// shows the same with a real Chromium.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import type { Run } from "../../../src/core/run/state.ts"
import { SessionBrowsers } from "../../../src/engine/browser/session-browsers.ts"
import { RequestGate } from "../../../src/engine/browser/request-gate.ts"
import { addressJudge } from "../../../src/engine/net/guarded-fetch.ts"
import type { Browser } from "../../../src/ports/browser.ts"
import { answered, FakeBrowser } from "../../support/engine/fake-browser.ts"

const never = new AbortController().signal
const judge = addressJudge({ allowedPrivateHosts: [] })
const URL = "https://e.com/"

function stand(idle = 60_000): { fake: FakeBrowser; all: SessionBrowsers; page: Browser } {
  const fake = new FakeBrowser()
  const all = new SessionBrowsers(fake, { idle, pace: { quiet: 1, most: 20 } })
  // The browser reports that the page is loading.
  fake.after = ({ method }) => {
    if (method === "Page.navigate") fake.event("Page.frameStoppedLoading", { frameId: "target" }, "page")
  }
  return { fake, all, page: all.of("look", 1, judge) }
}

const paused = (requestId: string, url: string, more: JsonObject = {}): JsonObject => ({
  requestId,
  request: { url },
  resourceType: "Image",
  ...more,
})

describe("the gate", () => {
  test("[T21] stands before the first page is opened, at the browser itself, for requests and documents", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    expect(fake.methods()[0]).toBe("Fetch.enable")
    expect(fake.said[0]?.sessionId).toBeUndefined()
    expect(fake.of("Fetch.enable")).toEqual([
      {
        patterns: [
          { urlPattern: "*", requestStage: "Request" },
          { urlPattern: "*", requestStage: "Response", resourceType: "Document" },
        ],
      },
    ])
    expect(fake.methods().indexOf("Browser.setDownloadBehavior")).toBeLessThan(fake.methods().indexOf("Target.createTarget"))
    expect(fake.of("Browser.setDownloadBehavior").every(({ behavior }) => behavior === "deny")).toBe(true)
  })

  test("[T21] without a gate no page is opened, and the browser is closed", async () => {
    const { fake, page } = stand()
    fake.answers.set("Fetch.enable", new Error("not allowed here"))
    await expect(page.navigate(URL, never)).rejects.toThrow("Fetch.enable: not allowed here")
    expect(fake.methods()).toEqual(["Fetch.enable"])
    expect(fake.ended).toBe(1)
  })

  test("[T21] each request is judged: public addresses pass, all others fail", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.event("Fetch.requestPaused", paused("1", "https://cdn.example.com/a.png"))
    fake.event("Fetch.requestPaused", paused("2", "http://127.0.0.1/a.png"), "page")
    fake.event("Fetch.requestPaused", paused("3", "http://localhost./"))
    fake.event("Fetch.requestPaused", paused("4", "file:///etc/passwd"))
    fake.event("Fetch.requestPaused", paused("5", "data:image/png;base64,AAAA"))
    fake.event("Fetch.requestPaused", paused("6", "data:text/html,x", { resourceType: "Document" }))
    fake.event("Fetch.requestPaused", paused("7", "chrome://settings/", { resourceType: "Document" }))
    fake.event("Fetch.requestPaused", paused("8", "ws://e.com/"))
    await answered()
    expect(fake.of("Fetch.continueRequest").map(({ requestId }) => requestId)).toEqual(["1", "5"])
    expect(fake.of("Fetch.failRequest").map(({ requestId }) => requestId)).toEqual(["2", "3", "4", "6", "7", "8"])
    expect(fake.said.find(({ method }) => method === "Fetch.failRequest")?.sessionId).toBe("page")
    const { notes } = await page.content("text", undefined, never)
    expect(notes).toContain("refused: http://127.0.0.1/a.png (127.0.0.1 is not a public address (loopback))")
  })

  test("[T21] a redirect is judged as a new request, and never leads from https to http", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.event("Fetch.requestPaused", paused("1", "https://a.example.com/", { networkId: "n" }))
    fake.event("Fetch.requestPaused", paused("2", "https://b.example.com/", { networkId: "n", redirectedRequestId: "1" }))
    fake.event("Fetch.requestPaused", paused("3", "http://b.example.com/", { networkId: "n", redirectedRequestId: "2" }))
    fake.event("Fetch.requestPaused", paused("4", "http://b.example.com/", { networkId: "other" }))
    await answered()
    expect(fake.of("Fetch.failRequest").map(({ requestId }) => requestId)).toEqual(["3"])
  })

  test("[T21] a redirect to http with a forgotten start is refused; a request without redirect passes", () => {
    const send = vi.fn<(...said: readonly unknown[]) => void>()
    const gate = new RequestGate({ call: async () => ({}), send }, judge)
    const ask = (n: number | string, scheme: string, more: JsonObject = {}): unknown => {
      gate.paused(paused(`r${n}`, `${scheme}://e.com/`, { networkId: `n${n}`, ...more }))
      return send.mock.lastCall?.[0]
    }
    for (let n = 0; n < 1_000; n++) ask(n, "https")
    expect(ask(0, "http", { redirectedRequestId: "r0" })).toBe("Fetch.failRequest")
    expect(ask(999, "http", { redirectedRequestId: "r999" })).toBe("Fetch.failRequest")
    expect(ask(0, "https", { redirectedRequestId: "r0" })).toBe("Fetch.continueRequest")
    expect(ask("new", "http")).toBe("Fetch.continueRequest")
    expect(ask("new", "http", { redirectedRequestId: "rnew" })).toBe("Fetch.continueRequest")
  })

  test("[T21] a document that did not pass the gate is not read: its browser is closed", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    const committed = (loaderId: string, url: string, id = "target"): void =>
      fake.event("Page.frameNavigated", { frame: { id, url, loaderId } }, "page")
    fake.event("Fetch.requestPaused", paused("1", "https://a.example.com/", { networkId: "judged", resourceType: "Document" }))
    committed("judged", "https://a.example.com/")
    committed("none", "about:blank")
    committed("none", "https://frame.example.com/", "frame")
    expect((await page.content("text", undefined, never)).title).toBe("A title")
    committed("prefetched", "https://a.example.com/2")
    await expect(page.content("text", undefined, never)).rejects.toThrow(
      /the page is gone \(it reached a prefetched document that bypassed the request gate, https:\/\/a\.example\.com\/2\)/,
    )
    expect(fake.ended).toBeGreaterThan(0)
  })

  test("[T25] a page's requests use bounded memory: a few truncated refusals, and no other addresses", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    const long = "x".repeat(100_000)
    for (let i = 0; i < 50; i++) {
      const frame = { resourceType: "Document", networkId: `n${i}` }
      fake.event("Fetch.requestPaused", paused(`f${i}`, `http://127.0.0.1/${i}${long}`, frame))
    }
    await answered()
    const { notes } = await page.content("text", undefined, never)
    expect(notes.length).toBeLessThanOrEqual(10)
    const send = vi.fn<(...said: readonly unknown[]) => void>()
    const gate = new RequestGate({ call: async () => ({}), send }, judge)
    for (let i = 0; i < 2_000; i++) gate.paused(paused(`d${i}`, "http://127.0.0.1/", { resourceType: "Document", networkId: `d${i}` }))
    expect(gate.taken().length).toBeLessThanOrEqual(11)
    for (let i = 0; i < 2_000; i++) gate.paused(paused(`e${i}`, URL, { resourceType: "Document", networkId: `e${i}` }))
    expect([gate.passed("e0"), gate.passed("e1999")]).toEqual([false, true])
  })

  test("[T21] a judge that throws fails the request", async () => {
    const { fake, all } = stand()
    let broken = false
    const page = all.of("broken", 1, () => {
      if (broken) throw new Error("out of order")
      return undefined
    })
    await page.navigate(URL, never)
    broken = true
    fake.event("Fetch.requestPaused", paused("1", "https://e.com/"))
    await answered()
    expect(fake.of("Fetch.failRequest")).toHaveLength(1)
  })

  test("[T21] a document is returned with our policy added and without headers that open connections", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.answers.set("Fetch.takeResponseBodyAsStream", { stream: "s" })
    fake.answers.set("IO.read", { data: btoa("<h1>ü</h1>"), base64Encoded: true, eof: true })
    const responseHeaders = [
      { name: "Content-Type", value: "text/html" },
      { name: "content-security-policy", value: "default-src 'self'" },
      { name: "Link", value: "<http://10.0.0.1/>; rel=preload" },
      { name: "Content-Encoding", value: "gzip" },
      { name: "Set-Cookie", value: "a=b" },
    ]
    fake.event("Fetch.requestPaused", paused("1", URL, { resourceType: "Document", responseStatusCode: 404, responseHeaders }))
    await answered()
    expect(fake.of("Fetch.fulfillRequest")).toEqual([
      {
        requestId: "1",
        responseCode: 404,
        responseHeaders: [
          { name: "Content-Type", value: "text/html" },
          { name: "content-security-policy", value: "default-src 'self'" },
          { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:; worker-src 'none'" },
        ],
        body: btoa("<h1>ü</h1>"),
      },
    ])
  })

  test("[T21] only documents in which no script can run pass unchanged", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    const of = (id: string, type: string): void => {
      const responseHeaders = type === "" ? [] : [{ name: "content-type", value: type }]
      fake.event("Fetch.requestPaused", paused(id, URL, { resourceType: "Document", responseStatusCode: 200, responseHeaders }))
    }
    const inert = ["text/plain; charset=utf-8", "image/png", "application/pdf", "application/json", "video/mp4"]
    const live = [
      "",
      "text/html",
      "application/xhtml+xml",
      "image/svg+xml",
      "text/xml",
      "text/plainx/html",
      "text/plain, text/html",
      "image/png; a=b, text/html",
      "unknown/unknown",
    ]
    inert.forEach((type, i) => of(`inert ${i}`, type))
    live.forEach((type, i) => of(`live ${i}`, type))
    of("parts", "multipart/x-mixed-replace; boundary=x")
    fake.event("Fetch.requestPaused", paused("hop", URL, { resourceType: "Document", responseStatusCode: 302, responseHeaders: [] }))
    await answered()
    expect(fake.of("Fetch.continueRequest").map(({ requestId }) => requestId)).toEqual([...inert.map((_, i) => `inert ${i}`), "hop"])
    expect(fake.of("Fetch.takeResponseBodyAsStream")).toHaveLength(live.length)
    expect(fake.of("Fetch.failRequest").map(({ requestId }) => requestId)).toContain("parts")
  })

  test("[T21] a document over 8 MiB fails, and its unread rest is released", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.answers.set("Fetch.takeResponseBodyAsStream", { stream: "s" })
    fake.answers.set("IO.read", { data: "x".repeat(1024 * 1024), eof: false })
    fake.event("Fetch.requestPaused", paused("1", URL, { resourceType: "Document", responseStatusCode: 200, responseHeaders: [] }))
    await vi.waitFor(() => expect(fake.of("Fetch.failRequest")).toHaveLength(1), { timeout: 30_000 })
    expect(fake.of("IO.read")).toHaveLength(9)
    expect(fake.of("IO.close")).toEqual([{ handle: "s" }])
  })
})

describe("the page", () => {
  test("[T21, T25] a refused address opens no browser; a refused redirect is reported as refused", async () => {
    const { fake, page } = stand()
    await expect(page.navigate("http://10.0.0.1/", never)).rejects.toThrow("address refused: 10.0.0.1 is not a public address (private)")
    expect(fake.opened).toBe(0)
    fake.answers.set("Page.navigate", { errorText: "net::ERR_BLOCKED_BY_CLIENT" })
    fake.after = ({ method }) => {
      if (method === "Page.enable") fake.event("Fetch.requestPaused", paused("1", "http://10.0.0.2/", { resourceType: "Document" }))
    }
    await expect(page.navigate(URL, never)).rejects.toThrow("address refused: 10.0.0.2 is not a public address (private)")
  })

  test("[T25] a second window is closed and a dialog dismissed; both are reported", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.event("Target.targetCreated", { targetInfo: { targetId: "popup", type: "page" } })
    fake.event("Page.windowOpen", { url: "https://other.example/" }, "page")
    fake.event("Page.javascriptDialogOpening", { type: "alert", message: "hey" }, "page")
    fake.event("Page.javascriptDialogOpening", { type: "beforeunload", message: "" }, "page")
    const { notes } = await page.content("text", undefined, never)
    expect(fake.of("Target.closeTarget")).toEqual([{ targetId: "popup" }])
    expect(fake.of("Page.handleJavaScriptDialog")).toEqual([{ accept: false }, { accept: true }])
    expect(notes.join()).toMatch(/opened a window, which was closed: https:\/\/other\.example\/.*"hey"/)
  })

  test("[T25] a page that never rests is used as is and reported as loading", async () => {
    const { fake, page } = stand()
    fake.after = () => {}
    expect((await page.navigate(URL, never)).notes).toEqual(["the page was still loading after 20 ms"])
  })

  test.each([
    ["Inspector.targetCrashed", {}, "page", "it crashed"],
    ["Target.targetCrashed", { targetId: "target" }, undefined, "it crashed"],
    ["Target.targetDestroyed", { targetId: "target" }, undefined, "it closed itself"],
  ] as const)(
    "[T25] after %s the page is gone: the call reports it, and the next navigation opens another",
    async (method, params, session, why) => {
      const { fake, page } = stand()
      await page.navigate(URL, never)
      fake.event(method, params, session)
      await expect(page.click({ label: "x" }, never)).rejects.toThrow(`the page is gone (${why}): call browser.navigate again`)
      expect(fake.of("Input.dispatchMouseEvent")).toEqual([])
      expect(fake.ended).toBe(1)
      await page.navigate(URL, never)
      expect(fake.opened).toBe(2)
    },
  )

  test("[T25] a connection that breaks during a call fails the call", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.answers.set("Page.captureScreenshot", null)
    const shot = page.screenshot(false, never)
    await answered()
    fake.lose("its browser ended")
    await expect(shot).rejects.toThrow("the page is gone (its browser ended): call browser.navigate again")
  })

  test("[T6, T25] a page blocked by its scripts is given up, and its browser closed", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.answers.set("Runtime.evaluate", null)
    await expect(page.content("text", undefined, never)).rejects.toThrow(
      /the page is gone \(it does not respond.*call browser\.navigate again/,
    )
    expect(fake.ended).toBe(1)
    fake.answers.delete("Runtime.evaluate")
    expect((await page.navigate(URL, never)).title).toBe("A title")
  })

  test("[T6, T25] an aborted call stops the page's loading and ends", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    fake.answers.set("Page.navigate", null)
    const stop = new AbortController()
    const going = page.navigate(URL, stop.signal)
    await answered()
    stop.abort(new Error("browser.navigate was canceled"))
    await expect(going).rejects.toThrow("browser.navigate was canceled")
    expect(fake.methods()).toContain("Page.stopLoading")
  })

  test("[T25] text that is not a message is ignored", async () => {
    const { fake, page } = stand()
    await page.navigate(URL, never)
    for (const text of ["", "null", "[]", "{", '{"id":99}', '{"method":1}', '{"method":"Fetch.requestPaused","params":{}}']) fake.raw(text)
    expect((await page.content("text", undefined, never)).title).toBe("A title")
  })
})

describe("browsers of a run", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true }))
  afterEach(() => void vi.useRealTimers())

  test("[T25] without a page, as after a restart, every call except navigate reports it and opens none", async () => {
    const { fake, page } = stand()
    for (const call of [page.click({ label: "x" }, never), page.content("text", undefined, never), page.screenshot(false, never)])
      await expect(call).rejects.toThrow(
        /no page is open in this session: call browser\.navigate first\. A page does not outlive a restart/,
      )
    expect(fake.opened).toBe(0)
  })

  test("[T25] an idle browser is closed, and the next call reports it", async () => {
    const { fake, page } = stand(5_000)
    await page.navigate(URL, never)
    await vi.advanceTimersByTimeAsync(4_000)
    await page.content("text", undefined, never)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(fake.ended).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(fake.ended).toBe(1)
    await expect(page.content("text", undefined, never)).rejects.toThrow(/closed after 5 s without a call.*call browser\.navigate again/)
  })

  test("[T25] each pass of a step has its own browser, closed with its session and with the run", async () => {
    const { fake, all, page } = stand()
    await page.navigate(URL, never)
    await all.of("look", 2, judge).navigate(URL, never)
    expect(fake.opened).toBe(2)
    const run = { status: "running", steps: { look: { pass: 2, session: {} } } }
    const follow = (): void => all.follow(run as unknown as Run)
    follow()
    expect(fake.ended).toBe(1)
    follow()
    expect(fake.ended).toBe(1)
    run.status = "canceled"
    follow()
    expect(fake.ended).toBe(2)
  })

  test("[T25] a session that ends while its browser starts leaves no browser behind", async () => {
    const { fake, all, page } = stand()
    fake.answers.set("Page.enable", null)
    const going = page.navigate(URL, never)
    // The page's code is loaded first.
    while (fake.said.at(-1)?.method !== "Page.enable") await answered()
    all.close()
    fake.raw(JSON.stringify({ id: fake.said.at(-1)?.id, result: {} }))
    await expect(going).rejects.toThrow("the session is over")
    expect(fake.ended).toBe(1)
  })
})
