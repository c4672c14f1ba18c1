// The tests of a flow beside its editor: a case is written, fails, is mended and passes; a run becomes a case; a backtest; the gate.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { CASES, FLOW } from "./flow-texts.ts"
import { flowWorld, withDraft } from "./flowside-world.ts"
import { ATTACK, ATTACKS } from "../scenes.ts"
import { retype } from "../retype.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const at = (flow: string, more = ""): string => `/console/flows/${flow}?tab=tests&pane=side${more}`

export function flowTestsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const { write, run, text } = flowWorld(world)
  return [
    checkAt(
      stage,
      "flowside: a case fails, shows what it expected and found, is mended and passes; its result is kept for the revision",
      async () => {
        await write({
          flows: { "ft-mend.yaml": FLOW("ft-mend"), "ft-mend.test.yaml": CASES(["goes well", "succeeded"], ["goes wrong", "failed"]) },
        })
        return at("ft-mend")
      },
      async ({ page }) => {
        await has(page.locator(".flow-tests_tc > li"), "goes well")
        await page.getByRole("tab", { name: "Tests 2" }).waitFor()
        await page.getByRole("button", { name: "Run 2 as saved" }).waitFor()
        await page.keyboard.press("Control+Shift+T")
        const bad = page.locator(".flow-tests_tc > li").nth(1)
        await has(bad.locator(".flow-tests_tcB"), "/status is not as expected.")
        await has(bad.locator(".flow-tests_ef .flow-tests_del"), 'expected "failed"')
        await has(bad.locator(".flow-tests_ef .flow-tests_add"), "succeeded")
        await page.locator(".flow-tests_tc > li").first().getByRole("img", { name: "Passed" }).waitFor()
        await bad.getByRole("button", { name: "Expect what it found" }).click()
        await has(page.locator(".flow-tests_caseEd .cm-content"), 'status: "succeeded"')
        await page.locator(".flow-tests_caseEd").getByRole("button", { name: "Save", exact: true }).click()
        await page.locator(".flow-tests_caseEd").waitFor({ state: "detached" })
        assert.match(await text("/v1/flows/ft-mend/tests"), /goes wrong"\n    task: go\n    expect:\n      status: "succeeded"\n$/)
        await bad.getByRole("button", { name: "Run goes wrong" }).click()
        await bad.getByRole("img", { name: "Passed" }).waitFor()
        await page.reload()
        await has(page.locator(".flow-tests_tc > li").nth(1), /r\d+, now/)
        await page.locator(".flow-tests_tc > li").nth(1).getByRole("img", { name: "Passed" }).waitFor()
      },
    ),
    checkAt(
      stage,
      "flowside: without tests, a run is saved as one; a case is added with its fault named, and deleted",
      async () => {
        await write({ flows: { "ft-empty.yaml": FLOW("ft-empty") } })
        await run("ft-empty", 1)
        return at("ft-empty")
      },
      async ({ page }) => {
        await page.locator(".empty-state").getByRole("button", { name: "Save a run as a test" }).click()
        await page.getByLabel("Name of the test").fill("as it went")
        await page.getByRole("button", { name: "Save the test" }).click()
        await has(page.locator(".flow-tests_tc > li"), "as it went")
        await has(page.locator(".flow-tests_tests"), /Saved \d\d?:\d\d.*: a test from the run/)
        await page.getByRole("link", { name: "as it went" }).click()
        await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Run as it went")
        await page.getByRole("button", { name: "Add a case" }).click()
        const editor = page.locator(".flow-tests_caseEd .cm-content")
        await has(editor, "a new test")
        await retype(editor, "- name: as it went\n  expct: {}\n")
        await has(page.locator(".flow-tests_caseEd .problem"), "TV-NAME")
        await page.locator('.flow-tests_caseEd .btn.first[aria-disabled="true"]').waitFor()
        await retype(editor, "- name: one more\n  task: go\n  expect:\n    status: succeeded\n")
        await page.locator('.flow-tests_caseEd .btn.first[aria-disabled="false"]').waitFor()
        await page.locator(".flow-tests_caseEd .problem").waitFor({ state: "detached" })
        await page.locator(".flow-tests_caseEd").getByRole("button", { name: "Save", exact: true }).click()
        await has(page.locator(".flow-tests_tc > li"), "one more")
        await page.getByRole("button", { name: "Run 2 as saved" }).click()
        await page.getByRole("img", { name: "Passed" }).nth(1).waitFor()
        await page.getByRole("button", { name: "Edit one more" }).click()
        await page.locator(".flow-tests_caseEd").getByRole("button", { name: "Delete" }).click()
        await page.getByRole("button", { name: "Delete this test" }).click()
        await page.locator(".flow-tests_tc > li").nth(1).waitFor({ state: "detached" })
        assert.doesNotMatch(await text("/v1/flows/ft-empty/tests"), /one more/)
      },
    ),
    checkAt(
      stage,
      "flowside: a draft is tested and backtested as it is written: a square for each run, the same as a table, and its id in the address",
      async () => {
        await world.api("PUT", "/v1/settings/gate", { flows: [{ match: "ft-back*", backtest: { last: 3, allow: [] } }] })
        await write({ flows: { "ft-back.yaml": FLOW("ft-back"), "ft-back.test.yaml": CASES(["goes well", "succeeded"]) } })
        await run("ft-back", 3)
        return at("ft-back")
      },
      async ({ page }) => {
        await has(page.locator('[aria-label="Gate"]'), "requires all tests to pass, and a backtest on the last 3 runs.")
        await page.getByLabel("Last").fill("3")
        await page.getByRole("button", { name: "Backtest on 3 runs" }).click()
        await page.locator(".flow-tests_bt a.flow-tests_same").nth(2).waitFor()
        await has(page.locator(".flow-tests_btk"), "3 same")
        await has(page.locator(".flow-tests_btk"), "0 tokens")
        await page.reload()
        await page.locator(".flow-tests_bt a.flow-tests_same").nth(2).waitFor()
        await page.getByRole("button", { name: "Again" }).click()
        await withDraft(page, "ft-back", FLOW("ft-back", "", "${{task}} Be brief."))
        await page.getByRole("button", { name: "Run 1 against this draft" }).waitFor()
        await page.getByLabel("Last").fill("3")
        await page.getByRole("button", { name: "Backtest on 3 runs" }).click()
        await page.locator(".flow-tests_bt a.flow-tests_changed").nth(2).waitFor()
        await page.waitForURL(/backtest=/)
        await has(page.locator("table.tbl tbody tr"), "≠ changed")
        await page.getByRole("button", { name: "Check this draft against the gate" }).click()
        await has(page.locator('[aria-label="Gate"]'), /The gate/)
        await page.locator(".flow-tests_bt a.flow-tests_changed").first().click()
        await page.waitForURL(/\/console\/runs\/run_/)
        await world.api("PUT", "/v1/settings/gate", {})
      },
    ),
    checkAt(
      stage,
      "flowside: names and findings of tests are text",
      async () => {
        const cases = ATTACKS.map((attack, i) => ({ name: `${i} ${attack}`, task: attack, expect: { output: { x: ATTACK } } }))
        await write({ flows: { "ft-attack.yaml": FLOW("ft-attack"), "ft-attack.test.yaml": JSON.stringify({ cases }) } })
        return at("ft-attack")
      },
      async ({ page }) => {
        await page.getByRole("button", { name: `Run ${ATTACKS.length} as saved` }).click()
        await page
          .locator(".flow-tests_ef .flow-tests_del")
          .nth(ATTACKS.length - 1)
          .waitFor()
        await has(page.locator(".flow-tests_tc .cut"), "<script>alert(2)</script>")
        assert.equal(await page.locator("main .flow-tests_tests :is(img[src], iframe, style, [onload], [onerror])").count(), 0)
        await page.getByRole("button", { name: "Edit 0" }).click()
        await has(page.locator(".flow-tests_caseEd .cm-content"), "onerror")
      },
    ),
    {
      name: "flowside: WCAG 2.2 AA of the tests",
      async run() {
        await write({
          flows: {
            "ft-look.yaml": FLOW("ft-look"),
            "ft-look.test.yaml": CASES(["recovers in pass 1", "succeeded"], ["pages a human when deploys are unknown", "failed"]),
            "ft-none.yaml": FLOW("ft-none"),
          },
        })
        await run("ft-look", 3)
        await world.api("POST", "/v1/flows/ft-look/test", {})
        const { id } = (await world.api("POST", "/v1/flows/ft-look/backtest", {
          against: { last: 3 },
          change: { definitions: { "flows/ft-look.yaml": FLOW("ft-look", "", "${{task}} Be brief.") } },
        })) as { readonly id: string }
        await looked(stage, "flow-tests", at("ft-look", `&backtest=${id}`), async ({ page }) => {
          await page.locator(".flow-tests_bt a").nth(2).waitFor()
          await page.locator(".flow-tests_tcB").waitFor()
        })
        await looked(stage, "flow-tests-edit", at("ft-look"), async ({ page }) => {
          await page.getByRole("button", { name: "Edit recovers in pass 1" }).click()
          await has(page.locator(".flow-tests_caseEd .cm-content"), "recovers")
        })
        await looked(stage, "flow-tests-empty", at("ft-none"), async ({ page }) => {
          await page.locator(".empty-state").waitFor()
        })
      },
    },
  ]
}
