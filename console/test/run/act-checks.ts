// What can be done with a run in the console: start it from a form, pause and cancel it, fork it, change what was recorded, compare.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { retype } from "../retype.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

export function actChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const start = async (task: string, flow: string, more: object = {}): Promise<string> =>
    ((await world.api("POST", `/v1/flows/${flow}/runs`, { task, ...more })) as { readonly id: string }).id
  const statusOf = async (id: string): Promise<string> => ((await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }).status
  const settled = async (id: string, wanted: string): Promise<string> => {
    while ((await statusOf(id)) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50))
    return id
  }
  const failed = async (): Promise<string> => settled(await start("scene:fails", "pair", { inputs: { who: "Ann" } }), "failed")
  return [
    checkAt(at, "act: a run is started from a form of the flow's inputs, and its graph turns green", "/console/runs", async ({ page }) => {
      await page.locator("h1").waitFor()
      await page.keyboard.press("n")
      await page.getByRole("dialog", { name: "New run" }).waitFor()
      await page.getByRole("combobox", { name: "Flow", exact: true }).click()
      await page.keyboard.press("Control+a")
      await page.keyboard.type("pair")
      await page.getByRole("option", { name: /^pair/ }).first().click()
      await has(page.getByRole("dialog"), "Looks, then writes.")
      await page.getByRole("button", { name: "Start the run" }).click()
      await has(page.getByRole("dialog"), "The flow needs who.")
      await has(page.getByRole("dialog"), "The flow needs a task.")
      await page.getByLabel("Task").fill("scene:form-live")
      await page.getByLabel(/^who/).fill("Ann")
      await page.getByLabel(/^often/).fill("three")
      await page.getByRole("button", { name: "Start the run" }).click()
      await has(page.getByRole("dialog"), "This is not a number.")
      assert.deepEqual(await axe(page), [])
      await page.getByLabel(/^often/).fill("3")
      await page.getByRole("button", { name: "Start the run" }).click()
      await page.waitForURL(/\/console\/runs\/run_/)
      await world.model.arrived("form-live")
      await page.locator(".graph_nd.complete", { hasText: "look" }).waitFor()
      await page.locator(".graph_nd.running", { hasText: "write" }).waitFor()
      world.model.open("form-live")
      await page.locator(".graph_nd.complete", { hasText: "write" }).waitFor()
      const run = (await world.api("GET", `/v1/runs/${page.url().split("/").at(-1)?.split("?")[0]}`)) as { readonly inputs: object }
      assert.deepEqual(run.inputs, { who: "Ann", often: 3 })
    }),
    checkAt(at, "act: a run is paused, resumed, told something and canceled after it is asked once", "/console/runs", async ({ page }) => {
      const id = await start("scene:act-slow", "assist")
      await world.model.arrived("act-slow")
      await page.goto(`${world.url}/console/runs/${id}`)
      await has(page.locator(".run-head_rTitle"), "Running")
      await page.keyboard.press("s")
      await page.keyboard.type("Hurry up.")
      await page.keyboard.press("Enter")
      await has(page.locator(".detail_dBody"), "Hurry up.")
      await page.locator("h1").click()
      await page.keyboard.press("p")
      await page.getByRole("button", { name: /^Resume/ }).click()
      await page.getByRole("button", { name: /^Pause/ }).waitFor()
      await page.keyboard.press("c")
      await has(page.getByRole("dialog"), id)
      await page.getByRole("button", { name: "Cancel the run" }).click()
      await has(page.locator(".run-head_rTitle"), "Canceled")
      assert.equal(await statusOf(id), "canceled")
    }),
    checkAt(
      at,
      "act: a fork from the failed step keeps what came before, and says so first",
      async () => `/console/runs/${await failed()}`,
      async ({ page }) => {
        await has(page.locator(".run-head_whyfail"), "write, step 2 of 2")
        const source = page.url()
        await page.keyboard.press("f")
        const dialog = page.getByRole("dialog", { name: "Fork from write" })
        await has(dialog, "Kept, costs nothing")
        await has(dialog.locator("dd"), "look")
        assert.deepEqual(await axe(page), [])
        const asked = world.model.asked.get("hello")
        await dialog.getByRole("button", { name: /^Fork: 1 step kept/ }).click()
        await page.waitForURL((url) => url.href !== source && /runs\/run_/.test(url.href))
        await has(page.locator(".run-head_rTitle"), "Failed")
        await has(page.locator(".run-head_rMeta"), "fork of run_")
        assert.equal(world.model.asked.get("hello"), asked)
      },
    ),
    checkAt(
      at,
      "act: what was recorded is changed in an editor, and the run goes on from there",
      async () => `/console/runs/${await failed()}`,
      async ({ page }) => {
        const source = page.url()
        await page.locator(".run-head_whyfail").waitFor()
        await page.keyboard.press("e")
        const dialog = page.getByRole("dialog", { name: /^Edit and run from write/ })
        const editor = dialog.getByRole("textbox")
        await has(dialog, "Nothing is changed yet.")
        const recorded = await editor.innerText()
        await retype(editor, `${recorded}x`)
        await has(dialog, "This is not JSON")
        await retype(editor, recorded.replace('"error"', '"complete"').replace(/"summary": "[^"]*"/, '"summary": "Written by hand."'))
        // The step whose end is given does not run again.
        await has(dialog.locator("dt", { hasText: "Runs again" }).locator("+ dd"), "nothing")
        await has(dialog.getByRole("region", { name: "Difference" }).or(dialog.locator("[aria-label=Difference]")), "Written by hand.")
        assert.deepEqual(await axe(page), [])
        if (shots !== undefined) await page.screenshot({ path: `${shots}/run-edit-1440-light.png` })
        await dialog.getByRole("button", { name: /^Fork: 1 step kept/ }).click()
        await page.waitForURL((url) => url.href.split("?")[0] !== source.split("?")[0] && /runs\/run_/.test(url.href))
        await has(page.locator(".run-head_rTitle"), "Succeeded")
        await page.keyboard.press("m")
        await page.getByRole("menuitem", { name: /^Compare/ }).click()
        // The other run is chosen from a list that is looked through by typing: its source is there, and says so.
        const others = page.getByRole("dialog", { name: "Compare with another run" })
        await others.getByRole("combobox").click()
        await has(page.getByRole("option"), "source of this run")
        assert.deepEqual(await axe(page), [])
        await page.keyboard.press("Escape")
        await others.getByRole("button", { name: "Compare" }).click()
        await has(page.locator("main"), "diverge at write")
        await has(page.getByRole("region", { name: "Difference", exact: true }), "Written by hand.")
        await page.keyboard.press("n")
        await page.waitForFunction(() => document.activeElement?.matches("[data-differs]"))
        const here = page.url()
        await page.keyboard.press("w")
        await page.waitForFunction((before) => location.href !== before, here)
        await has(page.locator("main"), "diverge at write")
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(at, "act: run again begins anew, and a run is saved as a test", "/console/runs", async ({ page }) => {
      const id = await settled(await start("scene:hello", "other"), "succeeded")
      await page.goto(`${world.url}/console/runs/${id}`)
      await has(page.locator(".run-head_rTitle"), "Succeeded")
      await page.keyboard.press("m")
      assert.deepEqual(await axe(page), [])
      await page.keyboard.press("t")
      const dialog = page.getByRole("dialog", { name: "Save as test" })
      await dialog.getByRole("textbox").fill("says-hello")
      await dialog.getByRole("button", { name: "Save the test" }).click()
      await dialog.waitFor({ state: "detached" })
      assert.match(JSON.stringify(await world.api("GET", "/v1/catalog/export")), /says-hello/)
      await page.keyboard.press("r")
      await page.getByRole("button", { name: "Run again", exact: true }).click()
      await page.waitForURL((url) => !url.href.includes(id) && /runs\/run_/.test(url.href))
      await has(page.locator(".run-head_rTitle"), "Succeeded")
    }),
    {
      name: "act: axe finds nothing in the form and the comparison, in either theme, on a wide and on a small screen",
      async run() {
        const [a, b] = [await failed(), await settled(await start("scene:hello", "pair", { inputs: { who: "Bo" } }), "succeeded")]
        await looked(at, "new-run", "/console/runs?new=1&flow=pair", async ({ page }) => {
          await has(page.getByRole("dialog"), "Whom it is for")
        })
        await looked(at, "compare", `/console/runs/${a}/compare/${b}`, async ({ page }) => {
          await page.locator(".compare_parting").first().waitFor()
        })
        await looked(at, "run-pair", `/console/runs/${b}?step=write`, async ({ page }) => {
          await page.locator(".run-head_rTitle").waitFor()
          await page.waitForTimeout(400)
        })
      },
    },
  ]
}
