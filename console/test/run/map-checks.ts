// A map as squares and as a list, and live text that is followed.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { MAP_FLOW } from "./run-world.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

/** By number: what fails, and what asks. */
const FAILS: readonly number[] = [9, 22]
const ASKS: readonly number[] = [14, 28]

export function mapChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  let made: Promise<string> | undefined
  const run = (): Promise<string> => (made ??= mapRun(world))
  const square = (page: Page, no: number) =>
    page.getByRole("group", { name: "Items of sort" }).getByRole("button", { name: new RegExp(`^${no}, `) })
  return [
    checkAt(
      at,
      "map: a square for each item, with its state in its look and its name; arrows move, Enter opens the item's run",
      async () => `/console/runs/${await run()}?step=sort`,
      async ({ page }) => {
        await has(page.locator(".panel-head"), "28 of 30, 2 failed, 2 ask")
        for (const no of FAILS) assert.match((await square(page, no).getAttribute("aria-label")) ?? "", /^\d+, Ticket \d+, failed$/)
        for (const no of ASKS) assert.match((await square(page, no).getAttribute("aria-label")) ?? "", /, ask$/)
        const fill = (no: number) => square(page, no).evaluate((one) => getComputedStyle(one).backgroundColor)
        assert.notEqual(await fill(9), await fill(8))
        const stripes = await square(page, 14).evaluate((one) => getComputedStyle(one).backgroundImage)
        assert.match(stripes, /gradient/, "what asks has stripes")
        await square(page, 9).click()
        await page.keyboard.press("ArrowRight")
        await page.waitForURL(/call=i9(&|$)/)
        await page.keyboard.press("ArrowLeft")
        await page.waitForURL(/call=i8(&|$)/)
        const [above, below] = [await square(page, 9).boundingBox(), await square(page, 8).boundingBox()]
        assert.equal(above?.y, below?.y)
        await page.keyboard.press("ArrowDown")
        const chosen = page.locator(".map_sq.map_on")
        assert.equal((await chosen.boundingBox())?.x, above?.x, "down is the square below")
        await page.keyboard.press("ArrowUp")
        await has(page.locator(".map_chosen"), "the model said no")
        await page.keyboard.press("Enter")
        await has(page.locator(".run-head_rTitle"), "assist")
        await has(page.locator(".run-head_rMeta"), "child of")
      },
    ),
    checkAt(
      at,
      "map: the list has what failed first, and a filter leaves only that",
      async () => `/console/runs/${await run()}?step=sort`,
      async ({ page }) => {
        const rows = page.getByRole("list", { name: "Items, failed first" }).getByRole("listitem")
        await rows.nth(29).waitFor({ state: "attached" })
        const numbers = async () => (await rows.locator(".num:first-child").allTextContents()).map(Number)
        assert.deepEqual((await numbers()).slice(0, 6), [...FAILS, ...ASKS, 1, 2])
        await page.getByRole("button", { name: /^Failed 2/ }).click()
        assert.deepEqual(await numbers(), FAILS)
        // In the timeline too, a row is an item, by its place and its name.
        await page.getByRole("group", { name: "Show the map as" }).getByRole("button", { name: "Timeline" }).click()
        await has(page.getByRole("treegrid", { name: "Timeline" }).getByRole("row"), /^1, Ticket \d+/)
      },
    ),
    {
      name: "map: axe finds nothing, in either theme, on a wide and on a small screen",
      async run() {
        const id = await run()
        for (const pane of ["time", "detail"])
          await looked(at, `run-map-${pane}`, `/console/runs/${id}?step=sort&pane=${pane}&call=i8`, async ({ page }) => {
            await page.locator(pane === "time" ? ".map_sq.map_on" : ".map_listBox .map_on").waitFor()
          })
      },
    },
    checkAt(
      at,
      "map: live text is followed while the reader is at its end, and the newest is one click away",
      "/console/runs",
      async ({ page }) => {
        const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:run-long" })) as { readonly id: string }
        await world.model.arrived("run-long")
        await page.goto(`${world.url}/console/runs/${id}`)
        const body = page.locator(".detail_dBody")
        await has(body, "Line 90 of")
        const left = () => body.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop)
        const settles = (isAtEnd: boolean) =>
          page.waitForFunction((wanted) => {
            const one = document.querySelector(".detail_dBody")
            return one !== null && one.scrollHeight - one.clientHeight - one.scrollTop < 24 === wanted
          }, isAtEnd)
        await settles(true)
        await body.hover()
        await page.mouse.wheel(0, -600)
        await settles(false)
        const before = await left()
        world.model.open("run-long")
        await world.model.arrived("run-long-end")
        await has(body, "And more.")
        assert.ok((await left()) > before, "who reads above is left there")
        await page.getByRole("button", { name: "Newest" }).click()
        await settles(true)
        assert.equal(await page.getByRole("button", { name: "Newest" }).count(), 0)
        world.model.open("run-long-end")
        await has(page.locator(".run-head_rTitle"), "Succeeded")
      },
    ),
  ]
}

async function mapRun(world: World): Promise<string> {
  const answer = await fetch(`${world.url}/v1/flows/each`, {
    method: "PUT",
    body: MAP_FLOW,
    headers: { authorization: `Bearer ${world.key}`, "content-type": "text/yaml" },
  })
  if (!answer.ok) throw new Error(`each: ${answer.status} ${await answer.text()}`)
  const tickets = Array.from({ length: 30 }, (_, i) => ({
    title: `Ticket ${50_700 + i}`,
    task: FAILS.includes(i + 1) ? "scene:fails" : ASKS.includes(i + 1) ? "scene:approve" : "scene:hello",
  }))
  const { id } = (await world.api("POST", "/v1/flows/each/runs", { inputs: { tickets } })) as { readonly id: string }
  for (;;) {
    const { asks = [] } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly asks?: readonly object[] }
    if (asks.length === ASKS.length) return id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
