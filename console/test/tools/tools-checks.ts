// The console's tools, driven by a browser: by source, switched by key and mouse, deleted with a question, and one tool's page.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { failing } from "../failures-world.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const AT = "/console/tools"

export function toolsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const row = (page: Page, name: string) => page.locator(`tr[data-tool="${name}"]`)
  const denied = async (): Promise<readonly string[]> =>
    ((await world.api("GET", "/v1/settings/policy")) as { readonly tools: { readonly deny: readonly string[] } }).tools.deny
  const waitDenied = async (page: Page, name: string, isDenied: boolean): Promise<void> => {
    await page.waitForFunction(
      async ([tool, wanted]) => {
        const policy = (await (await fetch("/v1/settings/policy")).json()) as { readonly tools: { readonly deny: readonly string[] } }
        return policy.tools.deny.includes(String(tool)) === wanted
      },
      [name, isDenied] as const,
    )
  }
  return [
    checkAt(
      stage,
      "tools: G T leads to the tools by source; Space disables one at once, and Undo takes it back",
      "/console/runs",
      async ({ page }) => {
        const before = await world.api("GET", "/v1/settings/policy")
        try {
          await page.getByRole("heading", { name: "Runs" }).first().waitFor()
          await page.keyboard.press("g")
          await page.keyboard.press("t")
          await page.waitForURL(/\/console\/tools$/)
          await has(page.locator("header [aria-current=page]"), "Agents")
          await row(page, "refund").waitFor()
          await has(page.locator("tbody", { has: row(page, "refund") }).locator("th[scope=rowgroup]"), "127.0.0.1")
          await has(row(page, "refund"), "writes")
          await row(page, "refund").getByRole("link").focus()
          await page.keyboard.press("Space")
          await waitDenied(page, "refund", true)
          const refund = page.getByRole("switch", { name: "refund, enabled" })
          await page.waitForFunction(
            () => document.querySelector('[aria-label="refund, enabled"]')?.getAttribute("aria-checked") === "false",
          )
          await page.getByRole("button", { name: "Undo" }).click()
          await waitDenied(page, "refund", false)
          await page.waitForFunction(
            () => document.querySelector('[aria-label="refund, enabled"]')?.getAttribute("aria-checked") === "true",
          )
          await refund.click()
          await waitDenied(page, "refund", true)
          await page.getByRole("button", { name: /^Disabled/ }).click()
          await row(page, "charges").waitFor({ state: "detached" })
          assert.deepEqual((await denied()).at(-1), "refund")
        } finally {
          await world.api("PUT", "/v1/settings/policy", before)
        }
      },
    ),
    checkAt(
      stage,
      "tools: a tool's page says who may call it and what a model reads, and D deletes it with a question",
      async () => {
        const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:tools-done" })) as { readonly id: string }
        await failing(world).over(id)
        await world.api("PUT", "/v1/tools/goes", {
          description: "Goes away.",
          parameters: { type: "object", properties: {} },
          request: { method: "GET", url: "https://api.example.com/goes" },
        })
        return `${AT}/charges`
      },
      async ({ page }) => {
        await has(page.getByRole("region", { name: "Who may call it" }), "helper")
        await has(page.locator("main"), "What a model reads")
        await page.waitForFunction(() => /Calls, 14 days\s*[1-9]/.test(document.querySelector("main dl")?.textContent ?? ""))
        await has(page.getByRole("region", { name: "Last calls" }).locator("tbody tr"), /assist, help.*cus_QK21/)
        await page.goto(`${world.url}${AT}`)
        await row(page, "goes").getByRole("link").focus()
        await page.keyboard.press("d")
        await has(page.getByRole("dialog"), "Delete the tool “goes”?")
        await page.getByRole("button", { name: "Delete the tool" }).click()
        await row(page, "goes").waitFor({ state: "detached" })
        await assert.rejects(world.api("GET", "/v1/tools/goes"))
      },
    ),
    {
      name: "tools: axe finds nothing in the list and on a tool's page, in either theme and on both screens",
      async run() {
        await looked(stage, "tools", AT, ({ page }) => row(page, "refund").waitFor())
        await looked(stage, "tool", `${AT}/refund`, ({ page }) => has(page.getByRole("region", { name: "Who may call it" }), "helper"))
      },
    },
  ]
}
