// The page of a flow on a server that has run it for ten weeks, and the ways to it and to its runs.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import type { FlowMeasures } from "../../../src/api/doc/overview.doc.ts"
import { has, looked, visit } from "../visit.ts"
import type { World } from "../world.ts"
import { FLOW, startWeeks } from "./weeks-world.ts"

const PLACE = `/console/flows/${FLOW}/overview`

export function flowOverviewChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    {
      name: "flow page: [S14] a flow leads to its runs, and says whether its last revision is worse, where and for whom",
      async run() {
        const { world: own, zone, revisions, close } = await startWeeks(world)
        const [before, worse] = revisions
        const { page, faults, context } = await visit(browser, own, "/console/flows", { zone })
        try {
          await page.getByRole("link", { name: new RegExp(`^\\d+ runs of ${FLOW}$`) }).click()
          await page.waitForURL(/\/runs\?q=flow/)
          await page.goBack()
          await page.getByRole("link", { name: `Overview of ${FLOW}` }).click()
          await page.waitForURL(new RegExp(`/flows/${FLOW}/overview$`))
          const revision = page.getByRole("region", { name: "By revision", exact: true })
          await has(revision, new RegExp(`r${worse} fails [\\d.]+ times as often as r${before}, and is as fast`))
          // Each number is that of the server.
          const midnight = await page.evaluate(() => {
            const now = new Date()
            return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 13).toISOString()
          })
          const { total } = (await own.api("GET", `/v1/flows/${FLOW}/measures?since=${midnight}&each=day`)) as FlowMeasures
          const row = revision.getByRole("row", { name: new RegExp(`^r${before} `) })
          const earlier = total.revisions.find((one) => one.revision === before)
          assert.equal(
            await row.locator("td").nth(1).textContent(),
            earlier?.runs && (earlier.runs.succeeded + earlier.runs.failed).toLocaleString("en-US"),
          )
          await has(page.getByRole("group", { name: "Numbers of the flow" }), "Failed")
          // The second step fails more than before: its frame and its row say so, and its table has its runs.
          await page.locator(".funnel_step.funnel_worse", { hasText: "write" }).waitFor()
          const inside = await page.locator(".funnel_graph").evaluate((graph) => {
            const edge = graph.getBoundingClientRect()
            return [...graph.querySelectorAll(".funnel_step")].every((step) => {
              const box = step.getBoundingClientRect()
              return box.left >= edge.left && box.right <= edge.right + graph.scrollWidth - graph.clientWidth && box.bottom <= edge.bottom
            })
          })
          assert.ok(inside, "no step is cut")
          await page.keyboard.press("t")
          const steps = page.getByRole("table", { name: "Steps and their runs" })
          const write = total.steps.find(({ step }) => step === "write")
          const cells = await steps
            .getByRole("row", { name: /^write / })
            .locator("td")
            .allTextContents()
          assert.deepEqual(
            cells.slice(0, 3),
            [write?.reached, (write?.reached ?? 0) - (write?.failed ?? 0), write?.failed].map((n) => n?.toLocaleString("en-US")),
          )
          assert.equal(await page.getByRole("region", { name: /^(Time|Cost per run|Failed)$/ }).count(), 3, "T turns every plot")
          await page.keyboard.press("t")
          await has(page.getByRole("region", { name: "Time to answer" }), /Priya.*half in/)
          await has(page.getByRole("region", { name: "Refused calls" }), /refund.*policy/)
          await has(page.getByRole("region", { name: "Started by" }), "Monday through Friday")
          const slowest = page.getByRole("region", { name: "Slowest and most expensive" }).first()
          await slowest.getByRole("button", { name: "Models" }).click()
          await has(slowest, "scenes/m")
          await slowest.getByRole("slider", { name: "Time of a call" }).press("End")
          await has(slowest.locator("figcaption"), "scenes/m")
          await page.getByRole("button", { name: "24 h" }).click()
          await page.waitForURL(/span=day/)
          await page.keyboard.press("n")
          await page.getByRole("dialog", { name: "New run" }).waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.keyboard.press("c")
          await page.waitForURL(/tab=revisions/)
          await page.goto(`${own.url}${PLACE}`)
          await has(revision, "fails")
          await page.keyboard.press("e")
          await page.waitForURL(new RegExp(`/flows/${FLOW}(?:\\?|$)`))
          await page.locator("main").getByRole("link", { name: "Overview", exact: true }).click()
          await has(revision, "fails")
          assert.deepEqual(faults, [])
          await looked({ browser, world: own, shots, zone }, "flow-overview", PLACE, ({ page: one }) =>
            one.locator(".flow-overview_strip").waitFor(),
          )
        } finally {
          await context.close()
          await close()
        }
      },
    },
  ]
}
