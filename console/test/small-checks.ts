// What a small screen must not lose: the sections of settings, the switches of tools, and what a run waits for.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { axe } from "./axe.ts"
import { checkAt, has } from "./visit.ts"
import type { World } from "./world.ts"

const WIDTH = 390

export function smallChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots, look: { width: WIDTH } }
  let run = ""
  return [
    checkAt(
      at,
      "small: a section of settings is chosen by keyboard from the list with its groups",
      "/console/settings/hooks",
      async ({ page }) => {
        const pick = page.getByRole("combobox", { name: "Section" })
        await has(pick, "Hooks")
        await page.waitForFunction(() => document.querySelector('[aria-label="Section"]:not(:disabled)') !== null)
        await pick.focus()
        await page.keyboard.press("Enter")
        await page.getByRole("group", { name: "Cost" }).getByRole("option", { name: "Usage" }).waitFor()
        await page.keyboard.type("us", { delay: 40 })
        await page.waitForFunction(() => document.activeElement?.textContent === "Usage")
        await page.keyboard.press("Enter")
        await page.waitForURL(/\/settings\/usage$/)
        await page.getByRole("heading", { name: "Usage", exact: true }).waitFor()
      },
    ),
    checkAt(
      at,
      "small: limits of models stand below each other, and nothing scrolls sideways",
      async () => {
        const pace = { rpm: 90_000, itpm: 9_000_000, otpm: 9_000_000 }
        await world.api("PUT", "/v1/settings/pacing", { models: { "scenes/*": pace, "scenes/a-model-with-a-long-name-2026-11-30": pace } })
        return "/console/settings/providers"
      },
      async ({ page }) => {
        try {
          const table = page.getByRole("region", { name: "Limits of models" })
          await has(table, "9,000,000 input tokens")
          const [wide, whole] = await table.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
          assert.ok(wide <= whole, `${wide} in ${whole}`)
          assert.deepEqual(await axe(page), [])
        } finally {
          await world.api("PUT", "/v1/settings/pacing", {})
        }
      },
    ),
    checkAt(at, "small: the switch of every tool is on the screen", "/console/tools", async ({ page }) => {
      const switches = page.getByRole("switch")
      await switches.first().waitFor()
      const ends = await switches.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right))
      assert.ok(ends.length > 10 && Math.max(...ends) <= WIDTH, `${ends.length} switches, to ${Math.max(...ends)}`)
    }),
    checkAt(
      at,
      "small: a run that waits for a signal says so above its tabs, and leads to where it is sent",
      async () => {
        const started = (await world.api("POST", "/v1/flows/inbox-signal/runs", { task: "Open the door" })) as { readonly id: string }
        run = started.id
        return `/console/runs/${run}`
      },
      async ({ page }) => {
        try {
          await has(page.locator("#main .note"), "open waits for the signal door")
          // No step works, and no person is asked.
          await page.getByRole("listitem").filter({ hasText: "open" }).getByRole("img", { name: "Waiting" }).waitFor()
          assert.equal(await page.locator("#main .spin").count(), 0)
          assert.deepEqual(await axe(page), [])
          await page.getByRole("button", { name: "Send it" }).click()
          await page.getByRole("button", { name: "Send signal" }).click()
          await has(page.locator("#main .st").first(), "Succeeded")
        } finally {
          await world.api("POST", `/v1/runs/${run}/cancel`).catch(() => undefined)
        }
      },
    ),
  ]
}
