// The engine's own browser over a real Chromium: what a page is, and what it cannot do. No proxy stands behind it, so that what the gate lets
// through comes to the canary.

import assert from "node:assert/strict"
import { SECRET_HEADER, type LocalBrowsers } from "../../local/browser.ts"
import { SessionBrowsers } from "../../src/engine/browser/session-browsers.ts"
import { addressJudge } from "../../src/engine/net/guarded-fetch.ts"
import type { Browser } from "../../src/ports/browser.ts"
import { until, type Check } from "./checks.ts"
import { nodeHost } from "./node-host.ts"
import type { Site } from "./site.ts"

export function pageChecks(browsers: LocalBrowsers, site: Site): readonly Check[] {
  const judge = addressJudge({ allowedPrivateHosts: [site.host] })
  const never = new AbortController().signal
  /** With a browser of its own; the canary is looked at when the check is over, whatever it was about. */
  const check = (name: string, work: (page: Browser, all: SessionBrowsers) => Promise<void>, hits: readonly string[] = []): Check => ({
    name,
    async run() {
      site.hits.length = 0
      site.seen.length = 0
      const all = new SessionBrowsers(nodeHost(browsers))
      try {
        await work(all.of("step", 1, judge), all)
        assert.deepEqual(site.hits, hits)
      } finally {
        all.close()
        await until(() => browsers.count() === 0)
      }
    },
  })
  const text = async (page: Browser): Promise<string> => (await page.content("text", undefined, never)).body

  return [
    check("[T25] a page is opened, its scripts run, and is read as it stands", async (page) => {
      const seen = await page.navigate(site.url, never)
      assert.deepEqual(seen, { url: `${site.url}/`, title: "The shop", status: 200, notes: [] })
      assert.match(await text(page), /made by a script/)
      assert.doesNotMatch(await text(page), /hidden words/)
      assert.match((await page.content("html", "#late", never)).body, /^<p id="late">made by a script<\/p>$/)
      const controls = (await page.content("controls", undefined, never)).body
      assert.match(controls, /^input\[name="who"\] {2}\[input text\] "Your name" = "nobody"$/m)
      assert.match(controls, /^#asks {2}\[button\] "Ask me"$/m)
      assert.doesNotMatch(controls, /1234/)
      assert.equal((await page.navigate(`${site.url}/none`, never)).status, 404)
    }),
    check("[T25] fields are filled, lists chosen from, buttons clicked, by label or selector", async (page) => {
      await page.navigate(site.url, never)
      const field = { append: false, submit: false }
      await page.type({ label: "Your name", text: "Zoë", ...field }, never)
      await page.type({ selector: "[name=who]", text: " & Co", append: true, submit: false }, never)
      await page.type({ label: "Colour", text: "Blue", ...field }, never)
      const seen = await page.click({ label: "order now", page: site.url }, never)
      assert.equal(seen.title, "Ordered")
      assert.match(await text(page), /who=Zoë\+&\+Co&colour=b/)
    }),
    check("[T25] Enter submits; a cookie stays for the next page", async (page) => {
      await page.navigate(site.url, never)
      assert.equal((await page.type({ label: "Your name", text: "x", append: false, submit: true }, never)).title, "Ordered")
      await page.navigate(`${site.url}/next`, never)
      assert.match(await text(page), /cookie: seen=yes/)
    }),
    check("[T25] what cannot be clicked says why", async (page) => {
      await page.navigate(site.url, never)
      await assert.rejects(page.click({ label: "Nowhere" }, never), /labels no link, button or field/)
      await assert.rejects(page.click({ selector: "::::" }, never), /is not a valid CSS selector/)
      await assert.rejects(page.click({ selector: "#none" }, never), /matches nothing on the page/)
      await assert.rejects(page.click({ label: "Never" }, never), /is disabled/)
      await assert.rejects(page.click({ label: "Under" }, never), /is covered by div#banner/)
      await assert.rejects(
        page.click({ label: "Next page", page: "https://bank.example/" }, never),
        /which is not on bank\.example: nothing was done/,
      )
      assert.equal((await page.content("text", undefined, never)).url, `${site.url}/`)
    }),
    check("[T25] a dialog is dismissed and a window closed, and both are told", async (page) => {
      await page.navigate(site.url, never)
      const asked = await page.click({ selector: "#asks" }, never)
      assert.match(asked.notes.join(), /the page asked \(confirm\): "Really\?"; it was dismissed/)
      const opened = await page.click({ label: "Other window" }, never)
      assert.match(opened.notes.join(), /opened a window, which was closed: http:\/\/127\.0\.0\.1:\d+\/popup/)
      assert.equal(opened.title, "The shop")
    }),
    check("[T25] a screenshot is a PNG of what is in view, or of the whole page", async (page) => {
      await page.navigate(`${site.url}/tall`, never)
      const size = async (whole: boolean): Promise<[number, number]> => {
        const { png } = await page.screenshot(whole, never)
        const bytes = Buffer.from(png)
        assert.equal(bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n")
        return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      }
      assert.deepEqual(await size(false), [1280, 800])
      const [, height] = await size(true)
      assert.ok(height >= 5_000, String(height))
    }),
    check("[T25] a script's value comes back as JSON, its fault as an error", async (page) => {
      await page.navigate(site.url, never)
      assert.equal((await page.evaluate("Promise.resolve({a: [1]})", undefined, never)).value, '{\n  "a": [\n    1\n  ]\n}')
      await assert.rejects(page.evaluate("nothing.there", undefined, never), /nothing is not defined/)
    }),
    check("[T25] a download is refused, and the page before it stays", async (page) => {
      await page.navigate(site.url, never)
      await assert.rejects(page.navigate(`${site.url}/file`, never), /is not a page/)
      assert.match(await text(page), /Welcome/)
    }),
    check("[T5, T25] a page without end is cut; one that is too large to be opened says so", async (page) => {
      await assert.rejects(page.navigate(`${site.url}/endless`, never), /address refused: a document of more than 8388608 bytes/)
    }),
    check("[T6, T25] a call that is stopped is over at once, and the page can be used again", async (page) => {
      const stop = new AbortController()
      // It is never answered, so the call is over by this or not at all.
      const stopped = assert.rejects(page.navigate(`${site.url}/hangs`, stop.signal), /^Error: stopped by whoever asked$/)
      await until(() => site.seen.includes("GET /hangs"))
      stop.abort(new Error("stopped by whoever asked"))
      await stopped
      assert.equal((await page.navigate(site.url, never)).title, "The shop")
    }),
    check("[T6, T25] a page whose script never ends is given up, and another can be opened", async (page) => {
      await assert.rejects(page.navigate(`${site.url}/loops`, never), /the page is gone \(it does not respond/)
      assert.equal((await page.navigate(site.url, never)).title, "The shop")
    }),
    check("[T25] calls that come together are done one after another", async (page) => {
      const [, content, clicked] = await Promise.all([
        page.navigate(site.url, never),
        page.content("text", undefined, never),
        page.click({ label: "Next page" }, never),
      ])
      assert.match(content.body, /Welcome/)
      assert.equal(clicked.title, "Next")
    }),
    check("[T25] a page whose browser went away is gone, and the call says to open it again", async (page) => {
      await page.navigate(site.url, never)
      await endAll(browsers)
      await assert.rejects(
        page.click({ label: "Next page" }, never),
        /the page is gone \(its browser ended\): call browser\.navigate again/,
      )
      await assert.rejects(page.content("text", undefined, never), /call browser\.navigate again/)
      assert.equal((await page.navigate(site.url, never)).title, "The shop")
    }),
    check("[T25] two sessions have two browsers: no cookie, no page is shared", async (page, all) => {
      await page.navigate(site.url, never)
      const other = all.of("other", 1, judge)
      await assert.rejects(other.content("text", undefined, never), /no page is open in this session: call browser\.navigate first/)
      await other.navigate(`${site.url}/next`, never)
      assert.match((await other.content("text", undefined, never)).body, /cookie: undefined/)
      assert.equal(browsers.count(), 2)
    }),

    check("[T21, T25] addresses that the guard refuses are not opened", async (page) => {
      for (const url of [
        "http://localhost/",
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://169.254.169.254/latest",
        "http://2130706433/",
        "file:///etc/passwd",
        "data:text/html,x",
        "javascript:1",
        "chrome://version",
        "view-source:http://10.0.0.1/",
        "http://a:b@example.com/",
        "about:blank",
        "ftp://example.com/",
      ])
        await assert.rejects(page.navigate(url, never), /^Error: address refused: /, url)
      assert.equal(browsers.count(), 0)
    }),
    ...[301, 302, 303, 307, 308].map((status) =>
      check(`[T21, T25] a page's ${status} that leads inside is refused, at the first hop and the second`, async (page) => {
        await assert.rejects(page.navigate(`${site.url}/${status}`, never), /^Error: address refused: /)
        const chain = `${site.url}/302?to=${encodeURIComponent(`${site.url}/${status}`)}`
        await assert.rejects(page.navigate(chain, never), /^Error: address refused: /)
        for (const to of ["file:///etc/passwd", "http://localhost:1/", "http://[::ffff:127.0.0.1]/", "//localhost/"])
          await assert.rejects(page.navigate(`${site.url}/${status}?to=${encodeURIComponent(to)}`, never), /refused|cannot be opened/, to)
      }),
    ),
    check("[T21, T25] nothing that a hostile page does of itself goes out", async (page) => {
      const seen = await page.navigate(`${site.url}/hostile`, never)
      assert.equal(seen.title, "Tried")
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      assert.match((await page.content("text", undefined, never)).notes.join() + seen.notes.join(), /refused: http/)
      assert.deepEqual(
        site.seen.filter((line) => /worker|shared|service/.test(line)),
        [],
      )
    }),
    check("[T21, T25] a page that leads itself inside, by script, refresh or form, does not come there", async (page) => {
      for (const path of ["/leaves", "/refreshes"]) {
        const { notes } = await page.navigate(`${site.url}${path}`, never)
        const told = [...notes]
        const is = /refused: http:\/\/127\.0\.0\.1:\d+\/(left|refreshed)/
        await until(async () => {
          // While the page changes there may be none to look at.
          if (!is.test(told.join())) told.push(...(await page.content("text", undefined, never).catch(() => ({ notes: [] }))).notes)
          return is.test(told.join())
        })
        assert.match(told.join(), is, path)
      }
      await page.navigate(`${site.url}/posts`, never)
      const { notes } = await page.click({ label: "Send" }, never)
      assert.match(notes.join(), /refused: http:\/\/127\.0\.0\.1:\d+\/posted/)
    }),
    check(
      "[T21, T25] what Chrome prefetched by a page's own rules is never shown: that browser ends",
      async (page) => {
        await page.navigate(`${site.url}/speculates`, never)
        await until(() => site.hits.length > 0)
        const clicked = await page.click({ label: "there" }, never).then(
          (seen) => JSON.stringify(seen),
          (e: unknown) => String(e),
        )
        assert.match(clicked, /the page is gone \(it reached a prefetched document that bypassed the request gate/)
        await assert.rejects(page.content("text", undefined, never), /call browser\.navigate again/)
      },
      // The prefetch itself is what the gate cannot stop (docs/decisions/0019); the local proxy does.
      ["GET /speculated"],
    ),
    check("[T21, T31] the policy's word on a host holds for what the page loads", async (_page, all) => {
      const strict = addressJudge({
        allowedPrivateHosts: [site.host, ...site.hits],
        permits: (url) => (url.pathname === "/" ? undefined : `${url.hostname} is not on the list`),
      })
      const page = all.of("strict", 1, strict)
      await page.navigate(site.url, never)
      await assert.rejects(page.navigate(`${site.url}/next`, never), /address refused: 127\.0\.0\.1 is not on the list/)
      const { notes } = await page.click({ label: "Next page" }, never)
      assert.match(notes.join(), /refused: .*\/next \(127\.0\.0\.1 is not on the list\)/)
    }),
  ]
}

/** As the platform ends a browser that nobody uses. */
async function endAll({ address, secret }: LocalBrowsers): Promise<void> {
  const headers = { [SECRET_HEADER]: secret }
  const { sessions } = (await (await fetch(`http://${address}/v1/sessions`, { headers })).json()) as { sessions: { sessionId: string }[] }
  for (const { sessionId } of sessions) await fetch(`http://${address}/v1/devtools/browser/${sessionId}`, { method: "DELETE", headers })
}
