// The Prompt and Files tabs of a run, and the text of a turn as it is written.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { aroundRun } from "./around-run.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

export function promptChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  let made: Promise<string> | undefined
  const around = (): Promise<string> => (made ??= aroundRun(world))
  const start = async (task: string): Promise<string> =>
    ((await world.api("POST", "/v1/flows/assist/runs", { task })) as { readonly id: string }).id
  return [
    checkAt(
      at,
      "prompt: layers in the order as sent, with source, tokens and weight; the text comes when it is asked for",
      async () => `/console/runs/${await around()}?step=read-charges&tab=prompt`,
      async ({ page }) => {
        const layers = page.locator(".prompt_ptab").first()
        await has(layers, "agents/helper.md, r")
        const names = await layers.locator("tbody .detail_linkBtn").allTextContents()
        assert.deepEqual(names, ["Tools", "Agent", "System", "Task and inputs", "Turn 1", "Results"])
        await has(layers.locator("tfoot"), "960")
        await layers.getByRole("button", { name: "Agent" }).click()
        await has(page.locator(".detail_dBody pre"), "SECRET-PROMPT")
        await page.getByRole("button", { name: "turn 1", exact: true }).click()
        await has(page.locator(".detail_dBody tfoot"), "Turn 1")
        await page.waitForFunction(() => document.querySelectorAll(".prompt_ptab tbody .detail_linkBtn").length === 4)
        const tools = page.locator(".prompt_ptab").nth(1)
        await has(tools, "charges")
        await has(tools, "outside policy: every session")
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(
      at,
      "prompt: what came from the cache is outlined, and the line says where the cache ends",
      async () => `/console/runs/${await around()}?step=read-charges`,
      async ({ page }) => {
        await page.route("**/steps/read-charges/prompt*", async (route) => {
          const answer = (await (await route.fetch()).json()) as { readonly layers: readonly { readonly tokens: number }[] }
          const layers = answer.layers.map((layer, i) => ({ ...layer, cached: i < 3 ? layer.tokens : 0 }))
          const cached = layers.reduce((sum, one) => sum + one.cached, 0)
          await route.fulfill({ json: { ...answer, layers, usage: { input: 900, output: 60, cached, cache_written: 0 } } })
        })
        await page.getByRole("tab", { name: "Prompt", exact: true }).click()
        await has(page.locator(".prompt_cutline"), "cache ends here")
        assert.equal(await page.locator(".prompt_ptab tr.prompt_cached").count(), 3)
        assert.equal(await page.locator("tr.prompt_cached + .prompt_cutline").count(), 1)
        await has(page.locator(".detail_dBody"), /% from cache/)
        assert.deepEqual(await axe(page), [])
        if (shots !== undefined) await page.screenshot({ path: `${shots}/run-prompt-1440-light.png` })
      },
    ),
    checkAt(at, "prompt: text as it comes is hidden from screen readers until the turn is over", "/console/runs", async ({ page }) => {
      const id = await start("scene:run-writes")
      await world.model.arrived("run-writes")
      await page.goto(`${world.url}/console/runs/${id}`)
      const writing = page.locator('.detail_turn .detail_say[aria-hidden="true"]')
      await has(writing, "First half.")
      await writing.locator(".detail_caret").waitFor()
      await has(page.locator(".detail_turn"), "Not in the journal until the turn ends.")
      assert.deepEqual(await axe(page), [])
      await page.getByRole("tab", { name: "Prompt", exact: true }).click()
      await has(page.locator(".detail_dBody"), /About [\d,]+ tokens, by characters/)
      world.model.open("run-writes")
      await has(page.locator(".run-head_rTitle"), "Succeeded")
      await page.locator(".timeline_w.timeline_sub").first().click()
      await has(page.locator(".detail_turn .detail_say:not([aria-hidden])"), "First half.")
      await page.locator(".detail_caret").waitFor({ state: "detached" })
    }),
    checkAt(
      at,
      "prompt: what became of the files since a moment",
      async () => {
        const { id } = (await world.api("POST", "/v1/flows/assist/runs", {
          task: "scene:hello",
          files: { "notes.md": "# Notes\n<img src=x onerror=alert(1)>\n" },
        })) as { readonly id: string }
        return `/console/runs/${id}?step=.&tab=files`
      },
      async ({ page, context }) => {
        await has(page.locator(".detail_fl"), "notes.md")
        await context.route("**/diff?*", (route) =>
          route.fulfill({
            json: {
              from: 1,
              to: 9,
              data: [
                {
                  path: "a<b>.md",
                  state: "changed",
                  before: 12,
                  after: 19,
                  binary: false,
                  diff: "@@ -1 +1 @@\n-<i>old</i>\n+new\n",
                  cut: false,
                },
                { path: "b.bin", state: "added", before: null, after: 2_000, binary: true, diff: null, cut: false },
              ],
              next_cursor: null,
            },
          }),
        )
        await page.getByRole("button", { name: "Changes" }).click()
        await has(page.locator(".prompt_filed"), "a<b>.md")
        await has(page.locator(".prompt_filed .diff-view_del"), "<i>old</i>")
        await has(page.locator(".prompt_filed"), "none → 2.0 KB")
        assert.deepEqual(await axe(page), [])
        await context.unroute("**/diff?*")
        await page.getByLabel("From event").fill("2")
        await page.keyboard.press("Enter")
        await has(page.locator(".detail_dBody"), "No file differs between these events.")
      },
    ),
    {
      name: "prompt: axe finds nothing, in either theme, on a wide and on a small screen",
      async run() {
        await looked(at, "run-prompt", `/console/runs/${await around()}?step=read-charges&tab=prompt&pane=detail`, async ({ page }) => {
          await page.locator(".prompt_ptab tfoot").waitFor()
        })
      },
    },
  ]
}
