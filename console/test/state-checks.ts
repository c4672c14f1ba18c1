// What the console asks of the server: little while much happens, nothing while nobody looks, and nothing before a page that was there stands again.

import assert from "node:assert/strict"
import type { Browser, Page, Request } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { checkAt, has, visit } from "./visit.ts"
import type { World } from "./world.ts"

/** Runs of one kind, one a second. */
const RUNS = 15

export function stateChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const start = async (task: string): Promise<string> =>
    ((await world.api("POST", "/v1/flows/assist/runs", { task })) as { readonly id: string }).id
  return [
    checkAt(at, "state: [S21] at one new run a second a list asks at most 15 times in 15 seconds", "/console/runs", async ({ page }) => {
      await page.locator("tbody tr, .empty-state").first().waitFor()
      await page.waitForTimeout(3_000)
      const asked: string[] = []
      page.on("request", (request) => {
        if (isAsked(request)) asked.push(new URL(request.url()).pathname)
      })
      const runs: string[] = []
      for (let n = 0; n < RUNS; n++) {
        runs.push(await start(n % 3 === 0 ? "scene:inbox-words" : "scene:hello"))
        await page.waitForTimeout(1_000)
      }
      assert.ok(asked.length <= RUNS, `${RUNS} runs, and ${asked.length} requests: ${asked.join(" ")}`)
      assert.ok(asked.length > 0)
      // Other checks begin with nothing that waits.
      await Promise.all(runs.map((id) => world.api("POST", `/v1/runs/${id}/cancel`).catch(() => undefined)))
    }),
    {
      name: "state: a page out of sight holds no connection after ten seconds, and is right when it is seen again",
      async run() {
        const id = await start("scene:state-slow")
        for (const place of ["/console/runs", `/console/runs/${id}`]) {
          const seen = await visit(browser, world, place)
          const { page } = seen
          try {
            await page.locator(`a[href$="${id}"], h1`).first().waitFor()
            // The page that is held from here on is loaded anew, so that all of its streams are counted.
            await page.clock.install()
            const open = new Set<Request>()
            page.on("request", (request) => void (isStream(request) && open.add(request)))
            for (const over of ["requestfinished", "requestfailed"] as const) page.on(over, (request) => void open.delete(request))
            await page.reload()
            await page.locator(`a[href$="${id}"], h1`).first().waitFor()
            while (open.size === 0) await new Promise((resolve) => setTimeout(resolve, 20))
            await look(page, "hidden")
            await page.clock.runFor(11_000)
            while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
            await look(page, "visible")
            while (open.size === 0) await new Promise((resolve) => setTimeout(resolve, 20))
            assert.deepEqual(seen.faults, [])
          } finally {
            await seen.context.close()
          }
        }
        world.model.open("state-slow")
      },
    },
    {
      name: "state: a file that did not come is asked for again: a page's and a dialog's; a tooltip takes nothing along",
      async run() {
        const { page, context } = await visit(browser, world, "/console/runs")
        const bar = page.getByRole("navigation", { name: "Console" })
        const alert = page.getByRole("alert").filter({ hasText: "could not be shown" })
        try {
          await page.getByRole("heading", { level: 1 }).waitFor()
          await context.setOffline(true)
          await bar.getByRole("link", { name: /^Inbox/ }).click()
          await alert.getByRole("heading", { name: "This page could not be shown" }).waitFor()
          await alert.getByRole("button", { name: "Try again" }).click()
          await alert.getByText("The server did not answer.").waitFor()
          // What has no file takes nothing else along.
          await page.getByRole("button", { name: "Change theme" }).hover()
          await page.keyboard.press("Control+k")
          await alert.filter({ hasText: "Find or do" }).getByRole("button", { name: "Close" }).click()
          await alert.filter({ hasText: "Find or do" }).waitFor({ state: "detached" })
          await bar.getByRole("link", { name: /^Inbox/ }).waitFor()
          await page.evaluate(() => Object.assign(globalThis, { isOld: true }))
          await context.setOffline(false)
          await alert.getByRole("button", { name: "Try again" }).click()
          await page.getByRole("heading", { level: 1, name: "Asks" }).waitFor()
          const hasStyles = await page.evaluate(() =>
            [...document.styleSheets].some(({ cssRules }) => [...cssRules].some(({ cssText }) => cssText.includes(".inbox_inbox"))),
          )
          assert.equal(hasStyles, true, "the page came back without its styles")
          await page.keyboard.press("Control+k")
          await page.getByRole("dialog", { name: "Find or do" }).waitFor()
          await page.keyboard.press("Escape")
          // Gone from and come back to is another try.
          await context.setOffline(true)
          await bar.getByRole("link", { name: /^Agents/ }).click()
          await alert.waitFor()
          await context.setOffline(false)
          await bar.getByRole("link", { name: /^Runs/ }).click()
          await bar.getByRole("link", { name: /^Agents/ }).click()
          await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor()
          assert.equal(await page.evaluate(() => "isOld" in globalThis), true, "the page was loaded anew")
        } finally {
          await context.close()
        }
      },
    },
    checkAt(
      at,
      "state: who may only read is offered nothing that writes, and is told why where an answer waits",
      "/console/chat",
      async ({ page }) => {
        const asking = await start("scene:inbox-words")
        await page.route("**/v1/session", async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), scopes: ["runs:read", "catalog:read"] } })
        })
        const writes = page.getByRole("button", { name: /^(New run|New flow|Start a run|Fork|Pause|Cancel|Send)\b/ })
        for (const place of ["runs", "flows", "flows/assist/overview", `runs/${asking}`]) {
          await page.goto(`${world.url}/console/${place}`)
          await page.locator("main h1").waitFor()
          assert.equal(await writes.count(), 0, place)
        }
        await page.goto(`${world.url}/console/runs/${asking}?step=help`)
        await page.getByText("Your key may not answer: it needs interactions:answer.").waitFor()
        await page.goto(`${world.url}/console/chat/assist`)
        await page.getByText("Your key may read this chat, but not write: it needs runs:write.").waitFor()
        assert.equal(await page.getByLabel("Message", { exact: true }).count(), 0, "a field to write in")
        await page.goto(`${world.url}/console/inbox`)
        await page.getByText("Your key may not answer: it needs interactions:answer.").waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("r")
        await page.locator("tbody tr a").first().waitFor()
        await page.keyboard.press("n")
        // What comes after it has come: the key before it did nothing.
        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keys" }).waitFor()
        assert.equal(await page.getByRole("dialog", { name: "New run" }).count(), 0)
        await world.api("POST", `/v1/runs/${asking}/cancel`)
      },
    ),
    checkAt(at, "state: the first time a page is opened from the bar, its heading has the focus", "/console/runs", async ({ page }) => {
      for (const name of ["Flows", "Overview", "Agents"]) {
        await page.goto(`${world.url}/console/runs`)
        await has(page.locator("tbody tr a"), "assist")
        await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: new RegExp(`^${name}`) }).click()
        await page.locator("main h1:focus").filter({ hasText: name }).waitFor()
      }
    }),
    checkAt(at, "state: a page that is come back to stands before the server answers", "/console/runs", async ({ page }) => {
      const id = await start("scene:hello")
      const shown: readonly (readonly [string, string])[] = [
        ["/console/runs", "tbody tr"],
        ["/console/flows", "tbody tr"],
        ["/console/agents", "tbody tr"],
        ["/console/settings/providers", "main :text('scenes')"],
        ["/console/runs/failures", "main h1"],
        [`/console/runs/${id}`, "main h1"],
      ]
      const to = (place: string): Promise<void> =>
        page.evaluate((address) => {
          history.pushState(null, "", address)
          dispatchEvent(new PopStateEvent("popstate"))
        }, world.url + place)
      for (const [place, what] of shown) {
        await to(place)
        await page.locator(what).first().waitFor()
      }
      // Nothing answers any more.
      await page.route("**/v1/**", () => undefined)
      for (const [place, what] of shown) {
        await to(place)
        await page.locator(what).first().waitFor({ timeout: 5_000 })
      }
      await page.unrouteAll({ behavior: "ignoreErrors" })
    }),
  ]
}

const isAsked = (request: Request): boolean => /\/v1\//.test(request.url()) && !isStream(request)
const isStream = (request: Request): boolean => /\/v1\/(stream$|runs\/\w+\/events)/.test(request.url())

/** A browser that a program drives has no tab to hide: the page is told. */
const look = (page: Page, state: "hidden" | "visible"): Promise<void> =>
  page.evaluate((now) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => now })
    document.dispatchEvent(new Event("visibilitychange"))
  }, state)
