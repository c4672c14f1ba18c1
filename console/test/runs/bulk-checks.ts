// Runs are selected by mouse, keyboard and touch, and each bulk action is carried out to its end by the real server [R42–R46].

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { checkAt, has, looked, visit } from "../visit.ts"
import type { World } from "../world.ts"
import { starting } from "./runs-world.ts"

const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected runs" })
const dialog = (page: Page) => page.getByRole("dialog")
const box = (page: Page, id: string) => page.locator(`tr[data-run="${id}"] input[type=checkbox]`)
const figure = (page: Page, words: string) => page.locator(".bulk_figures div", { hasText: words }).locator("dd")
const parts = (page: Page) => dialog(page).locator(".bulk_parts li")

/** The sum of the parts is the selection. */
async function addsUp(page: Page, size: number): Promise<void> {
  await parts(page).first().waitFor()
  const counts = await parts(page).locator("b").allTextContents()
  assert.equal(
    counts.reduce((sum, count) => sum + Number(count.replaceAll(",", "")), 0),
    size,
    counts.join(" + "),
  )
}

export function bulkChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const { start, ended, listed } = starting(world)
  const statusOf = async (id: string): Promise<string> => ((await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }).status
  const made = async (tag: string, task: string, count: number, more: object = {}): Promise<readonly string[]> => {
    const ids = []
    for (let n = 0; n < count; n++) ids.push(await start(task, "assist", { tags: [tag], ...more }))
    for (const id of ids) await ended(id)
    await listed(`tag=${tag}`, count)
    return ids.toReversed()
  }
  const shot = async (page: Page, name: string): Promise<void> => {
    if (shots !== undefined) await page.screenshot({ path: `${shots}/bulk-${name}.png` })
  }
  return [
    checkAt(
      at,
      "bulk: [S8] by mouse: boxes, Shift and all; failed runs are forked with the newest revision",
      "/console/chat",
      async ({ page }) => {
        const failed = await made("bulk-fork", "scene:fails", 4)
        const fine = await made("bulk-fine", "scene:hello", 1)
        await page.goto(`${world.url}/console/runs?tag=bulk-fork`)
        await box(page, failed[0] ?? "").click()
        await has(bar(page), "1 selected")
        await box(page, failed[2] ?? "").click({ modifiers: ["Shift"] })
        await has(bar(page), "3 selected")
        assert.equal(await page.locator("tr.runs_picked").count(), 3)
        await page.getByRole("checkbox", { name: "Select all of these runs" }).click()
        await has(bar(page), "4 selected")
        assert.deepEqual(await axe(page), [])
        await shot(page, "bar")
        await bar(page)
          .getByRole("button", { name: /^Fork with newest revision/ })
          .click()
        await dialog(page).waitFor()
        await addsUp(page, 4)
        await has(parts(page), "continue at the step that failed")
        assert.equal(
          await dialog(page)
            .getByRole("radio", { name: /^Hold for approval/ })
            .isChecked(),
          true,
        )
        assert.deepEqual(await axe(page), [])
        await shot(page, "fork")
        await dialog(page)
          .getByRole("button", { name: /^Fork 4 runs/ })
          .click()
        await page.waitForURL(/\/runs\/bulk\/bulk_/)
        await has(page.getByRole("heading", { level: 1 }), "Fork: 4 runs")
        await has(figure(page, "To come"), /^0$/)
        const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
        const forks = await listed(`tag=${id}`, 4)
        for (const { id: fork } of forks) assert.equal(await ended(fork), "failed")
        await has(figure(page, "Failed"), /^4$/)
        for (const { id: fork } of forks) await page.locator(`a[href$="/runs/${fork}"]`).waitFor()
        assert.deepEqual(await axe(page), [])
        await shot(page, "done")
        assert.equal(await statusOf(fine[0] ?? ""), "succeeded")
      },
    ),
    checkAt(
      at,
      "bulk: [S8] by keyboard: X, Shift J, Shift K; those that go on are canceled, the others skipped",
      "/console/chat",
      async ({ page }) => {
        await made("bulk-cancel", "scene:hello", 1)
        const asking = await made("bulk-cancel2", "scene:ask", 2)
        await page.goto(`${world.url}/console/runs?q=bulk-cancel`)
        await page.waitForFunction(() => document.querySelectorAll("tbody tr[data-run]").length === 3)
        await page.keyboard.press("j")
        await page.keyboard.press("x")
        await has(bar(page), "1 selected")
        await page.keyboard.press("Shift+J")
        await page.keyboard.press("Shift+J")
        await has(bar(page), "3 selected")
        await page.keyboard.press("Escape")
        await bar(page).waitFor({ state: "detached" })
        await page.keyboard.press("Shift+K")
        await page.keyboard.press("Shift+K")
        await has(bar(page), "3 selected")
        await page.keyboard.press("c")
        await has(dialog(page), "Cancel 3 runs?")
        await addsUp(page, 3)
        await has(parts(page), "they have ended")
        for (const id of asking) await has(dialog(page), id)
        await page.keyboard.press("Control+Enter")
        await page.waitForURL(/\/runs\/bulk\/bulk_/)
        await has(page.locator(".page-head"), "Done")
        assert.equal(await figure(page, "Skipped").textContent(), "1")
        assert.deepEqual(await Promise.all(asking.map(statusOf)), ["canceled", "canceled"])
        await page.getByRole("button", { name: /^Skipped/ }).click()
        await has(page.locator("tbody tr"), "skipped: it had ended")
        await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1)
      },
    ),
    {
      name: "bulk: [S8] by touch: a long press selects, a tap on a box selects on; the runs start again",
      async run() {
        const ids = await made("bulk-again", "scene:hello", 3)
        const { page, context, faults } = await visit(browser, world, "/console/runs?tag=bulk-again", { width: 390 })
        try {
          const row = page.locator(`tr[data-run="${ids[0]}"] a`)
          const place = await row.boundingBox()
          assert.ok(place)
          const touch = await context.newCDPSession(page)
          const [x, y] = [place.x + 40, place.y + 12]
          await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] })
          await has(bar(page), "1 selected")
          await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
          await page.waitForTimeout(300)
          assert.match(page.url(), /\/console\/runs\?tag=bulk-again$/, "the press opens nothing")
          await box(page, ids[2] ?? "").tap()
          await has(bar(page), "2 selected")
          assert.deepEqual(await axe(page), [])
          await shot(page, "390")
          await bar(page)
            .getByRole("button", { name: /^Run again/ })
            .tap()
          await addsUp(page, 2)
          await has(dialog(page), "start from the beginning")
          assert.deepEqual(await axe(page), [])
          await shot(page, "again-390")
          await dialog(page)
            .getByRole("button", { name: /^Start 2 runs/ })
            .tap()
          await page.waitForURL(/\/runs\/bulk\/bulk_/)
          await has(figure(page, "Succeeded"), /^2$/)
          const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
          await listed(`tag=${id}`, 2)
          assert.deepEqual(await axe(page), [])
          await shot(page, "page-390")
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    checkAt(at, "bulk: [S8] all that match, as of one moment, are deleted once the number is typed", "/console/chat", async ({ page }) => {
      const ids = await made("bulk-delete", "scene:hello", 64)
      const [waiting] = await made("bulk-delete2", "scene:ask", 1)
      await page.goto(`${world.url}/console/runs?q=bulk-delete`)
      await page.locator("tbody tr a").first().waitFor()
      await page.keyboard.press("Shift+A")
      await has(bar(page), "65 selected")
      await has(page.locator(".runs_whole"), "All 65 that match are selected, as of")
      const later = await start("scene:hello", "assist", { tags: ["bulk-delete"] })
      await ended(later)
      await page.keyboard.press("d")
      await has(dialog(page), "Delete 65 runs?")
      await addsUp(page, 65)
      await has(parts(page), "they have not ended: cancel them first")
      const act = dialog(page).getByRole("button", { name: /^Delete 64 runs/ })
      await page.keyboard.type("65")
      assert.equal(await act.getAttribute("aria-disabled"), "true")
      await page.keyboard.press("Backspace")
      await page.keyboard.type("4")
      assert.deepEqual(await axe(page), [])
      await shot(page, "delete")
      await act.click()
      await page.waitForURL(/\/runs\/bulk\/bulk_/)
      await has(page.locator(".page-head"), "Done")
      assert.equal(await figure(page, "Done").textContent(), "64")
      const left = (await world.api("GET", "/v1/runs?q=bulk-delete&limit=200")) as { readonly data: readonly { readonly id: string }[] }
      assert.deepEqual(new Set(left.data.map(({ id }) => id)), new Set([later, waiting]))
      assert.equal(ids.length, 64)
      await page.getByRole("link", { name: "Bulk actions" }).click()
      await has(page.locator("tbody tr"), "Delete: 65 runs")
      assert.deepEqual(await axe(page), [])
    }),
    checkAt(at, "bulk: [R45] S stops it: no more begin, and the rest says so", "/console/chat", async ({ page }) => {
      let isStopped = false
      const row = () => ({
        id: "bulk_1",
        action: "fork",
        by: "ana",
        created: "2026-11-24T14:21:00.000Z",
        status: isStopped ? "stopped" : "running",
        count: 1_213,
        done: 430,
        skipped: 15,
        failed: 3,
      })
      await page.route("**/v1/bulk/bulk_1", (route) => route.fulfill({ json: row() }))
      const rest = ["run_2", "run_3"].map((run) => ({ run, outcome: "waiting" }))
      await page.route("**/v1/bulk/bulk_1/items*", (route) =>
        route.fulfill({
          json: {
            data: route.request().url().includes("waiting") ? rest : [{ run: "run_1", outcome: "failed", reason: "/terms is required" }],
            next_cursor: null,
          },
        }),
      )
      await page.route("**/v1/bulk?check=1", (route) =>
        route.fulfill({
          json: { action: "fork", count: 2, complete: true, effects: { live: 2, staged: 0, dry: 0 }, runs: ["run_2", "run_3"] },
        }),
      )
      await page.route("**/v1/bulk/bulk_1/stop", (route) => {
        isStopped = true
        return route.fulfill({ json: row() })
      })
      await page.goto(`${world.url}/console/runs/bulk/bulk_1`)
      await has(page.locator(".bulk_progress"), "448 of 1,213")
      await has(page.locator("tbody tr"), "failed: /terms is required")
      assert.equal(await figure(page, "To come").textContent(), "765")
      await page.keyboard.press("s")
      await has(page.locator(".page-head"), "Stopped")
      await has(figure(page, "Not begun"), /^765$/)
      await has(page.locator(".bulk_progress"), "No more will start.")
      assert.equal(await page.getByRole("button", { name: /^Stop/ }).count(), 0)
      await page.getByRole("button", { name: "Continue with the rest" }).click()
      await addsUp(page, 2)
      await dialog(page)
        .getByRole("button", { name: /^Fork 2 runs/ })
        .waitFor()
    }),
    checkAt(at, "bulk: [R45] the runs of a bulk that failed are forked again from its page", "/console/chat", async ({ page }) => {
      const runs = await made("bulk-refork", "scene:fails", 2)
      const { id } = (await world.api("POST", "/v1/bulk", { action: "again", runs })) as { readonly id: string }
      await page.goto(`${world.url}/console/runs/bulk/${id}`)
      await page.getByRole("button", { name: "Fork the 2 again" }).click()
      await addsUp(page, 2)
      await has(parts(page), "continue at the step that failed")
      await dialog(page)
        .getByRole("button", { name: /^Fork 2 runs/ })
        .click()
      await page.waitForURL((url) => /\/runs\/bulk\/bulk_/.test(url.href) && !url.href.includes(id))
    }),
    checkAt(at, "bulk: who may only read is told so", "/console/chat", async ({ page }) => {
      await made("bulk-read", "scene:hello", 1)
      await page.route("**/v1/session", async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), scopes: ["runs:read", "catalog:read"] } })
      })
      await page.goto(`${world.url}/console/runs?tag=bulk-read`)
      await page.locator("tbody tr a").first().waitFor()
      await page.keyboard.press("j")
      await page.locator("tr.sel").waitFor()
      await page.keyboard.press("x")
      await has(bar(page), "This session may only read runs.")
      await page.keyboard.press("d")
      assert.equal(await dialog(page).count(), 0)
    }),
    {
      name: "bulk: axe finds nothing in the page of a bulk, in either theme, on a wide and on a small screen",
      async run() {
        const { data } = (await world.api("GET", "/v1/bulk")) as { readonly data: readonly { readonly id: string }[] }
        await looked(at, "bulk", `/console/runs/bulk/${data[0]?.id}`, async ({ page }) => {
          await page.locator(".bulk_figures dd").first().waitFor()
          await page.locator("tbody tr").first().waitFor()
        })
      },
    },
  ]
}
