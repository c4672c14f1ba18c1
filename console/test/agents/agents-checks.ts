// The console's agents and skills: the list, the editor with what the server says, the tools that an agent gets, and its end.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { staffed } from "./agents-world.ts"
import { ATTACK, ATTACKS } from "../scenes.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const LIST = "/console/agents"

export function agentsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const { agent, skill, flow, textOf } = staffed(world)
  const editor = (page: Page) => page.locator(".cm-content").first()
  const saved = (page: Page) => page.getByText("not saved", { exact: true }).waitFor({ state: "detached" })
  /** Types at the end of the file. */
  const type = async (page: Page, text: string): Promise<void> => {
    await editor(page).click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type(text)
    await page.getByText("not saved", { exact: true }).waitFor()
  }
  const made = async (name: string, more: Parameters<typeof agent>[1] = {}): Promise<string> => {
    await agent(name, more)
    return `${LIST}/${name}`
  }
  return [
    checkAt(
      at,
      "agents: the list says the model, the tools and who uses each, and filters",
      async () => {
        await agent("ag-list")
        await flow("ag-list-flow", "ag-list", "hello")
        await skill("ag-skill", "---\nname: ag-skill\ndescription: How refunds are done\n---\n# Refunds\n")
        await agent("ag-reader", { head: "skills: [ag-skill]\n" })
        return "/console/runs"
      },
      async ({ page }) => {
        await page.getByRole("link", { name: "Agents", exact: true }).click()
        const row = page.locator(".agents_agList tbody tr", { hasText: "ag-list looks" })
        await has(row, "scenes/m")
        await has(row, "ag-list-flow, work")
        await has(row.locator(".agents_agN"), "2")
        assert.match(await page.title(), /Agents · Sluice$/)
        await page.keyboard.press("j")
        await page.waitForFunction(() => document.activeElement?.closest("tbody th") !== null)
        await page.keyboard.press("/")
        await page.keyboard.type("ag-list")
        await page.locator(".agents_agList tbody tr").nth(1).waitFor({ state: "detached" })
        await page.getByRole("searchbox").fill("no such name")
        await page.getByRole("button", { name: "Clear filter" }).click()
        await page.getByRole("link", { name: "Skills", exact: true }).click()
        const own = page.locator(".agents_agList tbody tr", { hasText: "How refunds are done" })
        await has(own, "ag-reader")
        await own.getByRole("link").click()
        await has(editor(page), "# Refunds")
        await page.getByRole("tab", { name: /Used by/ }).click()
        await has(page.getByRole("row", { name: /ag-reader/ }), "agent")
      },
    ),
    checkAt(
      at,
      "agents: the editor says what is wrong, saves what is right, and shows what the agent gets then",
      () => made("ag-edit"),
      async ({ page }) => {
        await has(page.locator(".agents_agFoot"), "No problems")
        await type(page, " ${{nowhere.at.all}}")
        await has(page.locator(".agents_agFoot"), /error|warning/)
        await page.getByRole("button", { name: "Discard" }).click()
        await saved(page)
        await type(page, "\nSay the sum.")
        await has(page.locator(".agents_agFoot"), "No problems")
        // A look elsewhere costs no work.
        await page.getByRole("link", { name: "Agents", exact: true }).first().click()
        await has(page.locator(".agents_agList tbody tr").first(), /ag-edit.*not saved/)
        await page.goBack()
        await page.getByText("not saved", { exact: true }).waitFor()
        await has(editor(page), "Say the sum.")
        await page.keyboard.press("Control+s")
        await saved(page)
        await has(page.locator(".agents_agActs"), /Saved \d\d?:\d\d/)
        assert.match(await textOf("/v1/agents/ag-edit"), /Say the sum\.$/m)
        await page.reload()
        await has(editor(page), "Say the sum.")
      },
    ),
    checkAt(
      at,
      "agents: a file that somebody else has changed is shown beside the draft, and a gate says the way out",
      () => made("ag-stale"),
      async ({ page }) => {
        await has(page.locator(".agents_agFoot"), "No problems")
        await type(page, "\nMine.")
        await agent("ag-stale", { body: "Theirs. ${{task}}" })
        await page.keyboard.press("Control+s")
        const alert = page.getByRole("alert")
        await has(alert, "someone else changed the file")
        await has(page.locator(".cm-content").first(), "Theirs.")
        await alert.getByRole("button", { name: "Overwrite theirs" }).click()
        await saved(page)
        assert.match(await textOf("/v1/agents/ag-stale"), /Mine\./)
        await page.route("**/v1/agents/ag-stale", (route) =>
          route.request().method() === "PUT"
            ? route.fulfill({ status: 409, json: { code: "gate_failed", detail: "2 tests of the flow pay fail." } })
            : route.continue(),
        )
        await type(page, " More.")
        await page.keyboard.press("Control+s")
        await has(alert, "2 tests of the flow pay fail.")
        await alert.getByRole("link", { name: /tests/ }).waitFor()
        await page.getByText("not saved", { exact: true }).waitFor()
      },
    ),
    checkAt(
      at,
      "agents: [T33] each tool has its line, its rule, its weight and whether it asks, in any flow or in one step",
      async () => {
        await made("ag-tools")
        await flow("ag-tools-flow", "ag-tools", "hello")
        return `${LIST}/ag-tools`
      },
      async ({ page }) => {
        const tools = page.getByRole("region", { name: "Effective tools" })
        const refund = tools.locator("tr", { hasText: "refund" }).first()
        await has(refund, "asks")
        await has(refund, "line 5")
        await has(refund, /\d+$/)
        await has(tools.locator("tr", { hasText: "finish" }).first(), "outside policy")
        await has(tools.locator("tr.agents_grp"), /^Not given \d+$/)
        await choose(tools.getByRole("combobox"), "ag-tools-flow, work")
        await page.waitForURL(/flow=ag-tools-flow&step=work/)
        await has(tools.locator("tr", { hasText: "ask_user" }).first(), "profile")
        await refund.getByRole("button", { name: "line 5" }).click()
        await has(page.locator(".cm-activeLine"), /^tools:/)
      },
    ),
    checkAt(
      at,
      "agents: what others name is deleted only after they are shown, and a new one begins with a file that is valid",
      async () => {
        await made("ag-gone")
        await flow("ag-gone-flow", "ag-gone", "hello")
        return `${LIST}/ag-gone`
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Delete", exact: true }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Delete agent" }).click()
        await has(dialog, "ag-gone-flow")
        await dialog.getByRole("button", { name: "Delete anyway" }).click()
        await page.waitForURL(/\/console\/agents$/)
        assert.equal(await textOf("/v1/agents/ag-gone"), "404")
        await page.getByRole("button", { name: "New agent" }).click()
        await dialog.getByRole("textbox", { name: "Name" }).fill("a b")
        await dialog.getByRole("button", { name: "Create agent" }).click()
        await has(dialog.getByRole("alert"), "letters, digits")
        await dialog.getByRole("textbox", { name: "Name" }).fill("ag-new")
        await dialog.getByRole("button", { name: "Create agent" }).click()
        await page.waitForURL(/\/console\/agents\/ag-new$/)
        await has(editor(page), "name: ag-new")
        await page.goto(`${world.url}${LIST}/ag-never`)
        await has(page.locator("main"), "There is no such agent")
      },
    ),
    {
      name: "agents: a file full of attacks is text, and every state passes axe in both themes",
      async run() {
        await agent("ag-attack", {
          description: ATTACKS.join(" "),
          body: `${ATTACK.replaceAll("${", "$ {").replaceAll("{{", "{ {")}\n\${{task}}`,
        })
        await flow("ag-attack-flow", "ag-attack", "hello")
        await looked(at, "agents-list", LIST, async ({ page }) => has(page.locator(".agents_agList"), "<script>alert(2)</script>"))
        await looked(at, "agent", `${LIST}/ag-attack`, async ({ page }) => {
          await has(page.locator(".cm-content"), "<script>alert(2)</script>")
          // What turns a line around is shown as a mark.
          await page.locator(".cm-specialChar").first().waitFor()
          await has(page.getByRole("region", { name: "Effective tools" }), "Not given")
          await has(page.locator(".agents_agFoot"), /problem|warning|error/)
        })
        await looked(at, "agent-used", `${LIST}/ag-attack?tab=used`, async ({ page }) => has(page.locator("main"), "ag-attack-flow"))
      },
    },
  ]
}
