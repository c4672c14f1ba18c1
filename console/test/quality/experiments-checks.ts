// Experiments, driven by a browser: asked for in a form, followed while they run, and read: the verdict, whiskers with their table, and rows that got
// worse, each opening the comparison of its trials.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { qualityOf } from "./quality-world.ts"

const ROWS = 12

export function experimentsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const quality = qualityOf(world)
  let done = ""
  const ended = async (id: string): Promise<string> => {
    for (;;) {
      const { status } = (await world.api("GET", `/v1/experiments/${id}`)) as { readonly status: string }
      if (status !== "running") return status
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const worse = async (): Promise<string> => {
    if (done !== "") return done
    for (let at = 0; at < ROWS; at += 1) await quality.ended(`scene:hello, the ${at}th time`)
    const { id } = (await world.api("POST", "/v1/experiments", {
      flow: "assist",
      dataset: { last: ROWS },
      scorers: ["tools-worked", "succeeded"],
      variants: [{ name: "now" }, { name: "other", models: { helper: "scenes/worse-tools" } }],
    })) as { readonly id: string }
    assert.equal(await ended(id), "done")
    done = id
    return id
  }
  return [
    checkAt(
      stage,
      "quality: [V38] an experiment says in one sentence what it found, draws it, has a table, and a row opens the comparison",
      async () => `/console/quality/experiments/${await worse()}`,
      async ({ page }) => {
        await has(page.getByRole("region", { name: "Is it better?" }), /other is worse: tools-worked −100 points/)
        const line = page.locator('[data-line="tools-worked"]')
        assert.equal(await line.getAttribute("data-ruling"), "worse")
        await has(line, `0 and ${ROWS}`)
        await page.getByRole("img", { name: /^tools-worked: −100, −100 to −\d+, worse$/ }).waitFor()
        await page.keyboard.press("t")
        await has(page.getByRole("group", { name: "Differences as a table" }).locator("tbody tr"), /other, tools-worked, points\s*−100/)
        await page.keyboard.press("t")
        const rows = page.getByRole("region", { name: "Rows that got worse with other" }).locator("tbody tr")
        await has(rows, /tools-worked.*1\.00.*0\.00/s)
        assert.equal(await rows.count(), ROWS)
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await page.waitForURL(/\/runs\/[^/]+\/compare\/[^/]+$/)
      },
    ),
    checkAt(
      stage,
      "quality: [V32] a new experiment is asked for in a form, says before what it takes, and shows no score until it ends",
      async () => {
        await worse()
        return "/console/quality/experiments"
      },
      async ({ page }) => {
        await page.getByRole("heading", { name: "Experiments" }).waitFor()
        await page.keyboard.press("n")
        const dialog = page.getByRole("dialog", { name: "New experiment" })
        await dialog.getByLabel("Flow").click()
        await page.keyboard.type("assist")
        await page.keyboard.press("Tab")
        await dialog.getByLabel("How many runs").click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("4")
        await choose(dialog.getByLabel("Compare what is live with"), "Another model of an agent")
        await dialog.getByRole("button", { name: "Begin" }).click()
        await has(dialog, "Name the agent that gets the model.")
        await dialog.getByLabel("Agent").click()
        await page.keyboard.type("helper")
        await dialog.getByLabel("Model", { exact: true }).click()
        await page.keyboard.type("scenes/n")
        await dialog.getByRole("button", { name: "What would it take?" }).click()
        await has(dialog.getByRole("status"), /4 rows. Of 4 that were looked at/)
        await dialog.getByRole("button", { name: "Begin" }).click()
        await page.waitForURL(/\/quality\/experiments\/exp_/)
        await has(page.locator("main"), "Done")
        await has(page.locator("main"), "Under 30 rows")
        await has(page.getByRole("region", { name: "Is it better?" }), "It is not decided")
        await page.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("button", { name: "Delete the experiment" }).click()
        await page.waitForURL(/\/quality\/experiments$/)
      },
    ),
    checkAt(
      stage,
      "quality: [V44] a flow's page has its experiments, and the playground leads to one",
      async () => {
        await worse()
        await quality.scored(await quality.ended(), "tools-worked")
        return "/console/flows/assist/overview"
      },
      async ({ page }) => {
        await has(page.getByRole("region", { name: "Experiments" }), "other is worse")
        await has(page.getByRole("region", { name: "Runs by revision" }), /Mean scores.*tools-worked/s)
        await page.goto(`${world.url}/console/agents/helper?tab=playground&flow=assist&step=help`)
        await page.getByRole("link", { name: "Try on a dataset" }).click()
        const dialog = page.getByRole("dialog", { name: "New experiment" })
        assert.equal(await dialog.getByLabel("Flow").inputValue(), "assist")
      },
    ),
    {
      name: "quality: axe finds nothing in the experiments and in one of them, in either theme and on both screens",
      async run() {
        const id = await worse()
        await looked(stage, "experiments", "/console/quality/experiments", ({ page }) =>
          page.getByRole("region", { name: "Experiments" }).waitFor(),
        )
        await looked(stage, "experiment", `/console/quality/experiments/${id}`, ({ page }) =>
          page.locator('[data-line="tools-worked"]').waitFor(),
        )
      },
    },
  ]
}
