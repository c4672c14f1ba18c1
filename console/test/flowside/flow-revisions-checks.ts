// The revisions of a flow: what each changed, the difference between any two or to the draft, and a rollback that says first what it breaks.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { FLOW } from "./flow-texts.ts"
import { flowWorld, withDraft } from "./flowside-world.ts"
import { ATTACKS } from "../scenes.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const at = (flow: string, more = ""): string => `/console/flows/${flow}?tab=revisions&pane=side${more}`
const NEEDS = "task_required: true\n"

export function flowRevisionsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const { write, text } = flowWorld(world)
  return [
    checkAt(
      stage,
      "flowside: revisions show what they changed, and a rollback says which schedule it breaks before it is done",
      async () => {
        await write({ flows: { "fr-back.yaml": FLOW("fr-back", NEEDS) } })
        await write({ flows: { "fr-other.yaml": FLOW("fr-other") } })
        await write({ flows: { "fr-back.yaml": FLOW("fr-back") } })
        await world.api("POST", "/v1/schedules", { flow: "fr-back", cron: "0 0 1 1 *" })
        return at("fr-back")
      },
      async ({ page }) => {
        const rows = page.locator(".flow-tests_rv")
        await has(rows, "fr-back.yaml")
        await page.getByRole("tab", { name: /^Revisions [23]\+?$/ }).waitFor()
        await page.getByRole("tab", { name: "Tests 0" }).waitFor()
        assert.doesNotMatch((await rows.allTextContents()).join("\n"), /fr-other|other file/)
        await has(rows.first(), "+0 −1")
        await has(rows.first(), "live")
        await page.getByRole("button", { name: "All revisions" }).click()
        await has(rows, "1 other file")
        await page.getByRole("button", { name: "Only revisions of this flow" }).click()
        await has(page.locator(".flow-tests_diffs .cm-deletedChunk"), "task_required")
        await rows.nth(1).click()
        await page.waitForURL(/from=\d+&to=\d+/)
        const [first] = /r\d+/.exec((await rows.nth(1).textContent()) ?? "") ?? []
        await choose(page.getByRole("combobox", { name: "From" }), first ?? "")
        await page.getByRole("button", { name: `Roll back to ${first}` }).click()
        const dialog = page.getByRole("dialog")
        await has(dialog, "flows/fr-back.yaml changes")
        await has(dialog.locator("h3"), "What would stop working")
        await has(dialog, "The schedule")
        await dialog.getByLabel("Everything").check()
        await has(dialog, "flows/fr-other.yaml goes")
        await dialog.getByLabel("This flow with its tests").check()
        await has(dialog, "flows/fr-back.yaml changes")
        await dialog.getByRole("button", { name: `Roll back to ${first}` }).click()
        await dialog.waitFor({ state: "detached" })
        await page.locator(".flow-tests_rv").nth(2).waitFor()
        await has(rows.first(), `Rolled back to ${first}`)
        await has(rows, "First saved: fr-back.yaml")
        // The tab counts what stands below it, and says when older ones were not looked at.
        await page.getByRole("tab", { name: new RegExp(String.raw`^Revisions ${await rows.count()}\+?$`) }).waitFor()
        // The pane has the height of the page.
        const [side, code] = await Promise.all([
          page.locator(".flow-page_side2").boundingBox(),
          page.locator(".flow-page_codep").boundingBox(),
        ])
        assert.equal(side?.height, code?.height)
        assert.match(await text("/v1/flows/fr-back"), /task_required/)
        assert.match(await text("/v1/flows/fr-other"), /fr-other/)
      },
    ),
    checkAt(
      stage,
      "flowside: a draft is compared with a revision, and a revision is put into the draft; attacks in a flow are text",
      async () => {
        await write({ flows: { "fr-draft.yaml": FLOW("fr-draft") } })
        await write({ flows: { "fr-draft.yaml": `# ${ATTACKS.slice(0, 7).join(" ")}\n${FLOW("fr-draft", NEEDS)}` } })
        return at("fr-draft")
      },
      async ({ page }) => {
        await withDraft(page, "fr-draft", FLOW("fr-draft", "tags: [mine]\n"))
        await has(page.getByRole("combobox", { name: "To" }), "the draft")
        await has(page.locator(".flow-tests_diffs .cm-content"), "onerror")
        await page.getByRole("button", { name: /Put r\d+ into the draft/ }).click()
        await has(page.locator(".flow-tests_tests"), "No differences.")
        assert.equal(await page.locator("main .flow-tests_tests :is(img[src], iframe, style, [onload], [onerror])").count(), 0)
      },
    ),
    {
      name: "flowside: WCAG 2.2 AA of the revisions",
      async run() {
        await write({ flows: { "fr-look.yaml": FLOW("fr-look", NEEDS) } })
        await write({ flows: { "fr-look.yaml": FLOW("fr-look") } })
        await looked(stage, "flow-revisions", at("fr-look"), async ({ page }) => {
          await has(page.locator(".flow-tests_diffs .cm-deletedChunk"), "task_required")
        })
        await looked(stage, "flow-revisions-roll-back", at("fr-look"), async ({ page }) => {
          await page.getByRole("button", { name: /^Roll back to/ }).click()
          await has(page.getByRole("dialog"), "flows/fr-look.yaml")
        })
      },
    },
  ]
}
