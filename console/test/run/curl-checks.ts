// A start as a line for a shell: a shell reads the line as it was meant, and the key is not in it.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt } from "../visit.ts"
import type { World } from "../world.ts"

const WORDS = 'It\'s $HOME `id` "quoted" \\ and\nmore; rm -rf ~ scene:hello'

export function curlChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  /** What a shell makes of the line: the arguments that curl gets. */
  const argumentsOf = (line: string): string[] =>
    execFileSync("sh", ["-c", `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${line}`], {
      encoding: "utf8",
      env: { SLUICE_KEY: "key-of-the-shell" },
    })
      .split("\0")
      .slice(0, -1)
  const copied = async (page: Page, press: () => Promise<void>): Promise<string[]> => {
    await page.evaluate(() => {
      Object.defineProperty(navigator.clipboard, "writeText", {
        value: (text: string) => {
          document.body.dataset["copied"] = text
          return Promise.resolve()
        },
      })
    })
    await press()
    const line = await page.locator("body[data-copied]").getAttribute("data-copied")
    assert.ok(line !== null && !line.includes(world.key), "the key is in the line")
    return argumentsOf(line)
  }
  const headers = ["-H", "authorization: Bearer key-of-the-shell", "-H", "content-type: application/json", "--data-raw"]
  return [
    checkAt(
      at,
      "curl: a run is copied as the line that starts it again",
      async () => {
        const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: WORDS })) as { readonly id: string }
        return `/console/runs/${id}`
      },
      async ({ page }) => {
        await page.locator(".run-head_rTitle").waitFor()
        const given = await copied(page, async () => {
          await page.keyboard.press("m")
          await page.getByRole("menuitem", { name: /^Copy as curl/ }).click()
        })
        assert.deepEqual(given.slice(0, -1), [`${world.url}/v1/flows/assist/runs`, ...headers])
        assert.deepEqual(JSON.parse(given.at(-1) ?? ""), { task: WORDS })
      },
    ),
    checkAt(at, "curl: the form of a flow is copied once it is right", "/console/flows/pair", async ({ page }) => {
      const button = page.getByRole("button", { name: "Copy as curl" })
      await button.click()
      await page.getByText("The flow needs who.").waitFor()
      await page.getByLabel("Task").fill(WORDS)
      await page.getByLabel(/^who/).fill("Ann's")
      const given = await copied(page, () => button.click())
      assert.equal(given[0], `${world.url}/v1/flows/pair/runs`)
      assert.deepEqual(JSON.parse(given.at(-1) ?? ""), { task: WORDS, inputs: { who: "Ann's" } })
      await page.getByRole("button", { name: "Copied" }).waitFor()
    }),
  ]
}
