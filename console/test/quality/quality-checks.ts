// The quality pages, driven by a browser: scorers, datasets, the queue of grades by keys alone, and the setting that says which runs are scored.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { qualityOf } from "./quality-world.ts"

const TEN = 10

export function qualityChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const quality = qualityOf(world)
  const waiting = async (): Promise<readonly { readonly run: string }[]> =>
    ((await world.api("GET", "/v1/grading?limit=100")) as { readonly data: readonly { readonly run: string }[] }).data
  const queued = async (many: number): Promise<readonly string[]> => {
    const runs: string[] = []
    for (let at = 0; at < many; at += 1) runs.push(await quality.ended())
    await world.api("POST", "/v1/grading", { scorer: "helpful", runs })
    return runs
  }
  return [
    checkAt(
      stage,
      "quality: [V44] G Q leads to the experiments, beside the scorers; a new scorer is a judge with a rubric, its file is saved as another version",
      async () => {
        await quality.ready()
        return "/console/runs"
      },
      async ({ page }) => {
        await page.getByRole("heading", { name: "Runs" }).first().waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("q")
        await page.waitForURL(/\/console\/quality\/experiments$/)
        await page.getByRole("link", { name: "Scorers" }).click()
        await page.waitForURL(/\/console\/quality\/scorers$/)
        const table = page.getByRole("region", { name: "Scorers" })
        await has(table.locator("tbody tr"), /helpful.*judge.*0\.5: right but incomplete/s)
        await has(table.locator("tbody tr"), /tools-worked.*built in/s)
        await page.keyboard.press("n")
        const dialog = page.getByRole("dialog", { name: "New scorer" })
        await dialog.getByLabel("Name").click()
        await page.keyboard.type("calm")
        await dialog.getByRole("button", { name: "Create scorer" }).click()
        await has(dialog, "Say what a high score means.")
        await dialog.getByLabel("What a high score means").click()
        await page.keyboard.type("The reply stays calm: always.")
        await dialog.getByLabel("Rubric").click()
        await page.keyboard.type("Judge its tone.")
        await dialog.getByRole("button", { name: "Create scorer" }).click()
        await page.waitForURL(/\/quality\/scorers\/calm$/)
        await has(page.locator("main"), "The reply stays calm: always.")
        const before = await page.getByText(/^version [0-9a-f]{12}$/).textContent()
        await page.locator("[data-editor]").click()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("files: [reply.md]")
        await page.keyboard.press("Control+s")
        await page.waitForFunction((old) => !document.body.textContent.includes(String(old)), before)
        await page.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("button", { name: "Delete the scorer" }).click()
        await page.waitForURL(/\/quality\/scorers$/)
        await table.getByRole("link", { name: "calm", exact: true }).waitFor({ state: "detached" })
      },
    ),
    checkAt(
      stage,
      "quality: [V22] a judge's page says how far it can be trusted, and P probes it",
      async () => {
        const run = await quality.ended()
        await quality.scored(run, "helpful")
        await world.api("POST", `/v1/runs/${run}/feedback`, { scorer: "helpful", score: 0.5 })
        return "/console/quality/scorers/helpful"
      },
      async ({ page }) => {
        const trust = page.getByRole("region", { name: "Can helpful be trusted?" })
        await has(trust, /Under 30 grades/)
        await has(trust, /\d+ grades?/)
        await has(trust, "It was never probed")
        await page.keyboard.press("p")
        const dialog = page.getByRole("dialog", { name: "Probe helpful" })
        await dialog.getByLabel("How many at most").click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("2")
        await dialog.getByRole("button", { name: "Probe", exact: true }).click()
        await has(trust, /Over [12] runs?: with answers taken out/)
        // The scripted judge gives the same to an empty run.
        await has(trust, "it gives almost as much")
      },
    ),
    checkAt(
      stage,
      "quality: [V28] a dataset is made for a flow, gets rows of its last runs and one by hand, and loses one",
      async () => {
        await quality.ended()
        return "/console/quality/datasets"
      },
      async ({ page }) => {
        await page.getByRole("heading", { name: "Datasets" }).waitFor()
        await page.keyboard.press("n")
        const dialog = page.getByRole("dialog", { name: "New dataset" })
        await dialog.getByLabel("Name").click()
        await page.keyboard.type("by-hand")
        await dialog.getByLabel("Flow").click()
        await page.keyboard.type("assist")
        await page.keyboard.press("Tab")
        await dialog.getByRole("button", { name: "Create dataset" }).click()
        await page.waitForURL(/\/quality\/datasets\/by-hand$/)
        await has(page.locator("main"), "No row yet")
        await page.keyboard.press("n")
        const add = page.getByRole("dialog", { name: "Add rows to by-hand" })
        await add.getByLabel("How many at most").click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("2")
        await add.getByRole("button", { name: "Add", exact: true }).click()
        await has(page.getByRole("status"), /row.? added to by-hand/)
        await page.keyboard.press("n")
        await choose(add.getByLabel("Rows", { exact: true }), "One, written here")
        await add.getByLabel("Task").click()
        await page.keyboard.type("Where is order 7?")
        await add.getByLabel("What the answer must meet").click()
        await page.keyboard.type("Names the day.")
        await add.getByRole("button", { name: "Add", exact: true }).click()
        const row = page.getByRole("region", { name: "Rows" }).locator("tbody tr", { hasText: "Where is order 7?" })
        await has(row, "Names the day.")
        await has(row, "by hand")
        await row.getByRole("button", { name: "Where is order 7?" }).first().click()
        await has(row.locator("pre"), '"criteria"')
        await row.getByRole("button", { name: /^Delete the row/ }).click()
        await row.waitFor({ state: "detached" })
      },
    ),
    checkAt(
      stage,
      "quality: [V44] ten runs are graded by keys alone, without the judge's score, and one can go back",
      async () => {
        const runs = await queued(TEN)
        await quality.scored(runs[0] ?? "", "helpful")
        return "/console/quality/grading"
      },
      async ({ page }) => {
        await has(page.getByRole("region", { name: "What happened" }), "Hello to you.")
        const before = (await waiting()).length
        assert.ok(before >= TEN, `${before} wait`)
        assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /leaves out that old invoices/)
        for (let at = 0; at < before; at += 1) {
          await page.getByText(`${at} of ${before} done`).waitFor()
          await has(page.getByRole("region", { name: "What happened" }), "Hello to you.")
          if (at === 1) {
            // Enter without a level grades nothing.
            await page.keyboard.press("Enter")
            await has(page.getByRole("alert"), "Choose a level first.")
          }
          if (at === 2) {
            await page.keyboard.press("s")
            continue
          }
          await page.keyboard.press(String((at % 3) + 1))
          assert.equal(
            await page
              .getByRole("radio")
              .nth(at % 3)
              .isChecked(),
            true,
          )
          await page.keyboard.press("Enter")
        }
        await has(page.locator("main"), "All of them are graded")
        assert.equal((await waiting()).length, 0)
        await page.getByRole("button", { name: "Back to the last" }).click()
        await page.keyboard.press("Backspace")
        await page.keyboard.press("1")
        await page.getByLabel("Note (optional)").click()
        await page.keyboard.type("s1 is made up")
        await page.keyboard.press("Control+Enter")
        await has(page.locator("main"), "All of them are graded")
      },
    ),
    checkAt(
      stage,
      "quality: [V13] a rule of the sample is made in its form, and a judge without a budget is refused at its place",
      async () => {
        await quality.ready()
        return "/console/settings/scoring"
      },
      async ({ page }) => {
        const before = await world.api("GET", "/v1/settings/scoring")
        try {
          await page.getByRole("button", { name: "Add a rule" }).click()
          await page.getByLabel("Flows of rule 1").click()
          await page.keyboard.type("pai*")
          await page.keyboard.press("Tab")
          const sample = page.getByLabel("Sample of rule 1")
          assert.equal(await sample.inputValue(), "5")
          await sample.click()
          await page.keyboard.press("Control+a")
          await page.keyboard.type("12.5")
          await page.getByRole("combobox", { name: "Scorers" }).click()
          await page.keyboard.type("helpful")
          await page.keyboard.press("Enter")
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: /^Save the scoring/ }).click()
          await has(page.locator("[data-form] [role=alert]"), /asks a judge/)
          await page.getByLabel("US dollars for judges in a day").click()
          await page.keyboard.type("5")
          await page.getByRole("button", { name: /^Save the scoring/ }).click()
          await has(page.locator("main [role=status]"), /Saved \d/)
          assert.deepEqual(await world.api("GET", "/v1/settings/scoring"), {
            flows: [{ match: "pai*", scorers: ["tools-worked", "helpful"], sample: 0.125 }],
            budget: { usd: 5 },
          })
        } finally {
          await world.api("PUT", "/v1/settings/scoring", before)
        }
      },
    ),
    {
      name: "quality: axe finds nothing in scorers, datasets, grading and the setting, in either theme and on both screens",
      async run() {
        await quality.ready()
        await world.api("PUT", "/v1/datasets/looked", { flow: "assist", description: "What went wrong once." })
        await world.api("POST", "/v1/datasets/looked/rows", { rows: [{ task: "Where is order 7?", criteria: "Names the day." }] })
        await queued(1)
        await looked(stage, "scorers", "/console/quality/scorers", ({ page }) => page.getByRole("region", { name: "Scorers" }).waitFor())
        await looked(stage, "scorer", "/console/quality/scorers/helpful", ({ page }) => page.locator("[data-editor]").waitFor())
        await looked(stage, "datasets", "/console/quality/datasets", ({ page }) => page.getByRole("link", { name: "looked" }).waitFor())
        await looked(stage, "dataset", "/console/quality/datasets/looked", ({ page }) => page.getByText("Where is order 7?").waitFor())
        await looked(stage, "grading", "/console/quality/grading", ({ page }) => page.getByText("Hello to you.").waitFor())
        await looked(stage, "scoring", "/console/settings/scoring", ({ page }) => page.locator("[data-editor]").waitFor())
      },
    },
  ]
}
