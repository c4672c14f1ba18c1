// The console over time: the tenant's stream and its loss, a server that is killed, a session that is revoked, and two people on one run.

import assert from "node:assert/strict"
import type { Browser, Page, Request } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { inboxWorld } from "./inbox/inbox-world.ts"
import { checkAt, has, visit } from "./visit.ts"
import type { World } from "./world.ts"

export function liveChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const inbox = inboxWorld(world)
  const start = async (task: string): Promise<string> =>
    ((await world.api("POST", "/v1/flows/assist/runs", { task })) as { readonly id: string }).id
  const viewOf = async (run: string) =>
    (await world.api("GET", `/v1/runs/${run}`)) as { readonly status: string; readonly seq: number; readonly started?: string }
  const settled = async (run: string): Promise<void> => {
    while ((await viewOf(run)).status !== "succeeded") await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const rowOf = (page: Page, run: string) => page.locator(`tr:has(a[href$="${run}"])`)
  return [
    checkAt(
      at,
      "live: one stream serves the list and the bar, and nothing is read while nothing happens",
      "/console/runs",
      async (seen) => {
        const { page } = seen
        await settled(await start("scene:hello"))
        const asked: string[] = []
        page.on("request", (request) => asked.push(new URL(request.url()).pathname))
        const opened = page.waitForResponse((answer) => answer.url().endsWith("/v1/stream"))
        await page.reload()
        assert.equal((await opened).status(), 200)
        await has(page.locator(".live"), /^Live$/)
        // The readings of the beginning.
        await page.waitForTimeout(3_000)
        asked.length = 0
        await page.waitForTimeout(10_000)
        // Once at most, for the figures of a run that an earlier check left running.
        const readings = asked.filter((path) => path === "/v1/runs").length
        assert.ok(readings <= 1, `${readings} readings`)
        const counted = page.waitForRequest((request) => request.url().includes("/v1/interactions/count"))
        const asking = await inbox.asks("inbox-words")
        await counted
        await has(page.locator(".shell_nav .count"), /\d/)
        await has(page.locator(".runs_fresh"), "1 new run")
        // What waits is counted by the server: the bar reads no row of it.
        const rows = ["/v1/interactions", "/v1/effects"]
        assert.deepEqual(
          asked.filter((path) => rows.includes(path)),
          [],
        )
        assert.ok(asked.includes("/v1/interactions/count"))
        await page.getByRole("link", { name: /^Inbox/ }).click()
        await page.locator(`.inbox_inl a[href*="${asking.run}"]`).waitFor()
        await inbox.clear()
        await page.locator(`.inbox_inl a.inbox_it:not(.inbox_past)[href*="${asking.run}"]`).waitFor({ state: "detached" })
        assert.deepEqual(
          asked.filter((path) => path === "/v1/stream"),
          [],
        )
      },
    ),
    ...([403, 429] as const).map((status) =>
      checkAt(
        at,
        `live: a stream that is refused with ${status} leaves a list that is read again and again`,
        "/console/chat",
        async (seen) => {
          const { page } = seen
          let streams = 0
          await page.route("**/v1/stream", (route) => {
            streams += 1
            return route.fulfill({ status, headers: { "retry-after": "30" }, json: { code: "quota", detail: "No stream for you." } })
          })
          await page.goto(`${world.url}/console/runs`)
          await page.locator("tbody tr a").first().waitFor()
          await page.waitForTimeout(1_500)
          const run = await start("scene:hello")
          await has(page.locator(".runs_fresh"), "new run")
          await page.keyboard.press(".")
          await rowOf(page, run).waitFor()
          await has(page.locator(".live"), /^Live$/)
          assert.equal(streams, 1)
        },
      ),
    ),
    checkAt(
      at,
      "live: the server is killed and started again while pages are open, and nothing is missing",
      "/console/runs",
      async (seen) => {
        const { page, context } = seen
        const run = await start("scene:live-kill")
        await world.model.arrived("live-kill")
        await page.reload()
        await has(rowOf(page, run), "Running")
        const other = await context.newPage()
        await other.goto(`${world.url}/console/runs/${run}`)
        await has(other.locator(".detail_turn"), "The server may go.")
        const again = await world.kill()
        try {
          await has(page.locator(".live.is-late"), "Not live")
          await has(other.locator(".run-head_rNote"), "Trying again")
          assert.equal(await rowOf(page, run).count(), 1)
        } finally {
          await again()
        }
        const fresh = await start("scene:hello")
        world.model.open("live-kill")
        await settled(run)
        await has(page.locator(".live:not(.is-late)"), "Live")
        await page.getByRole("alert").waitFor({ state: "detached" })
        await has(rowOf(page, run), "Succeeded")
        await has(page.locator(".runs_fresh"), "1 new run")
        await page.keyboard.press(".")
        await rowOf(page, fresh).waitFor()
        await has(other.locator(".run-head_rTitle"), "Succeeded")
        await has(other.locator(".timeline_scrub"), `of ${(await viewOf(run)).seq}`)
      },
    ),
    checkAt(at, "live: a session that is revoked while its page is open leads to the sign-in", "/console/runs", async (seen) => {
      const { page } = seen
      await has(page.locator(".live"), "Live")
      await page.waitForTimeout(1_000)
      // By another tab, which says nothing to this one.
      const ended = await seen.context.request.delete(`${world.url}/v1/session`, {
        headers: { origin: world.url, "sec-fetch-site": "same-origin" },
      })
      assert.ok(ended.ok(), `${ended.status()} ${await ended.text()}`)
      await page.getByRole("button", { name: "Use sl_local_dev" }).waitFor()
      assert.equal(await page.locator("tbody tr").count(), 0)
      await page.waitForFunction(() => document.title === "Sign in · Sluice")
    }),
    checkAt(at, "live: a page that nobody looks at gives its stream up, and goes on where it was", "/console/runs", async (seen) => {
      const { page } = seen
      await settled(await start("scene:hello"))
      const isStream = (one: Request): boolean => one.url().endsWith("/v1/stream")
      const look = (state: "hidden" | "visible"): Promise<void> =>
        page.evaluate((now) => {
          Object.defineProperty(document, "visibilityState", { configurable: true, get: () => now })
          document.dispatchEvent(new Event("visibilitychange"))
        }, state)
      const opened = page.waitForResponse((answer) => isStream(answer.request()))
      await page.reload()
      await opened
      await page.locator("tbody tr a").first().waitFor()
      const closed = page.waitForEvent("requestfailed", isStream)
      await look("hidden")
      await closed
      const run = await start("scene:hello")
      const again = page.waitForRequest(isStream)
      await look("visible")
      assert.match((await again).headers()["last-event-id"] ?? "", /./)
      await has(page.locator(".runs_fresh"), "1 new run")
      await page.keyboard.press(".")
      await has(rowOf(page, run), "Succeeded")
    }),
    {
      name: "live: two browsers on one run see the same moment; the second one to decide has nothing to press",
      async run() {
        const asking = await inbox.asks("inbox-refund")
        const place = `/console/runs/${asking.run}`
        const [one, other] = [await visit(browser, world, place), await visit(browser, world, place)]
        try {
          for (const { page } of [one, other]) await has(page.locator(".detail_dock"), "Approve this call?")
          await one.page.getByRole("button", { name: "Approve", exact: true }).click()
          for (const { page } of [one, other]) {
            await has(page.locator(".run-head_rTitle"), "Succeeded")
            await page.locator(".detail_dock").waitFor({ state: "detached" })
            await has(page.locator(".timeline_scrub"), `of ${(await viewOf(asking.run)).seq}`)
            await page.waitForFunction(() => /^(\(\d+\) )?assist · Sluice$/.test(document.title))
          }
          assert.deepEqual([...one.faults, ...other.faults], [])
        } finally {
          await Promise.all([one.context.close(), other.context.close()])
          await inbox.clear()
        }
      },
    },
  ]
}
