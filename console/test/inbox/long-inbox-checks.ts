// An inbox that is longer than the screen: what is chosen by keyboard is in view, and what it opens is beside it.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt } from "../visit.ts"
import type { World } from "../world.ts"

const ASKS = 40

export function longInboxChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    checkAt(
      { browser, world, shots },
      "inbox: the last of forty is chosen by keyboard, in view, with its question",
      "/console/chat",
      async ({ page }) => {
        const asked = await Promise.all(
          Array.from({ length: ASKS }, async () => {
            const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:inbox-words" })) as { readonly id: string }
            return id
          }),
        )
        try {
          for (;;) {
            const { data } = (await world.api("GET", "/v1/interactions?limit=200")) as {
              readonly data: readonly { readonly run: string }[]
            }
            if (data.filter(({ run }) => asked.includes(run)).length === ASKS) break
            await page.waitForTimeout(100)
          }
          await page.goto(`${world.url}/console/inbox`)
          await page.locator('[aria-current="true"]').first().waitFor()
          for (let n = 1; n < ASKS; n++) {
            const before = page.url()
            await page.keyboard.press("j")
            await page.waitForFunction((address) => location.href !== address, before)
          }
          for (const what of [page.locator('aside [aria-current="true"]'), page.locator("#ask-title")]) {
            const box = await what.boundingBox()
            const { height } = page.viewportSize() ?? { height: 0 }
            assert.ok(box && box.y >= 0 && box.y + box.height <= height, `in view: ${JSON.stringify(box)}`)
          }
          assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true)
        } finally {
          await Promise.all(asked.map((id) => world.api("POST", `/v1/runs/${id}/cancel`)))
        }
      },
    ),
  ]
}
