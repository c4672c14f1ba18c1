// Settings with two faces, driven by a browser: policy, gate and roles as a form with its text beside it.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt, choose, has } from "../visit.ts"
import type { World } from "../world.ts"

const at = (section: string): string => `/console/settings/${section}`
const text = (page: Page, label: string) => page.getByRole("textbox", { name: label, exact: true })
const tinted = (page: Page) => page.locator(".faces_faceText .tinted")

export function facesChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  return [
    checkAt(
      stage,
      "settings: [T30] the policy's form writes its text, its text the form, and both go back",
      at("policy"),
      async ({ page }) => {
        const before = await world.api("GET", "/v1/settings/policy")
        try {
          const never = page.getByRole("combobox", { name: "Never" })
          await never.click()
          await page.keyboard.type("write")
          await page.keyboard.press("Enter")
          await has(text(page, "Policy"), "write")
          assert.ok((await tinted(page).count()) > 0, "changed lines are tinted")
          const hours = page.getByLabel("Hours until an ask is refused")
          assert.equal(await hours.inputValue(), "24")
          await hours.click()
          await page.keyboard.press("Control+a")
          await page.keyboard.type("36")
          await has(text(page, "Policy"), '"expires": "36h"')
          await choose(page.getByLabel("Starts from"), "Coding: files, shell, web")
          await has(text(page, "Policy"), '"profile": "coding"')
          // From the form to the text and back, by its key.
          await page.getByRole("heading", { name: "Policy", level: 1 }).click()
          await page.keyboard.press("Alt+t")
          assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute("data-editor")), true)
          await page.keyboard.press("Alt+t")
          assert.equal(await page.evaluate(() => document.activeElement?.closest("[data-form]") !== null), true)
          await page.keyboard.press("Control+s")
          await has(page.locator("main [role=status]"), /Saved \d/)
          const saved = (await world.api("GET", "/v1/settings/policy")) as {
            readonly approvals: { readonly expires: number }
            readonly tools: { readonly deny: readonly string[] }
          }
          assert.deepEqual([saved.approvals.expires, saved.tools.deny.at(-1)], [36 * 3_600_000, "write"])
          await page.waitForFunction(() => document.querySelector("[data-editor]")?.shadowRoot?.querySelector(".tinted") === null)
          await page.getByRole("button", { name: "Remove write" }).click()
          await page.getByRole("button", { name: "Discard" }).click()
          await page.getByRole("button", { name: "Remove write" }).waitFor()
        } finally {
          await world.api("PUT", "/v1/settings/policy", before)
        }
      },
    ),
    checkAt(stage, "settings: [T30] a name of a member is completed from the policy's schema", at("policy"), async ({ page }) => {
      await text(page, "Policy").click()
      await page.keyboard.press("Control+a")
      await page.keyboard.type('{ "netw')
      await page.locator(".cm-tooltip-autocomplete li", { hasText: "network" }).waitFor()
      await page.locator(".cm-tooltip-autocomplete li", { hasText: "network" }).click()
      await has(text(page, "Policy"), /"network"/)
    }),
    checkAt(
      stage,
      "settings: [K24] a rule of the gate is made in its form, and says which flows it is for",
      at("gate"),
      async ({ page }) => {
        const before = await world.api("GET", "/v1/settings/gate")
        try {
          await page.getByRole("button", { name: "Add a rule" }).click()
          const flows = page.getByLabel("Flows of rule 1")
          await flows.click()
          await page.keyboard.type("pai*")
          await has(page.locator("[data-form]"), "1 flow: pair")
          await page.keyboard.press("Tab")
          await has(page.getByRole("region", { name: "Preview" }), "What it holds: 1 flow")
          await page.getByRole("checkbox", { name: "The last" }).check()
          await has(text(page, "Gate"), '"last": 10')
          await page.getByRole("button", { name: /^Save the gate/ }).click()
          await has(page.locator("main [role=status]"), /Saved \d/)
          assert.deepEqual(await world.api("GET", "/v1/settings/gate"), { flows: [{ match: "pai*", tests: true, backtest: { last: 10 } }] })
        } finally {
          await world.api("PUT", "/v1/settings/gate", before)
        }
      },
    ),
    checkAt(stage, "settings: [F52] a role's model is chosen by name from what its providers offer", at("roles"), async ({ page }) => {
      const before = await world.api("GET", "/v1/settings/roles")
      try {
        await page.getByLabel("Model of vision").click()
        await page.keyboard.type("scenes n")
        await page.getByRole("option", { name: "scenes/n" }).click()
        await has(text(page, "Roles"), '"vision": "scenes/n"')
        await has(page.getByRole("region", { name: "Preview" }), /vision: .*scenes\/n, which no agent uses/)
        await page.keyboard.press("Control+s")
        await has(page.locator("main [role=status]"), /Saved \d/)
        assert.equal(((await world.api("GET", "/v1/settings/roles")) as { readonly vision: unknown }).vision, "scenes/n")
      } finally {
        await world.api("PUT", "/v1/settings/roles", before)
      }
    }),
  ]
}
