// Keys of the lists, and Ctrl K.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import { until, type Check } from "../../test/browser/checks.ts"
import { axe } from "./axe.ts"
import { checkAt, has, looked } from "./visit.ts"
import type { World } from "./world.ts"

export function keysChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const asking = async (): Promise<string> => {
    const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:inbox-words", tags: ["keyed"] })) as {
      readonly id: string
    }
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (status === "waiting") return id
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return [
    checkAt(at, "keys: X selects, C asks once and names the runs, and cancels them", "/console/chat", async ({ page }) => {
      const [one, other] = [await asking(), await asking()]
      await page.goto(`${world.url}/console/runs?q=tag%3Akeyed+status%3Awaiting`)
      await page.locator(`tr:has(a[href$="${one}"])`).waitFor()
      await page.keyboard.press("j")
      await page.locator("tr.sel").waitFor()
      await page.keyboard.press("x")
      const bar = page.getByRole("toolbar", { name: "Selected runs" })
      await has(bar, "1 selected")
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      await has(bar, "2 selected")
      assert.equal(await page.locator("tr.runs_picked").count(), 2)
      assert.deepEqual(await axe(page), [])
      if (shots !== undefined) await page.screenshot({ path: `${shots}/runs-picked-1440-light.png` })
      await page.keyboard.press("c")
      const dialog = page.getByRole("dialog", { name: "Cancel 2 runs?" })
      await has(dialog, one)
      await has(dialog, other)
      assert.deepEqual(await axe(page), [])
      await dialog.getByRole("button", { name: "Cancel 2 runs" }).click()
      await page.waitForURL(/\/runs\/bulk\/bulk_/)
      await has(page.locator(".page-head"), "Done")
      for (const id of [one, other]) {
        const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
        assert.equal(status, "canceled")
      }
    }),
    checkAt(
      at,
      "keys: Escape clears what is selected, and C on a run that is over has nothing to do",
      "/console/chat",
      async ({ page }) => {
        await world.api("POST", "/v1/flows/assist/runs", { task: "scene:hello" })
        await page.goto(`${world.url}/console/runs?status=succeeded`)
        await page.locator("tbody tr a").first().waitFor()
        await page.keyboard.press("j")
        await page.locator("tr.sel").waitFor()
        await page.keyboard.press("x")
        const bar = page.getByRole("toolbar", { name: "Selected runs" })
        await has(bar, "1 selected")
        await page.keyboard.press("c")
        await has(page.getByRole("dialog"), "they have ended")
        await page.getByRole("button", { name: "Nothing to do" }).waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.locator("tr.sel a").focus()
        await page.keyboard.press("Escape")
        await bar.waitFor({ state: "detached" })
      },
    ),
    checkAt(at, "keys: Ctrl K finds a run, a flow, a place or a deed, from anywhere", "/console/inbox", async ({ page }) => {
      const { id } = (await world.api("POST", "/v1/flows/pair/runs", {
        task: "scene:hello An unmistakable sentence.",
        inputs: { who: "Ann" },
      })) as { readonly id: string }
      // [H5] The list has a run a moment after its start, and the dialog reads it once.
      await until(async () => {
        const { data } = (await world.api("GET", "/v1/runs?limit=20")) as { readonly data: readonly { readonly id: string }[] }
        return data.some((run) => run.id === id)
      })
      await page.keyboard.press("Control+k")
      const field = page.getByRole("combobox", { name: /^Find a run/ })
      await field.waitFor()
      await field.fill("unmistakable")
      await has(page.getByRole("option"), "pair: scene:hello An unmistakable sentence.")
      assert.deepEqual(await axe(page), [])
      await page.keyboard.press("Enter")
      await page.waitForURL(new RegExp(`runs/${id}`))
      await page.keyboard.press("Control+k")
      await field.fill("run pair")
      await has(page.getByRole("option").first(), "Run pair")
      await page.keyboard.press("Enter")
      await page.getByRole("dialog", { name: "New run" }).waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await page.getByRole("button", { name: /^Find or do/ }).click()
      await field.fill("chat")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("ArrowUp")
      assert.equal(await page.getByRole("option").first().getAttribute("aria-selected"), "true")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/console\/chat/)
      await page.keyboard.press("Control+k")
      await field.fill("nothing is called so at all")
      await has(page.getByRole("dialog"), "No matches among places")
      // Of a run that is not in the list.
      await field.fill(id.slice(0, -1) + (id.endsWith("q") ? "r" : "q"))
      await has(page.getByRole("option"), "Open run_")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }),
    {
      name: "keys: axe finds nothing in find or do and in the key sheet",
      async run() {
        await looked(at, "find", "/console/runs", async ({ page }) => {
          await page.locator("tbody tr a").first().waitFor()
          await page.keyboard.press("Control+k")
          await page.getByRole("option").nth(6).waitFor()
        })
        await looked(at, "keys", "/console/runs", async ({ page }) => {
          await page.locator("tbody tr a").first().waitFor()
          await page.keyboard.press("?")
          await page.getByRole("dialog", { name: "Keys" }).waitFor()
        })
      },
    },
  ]
}
