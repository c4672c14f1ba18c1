// Loops, steps side by side, the longest path and what a fork keeps: in the graph, in the timeline, and in the list that is their twin.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { aroundRun } from "./around-run.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

export function aroundChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  let made: Promise<string> | undefined
  let broken: Promise<string> | undefined
  const around = (): Promise<string> => (made ??= aroundRun(world))
  const fails = (): Promise<string> => (broken ??= aroundRun(world, "fails"))
  return [
    checkAt(
      at,
      "around: finished passes of a loop fold to a row that keeps its bars, and unfold; the choice is in the address",
      async () => `/console/runs/${await around()}`,
      async ({ page }) => {
        const folded = page.locator('.timeline_w[aria-expanded="false"]')
        await has(folded.first(), "Pass 1")
        assert.equal(await folded.count(), 2)
        assert.ok((await folded.first().locator(".timeline_track .timeline_b").count()) >= 2, "the bars stay")
        await has(page.locator('.timeline_w.timeline_pass[aria-expanded="true"]'), "Pass 3")
        await folded.first().click()
        assert.equal(await folded.count(), 1)
        await page.locator('.timeline_w[role="row"]').filter({ hasText: "write" }).first().click()
        await page.waitForURL(/pass=1&step=write/)
        await page.reload()
        await has(page.locator('.timeline_w.sel[aria-level="1"]'), "write")
        assert.equal(await folded.count(), 1, "the chosen pass is in view after a reload")
        await page.locator(".graph_gIn .graph_fr.graph_loop").waitFor()
        await has(page.locator(".graph_gIn .graph_el"), "loop, pass 3 of 3")
        await page.locator(".graph_gIn .graph_fr.graph_par").waitFor()
        assert.equal(await page.locator(".timeline_w.timeline_par").count(), 2)
        assert.ok((await page.locator(".graph_way.graph_long").count()) >= 3, "the longest path is marked")
        await has(page.locator(".timeline_where"), "Longest path")
      },
    ),
    checkAt(
      at,
      "around: of a failed run, the frame says what a fork keeps; of the fork, what it has kept",
      async () => `/console/runs/${await fails()}`,
      async ({ page }) => {
        await page
          .locator(".graph_gIn .graph_fr.graph_kept")
          .filter({ hasText: /kept, \d+ events, nothing to pay/ })
          .waitFor()
        const id = await fails()
        const fork = (await world.api("POST", `/v1/runs/${id}/fork`, { from: { step: "send" }, effects: "staged" })) as {
          readonly id: string
        }
        await page.goto(`${world.url}/console/runs/${fork.id}`)
        await page.locator(".graph_gIn .graph_fr.graph_kept").waitFor()
      },
    ),
    checkAt(
      at,
      "around: the list twin has the rounds, what is kept and what is side by side",
      async () => `/console/runs/${await fails()}`,
      async ({ page }) => {
        await page.setViewportSize({ width: 390, height: 780 })
        const twin = page.getByRole("list", { name: "Steps" })
        await has(twin.locator(".round"), "Pass 1")
        assert.equal((await twin.locator('.round[aria-expanded="false"] .timeline_twBar .timeline_b').count()) >= 2, true)
        await has(twin.locator(".timeline_tw").filter({ hasText: "read-charges" }), "kept")
        assert.equal(await twin.locator(".timeline_tw.timeline_par").count(), 2)
        await twin.locator(".round").first().click()
        assert.equal(await twin.locator(".round").first().getAttribute("aria-expanded"), "true")
      },
    ),
    {
      name: "around: axe finds nothing, in either theme, on a wide and on a small screen",
      async run() {
        for (const [name, id] of [
          ["run-around", await around()],
          ["run-around-failed", await fails()],
        ] as const)
          await looked(at, name, `/console/runs/${id}`, async ({ page }) => {
            await page.locator(".run-head_rTitle").waitFor()
            await page.locator('[aria-expanded="false"]').first().waitFor()
          })
        await looked(at, "run-around-time", `/console/runs/${await around()}?pane=time`, async ({ page }) => {
          await page.locator(".timeline_w.timeline_pass").waitFor()
        })
      },
    },
  ]
}
