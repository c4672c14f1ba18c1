// The console's list of runs, driven by a browser with the tenant's key.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { axe } from "./axe.ts"
import { rowNo, RUNS, serveManyRuns } from "./large/large-run.ts"
import { ATTACK } from "./scenes.ts"
import { checkAt, has, looked } from "./visit.ts"
import type { World } from "./world.ts"

interface Started {
  readonly id: string
}

export function runsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const start = async (task: string, flow = "assist", more: object = {}): Promise<string> =>
    ((await world.api("POST", `/v1/flows/${flow}/runs`, { task, ...more })) as Started).id
  const ended = async (id: string): Promise<void> => {
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (status === "succeeded" || status === "failed" || status === "waiting") return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return [
    checkAt(
      at,
      "runs: the list is live; a row changes in place, and a new run waits behind a button",
      "/console/runs",
      async ({ page }) => {
        const slow = await start("scene:runs-live")
        await world.model.arrived("runs-live")
        await page.reload()
        const row = page.locator(`tr:has(a[href$="${slow}"])`)
        await has(row, "Running")
        world.model.open("runs-live")
        await has(row, "Succeeded")
        const fresh = await start("scene:hello")
        await has(page.locator(".runs_fresh"), "1 new run")
        assert.equal(await page.locator(`a[href$="${fresh}"]`).count(), 0)
        await page.keyboard.press(".")
        await page.locator(`tr:first-child a[href$="${fresh}"]`).waitFor()
        assert.match(await page.title(), /Runs · Sluice$/)
      },
    ),
    checkAt(at, "runs: filters are in the address, keys move and open, and Clear filter is offered", "/console/runs", async ({ page }) => {
      const [one, other] = [await start("scene:hello", "other"), await start("scene:fails", "assist", { tags: ["red"] })]
      await Promise.all([ended(one), ended(other)])
      await page.reload()
      await page.getByRole("button", { name: /^Failed/ }).click()
      await page.locator(`a[href$="${other}"]`).waitFor()
      await page.locator(`a[href$="${one}"]`).waitFor({ state: "detached" })
      assert.match(page.url(), /\?status=failed$/)
      await has(page.locator(`tr:has(a[href$="${other}"]) .runs_cWhy .error`), "help: ")
      await page.goBack()
      await page.locator(`a[href$="${one}"]`).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("flow:other")
      await page.keyboard.press("Enter")
      await page.locator(`a[href$="${other}"]`).waitFor({ state: "detached" })
      await page.locator(`a[href$="${one}"]`).waitFor()
      assert.match(page.url(), /\?flow=other$/)
      await page.keyboard.press("Escape")
      await page.keyboard.press("j")
      await page.waitForFunction(() => document.activeElement?.closest("tr")?.getAttribute("aria-current") === "true")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/console\/runs\/run_/)
      await page.goBack()
      await page.getByRole("combobox", { name: "Filter runs" }).click()
      await page.keyboard.type("tag:nothing-has-this ")
      await has(page.locator(".empty-state"), "No run matches")
      assert.deepEqual(await axe(page), [])
      await page.getByRole("button", { name: "Clear filter" }).click()
      await page.locator(`a[href$="${one}"]`).waitFor()
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keys" }).waitFor()
      assert.deepEqual(await axe(page), [])
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }),
    checkAt(at, "runs: ten thousand rows scroll with few of them drawn", "/console/chat", async ({ page }) => {
      await serveManyRuns(page)
      await page.goto(`${world.url}/console/runs`)
      await has(page.locator("tr"), "flow-0")
      let drawn = 0
      for (let i = 0; i < 400; i++) {
        await page.mouse.wheel(0, 3_000)
        drawn = Math.max(drawn, await page.locator("tbody tr").count())
        if ((await page.locator(`a[href$="run_${RUNS - 1}"]`).count()) > 0) break
      }
      await page.locator(`a[href$="run_${RUNS - 1}"]`).waitFor()
      assert.ok(drawn < 150, `${drawn} rows are drawn`)
    }),
    checkAt(at, "runs: a server that fails is said, with a way out; what was read stays", "/console/runs", async ({ page }) => {
      await page.locator("tbody tr a").first().waitFor()
      const newest = await page.locator("tbody tr a").first().getAttribute("href")
      await page.route("**/v1/runs?*", (route) => route.fulfill({ status: 500, json: { code: "internal", detail: "It broke." } }))
      await start("scene:hello")
      await has(page.getByRole("alert"), "These rows are as they were last read. It broke.")
      await has(page.locator(".live"), "Not live")
      assert.equal(await page.locator("tbody tr a").first().getAttribute("href"), newest)
      assert.deepEqual(await axe(page), [])
      await page.reload()
      await has(page.getByRole("alert"), "The runs could not be read.")
      assert.deepEqual(await axe(page), [])
      await page.unroute("**/v1/runs?*")
      await page.getByRole("button", { name: "Try again" }).click()
      await page.locator("tbody tr a").first().waitFor()
      await page.getByRole("alert").waitFor({ state: "detached" })
    }),
    checkAt(at, "runs: with none there is a button that makes one", "/console/chat", async ({ page }) => {
      await page.route("**/v1/runs?*", (route) => route.fulfill({ json: { data: [], next_cursor: null } }))
      await page.goto(`${world.url}/console/runs`)
      await has(page.locator(".empty-state"), "There are none yet.")
      assert.deepEqual(await axe(page), [])
    }),
    checkAt(at, "runs: no text of a run acts on the page", "/console/chat", async ({ page }) => {
      const row = { ...rowNo(1), flow: ATTACK, task: ATTACK, tags: [ATTACK], trigger: { kind: "webhook", hook: ATTACK } }
      const failed = { ...rowNo(2), flow: ATTACK, status: "failed", error: { step: ATTACK, source: "api_error", message: ATTACK } }
      const asks = {
        ...rowNo(3),
        status: "waiting",
        pending: 1,
        now: { step: ATTACK, asks: { id: "i", kind: "ask_user", text: ATTACK }, at: "" },
      }
      await page.route("**/v1/runs?*", (route) => route.fulfill({ json: { data: [row, failed, asks], next_cursor: null } }))
      await page.goto(`${world.url}/console/runs`)
      await has(page.locator(".runs_cWhy .error"), "onerror")
      assert.equal(await page.locator("main :is(script, iframe, img, style)").count(), 0)
      assert.deepEqual(await axe(page), [])
    }),
    {
      name: "runs: axe finds nothing in either theme, on a wide and on a small screen",
      async run() {
        await Promise.all([start("scene:approve"), start("scene:hello")].map(async (id) => ended(await id)))
        await looked(at, "runs", "/console/runs", async ({ page }) => {
          await page.locator("tbody tr a").first().waitFor()
        })
      },
    },
  ]
}
