// What is said of a run, driven by a browser: scores with reasons and their judge's run, feedback by keys, and a row of a dataset.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { REASON } from "./quality-scenes.ts"
import { qualityOf } from "./quality-world.ts"

export function scoresChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const quality = qualityOf(world)
  const said = async (run: string) =>
    (await world.api("GET", `/v1/runs/${run}/scores`)) as {
      readonly scores: readonly { readonly scorer: string; readonly judge?: string }[]
      readonly feedback: readonly { readonly thumb?: string; readonly comment?: string; readonly correction?: unknown }[]
    }
  let run = ""
  return [
    checkAt(
      stage,
      "quality: [V44] 6 shows a run's scores, Q asks for more, and a judge's score leads to its run",
      async () => {
        run = await quality.ended()
        return `/console/runs/${run}`
      },
      async ({ page }) => {
        await page.getByRole("tab", { name: "Scores" }).waitFor()
        await page.keyboard.press("6")
        await has(page.locator("#detail-body"), "No scorer has looked at this run.")
        await page.keyboard.press("q")
        const dialog = page.getByRole("dialog", { name: "Score this run" })
        await dialog.getByLabel(/^helpful, a judge/).check()
        await dialog.getByLabel(/^tools-worked, built in/).check()
        await dialog.getByRole("button", { name: "Score with 2" }).click()
        await has(page.getByRole("status"), /Asked: helpful/)
        const row = page.locator("[data-scorer=helpful]")
        await has(row, "0.50")
        await has(row, REASON)
        await has(page.locator("[data-scorer=tools-worked]"), "1.00")
        await row.getByRole("link", { name: "Open the judge’s run" }).click()
        await has(page.getByRole("heading", { level: 1 }), "@judge/helpful")
        const [judged] = (await said(run)).scores.filter(({ scorer }) => scorer === "helpful")
        assert.ok(page.url().endsWith(judged?.judge ?? "-"), page.url())
      },
    ),
    checkAt(
      stage,
      "quality: [V44] a thumb goes by key and is taken back by the same, and words go with a button",
      async () => {
        run = await quality.ended()
        return `/console/runs/${run}?tab=scores`
      },
      async ({ page }) => {
        const bad = page.getByRole("button", { name: /^Bad/ })
        await bad.waitFor()
        await page.keyboard.press("-")
        await page.waitForFunction(() => document.querySelector('.scores_down[aria-pressed="true"]') !== null)
        await page.keyboard.press("-")
        await page.waitForFunction(() => document.querySelector('.scores_down[aria-pressed="true"]') === null)
        await page.keyboard.press("+")
        await page.getByRole("button", { name: /^Good 1/, pressed: true }).waitFor()
        await page.getByLabel("Comment").click()
        await page.keyboard.type("There is no such export. - +")
        await page.getByLabel("What it should have said").click()
        await page.keyboard.type("Settings, Data, Export.")
        await page.getByRole("button", { name: "Send feedback" }).click()
        await has(page.getByRole("list", { name: "What people say" }), "There is no such export.")
        const { feedback } = await said(run)
        assert.deepEqual(
          feedback.map(({ thumb, comment }) => thumb ?? comment),
          ["There is no such export. - +", "up", "none", "down"],
        )
        assert.equal(feedback[0]?.correction, "Settings, Data, Export.")
        await page.getByRole("button", { name: "Use as a row" }).click()
        const dialog = page.getByRole("dialog", { name: "Add this run to a dataset" })
        await choose(dialog.getByLabel("Dataset"), "A new dataset").catch(() => undefined)
        await dialog.getByLabel("Name").click()
        await page.keyboard.type("from-scores")
        await dialog.getByRole("button", { name: "Add" }).click()
        await has(page.getByRole("status"), "1 row added to from-scores.")
        const rows = (await world.api("GET", "/v1/datasets/from-scores/rows")) as {
          readonly data: readonly { readonly runs: readonly string[]; readonly expect?: object }[]
        }
        assert.deepEqual(rows.data[0]?.runs, [run])
        assert.match(JSON.stringify(rows.data[0]?.expect), /Settings, Data, Export/)
      },
    ),
    {
      name: "quality: axe finds nothing in the scores of a run, in either theme and on both screens",
      async run() {
        const id = await quality.ended()
        await quality.scored(id, "helpful")
        await quality.scored(id, "tools-worked")
        await world.api("POST", `/v1/runs/${id}/feedback`, { thumb: "down", comment: "It was the other order.", correction: "Order 7." })
        await looked(stage, "run-scores", `/console/runs/${id}?tab=scores&pane=detail`, ({ page }) =>
          has(page.locator("[data-scorer=helpful]"), "0.50"),
        )
      },
    },
  ]
}
