// What stands between the editor and the catalog: another's version, the gate, who names a flow; new flows, code files; and texts that attack.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { flowText, putFlow, replaceText, storedFlow } from "./flows-world.ts"
import { ATTACK, ATTACKS } from "../scenes.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const CASE = JSON.stringify({ cases: [{ name: "looks", inputs: { who: "Ana" }, expect: { steps: { look: { status: "complete" } } } }] })

export function flowSaveChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const put = (name: string, content?: string): Promise<string> => putFlow(world, name, content)
  const picture = (name: string): { readonly path: string } | undefined =>
    shots === undefined ? undefined : { path: `${shots}/${name}.png` }
  return [
    checkAt(
      at,
      "flows: a save over somebody else's version shows both, and loses neither",
      () => put("shared"),
      async ({ page }) => {
        await replaceText(page, "shared", flowText("shared").replace("Looks twice", "Mine"))
        await put("shared", flowText("shared").replace("Looks twice", "Theirs"))
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.keyboard.press("Control+s")
        const dialog = page.getByRole("dialog", { name: "Saved by someone else while you were editing" })
        await dialog.waitFor()
        await has(dialog.locator(".cm-content"), "Mine")
        await has(dialog.locator(".cm-content"), "Theirs")
        const path = picture("flow-conflict")
        if (path) await page.screenshot(path)
        assert.deepEqual(await axe(page), [])
        await page.keyboard.press("Escape")
        await has(page.locator(".flow-page_eHead"), "Not saved")
        assert.match(await storedFlow(world, "shared"), /Theirs/)
        await page.keyboard.press("Control+s")
        await page.getByRole("button", { name: "Overwrite with mine" }).click()
        await has(page.locator(".flow-page_eActs"), "Saved")
        assert.match(await storedFlow(world, "shared"), /Mine/)
      },
    ),
    checkAt(
      at,
      "flows: what the gate refuses is not saved, and says so",
      async () => {
        const place = await put("gated")
        await world.api("PATCH", "/v1/catalog", { tests: { "gated.test.yaml": CASE } })
        await world.api("PUT", "/v1/settings/gate", { flows: [{ match: "gated" }] })
        return place
      },
      async ({ page }) => {
        await replaceText(page, "gated", flowText("gated").replace("id: look", "id: seek").replaceAll("look", "seek"))
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.keyboard.press("Control+s")
        await page.waitForURL(/tab=tests/)
        await has(page.getByRole("alert"), "Not saved: the gate holds this change back.")
        await has(page.getByRole("alert"), /1 test fails.*looks/)
        await has(page.locator(".flow-page_eActs"), "Held back by the gate")
        await has(page.locator(".flow-page_eHead"), "Not saved")
        assert.deepEqual(await axe(page), [])
        assert.match(await storedFlow(world, "gated"), /id: look/)
        await world.api("PUT", "/v1/settings/gate", { flows: [] })
      },
    ),
    checkAt(
      at,
      "flows: deleting one that another names says who, and asks again",
      async () => {
        const place = await put("named")
        await put(
          "naming",
          "name: naming\ndescription: Hands on.\nautonomous: false\nsteps:\n  - { id: on, type: flow-ref, flow: named, inputs: { who: Ana } }\n",
        )
        return place
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Delete", exact: true }).click()
        await page.getByRole("button", { name: "Delete the flow" }).click()
        await has(page.locator(".uses"), "naming")
        assert.deepEqual(await axe(page), [])
        assert.match(await storedFlow(world, "named"), /name: named/)
        await page.getByRole("button", { name: "Delete anyway" }).click()
        await page.waitForURL(/\/console\/flows$/)
        await page.locator('a[data-flow="naming"]').waitFor()
        assert.equal(await page.locator('a[data-flow="named"]').count(), 0)
        await has(page.locator('tr:has(a[data-flow="naming"])'), "1 error")
      },
    ),
    checkAt(at, "flows: a new one opens with an example that is saved only when it is asked for", "/console/flows", async ({ page }) => {
      await page.locator("tbody tr").first().waitFor()
      await page.keyboard.press("n")
      await page.getByLabel("Name").fill("two words")
      await page.getByRole("button", { name: "Create flow" }).click()
      await has(page.getByRole("alert"), "Use letters")
      assert.deepEqual(await axe(page), [])
      await page.getByLabel("Name").fill("fresh:one")
      await page.getByLabel("What it is for").fill("A flow: made here")
      await page.getByRole("button", { name: "Create flow" }).click()
      await page.waitForURL(/\/console\/flows\/fresh%3Aone$/)
      await has(page.locator(".flow-page_tally"), "No problems")
      await has(page.locator(".flow-page_eHead"), "new, not saved")
      assert.match(await storedFlow(world, "fresh:one"), /not_found/)
      // It is on top of the list until it is saved.
      await page.getByRole("link", { name: "Flows", exact: true }).first().click()
      await has(page.locator("tbody tr").first(), "fresh:onenew, not saved")
      assert.deepEqual(await axe(page), [])
      await page.locator('a[data-flow="fresh:one"]').click()
      await has(page.locator(".flow-page_tally"), "No problems")
      await page.keyboard.press("Control+s")
      await has(page.locator(".flow-page_eActs"), /Saved \d\d?:\d\d/)
      assert.match(await storedFlow(world, "fresh:one"), /A flow: made here/)
    }),
    checkAt(at, "flows: one that was never saved is discarded when that is confirmed", "/console/flows?new=1", async ({ page }) => {
      await page.getByLabel("Name").fill("fresh:gone")
      await page.getByRole("button", { name: "Create flow" }).click()
      await has(page.locator(".flow-page_eHead"), "new, not saved")
      await page.getByRole("button", { name: "Discard" }).click()
      const dialog = page.getByRole("dialog", { name: "Discard fresh:gone" })
      assert.deepEqual(await axe(page), [])
      await dialog.getByRole("button", { name: "Discard the flow" }).click()
      await page.waitForURL(/\/console\/flows$/)
      await page.locator("tbody tr").first().waitFor()
      assert.equal(await page.locator('a[data-flow="fresh:gone"]').count(), 0)
    }),
    checkAt(
      at,
      "flows: a changed one is marked in the list, and a built-in one opens without a warning until it is changed",
      "/console/flows/triage",
      async ({ page }) => {
        await has(page.locator(".flow-page_tally"), "No problems")
        await page.locator(".cm-line", { hasText: "task_required" }).first().click()
        await page.keyboard.press("End")
        await page.keyboard.type(" ", { delay: 40 })
        await has(page.locator(".flow-page_tally"), "1 warning")
        await page.getByRole("link", { name: "Flows", exact: true }).first().click()
        await has(page.locator("tbody tr").first(), "triagebuilt-innot saved")
      },
    ),
    checkAt(
      at,
      "flows: the handler of a code step is written beside it",
      () => put("coded", flowText("coded", "\n  - { id: sum, type: code, blockedBy: write, outputs: [total] }\n")),
      async ({ page }) => {
        await page.getByRole("tab", { name: /sum\.ts/ }).click()
        await has(page.locator(".flow-page_ofH"), "code/coded/sum.ts")
        await has(page.locator(".cm-content"), "total")
        assert.deepEqual(await axe(page), [])
        await page.getByRole("button", { name: "Save this file" }).click()
        await page.locator('.flow-page_ofH [aria-disabled="true"]').waitFor()
        await page.getByRole("tab", { name: "flows/coded.yaml" }).click()
        await page.getByRole("textbox", { name: "Text of coded" }).waitFor()
      },
    ),
    checkAt(
      at,
      "flows: while the text cannot be read, the last graph stays and says so",
      () => put("broken"),
      async ({ page }) => {
        await page.locator(".draft-graph_bx").nth(1).waitFor()
        await replaceText(page, "broken", `${flowText("broken")}  - [`)
        await has(page.locator(".flow-page_eg"), "from the last version that could be read")
        assert.equal(await page.locator(".draft-graph_bx").count(), 2)
        await page.route("**/v1/validate", (route) => route.fulfill({ status: 500, json: { code: "internal", detail: "It broke." } }))
        await replaceText(page, "broken", flowText("broken"))
        await has(page.locator(".flow-page_edFoot"), "Not checked. It broke.")
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(at, "flows: no text of a flow acts on the page", "/console/chat", async ({ page }) => {
      const diagnostics = ATTACKS.map((words) => ({
        code: words,
        line: 3,
        column: 1,
        severity: "error",
        message: words,
        suggestion: words,
      }))
      const nodes = ATTACKS.map((id, segment) => ({ id, type: "agent", segment }))
      const edges = ATTACKS.slice(1).map((to, i) => ({ from: ATTACKS[i] ?? to, to, kind: "branch", label: to }))
      const start = {
        description: ATTACK,
        inputs: { [ATTACK]: { type: "string", required: true, description: ATTACK } },
        task_required: true,
        task_prompt: ATTACK,
      }
      const file = {
        kind: "flow",
        id: ATTACK,
        path: ATTACK,
        tier: "package",
        package: ATTACK,
        hash: "0".repeat(64),
        size: 1,
        description: ATTACK,
        diagnostics,
        steps: 1,
      }
      const handler = { ...file, kind: "code", id: `${ATTACK}/step` }
      await page.route("**/v1/catalog", (route) => route.fulfill({ json: { data: [file, handler], next_cursor: null, revision: 1 } }))
      await page.route("**/v1/flows/*", (route) => route.fulfill({ json: { ...file, content: ATTACK } }))
      await page.route("**/v1/validate", (route) => route.fulfill({ json: { valid: false, diagnostics, graph: { nodes, edges, start } } }))
      await page.goto(`${world.url}/console/flows`)
      await has(page.locator(".flows-page_fAbout"), "onerror")
      assert.deepEqual(await axe(page), [])
      await page.locator("a[data-flow]").click()
      await has(page.locator(".problem").first(), "onerror")
      await page
        .locator(".draft-graph_bx")
        .nth(ATTACKS.length - 1)
        .waitFor()
      await has(page.locator(".try-it_tryit"), "onerror")
      // The editor has images of its own, without a source, beside each mark that it draws.
      assert.equal(await page.locator("main :is(script, iframe, img:not(.cm-widgetBuffer), style)").count(), 0)
      assert.deepEqual(await axe(page), [])
    }),
    {
      name: "flows: axe finds nothing in either theme, on a wide and on a small screen",
      async run() {
        const wide = Array.from({ length: 3 }, (_, i) => `  - { id: reader-${i}, type: agent, agent: helper, task: "Read ${i}" }\n`).join(
          "",
        )
        const place = await put(
          "pictured",
          `name: pictured\ndescription: Reads the signals, acts, verifies, and repeats until it is well.\nautonomous: false\ninputs:\n  service: { type: string, required: true }\n  alert: { type: object, required: true }\nsteps:\n${wide}  - { id: severity, type: agent-decision, agent: helper, blockedBy: [reader-0, reader-1, reader-2], branches: { act-now: plan, page-a-human: page } }\n  - { id: plan, type: agent, agent: helper, task: "Plan for \${{flow.input.service}}" }\n  - { id: verify, type: agent-loop-decision, agent: helper, task: Is it well?, loop_target: plan, exit_target: report, max_iterations: 2 }\n  - { id: page, type: agent, agent: helper }\n  - { id: report, type: agent, agent: helper, blockedBy: page }\n`,
        )
        await looked(at, "flows", "/console/flows", async ({ page }) => page.locator("a[data-flow=pictured]").waitFor())
        await looked(at, "flow", `${place}?step=severity`, async ({ page }) =>
          page.locator(".flow-page_tally :is(button, span)").first().waitFor(),
        )
        await looked(at, "flow-graph", `${place}?pane=graph`, async ({ page }) =>
          page.locator(".draft-graph_bx").first().waitFor({ state: "attached" }),
        )
        await looked(at, "flow-side", `${place}?pane=side`, async ({ page }) => page.getByLabel("service").waitFor())
      },
    },
  ]
}
