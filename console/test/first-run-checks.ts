// The page of the first run: what `npm start` makes on an empty data folder, on a server of its own.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import { firstRuns } from "../../local/first-run.ts"
import { FIRST_RUN } from "../../src/client/first-run.ts"
import type { Check } from "../../test/browser/checks.ts"
import { zip } from "../../test/support/engine/zip-archive.ts"
import { axe } from "./axe.ts"
import { openPage } from "./page.ts"
import { startFirst } from "./first-world.ts"
import { has, looked, visit } from "./visit.ts"
import type { World } from "./world.ts"

export function firstRunChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    {
      name: "first-run: npm start's runs are forked, approved and read, once; then the page is hidden for everybody",
      async run() {
        const { world: own, api, close } = await startFirst(world)
        try {
          assert.deepEqual([...((await firstRuns(api))?.flows ?? ["in use"])], [], "a second start makes nothing")
          const at = { browser, world: own, shots }
          await looked(at, "first-run", "/console/", async ({ page }) => {
            await has(page.locator("h1"), "Sluice runs flows of agents. Every run is a journal that you can pause, fork and prove.")
            await has(page.locator("header p"), "Three runs are here already")
            await page.getByRole("button", { name: /Approve/ }).waitFor()
          })
          const { page, faults, context } = await visit(browser, own, "/console/")
          const failing = page.locator("article", { hasText: FIRST_RUN.failing })
          await has(failing, "Failed at its last step")
          await has(failing, "Steps 1–9 are kept and cost nothing again")
          await has(page.locator("article", { hasText: FIRST_RUN.asking }), "deploys.start")
          // The dialog of the run's own page says why it offers the latest revision.
          await failing.getByRole("link", { name: "Open" }).click()
          await has(page.locator(".run-head_whyfail"), "The latest revision, r2, changes this step.")
          await page
            .getByRole("button", { name: /^Fork from here/ })
            .first()
            .click()
          await has(page.getByRole("dialog"), "it changes publish, where the run failed")
          assert.equal(await page.getByRole("radio", { name: /The latest/ }).isChecked(), true)
          assert.deepEqual(await axe(page), [])
          await page.keyboard.press("Escape")
          await page.goto(`${own.url}/console/`)
          await has(failing, "Fork from here")
          await page.keyboard.press("1")
          await page.waitForURL(/\/console\/runs\/run_/)
          await has(page.locator(".run-head_rTitle"), "Succeeded")
          const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
          const fork = await api.runs.get(id)
          const source = await api.runs.get(fork.fork?.run ?? "")
          const asked = ({ steps }: typeof fork): number => Object.values(steps).reduce((sum, step) => sum + step.model_calls, 0)
          assert.deepEqual([fork.status, fork.usage.tool_calls, fork.inherited?.steps], ["succeeded", 0, 9])
          assert.equal(asked(fork), asked(source), "no model is asked again")
          await page.goto(`${own.url}/console/`)
          await has(failing, "Its fork succeeded: 9 steps kept")
          // What is next has the emphasis, and a key approves what has been on the screen for a moment.
          const asking = page.locator("article", { hasText: FIRST_RUN.asking })
          await has(asking.locator(".btn.first"), "Approve")
          await page.keyboard.press("2")
          await has(asking, /This has just opened|Succeeded/)
          await page.waitForTimeout(700)
          if (await asking.getByRole("button", { name: /^Approve/ }).isVisible()) await page.keyboard.press("2")
          await has(asking, "Succeeded")
          assert.deepEqual(await axe(page), [])
          // The third card leads to the call that it names, and from there it goes on.
          const refused = page.getByRole("link", { name: /^Show the refused call/ })
          await has(page.locator(".btn.first"), "Show the refused call")
          await refused.click()
          await has(page.locator("main .detail_detail, main"), "bash")
          assert.match(page.url(), /step=reproduce.*call=/)
          await has(page.getByRole("complementary", { name: "First steps" }), "Next: look at the call that was refused")
          assert.deepEqual(await axe(page), [])
          await page.getByRole("link", { name: "Continue" }).click()
          await context.grantPermissions(["clipboard-read", "clipboard-write"])
          await page.getByRole("button", { name: "Copy", exact: true }).click()
          await page.getByRole("button", { name: "Copied" }).waitFor()
          assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^npm run sluice -- run triage/)
          // What is dropped here is looked at on the page for it, and nothing of it is written.
          const archive = zip([
            { name: ".claude/agents/dropped.md", body: Buffer.from("---\nname: dropped\ndescription: d\n---\nDo it.\n") },
          ])
          const held = await page.evaluateHandle(
            (bytes) => {
              const transfer = new DataTransfer()
              transfer.items.add(new File([new Uint8Array(bytes)], "mine.zip", { type: "application/zip" }))
              return transfer
            },
            [...archive],
          )
          await page.locator(".drop-zone_drop").dispatchEvent("drop", { dataTransfer: held })
          await page.waitForURL(/\/console\/settings\/connect$/)
          await has(page.getByRole("region", { name: "To import" }).locator("tr"), "dropped.md")
          assert.equal((await api.catalog.list()).data.filter(({ path: file }) => file.includes("dropped")).length, 0)
          await page.goto(`${own.url}/console/`)
          await page.getByRole("button", { name: "Hide this page" }).click()
          await page.waitForURL(/\/console\/overview$/)
          await page.goto(`${own.url}/console/`)
          await page.waitForURL(/\/console\/overview$/)
          await page.goto(`${own.url}/console/runs`)
          await page.locator("tbody tr a").first().waitFor()
          assert.deepEqual(faults, [])
          await context.close()
          await api.flows.start("triage", { task: "Mine.", rehearse: true })
          assert.equal(await firstRuns(api), undefined, "a folder in use is left as it is")
        } finally {
          await close()
        }
      },
    },
    {
      name: "first-run: a local server is entered by its first button; a session that ended says so, and comes back to its page",
      async run() {
        const { page, context, faults } = await openPage(browser, [world.url])
        try {
          await page.goto(`${world.url}/console/flows`)
          const enter = page.getByRole("button", { name: "Use sl_local_dev" })
          await enter.waitFor()
          assert.equal(await page.locator("form .btn.first").count(), 1)
          await has(page.locator("form .btn.first"), "Use sl_local_dev")
          assert.equal(await page.getByText("You are signed out.").count(), 0)
          assert.deepEqual(await axe(page), [])
          await enter.click()
          await page.locator("tbody tr").first().waitFor()
          await context.clearCookies()
          await page.reload()
          await has(page.getByRole("status"), "You are signed out. The session ended after its 12 hours, or its key was revoked.")
          assert.deepEqual(await axe(page), [])
          await enter.click()
          await page.locator("tbody tr").first().waitFor()
          assert.match(page.url(), /\/console\/flows$/)
          // Who signs out knows why.
          await page.getByRole("button", { name: "Sign out" }).click()
          await enter.waitFor()
          assert.equal(await page.getByText("You are signed out.").count(), 0)
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    {
      name: "first-run: on a small screen the bar has four places, and More has the others",
      async run() {
        const { page, faults, context } = await visit(browser, world, "/console/runs", { width: 390 })
        try {
          const bar = page.getByRole("navigation", { name: "Console" })
          await bar.getByRole("button", { name: "More" }).waitFor()
          assert.deepEqual(
            (await bar.getByRole("link").allInnerTexts()).map((words) => words.split("\n")[0]?.trim()),
            ["Overview", "Runs", "Inbox", "Flows"],
          )
          await bar.getByRole("button", { name: "More" }).click()
          const sheet = page.getByRole("dialog")
          await sheet.getByRole("link", { name: "Settings" }).waitFor()
          assert.deepEqual(await axe(page), [])
          await sheet.getByRole("link", { name: "Chat" }).click()
          await page.waitForURL(/\/console\/chat/)
          await sheet.waitFor({ state: "detached" })
          assert.equal(await bar.getByRole("button", { name: "More" }).getAttribute("aria-current"), "page")
          assert.deepEqual(await axe(page), [])
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    {
      name: "first-run: a tenant with runs of its own opens with the overview",
      async run() {
        const seen = await visit(browser, world, "/console/")
        await seen.page.waitForURL(/\/console\/overview$/)
        assert.deepEqual(seen.faults, [])
        await seen.context.close()
      },
    },
  ]
}
