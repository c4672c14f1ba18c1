// What is typed into an editor or a field stays in it: every printable sign of a keyboard, key by key and at the speed of hands, changes the text
// and nothing else.

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

/** What is a key of some page, in a row: for fields, of which there are many. */
const KEYS = "gagcgfgigrgs?/jkhlxcnmfers.[]+-019AFGNJ"
/** Between two keys. */
const HANDS_MS = 15

/** Pages and dialogs with fields. `open` leads from the page to the fields. */
const FIELDS: readonly (readonly [what: string, place: string, open?: (page: Page) => Promise<unknown>, inside?: "dialog"])[] = [
  ["the filter of runs", "/console/runs"],
  ["the filter of flows", "/console/flows"],
  ["the filter of agents", "/console/agents"],
  ["find or do", "/console/runs", (page) => page.keyboard.press("Control+k"), "dialog"],
  ["a new run", "/console/runs?new=1&flow=pair", undefined, "dialog"],
  [
    "a new flow",
    "/console/flows",
    (page) =>
      page
        .getByRole("button", { name: /^New flow/ })
        .first()
        .click(),
    "dialog",
  ],
  [
    "a new agent",
    "/console/agents",
    (page) =>
      page
        .getByRole("button", { name: /^New agent/ })
        .first()
        .click(),
    "dialog",
  ],
  [
    "a provider",
    "/console/settings/providers",
    (page) =>
      page
        .getByRole("button", { name: /Add by hand/ })
        .first()
        .click(),
    "dialog",
  ],
  [
    "a secret",
    "/console/settings/secrets",
    (page) =>
      page
        .getByRole("button", { name: /Write a secret/ })
        .first()
        .click(),
    "dialog",
  ],
  ["the roles", "/console/settings/roles"],
  ["connect", "/console/settings/connect?tab=mcp"],
]

export function typingChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const { agent, skill } = staffed(world)
  const { write } = flowWorld(world)
  const check = (what: string, place: () => Promise<string>, field: (page: Page) => Locator): Check =>
    checkAt(stage, `typing: every sign can be typed into ${what}`, place, ({ page }) => typed(page, field(page)))
  const editor = (page: Page): Locator => page.locator(".cm-content").first()
  return [
    ...FIELDS.map(([what, place, open, inside = "main"]) =>
      checkAt(stage, `typing: every key of a page can be typed into the fields of ${what}`, place, async ({ page }) => {
        await open?.(page)
        await typedInto(page, inside)
      }),
    ),
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
  await page.keyboard.type(SIGNS, { delay: HANDS_MS })
  const text = await field.evaluate((node) => (node instanceof HTMLTextAreaElement ? node.value : node.textContent))
  assert.ok(text.includes(SIGNS), `typed ${SIGNS}, and it holds ${text.slice(-2 * SIGNS.length)}`)
  assert.equal(page.url(), address)
  assert.equal(await page.getByRole("dialog").count(), 0)
}

/** Into each field that takes words. */
async function typedInto(page: Page, inside: "main" | "dialog"): Promise<void> {
  const fields = page
    .getByRole(inside)
    .locator('input:not([type], [aria-hidden]), input[type="text"], input[type="search"], input[type="password"], textarea')
  await fields.first().waitFor()
  await page.locator("[data-reading]").first().waitFor({ state: "detached" })
  const { pathname } = new URL(page.url())
  for (const field of await fields.all()) {
    await field.focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type(KEYS, { delay: HANDS_MS })
    assert.equal(await field.inputValue(), KEYS)
    assert.equal(new URL(page.url()).pathname, pathname)
    assert.equal(await page.getByRole("dialog").count(), inside === "dialog" ? 1 : 0)
  }
}
