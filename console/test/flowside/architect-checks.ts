// The architect beside the editor: a change is said, its steps come as they happen, its proposal is proved and accepted or sent back.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { CASES, FLOW } from "./flow-texts.ts"
import { flowWorld } from "./flowside-world.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const at = (flow: string): string => `/console/flows/${flow}?tab=architect&pane=side`
/** How late the list of sessions is. */
const LATE_MS = 1_500

const say = async (page: Page, words: string): Promise<void> => {
  await page.locator("#say").fill(words)
  await page.keyboard.press("Enter")
}

export function architectChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const { write, run, text } = flowWorld(world)
  return [
    checkAt(
      stage,
      "flowside: the architect's draft is seen as it is made, proved, sent back, and accepted",
      async () => {
        await write({ flows: { "fa-mend.yaml": FLOW("fa-mend"), "fa-mend.test.yaml": CASES(["goes well", "succeeded"]) } })
        await run("fa-mend", 2)
        return at("fa-mend")
      },
      async ({ page }) => {
        await page.locator(".flow-tests_wish").nth(2).waitFor()
        await page.locator(".flow-tests_wish").first().click()
        assert.notEqual(await page.locator("#say").inputValue(), "")
        await say(page, "Be brief. scene:arch-mend")
        await world.model.arrived("arch-mend")
        await has(page.locator(".flow-tests_proof li"), "Looked at the agents that there are")
        await has(page.locator(".flow-tests_proof li"), "flows/fa-mend.yaml was not taken")
        await page.getByRole("button", { name: "Stop" }).waitFor()
        await page.reload()
        await has(page.locator(".flow-tests_proof li"), "flows/fa-mend.yaml was not taken")
        world.model.open("arch-mend")
        await has(page.locator(".flow-tests_said"), "The task says to be brief now.")
        await has(page.locator(".flow-tests_diffs .cm-content"), "Be brief.")
        const proof = page.locator('[aria-label="What it proved"] li')
        await has(proof, "Valid: no errors")
        await has(proof, "Rehearsed: 1 step, ends at help")
        await has(proof, "Tests: 1 of 1")
        await has(proof, "Backtest: 2 changed")
        await say(page, "Say it in one sentence.")
        await has(page.locator(".flow-tests_said"), "Say it in one sentence.")
        await page.getByRole("button", { name: /^Accept as r\d+/ }).waitFor()
        assert.doesNotMatch(await text("/v1/flows/fa-mend"), /Be brief/)
        await page.keyboard.press("Control+Enter")
        await has(page.locator(".flow-tests_tests"), /It is r\d+ of the catalog/)
        assert.match(await text("/v1/flows/fa-mend"), /Be brief/)
      },
    ),
    checkAt(
      stage,
      "flowside: the architect is stopped, says so, and its proposal can be left for another",
      async () => {
        await write({ flows: { "fa-stop.yaml": FLOW("fa-stop") } })
        return at("fa-stop")
      },
      async ({ page }) => {
        await page.getByRole("tab", { name: "Try it" }).click()
        // The sessions come after what is said: it is sent all the same.
        await page.route(/\/v1\/architect(?:\?|$)/, async (route) => {
          if (route.request().method() === "GET") await new Promise((resolve) => setTimeout(resolve, LATE_MS))
          await route.continue()
        })
        await page.keyboard.press("Alt+a")
        await say(page, "Be brief. scene:arch-stop")
        await world.model.arrived("arch-stop")
        await page.getByRole("button", { name: "Stop" }).click()
        await has(page.locator(".note.failed"), "It stopped: the run was canceled.")
        await has(page.locator(".flow-tests_proof li"), "Looked at the agents that there are")
        await page.getByRole("button", { name: "New change" }).click()
        await page.locator(".flow-tests_wish").first().waitFor()
        world.model.open("arch-stop")
      },
    ),
    checkAt(
      stage,
      "flowside: a new flow is said, and opens in its editor once it is accepted",
      "/console/flows?new=1",
      async ({ page }) => {
        await page.getByRole("button", { name: "Describe it to the architect" }).click()
        await page.waitForURL(/\/console\/flows\/new\?architect/)
        await page.locator(".flow-tests_wish").nth(2).waitFor()
        await say(page, "A flow with one step. scene:arch-new")
        await has(page.locator('[aria-label="What it proved"] li'), "Rehearsed: 1 step")
        await page.getByRole("button", { name: /^Accept as r\d+/ }).click()
        await page.waitForURL(/\/console\/flows\/fa-made$/)
        await page.getByRole("heading", { name: "fa-made" }).waitFor()
      },
    ),
    checkAt(
      stage,
      "flowside: what an architect writes and says is text",
      async () => {
        await write({ flows: { "fa-attack.yaml": FLOW("fa-attack") } })
        return at("fa-attack")
      },
      async ({ page }) => {
        await say(page, "Attack. scene:arch-attack")
        await has(page.locator(".flow-tests_said"), "<script>alert(2)</script>")
        await has(page.locator(".flow-tests_diffs .cm-content"), "onerror")
        assert.equal(await page.locator("main .flow-tests_tests :is(img[src], iframe, style, [onload], [onerror])").count(), 0)
        await page.getByRole("button", { name: "Discard", exact: true }).click()
        await page.getByRole("button", { name: "Discard this proposal" }).click()
        await page.locator(".flow-tests_wish").first().waitFor()
      },
    ),
    {
      name: "flowside: WCAG 2.2 AA of the architect",
      async run() {
        await write({ flows: { "fa-look.yaml": FLOW("fa-look"), "fa-look.test.yaml": CASES(["goes well", "succeeded"]) } })
        await looked(stage, "architect-empty", at("fa-look"), async ({ page }) => {
          await page.locator(".flow-tests_wish").nth(2).waitFor()
        })
        const { id } = (await world.api("POST", "/v1/architect", { flow: "fa-look", change: "Be brief. scene:arch-look" })) as {
          readonly id: string
        }
        await looked(stage, "architect", `${at("fa-look")}&session=${id}`, async ({ page }) => {
          await has(page.locator(".flow-tests_diffs .cm-content"), "Be brief.")
          await has(page.locator('[aria-label="What it proved"] li'), "Tests: 1 of 1")
          await has(page.locator('[aria-label="What it proved"] li'), "Backtest")
        })
      },
    },
  ]
}
