// The console's page of one run, driven by a browser with the tenant's key.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { ATTACKS } from "../scenes.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

export function runChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const start = async (task: string, flow = "assist", more: object = {}): Promise<string> =>
    ((await world.api("POST", `/v1/flows/${flow}/runs`, { task, ...more })) as { readonly id: string }).id
  const settled = async (id: string, ...wanted: readonly string[]): Promise<string> => {
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (wanted.includes(status)) return id
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const placeOf = async (task: string, ...wanted: readonly string[]): Promise<string> =>
    `/console/runs/${await settled(await start(task), ...wanted)}`
  const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true })
  return [
    checkAt(at, "run: a live run shows its steps, its calls and the guard's verdict as they come", "/console/runs", async ({ page }) => {
      const id = await start("scene:run-live")
      await world.model.arrived("run-live")
      await page.goto(`${world.url}/console/runs/${id}`)
      await page.locator(".graph_gIn .graph_nd.running").waitFor()
      await has(page.locator(".run-head_rTitle"), "Running")
      await has(page.locator(".detail_call"), "charges")
      await has(page.locator(".detail_call.detail_no"), "Refused by the agent's tools.")
      await has(page.locator(".detail_turn"), "I compare them.")
      world.model.open("run-live")
      await has(page.locator(".run-head_rTitle"), "Succeeded")
      await page.locator(".graph_gIn .graph_nd.complete").waitFor()
      await tab(page, "Result").click()
      await has(page.locator(".detail_dBody"), "Two charges")
      await tab(page, "Events").click()
      await has(page.locator(".detail_evs"), "step.finished")
      await tab(page, "Tools").click()
      await has(page.locator(".detail_dBody tr"), "charges")
      await tab(page, "Prompt").click()
      await page.getByRole("button", { name: "Agent", exact: true }).click()
      await has(page.locator(".detail_dBody"), "SECRET-PROMPT")
    }),
    checkAt(
      at,
      "run: an approval is given beside the exact call",
      () => placeOf("scene:approve", "waiting"),
      async ({ page }) => {
        await has(page.locator(".detail_dock"), "Approve this call?")
        await has(page.locator(".detail_dock pre"), "ch_3QF1kV2eZvKYlo2C")
        await page.waitForFunction(() => /^\(\d+\+?\) ◆ assist · Sluice$/.test(document.title))
        world.model.open("refunded")
        await page.getByRole("button", { name: "Approve", exact: true }).click()
        await has(page.locator(".run-head_rTitle"), "Succeeded")
        await page.keyboard.press("j")
        await page.getByRole("button", { name: "The run" }).click()
        await has(page.locator(".markdown_mdB"), "The refund is on its way.")
        await page.getByRole("button", { name: "Text", exact: true }).click()
        await has(page.locator(".markdown_md pre"), "The refund is on its way.")
      },
    ),
    checkAt(
      at,
      "run: a failed run says why, and one selection is in the address",
      () => placeOf("scene:fails", "failed"),
      async ({ page }) => {
        await has(page.locator(".run-head_whyfail"), "the model said no")
        await has(page.locator(".run-head_whyfail"), "help, step 1 of 1")
        await page.getByRole("row", { name: /help/ }).first().click()
        assert.match(page.url(), /\?step=help/)
        await page.keyboard.press("6")
        assert.match(page.url(), /tab=events/)
        await page.reload()
        assert.equal(await tab(page, "Events").getAttribute("aria-selected"), "true")
      },
    ),
    checkAt(
      at,
      "run: the moment after any event",
      () => placeOf("scene:tools-done", "succeeded"),
      async ({ page }) => {
        await has(page.locator(".run-head_rTitle"), "Succeeded")
        const last = Number(((await page.locator(".timeline_scrub .timeline_nm").textContent()) ?? "").match(/of (\d+)/)?.[1])
        await page.getByRole("slider", { name: "Moment" }).focus()
        await page.keyboard.press("ArrowLeft")
        await page.waitForURL(new RegExp(`at=${last - 1}`))
        await has(page.locator(".run-head_asof"), `As it was after event ${last - 1} of ${last}`)
        await page.getByRole("button", { name: "First event" }).click()
        await page.waitForURL(/at=1(&|$)/)
        await page.locator(".graph_gIn .graph_nd.pending").waitFor()
        // The axis is that of the whole run, so what came later can be reached.
        const slider = page.getByRole("slider", { name: "Moment" })
        assert.ok(Number(await slider.inputValue()) < Number(await slider.getAttribute("max")) / 2, "the thumb is near the beginning")
        await slider.evaluate((input: HTMLInputElement) => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, input.max)
          input.dispatchEvent(new Event("input", { bubbles: true }))
        })
        await page.waitForURL((url) => !url.searchParams.has("at"))
        await page.getByRole("button", { name: "First event" }).click()
        await page.waitForURL(/at=1(&|$)/)
        await page.locator("h1").click()
        await page.keyboard.press("ArrowRight")
        await page.waitForURL(/at=2(&|$)/)
        await page.keyboard.press("l")
        await page.locator(".graph_gIn .graph_nd.complete").waitFor()
        assert.doesNotMatch(page.url(), /at=/)
      },
    ),
    checkAt(at, "run: a line that breaks is said, and no event is missing when it is back", "/console/runs", async ({ page, context }) => {
      const id = await start("scene:run-line")
      await world.model.arrived("run-line")
      await page.route(`**/v1/runs/${id}/events*`, (route) => route.abort())
      await page.goto(`${world.url}/console/runs/${id}`)
      await has(page.locator(".run-head_rNote"), "Trying again")
      await page.unroute(`**/v1/runs/${id}/events*`)
      await has(page.locator(".detail_turn"), "The line may break.")
      await context.setOffline(true)
      world.model.open("run-line")
      await settled(id, "succeeded")
      await context.setOffline(false)
      await has(page.locator(".run-head_rTitle"), "Succeeded")
      const last = ((await world.api("GET", `/v1/runs/${id}`)) as { readonly seq: number }).seq
      await has(page.locator(".timeline_scrub"), `of ${last}`)
    }),
    checkAt(
      at,
      "run: no text of a run acts on the page",
      () => placeOf("scene:attack", "waiting"),
      async ({ page }) => {
        await has(page.locator(".detail_dock"), "The agent asks")
        for (const name of ["Prompt", "Tools", "Files", "Result", "Events", "Messages"]) {
          await tab(page, name).click()
          await page.waitForTimeout(150)
        }
        for (const call of await page.locator(".detail_call summary").all()) await call.click()
        await has(page.locator(".detail_call"), "onerror")
        assert.equal(await page.locator("main :is(script, iframe, img, style, object)").count(), 0)
        assert.ok(ATTACKS.length > 0)
      },
    ),
    {
      name: "run: axe finds nothing in any state, in either theme, on a wide and on a small screen",
      async run() {
        const states = [
          ["run-waiting", await placeOf("scene:approve-look", "waiting"), ".detail_dock"],
          ["run-failed", await placeOf("scene:fails", "failed"), ".run-head_whyfail"],
          ["run-done", await placeOf("scene:tools-done", "succeeded"), ".markdown_mdB"],
        ] as const
        for (const [name, place] of states)
          await looked(at, name, place, async ({ page }) => {
            await page.locator(".run-head_rTitle").waitFor()
            await page.waitForTimeout(400)
          })
        for (const pane of ["time", "detail"])
          await looked(at, `run-waiting-${pane}`, `${states[0][1]}?pane=${pane}`, async ({ page }) => {
            await page.locator(".run-head_rTitle").waitFor()
            await page.waitForTimeout(400)
          })
      },
    },
  ]
}
