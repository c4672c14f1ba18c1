// A run of 200 steps and 5,000 events: the page draws what is in view and nothing else, and takes the journal in pieces.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { ID, serveLargeRun, stepNo } from "./large/large-run.ts"
import { checkAt, has } from "./visit.ts"
import type { World } from "./world.ts"

/** The page is drawn a few times while 5,000 events come, and not once for each. */
const MAX_NODES = 12_000

export function largeChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    checkAt({ browser, world, shots }, "large: 200 steps and 5,000 events", "/console/chat", async ({ page }) => {
      const last = await serveLargeRun(page)
      await page.addInitScript(() => {
        const drawn = { nodes: 0 }
        Object.assign(globalThis, { drawn })
        new MutationObserver((records) => {
          for (const { addedNodes } of records) drawn.nodes += addedNodes.length
        }).observe(document, { childList: true, subtree: true })
      })
      await page.goto(`${world.url}/console/runs/${ID}`)
      await has(page.locator(".r-title"), "Succeeded")
      await has(page.locator(".md-b"), "All is done.")
      await has(page.locator(".scrub"), `of ${last}`)
      const nodes = await page.evaluate(() => (globalThis as unknown as { drawn: { nodes: number } }).drawn.nodes)
      assert.ok(nodes < MAX_NODES, `${nodes} nodes are drawn until the journal is there`)
      assert.ok((await page.locator("main *").count()) < 3_000, "the page is small")
      const drawn = async (what: string): Promise<number> => page.locator(what).count()
      assert.ok((await drawn('[role="row"]')) < 80, "few rows are drawn")
      // The graph comes after the page, and leaves out what is not in view as soon as it knows its own size.
      await page.waitForFunction(() => {
        const steps = document.querySelectorAll(".react-flow__node").length
        return steps > 0 && steps < 120
      })
      for (let i = 0; i < 30; i++) await page.keyboard.press("j")
      await page.locator(`.nd.sel:has-text("${stepNo(29)}")`).waitFor()
      await page.getByRole("tab", { name: "Events" }).click()
      assert.ok((await drawn(".evs li")) < 80, "few events are drawn")
      await page.getByRole("slider", { name: "Moment" }).focus()
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft")
      await page.waitForURL(new RegExp(`at=${last - 5}`))
      await has(page.locator(".asof"), `event ${last - 5} of`)
      if (shots !== undefined) {
        await page.screenshot({ path: `${shots}/run-large-1440-light.png` })
      }
    }),
  ]
}
