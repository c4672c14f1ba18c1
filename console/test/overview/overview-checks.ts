// The console's overview, driven by a browser with the tenant's key: numbers, the plot and its table, and what needs somebody.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { failing } from "../failures-world.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const PLACE = "/console/overview"

export function overviewChecks(browser: Browser, world: World, shots?: string): Check[] {
  const { write, fail } = failing(world)
  return [
    checkAt(
      { browser, world, shots },
      "overview: numbers lead to what they count, the plot has its table, and nothing is called usual before there are four weeks",
      async () => {
        await write("overview-fails", "gives-up")
        await fail("overview-fails", 1)
        return PLACE
      },
      async ({ page }) => {
        await has(page.getByRole("region", { name: "Verdict" }), "Not enough days yet")
        const plot = page.getByRole("slider", { name: /^Runs by hour/ })
        await plot.focus()
        const before = await plot.getAttribute("aria-valuetext")
        await page.keyboard.press("Home")
        await page.waitForFunction((said) => document.activeElement?.getAttribute("aria-valuetext") !== said, before).catch(() => undefined)
        assert.equal(await plot.getAttribute("aria-valuenow"), "1")
        assert.match((await plot.getAttribute("aria-valuetext")) ?? "", /, \d+:00 [AP]M: nothing$/)
        const underWay = page.getByRole("slider", { name: "Runs under way" })
        assert.match((await underWay.getAttribute("aria-valuetext")) ?? "", /: under way \d+, not over yet$/)
        await page.keyboard.press("t")
        const rows = page.getByRole("table", { name: /^Runs by hour/ }).locator("tbody tr")
        const failed = await rows.locator("> :nth-child(2)").allTextContents()
        assert.ok(failed.reduce((sum, count) => sum + Number(count), 0) >= 1, "the failed run is in its hour")
        await page.getByRole("link", { name: "7 days" }).click()
        await page.waitForURL(/range=week/)
        await page.locator(".overview_number", { hasText: "Success" }).click()
        await page.waitForURL(/\/runs\/failures/)
        await page.keyboard.type("go", { delay: 15 })
        await page.waitForURL(/\/console\/overview$/)
      },
    ),
    {
      name: "overview: axe finds nothing, in either theme, on a wide and on a small screen",
      run: () =>
        looked({ browser, world, shots }, "overview", PLACE, async ({ page }) => {
          await page.locator(".overview_numbers").waitFor()
        }),
    },
  ]
}
