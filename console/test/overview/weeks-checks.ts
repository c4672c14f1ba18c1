// The overview on a server that has run for ten weeks: what is usual is known, and today is not.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { has, looked, visit } from "../visit.ts"
import type { World } from "../world.ts"
import { FLOW, startWeeks } from "./weeks-world.ts"

const PLACE = "/console/overview"

export function weeksChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    {
      name: "weeks: a day that is not normal says which flow fails since which change, and what is usual for each number",
      async run() {
        const { world: own, zone, revisions, close } = await startWeeks(world)
        const worse = revisions[1]
        const { page, faults, context } = await visit(browser, own, "/console/", { zone })
        try {
          // The first page, as there are runs that are no rehearsals.
          await page.waitForURL(/\/console\/overview$/)
          const verdict = page.getByRole("region", { name: "Verdict" })
          await has(verdict.locator("h2"), new RegExp(`^Not a normal \\w+day: ${FLOW} fails more since r${worse}$`))
          await has(verdict, /\d+ of its \d+ runs since .+ failed, [\d.]+% before\./)
          const cards = page.locator(".overview_number")
          assert.deepEqual(
            (await cards.locator(".overview_mark").allTextContents()).map((words) => words.trim()),
            ["usual", "unusual", "usual", "usual", "usual"],
          )
          await has(cards.nth(2), /about \$[\d.]+ of \$45\.00 by midnight/)
          await has(page.getByRole("region", { name: "What changed" }), `failed `)
          await has(page.getByRole("region", { name: "Next schedules" }), FLOW)
          await has(page.getByRole("region", { name: /^Failing today/ }), "2")
          // Its flag is in the plot, and the table has the band.
          const flag = page.locator(".plot_flag", { hasText: `${FLOW} r${worse}` })
          await flag.waitFor()
          const [inner, outer] = [await flag.boundingBox(), await page.locator(".plot_figure").first().boundingBox()]
          assert.ok(
            inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width,
            "the flag is inside of the plot",
          )
          await page.keyboard.press("t")
          const table = page.getByRole("table", { name: "Runs by hour" })
          const last = await table.locator("tbody tr > :last-child").allTextContents()
          assert.ok(last.filter((words) => /^\d+–\d+$/.test(words)).length >= 20, `usual of the hours: ${last.join(" ")}`)
          await page.keyboard.press("t")
          await page.keyboard.press("7")
          await page.waitForURL(/range=week/)
          await page.getByRole("heading", { name: "Runs by day" }).waitFor()
          await page.keyboard.press("7")
          await page.waitForURL(/overview$/)
          await has(verdict.locator("h2"), "Not a normal")
          await page.keyboard.press("c")
          await page.waitForURL(new RegExp(`/flows/${FLOW}\\?.*to=${worse}`))
          await page.goBack()
          await has(verdict.locator("h2"), "Not a normal")
          await page.keyboard.press("2")
          await page.waitForURL(/\/runs\/failures/)
          assert.deepEqual(faults, [])
          await looked({ browser, world: own, shots }, "overview-weeks", PLACE, ({ page: one }) =>
            one.locator(".overview_mark").first().waitFor(),
          )
        } finally {
          await context.close()
          await close()
        }
      },
    },
  ]
}
