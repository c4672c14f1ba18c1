// The console's flows, driven by a browser with the tenant's key: the list, and the editor with its diagnostics, its graph and its form.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { flowText, putFlow, replaceText, storedFlow } from "./flows-world.ts"
import { checkAt, has } from "../visit.ts"
import type { World } from "../world.ts"

export function flowsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const put = (name: string): Promise<string> => putFlow(world, name)
  return [
    checkAt(
      at,
      "flows: the list says what each is for, its steps and how it last went",
      async () => {
        await put("listed")
        await world.api("POST", "/v1/flows/listed/runs", { inputs: { who: "Ana" }, rehearse: true })
        return "/console/flows"
      },
      async ({ page }) => {
        const row = page.locator('tr:has(a[data-flow="listed"])')
        await has(row, "Looks twice, then writes.")
        await has(row.locator('[data-label="Steps"]'), "2")
        await has(row.locator('[data-label="Problems"]'), "none")
        await page.getByLabel("Filter flows").fill("no flow has this")
        await has(page.locator(".empty-state"), "No matches.")
        await page.getByRole("button", { name: "Clear filter" }).click()
        await page.locator('a[data-flow="listed"]').click()
        await page.waitForURL(/\/console\/flows\/listed$/)
        await page.getByRole("textbox", { name: "Text of listed" }).waitFor()
      },
    ),
    checkAt(
      at,
      "flows: a flow is mended by its diagnostic, and saved",
      () => put("mended"),
      async ({ page }) => {
        const editor = page.getByRole("textbox", { name: "Text of mended" })
        await editor.waitFor()
        await has(page.locator(".flow-page_tally"), "No problems")
        await replaceText(page, "mended", flowText("mended").replace("result.look.", "result.lok."))
        await has(page.locator(".problem"), 'did you mean "look"')
        await has(page.locator(".flow-page_eActs"), "1 error to fix before saving")
        assert.equal(await page.locator(".draft-graph_bx.error").count(), 1)
        if (shots !== undefined) await page.screenshot({ path: `${shots}/flow-problem.png` })
        assert.deepEqual(await axe(page), [])
        await page.keyboard.press("Alt+.")
        await has(page.locator(".flow-page_tally"), "No problems")
        await has(page.locator(".cm-content"), "result.look.summary")
        await replaceText(page, "mended", flowText("mended").replace("Looks twice", "Looks once"))
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.keyboard.press("Control+s")
        await has(page.locator(".flow-page_eActs"), "Saved")
        assert.match(await storedFlow(world, "mended"), /Looks once/)
      },
    ),
    checkAt(
      at,
      "flows: names are completed as they are typed, and F8 goes from problem to problem",
      () => put("typed"),
      async ({ page }) => {
        await replaceText(page, "typed", flowText("typed").replaceAll("agent: helper", "agent: nobody"))
        await has(page.locator(".flow-page_tally"), "2 errors")
        await page.keyboard.press("Control+Home")
        await page.getByRole("heading", { name: "typed" }).click()
        await page.keyboard.press("F8")
        await has(page.locator(".flow-page_edFoot"), "line 9")
        await page.keyboard.press("F8")
        await has(page.locator(".flow-page_edFoot"), "line 14")
        await page.getByRole("textbox", { name: "Text of typed" }).focus()
        await page.keyboard.press("End")
        await page.keyboard.press("Control+Shift+ArrowLeft")
        await page.keyboard.type("hel")
        await page.locator(".cm-tooltip-autocomplete li", { hasText: "helper" }).waitFor()
        // What is offered is not taken by a key that was pressed before it was seen.
        await page.locator(".cm-tooltip-autocomplete li", { hasText: "helper" }).click()
        await has(page.locator(".flow-page_tally"), "1 error")
      },
    ),
    checkAt(
      at,
      "flows: what is not saved stays through a reload, and is discarded by its button",
      () => put("kept"),
      async ({ page }) => {
        await replaceText(page, "kept", flowText("kept").replace("Looks twice", "Looks thrice"))
        await has(page.locator(".flow-page_eHead"), "Not saved")
        page.removeAllListeners("dialog")
        page.on("dialog", (dialog) => void dialog.accept())
        await page.reload()
        await has(page.locator(".flow-page_eHead"), "Not saved")
        await has(page.locator(".cm-content"), "Looks thrice")
        await page.getByRole("button", { name: "Discard" }).click()
        await has(page.locator(".cm-content"), "Looks twice")
        assert.match(await storedFlow(world, "kept"), /Looks twice/)
      },
    ),
    checkAt(
      at,
      "flows: a step that is chosen in the graph is chosen in the text, and the other way",
      () => put("chosen"),
      async ({ page }) => {
        await page.locator(".draft-graph_bx", { hasText: "write" }).click()
        await page.waitForURL(/step=write/)
        await has(page.locator(".flow-page_edFoot"), "line 12")
        await page.getByRole("textbox", { name: "Text of chosen" }).focus()
        for (let i = 0; i < 4; i += 1) await page.keyboard.press("ArrowUp")
        await page.waitForURL(/step=look/)
        assert.equal(await page.locator(".draft-graph_bx.sel", { hasText: "look" }).count(), 1)
      },
    ),
    checkAt(
      at,
      "flows: a draft is rehearsed without being saved, and its graph goes green",
      () => put("tried"),
      async ({ page }) => {
        await replaceText(page, "tried", flowText("tried").replace("id: write", "id: compose"))
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.locator(".draft-graph_bx", { hasText: "compose" }).waitFor()
        await page.keyboard.press("Control+Enter")
        await has(page.getByRole("alert"), "The flow needs who.")
        assert.deepEqual(await axe(page), [])
        await page.getByLabel("who").fill("Ana")
        await page.keyboard.press("Control+Enter")
        await has(page.locator(".try-it_lastrun"), "The draft’s rehearsal succeeded")
        await page.locator(".draft-graph_bx.complete").nth(1).waitFor()
        if (shots !== undefined) await page.screenshot({ path: `${shots}/flow-tried.png` })
        assert.deepEqual(await axe(page), [])
        assert.doesNotMatch(await storedFlow(world, "tried"), /compose/)
      },
    ),
    checkAt(
      at,
      "flows: a rehearsal that waits says for what at once, colors its graph, and goes on when it is given",
      () =>
        putFlow(
          world,
          "held",
          flowText("held", "\n  - { id: hold, type: wait, signal: open }\n  - { id: end, type: agent, agent: helper }\n"),
        ),
      async ({ page }) => {
        await page.getByLabel("who").fill("Ana")
        await page.keyboard.press("Control+Enter")
        const last = page.locator(".try-it_lastrun")
        await has(last, "The rehearsal waits for the signal open. 2 of 4 steps done.")
        await page.locator(".draft-graph_bx.complete", { hasText: "write" }).waitFor()
        await page.locator(".draft-graph_bx.running, .draft-graph_bx.waiting", { hasText: "hold" }).waitFor()
        assert.ok(await last.evaluate((node) => node.getBoundingClientRect().bottom <= innerHeight), "it stands below the screen")
        assert.deepEqual(await axe(page), [])
        const run = (await last.getByRole("link", { name: "Send the signal" }).getAttribute("href"))?.split("/").at(-1) ?? ""
        await world.api("POST", `/v1/runs/${run}/signals/open`, {})
        await has(last, "The rehearsal succeeded")
        assert.equal(await page.locator(".draft-graph_bx.complete").count(), 4)
      },
    ),
    checkAt(
      at,
      "flows: a draft's rehearsal that asks leads to where it is answered, and leaves no draft behind",
      () => put("asked"),
      async ({ page }) => {
        const fork =
          "\n  - { id: choose, type: fork, question: Which?, options: [one, two], branches: { one: end, two: end } }\n  - { id: end, type: agent, agent: helper }\n"
        await replaceText(page, "asked", flowText("asked", fork))
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.getByLabel("who").fill("Ana")
        await page.keyboard.press("Control+Enter")
        const last = page.locator(".try-it_lastrun")
        await has(last, "The draft’s rehearsal asks a person.")
        assert.deepEqual(await world.api("GET", "/v1/catalog/drafts"), { data: [], next_cursor: null })
        page.on("dialog", (dialog) => void dialog.accept())
        await last.getByRole("link", { name: "Answer it" }).click()
        await page.waitForURL(/\/console\/runs\/run_/)
        await page.getByText("Which?").filter({ visible: true }).first().waitFor()
      },
    ),
    checkAt(
      at,
      "flows: run from the form opens the run, and its graph goes green",
      () => put("ran"),
      async ({ page }) => {
        await page.getByLabel("who").fill("Ana")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.waitForURL(/\/console\/runs\/run_/)
        await page.locator(".graph_nd.complete").nth(1).waitFor()
        if (shots !== undefined) await page.screenshot({ path: `${shots}/flow-ran.png` })
      },
    ),
  ]
}
