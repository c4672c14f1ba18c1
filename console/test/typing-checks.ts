// What is typed into an editor stays in it: every printable sign of a keyboard, key by key, in every editor, changes the text and nothing else.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { staffed } from "./agents/agents-world.ts"
import { putFlow } from "./flows/flows-world.ts"
import { CASES, FLOW } from "./flowside/flow-texts.ts"
import { flowWorld } from "./flowside/flowside-world.ts"
import { checkAt } from "./visit.ts"
import type { World } from "./world.ts"

/** First what leads to a place after a `g`, then each sign. Those that an editor completes by their other half come in pairs. */
const PLACES = "gagcgfgigrgsg?"
const SIGNS = `${PLACES}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?/!#$%&*+,-.:;<=>@\\^_|~()[]{}a'b"c\`d`

export function typingChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const { agent, skill } = staffed(world)
  const { write } = flowWorld(world)
  const check = (what: string, place: () => Promise<string>, field: (page: Page) => Locator): Check =>
    checkAt(stage, `typing: every sign can be typed into ${what}`, place, ({ page }) => typed(page, field(page)))
  const editor = (page: Page): Locator => page.locator(".cm-content").first()
  return [
    check("a flow", () => putFlow(world, "typing-flow"), editor),
    check(
      "a rehearsal",
      async () => {
        await write({ flows: { "typing-reh.yaml": FLOW("typing-reh"), "typing-reh.rehearsal.yaml": "steps: {}\n" } })
        return "/console/flows/typing-reh?file=flows%2Ftyping-reh.rehearsal.yaml"
      },
      editor,
    ),
    check(
      "a test case",
      async () => {
        await write({ flows: { "typing-case.yaml": FLOW("typing-case"), "typing-case.test.yaml": CASES(["goes well", "succeeded"]) } })
        return "/console/flows/typing-case?tab=tests&pane=side"
      },
      (page) => page.locator(".flow-tests_caseEd .cm-content"),
    ),
    check("an agent", async () => (await agent("typing-agent"), "/console/agents/typing-agent"), editor),
    check(
      "a skill",
      async () => {
        await skill("typing-skill", "---\nname: typing-skill\ndescription: How\n---\n# Text\n")
        return "/console/agents/skills/typing-skill"
      },
      editor,
    ),
    check("the policy", () => Promise.resolve("/console/settings/policy"), editor),
    check("the gate", () => Promise.resolve("/console/settings/gate"), editor),
    check(
      "a message",
      () => Promise.resolve("/console/chat"),
      (page) => page.getByRole("textbox", { name: "Message", exact: true }),
    ),
  ]
}

async function typed(page: Page, field: Locator): Promise<void> {
  if (page.url().includes("tab=tests")) await page.getByRole("button", { name: "Edit goes well" }).click()
  await field.waitFor()
  const address = page.url()
  await field.click()
  await page.keyboard.press("Control+End")
  for (const sign of SIGNS) await page.keyboard.press(sign)
  const text = await field.evaluate((node) => (node instanceof HTMLTextAreaElement ? node.value : node.textContent))
  assert.ok(text.includes(SIGNS), `typed ${SIGNS}, and it holds ${text.slice(-2 * SIGNS.length)}`)
  assert.equal(page.url(), address)
  assert.equal(await page.locator("dialog[open]").count(), 0)
}
