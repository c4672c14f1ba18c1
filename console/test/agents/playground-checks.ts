// The console's playground: a recorded turn beside what other models, prompts and thinking levels answer.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { staffed } from "./agents-world.ts"
import { aroundRun } from "../run/around-run.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

/** The list below the field closes with the field. */
async function asks(column: Locator, model: string): Promise<void> {
  await column.getByLabel("Model").fill(model)
  await column.page().keyboard.press("Tab")
}

export function playgroundChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const { agent, flow, run, count } = staffed(world)
  const column = (page: Page, name: string) => page.getByRole("article", { name, exact: true })
  const playing = async (name: string, scene: string, tasks: readonly string[] = ["the month"]): Promise<string> => {
    await world.api("PUT", "/v1/settings/prices", { "scenes/*": { input: 10, output: 100 } })
    await agent(name)
    await flow(`${name}-flow`, name, scene)
    for (const task of tasks) await run(`${name}-flow`, task)
    return `/console/agents/${name}?tab=playground`
  }
  return [
    checkAt(
      at,
      "playground: [K19] other columns answer the recorded turn, say what they may cost first, and leave no run",
      () => playing("pg-try", "hello"),
      async ({ page }) => {
        const recorded = column(page, "Recorded")
        await has(recorded, "Hello to you.")
        await has(recorded.locator("dd"), "0.015")
        await has(page.locator(".playground_pgSay"), /At most \$0\.\d+ in all/)
        const before = await count()
        await page.locator("body").press("+")
        const second = column(page, "Second")
        await asks(second, "scenes/remember")
        await second.getByRole("button", { name: "low" }).click()
        await has(second, /At most \$0\.\d+\./)
        await page.keyboard.press("Control+Enter")
        await has(column(page, "First").locator(".playground_pgFoot"), "Same call.")
        await has(second.locator(".playground_pgFoot"), "Same tool, other arguments.")
        await has(second, "differs")
        await has(second.locator("dd"), "960")
        assert.equal(await count(), before)
        await choose(second.getByRole("combobox", { name: "Prompt" }), "other words")
        await second.getByRole("textbox", { name: "Prompt of Second" }).fill("scene words ${{task}}")
        await page.getByRole("button", { name: /^Run 2/ }).click()
        await has(second.locator(".playground_pgFoot"), "Same tool, other arguments.")
        await page.getByRole("button", { name: /Add column/ }).click()
        await column(page, "Third").waitFor()
        assert.equal(await page.getByRole("button", { name: /Add column/ }).getAttribute("aria-disabled"), "true")
        await page.getByRole("button", { name: "Remove Third" }).click()
        await column(page, "Third").waitFor({ state: "detached" })
      },
    ),
    checkAt(
      at,
      "playground: [K19] a turn of several is chosen, and its address is kept",
      () => playing("pg-turns", "tools-done"),
      async ({ page }) => {
        await page.waitForURL(/run=run_/)
        await choose(page.getByRole("combobox", { name: "Turn" }), "1 of 2")
        await page.waitForURL(/turn=0/)
        await has(column(page, "Recorded"), "charges")
        await page.getByRole("button", { name: /^Run 1/ }).click()
        await has(column(page, "First").locator(".playground_pgFoot"), "Same call.")
        await page.reload()
        await has(column(page, "Recorded"), "charges")
      },
    ),
    checkAt(
      at,
      "playground: [K19] of a step in a loop a pass is chosen, and its address is kept",
      async () => {
        const id = await aroundRun(world)
        return `/console/agents/helper?tab=playground&flow=around&step=write&run=${id}`
      },
      async ({ page }) => {
        const passes = page.getByRole("combobox", { name: "Pass" })
        await has(passes, "3 of 3")
        const asked = page.waitForRequest((request) => request.url().includes("/steps/write/try") && !request.url().includes("check"))
        await choose(passes, "1 of 3")
        await page.waitForURL(/pass=1/)
        await column(page, "Recorded").waitFor()
        await page.locator("button.first:not([aria-disabled=true])", { hasText: "Run 1" }).click()
        assert.equal(((await asked).postDataJSON() as { readonly pass: unknown }).pass, 1)
        await choose(page.getByRole("combobox", { name: "Step" }), "around, read-mail")
        await passes.waitFor({ state: "detached" })
        assert.doesNotMatch(page.url(), /pass=/)
      },
    ),
    checkAt(
      at,
      "playground: [K19] the same on the last runs is summed, after its cost is said",
      () => playing("pg-many", "hello", ["one", "two", "three"]),
      async ({ page }) => {
        await asks(column(page, "First"), "scenes/remember")
        const more = page.getByRole("region", { name: "The same on more runs" })
        await has(more, "On the last 3 runs")
        await more.getByRole("button", { name: "Try on them" }).click()
        const dialog = page.getByRole("dialog")
        await has(dialog, /1 column on 3 runs: 3 model turns/)
        await has(dialog, /At most \$\d/)
        await dialog.getByRole("button", { name: "Ask 3 turns" }).click()
        await has(more, "3 of 3 turns asked.")
        const cells = await more.locator("tbody tr td").allTextContents()
        assert.deepEqual(cells.slice(0, 5), ["0", "3", "0", "0", "2,880"])
        assert.equal(cells[6], "0.015")
      },
    ),
    checkAt(
      at,
      "playground: [K19] what cannot be tried says why, and an agent that nothing names says what to do",
      () => playing("pg-wrong", "hello"),
      async ({ page }) => {
        const first = column(page, "First")
        await has(column(page, "Recorded"), "Hello to you.")
        await asks(first, "nobody/m")
        await has(first, "set it up under Settings, Models")
        await asks(first, "scenes/fails")
        await page.getByRole("button", { name: /^Run 1/ }).click()
        await has(first.getByRole("alert"), "the model said no")
        await agent("pg-alone")
        await page.goto(`${world.url}/console/agents/pg-alone?tab=playground`)
        await has(page.locator("main"), "No flow uses this agent")
      },
    ),
    {
      name: "playground: [K19] what attacks answer is text, and every state passes axe in both themes",
      async run() {
        const place = await playing("pg-attack", "hello")
        await looked(at, "playground-first", place, async ({ page }) => {
          await has(column(page, "Recorded"), "Hello to you.")
          await has(page.locator(".playground_pgSay"), "At most")
        })
        await looked(at, "playground", place, async ({ page }) => {
          await has(column(page, "Recorded"), "Hello to you.")
          await asks(column(page, "First"), "scenes/attack")
          await page.getByRole("button", { name: /Add column/ }).click()
          await asks(column(page, "Second"), "scenes/remember")
          await page.getByRole("button", { name: /Add column/ }).click()
          await asks(column(page, "Third"), "nobody/m")
          await page.getByRole("button", { name: /^Run 3/ }).click()
          await has(column(page, "First"), "<script>alert(2)</script>")
          await has(column(page, "First"), "would be refused")
          await has(column(page, "Second").locator(".playground_pgFoot"), "other arguments")
          await has(column(page, "Third").getByRole("alert"), "nobody")
        })
      },
    },
  ]
}
