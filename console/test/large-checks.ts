// A run of 200 steps and 5,000 events: the page draws what is in view and nothing else, and takes the journal in pieces.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { ID, serveLargeRun, stepNo } from "./large/large-run.ts"
import { checkAt, has } from "./visit.ts"
import type { World } from "./world.ts"

/** The page is drawn a few times while 5,000 events come, and not once for each. */
const MAX_NODES = 12_000
/** Steps of the graph that are ever drawn until it stands: those in view. All 200 at once are one long task. */
const MAX_STEPS = 100

export function largeChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    checkAt({ browser, world, shots }, "large: 200 steps and 5,000 events", "/console/chat", async ({ page }) => {
      const { promise: journal, resolve: sendJournal } = Promise.withResolvers<void>()
      const last = await serveLargeRun(page, journal)
      await page.addInitScript(() => {
        const drawn = { nodes: 0, steps: 0 }
        Object.assign(globalThis, { drawn })
        // What is put into what has just been put in is told twice: once by itself, and once within the other.
        const known = new WeakSet<Element>()
        const count = (step: Element): void => {
          if (!known.has(step)) drawn.steps += 1
          known.add(step)
        }
        new MutationObserver((records) => {
          for (const { addedNodes } of records) {
            drawn.nodes += addedNodes.length
            for (const node of addedNodes) {
              if (!(node instanceof Element)) continue
              if (node.matches(".graph_nd")) count(node)
              node.querySelectorAll(".graph_nd").forEach(count)
            }
          }
        }).observe(document, { childList: true, subtree: true })
      })
      await page.goto(`${world.url}/console/runs/${ID}`)
      // What the run is stands before the first event is here.
      await has(page.locator(".run-head_rEarly"), "Succeeded")
      await has(page.locator(".run-head_rMeta"), "A large one.")
      assert.equal(await page.locator('[role="row"]').count(), 0, "no event is here yet")
      sendJournal()
      await has(page.locator(".markdown_mdB"), "All is done.")
      await has(page.locator(".timeline_scrub"), `of ${last}`)
      const seen = () => page.evaluate(() => (globalThis as unknown as { drawn: { readonly nodes: number; readonly steps: number } }).drawn)
      const { nodes } = await seen()
      assert.ok(nodes < MAX_NODES, `${nodes} nodes are drawn until the journal is there`)
      assert.ok((await page.locator("main *").count()) < 3_000, "the page is small")
      const drawn = async (what: string): Promise<number> => page.locator(what).count()
      assert.ok((await drawn('[role="row"]')) < 80, "few rows are drawn")
      // The graph comes after the page, with the steps in view and no others, not even to measure them.
      await page.locator(".graph_nd").first().waitFor()
      const { steps } = await seen()
      assert.ok(steps < MAX_STEPS, `${steps} steps of the graph are drawn until it stands`)
      for (let i = 0; i < 30; i++) await page.keyboard.press("j")
      await page.locator(`.graph_nd.sel:has-text("${stepNo(29)}")`).waitFor()
      await page.getByRole("tab", { name: "Events" }).click()
      assert.ok((await drawn(".detail_evs li")) < 80, "few events are drawn")
      await page.getByRole("slider", { name: "Moment" }).focus()
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft")
      await page.waitForURL(new RegExp(`at=${last - 5}`))
      await has(page.locator(".run-head_asof"), `event ${last - 5} of`)
      if (shots !== undefined) {
        await page.screenshot({ path: `${shots}/run-large-1440-light.png` })
      }
    }),
  ]
}
