// Where scores are seen besides their own pages, driven by a browser: the list of runs, the failures, the inbox, and a scorer's days.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import { until, type Check } from "../../../test/browser/checks.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { qualityOf } from "./quality-world.ts"

export function whereChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const quality = qualityOf(world)
  let run = ""
  const scored = async (): Promise<string> => {
    run = await quality.ended("scene:hello where scores are")
    await quality.scored(run, "helpful")
    await quality.scored(run, "tools-worked")
    return run
  }
  /** A rule calls low what people give. */
  const low = async (): Promise<void> => {
    const before = await world.api("GET", "/v1/settings/scoring")
    const id = await quality.ended("scene:hello with a low score")
    const isListed = async (): Promise<boolean> => {
      const { data } = (await world.api("GET", "/v1/runs?status=succeeded")) as { readonly data: readonly { readonly id: string }[] }
      return data.some((row) => row.id === id)
    }
    await until(isListed)
    await world.api("PUT", "/v1/settings/scoring", { flows: [{ match: "assist", scorers: ["polite"], sample: 0, low: 0.8 }] })
    await world.api("POST", `/v1/runs/${id}/feedback`, { thumb: "down", comment: "It was the other order." })
    await until(async () => {
      const { data } = (await world.api("GET", "/v1/failures?low=1")) as {
        readonly data: readonly { readonly last: { readonly run: string } }[]
      }
      return data.some(({ last }) => last.run === id)
    })
    await world.api("PUT", "/v1/settings/scoring", before)
  }
  return [
    checkAt(
      stage,
      "quality: [V44] the list of runs has scores, and a filter by scorer that the address keeps",
      async () => {
        await scored()
        return "/console/runs"
      },
      async ({ page }) => {
        const row = page.locator(`tr[data-run="${run}"]`)
        await has(row, "0.50")
        await has(row, "helpful")
        await page.getByRole("combobox", { name: "Filter runs" }).click()
        await page.keyboard.type("scorer:helpful at_most:0.6 ")
        await page.waitForURL(/scorer=helpful&at_most=0\.6/)
        await row.waitFor()
        await page.getByRole("combobox", { name: "Filter runs" }).click()
        await page.keyboard.type("at_least:0.55 ")
        await row.waitFor({ state: "detached" })
        await page.goto(`${world.url}/console/runs?scorer=tools-worked&at_least=1`)
        await has(page.locator(`tr[data-run="${run}"]`), "tools-worked")
        await page.getByRole("combobox", { name: "Filter runs" }).click()
        await page.keyboard.type("at_most:7 ")
        await has(page.getByRole("status"), "is not a number from 0 to 1")
      },
    ),
    checkAt(
      stage,
      "quality: [V44] a low score is among the failures, by its level and scorer, in a list of its own",
      async () => {
        await low()
        return "/console/runs/failures"
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Low scores" }).click()
        await page.waitForURL(/low=1/)
        const groups = page.getByRole("region", { name: "Groups" })
        await has(groups.locator("tbody tr"), /thumbs down.*score of feedback/s)
        assert.equal(await groups.locator("tbody tr", { hasText: "score of feedback" }).count(), 1)
      },
    ),
    checkAt(
      stage,
      "quality: [K17] two runs beside each other have their scores",
      async () => `/console/runs/${await scored()}/compare/${await quality.ended()}`,
      async ({ page }) => {
        const scores = page.getByRole("region", { name: "Scores" })
        await has(scores.locator("tbody tr"), /helpful.*0\.50.*none/s)
      },
    ),
    checkAt(
      stage,
      "quality: [V44] the inbox says how many wait for a grade, and leads there",
      async () => {
        await world.api("POST", "/v1/grading", { scorer: "helpful", runs: [await quality.ended()] })
        return "/console/inbox"
      },
      async ({ page }) => {
        await page
          .getByRole("navigation", { name: "Inbox" })
          .getByRole("link", { name: /Grading/ })
          .click()
        await page.waitForURL(/\/quality\/grading$/)
        await has(page.getByRole("region", { name: "What happened" }), "Hello to you.")
      },
    ),
    checkAt(
      stage,
      "quality: [V44] a scorer's page has its means by day, as a plot and as a table",
      async () => {
        await scored()
        return "/console/quality/scorers/helpful"
      },
      async ({ page }) => {
        const days = page.getByRole("region", { name: "Scores by day" })
        await has(days, "helpful by day")
        await has(days, /\d+ scores? in 14 days/)
        await days.getByRole("button", { name: "Table: helpful by day" }).click()
        await has(days.getByRole("table"), "0.50")
        await days.getByRole("button", { name: "Table: helpful by day" }).click()
      },
    ),
    {
      name: "quality: axe finds nothing in runs with scores, low scores and a scorer's days, in either theme and on both screens",
      async run() {
        const id = await scored()
        await low()
        await looked(stage, "runs-scores", "/console/runs?scorer=helpful", ({ page }) => page.locator(`tr[data-run="${id}"]`).waitFor())
        await looked(stage, "low-scores", "/console/runs/failures?low=1", ({ page }) =>
          page.getByText("score of feedback").first().waitFor(),
        )
        await looked(stage, "scorer-days", "/console/quality/scorers/helpful", ({ page }) =>
          page.getByText("helpful by day").first().waitFor(),
        )
      },
    },
  ]
}
