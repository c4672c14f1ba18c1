// Two runs above each other: one line where they part, equal rows folded, changed words marked, and the other run from a list.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { aroundRun } from "./around-run.ts"
import { checkAt, has } from "../visit.ts"
import type { World } from "../world.ts"

export function compareChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const pairOf = async (): Promise<string> => {
    const a = await aroundRun(world)
    const { id } = (await world.api("POST", `/v1/runs/${a}/fork`, {
      from: { step: "send" },
      instead: { finish: { status: "complete", summary: "Sent by hand.", outputs: {} } },
    })) as { readonly id: string }
    while (((await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }).status !== "succeeded")
      await new Promise((resolve) => setTimeout(resolve, 50))
    return `/console/runs/${a}/compare/${id}`
  }
  const table = (page: Page, letter: string) => page.getByRole("table", { name: `Timeline of ${letter}` })
  return [
    checkAt(
      at,
      "compare: one line through both timelines, equal steps in one row, and only the changed words marked",
      pairOf,
      async ({ page }) => {
        await has(page.locator("main"), /Identical up to event \d+; they diverge at send/)
        const lines = await page.locator(".compare_parting").all()
        assert.ok(lines.length >= 6)
        const places = new Set(await Promise.all(lines.map(async (line) => Math.round((await line.boundingBox())?.x ?? -1))))
        assert.equal(places.size, 1, "the line is one")
        for (const letter of ["A", "B"]) {
          assert.equal(await table(page, letter).locator("[data-differs]").count(), 1)
          await has(table(page, letter).getByRole("row"), "8 steps alike")
          await has(table(page, letter).getByRole("row", { name: /^send/ }).or(table(page, letter).locator("[data-differs]")), /send.* m?s/)
        }
        assert.deepEqual(await page.locator("mark").allTextContents(), ["Written.", "Sent by hand.", "Written.", "Sent by hand."])
        const before = await page.getByRole("row").count()
        await page.getByRole("button", { name: "8 steps alike" }).first().click()
        assert.equal(await page.getByRole("row").count(), before + 16, "both unfold")
      },
    ),
    checkAt(at, "compare: the other run is found by typing, without a mouse", pairOf, async ({ page }) => {
      await page.locator(".compare_parting").first().waitFor()
      const here = page.url()
      const other = (await world.api("GET", "/v1/runs?flow=around&limit=50")) as { readonly data: readonly { readonly id: string }[] }
      const wanted = other.data.find(({ id }) => !here.includes(id))?.id ?? (await aroundRun(world))
      await page.keyboard.press("o")
      const field = page.getByRole("combobox")
      await field.waitFor()
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "combobox")
      await field.press("Control+a")
      await page.keyboard.type(wanted.slice(0, 12))
      await page.getByRole("option").first().waitFor()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Compare", exact: true }).click()
      await page.waitForURL((url) => url.href.endsWith(`/compare/${wanted}`))
    }),
  ]
}
