// Finding runs in a browser: the query is typed key by key, ranges are dragged, views are saved, and a search that was not all says so.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { rowNo } from "../large/large-run.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { starting } from "./runs-world.ts"

const HOUR = 3_600_000

const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams
const token = (page: Page, words: string) => page.locator(".query_tok", { hasText: words })
const field = (page: Page) => page.getByRole("combobox", { name: "Filter runs" })
const until = (page: Page, is: (query: URLSearchParams) => boolean) => page.waitForURL((url) => is(url.searchParams))

/** Hours of today and of the days before, as the API counts them. */
async function serveCounts(page: Page): Promise<void> {
  await page.route("**/v1/runs/counts?*", (route) => {
    const by = new URL(route.request().url()).searchParams.get("by") ?? "status"
    const now = Math.floor(Date.now() / HOUR) * HOUR
    const data =
      by === "status"
        ? [{ key: "failed", count: 1_240 }]
        : [60, 30, 3, 2, 1].map((ago, at) => ({ key: new Date(now - ago * HOUR).toISOString(), count: (at + 1) * 10 }))
    return route.fulfill({ json: { by, data, total: data.reduce((sum, { count }) => sum + count, 0), complete: true } })
  })
}

export function findChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const { start, ended } = starting(world)
  return [
    checkAt(
      at,
      "find: [S7] a query is typed as tokens and words, which the server searches, and Backspace takes the last",
      "/console/runs",
      async ({ page }) => {
        const [one, other] = [
          await start("scene:hello Umbrella order", "other"),
          await start("scene:fails", "assist", { tags: ["red one"] }),
        ]
        await Promise.all([ended(one), ended(other)])
        const asked: URLSearchParams[] = []
        page.on("request", (request) => {
          const url = new URL(request.url())
          if (url.pathname === "/v1/runs") asked.push(url.searchParams)
        })
        await page.keyboard.press("/")
        await page.keyboard.type("flow:oth")
        await has(page.getByRole("option", { selected: true }), "flow: other")
        await page.keyboard.press("Enter")
        await token(page, "flow:other").waitFor()
        await page.locator(`a[href$="${one}"]`).waitFor()
        await page.locator(`a[href$="${other}"]`).waitFor({ state: "detached" })
        assert.equal(query(page).get("flow"), "other")
        // What is typed on goes into the same field.
        await page.keyboard.type("UMBRELLA", { delay: 60 })
        await until(page, (search) => search.get("q") === "UMBRELLA")
        assert.equal(await field(page).inputValue(), "UMBRELLA")
        await page.waitForFunction(() => document.querySelectorAll("tbody tr a").length === 1)
        assert.ok(asked.some((search) => search.get("q") === "UMBRELLA" && search.get("flow") === "other"))
        for (let n = 0; n < "UMBRELLA".length; n++) await page.keyboard.press("Backspace")
        await until(page, (search) => !search.has("q"))
        await page.keyboard.press("Backspace")
        await until(page, (search) => search.size === 0)
        await page.keyboard.type('status:failed tag:"red one" ')
        await token(page, "tag:red one").waitFor()
        await page.locator(`a[href$="${other}"]`).waitFor()
        assert.deepEqual(
          [...query(page)],
          [
            ["status", "failed"],
            ["tag", "red one"],
          ],
        )
        await page.getByRole("button", { name: "Remove tag: red one" }).click()
        await until(page, (search) => !search.has("tag"))
        assert.equal(await field(page).evaluate((node) => node === document.activeElement), true)
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(
      at,
      "find: [S7] what is no filter and no time turns red and says what can be written; the list is as it was",
      "/console/runs",
      async ({ page }) => {
        await page.locator("tbody tr a").first().waitFor()
        const rows = Number(await page.getByRole("table", { name: "Runs", exact: true }).getAttribute("aria-rowcount"))
        await page.keyboard.press("/")
        await page.keyboard.type('by:ana since:"last wensday" ')
        await has(page.locator(".query_fault"), "“by:” is not a filter. You can write status:, flow:")
        await has(page.locator(".query_fault"), "“last wensday” is not a time. Write a day (Wed, Nov 18)")
        assert.equal(await page.locator(".query_bad").count(), 2)
        // Fewer are drawn beside the words; of those that are in the list, none is gone.
        assert.ok(Number(await page.getByRole("table", { name: "Runs", exact: true }).getAttribute("aria-rowcount")) >= rows)
        assert.deepEqual(await axe(page), [])
        await page.keyboard.press("Backspace")
        await page.keyboard.press("Backspace")
        await page.locator(".query_fault").first().waitFor({ state: "detached" })
        await page.keyboard.type("failed ")
        await until(page, (search) => search.get("q") === "failed")
      },
    ),
    checkAt(
      at,
      "find: [S7] a page that did not look at all runs says so, and older ones are searched on request",
      "/console/chat",
      async ({ page }) => {
        const pages = [
          { data: [], next_cursor: "a", complete: false },
          { data: [], next_cursor: "b", complete: false },
          { data: [rowNo(7)], next_cursor: "c", complete: false },
          { data: [rowNo(8)], next_cursor: null, complete: true },
        ]
        const cursors: (string | null)[] = []
        await page.route("**/v1/runs?*", (route) => {
          const cursor = new URL(route.request().url()).searchParams.get("cursor")
          cursors.push(cursor)
          return route.fulfill({ json: pages[cursor === null ? 0 : "abc".indexOf(cursor) + 1] })
        })
        await page.goto(`${world.url}/console/runs?q=needle`)
        await has(page.locator(".empty-state"), "None of the newest 5,000 runs does. Older ones have not been searched.")
        assert.deepEqual(await axe(page), [])
        await page.waitForTimeout(400)
        assert.deepEqual(new Set(cursors), new Set([null]), "nothing is searched by itself")
        await page.getByRole("button", { name: "Search older runs" }).click()
        await has(page.locator(".empty-state"), "None of the newest 10,000 runs does.")
        await page.getByRole("button", { name: "Search older runs" }).click()
        await page.locator('a[href$="run_7"]').waitFor()
        await has(page.locator(".runs_foot"), "1 run among the newest 15,000.")
        await page.getByRole("button", { name: "Search older runs" }).click()
        await page.locator('a[href$="run_8"]').waitFor()
        await has(page.locator(".runs_foot"), "All 2 runs")
        assert.equal(await page.getByRole("button", { name: "Search older runs" }).count(), 0)
      },
    ),
    checkAt(
      at,
      "find: [S7] bars say when the matches were; dragging over them sets since and until, and so does their table",
      "/console/chat",
      async ({ page }) => {
        await serveCounts(page)
        await page.goto(`${world.url}/console/runs?status=failed`)
        const plot = page.getByRole("img", { name: /^150 matches over time, most of them .*: 50$/ })
        const box = await plot.boundingBox()
        assert.ok(box)
        await page.mouse.move(box.x + box.width * 0.5, box.y + 10)
        await page.mouse.down()
        await page.mouse.move(box.x + box.width * 0.75, box.y + 10, { steps: 4 })
        if (shots !== undefined) await page.screenshot({ path: `${shots}/find-drag.png` })
        await page.mouse.up()
        await until(page, (search) => search.has("since") && search.has("until") && search.get("status") === "failed")
        const [since, to] = ["since", "until"].map((name) => Date.parse(query(page).get(name) ?? ""))
        assert.ok(since !== undefined && to !== undefined && to - since >= 12 * HOUR && to - since <= 20 * HOUR, `${since} to ${to}`)
        await page.goBack()
        await page.getByRole("button", { name: "Show as a table" }).click()
        await has(page.locator(".query_table"), "50")
        assert.deepEqual(await axe(page), [])
        await page.locator(".query_table tbody tr").first().getByRole("button").click()
        await until(page, (search) => search.has("since"))
      },
    ),
    checkAt(
      at,
      "find: [S7] a range and an order are chosen; V saves the view under a name, and it is an address",
      "/console/runs",
      async ({ page }) => {
        await page.getByRole("button", { name: /^Time range/ }).press("Enter")
        await page.getByRole("menuitem", { name: "Last hour" }).and(page.locator(":focus")).waitFor()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await until(page, (search) => search.get("since") === "24h")
        await page.getByRole("button", { name: /Last 24 hours/ }).waitFor()
        await page.getByRole("combobox", { name: "Sort" }).click()
        await page.getByRole("option", { name: "Highest cost" }).click()
        await until(page, (search) => search.get("sort") === "cost")
        await page
          .getByRole("group", { name: "Status" })
          .getByRole("button", { name: /^Failed/ })
          .click()
        await until(page, (search) => search.get("status") === "failed")
        const address = page.url()
        await page.keyboard.press("v")
        await page.getByRole("dialog", { name: "Save this view" }).waitFor()
        await page.keyboard.type("Costly failures")
        await page.keyboard.press("Enter")
        const view = page.getByRole("link", { name: "Costly failures" })
        await view.waitFor()
        assert.equal(await view.getAttribute("aria-current"), "page")
        await page.reload()
        await page.getByRole("button", { name: "Remove this view" }).waitFor()
        await page.goto(`${world.url}/console/runs`)
        await view.click()
        await page.waitForURL(address)
        assert.deepEqual(await axe(page), [])
        await page.getByRole("button", { name: "Remove this view" }).click()
        await view.waitFor({ state: "detached" })
      },
    ),
    checkAt(
      at,
      "find: a row says its tags, its time beside the others and what it has made; a schedule has its name",
      "/console/chat",
      async ({ page }) => {
        const rows = [
          {
            ...rowNo(1),
            tags: ["nightly", "eu", "third"],
            now: { output: "Two charges of $49.00.", at: "" },
            trigger: { kind: "schedule", schedule: "sch_1" },
          },
          { ...rowNo(2), trigger: { kind: "schedule", schedule: "sch_2" } },
        ]
        await page.route("**/v1/runs?*", (route) => route.fulfill({ json: { data: rows, next_cursor: null } }))
        await page.route("**/v1/schedules*", (route) =>
          route.fulfill({
            json: {
              data: [
                { id: "sch_1", name: "monday-report", flow: "f", cron: "0 9 * * 1" },
                { id: "sch_2", flow: "f", cron: "0 7 * * *" },
              ],
              next_cursor: null,
            },
          }),
        )
        await page.goto(`${world.url}/console/runs`)
        const row = page.locator('tr[data-run="run_1"]')
        await has(row, "Two charges of $49.00.")
        await has(row, "monday-report")
        await has(page.locator('tr[data-run="run_2"]'), "0 7 * * *")
        assert.deepEqual(await row.locator(".runs_label").allTextContents(), ["nightly", "eu", "+1"])
        await has(page.locator(".runs_foot"), "All 2 runs")
      },
    ),
    checkAt(
      at,
      "new run: a flow is found by its letters; tags and a budget are under More, and a wrong one says so",
      "/console/runs?new=1",
      async ({ page }) => {
        const dialog = page.getByRole("dialog", { name: "New run" })
        await dialog.getByRole("combobox", { name: "Flow" }).click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("oth", { delay: 40 })
        await page.getByRole("option", { name: "other" }).waitFor()
        await page.keyboard.press("Enter")
        await has(dialog, "Another flow.")
        await dialog.getByRole("textbox", { name: /^Task/ }).click()
        await page.keyboard.type("scene:hello")
        await dialog.getByRole("button", { name: "More" }).click()
        await dialog.getByRole("textbox", { name: "Budget in USD" }).click()
        await page.keyboard.type("much")
        await dialog.getByRole("textbox", { name: /^Tags/ }).click()
        await page.keyboard.type("by-hand, second")
        await dialog.getByRole("button", { name: "Start the run" }).click()
        await has(dialog, "This is not an amount.")
        assert.deepEqual(await axe(page), [])
        await dialog.getByRole("textbox", { name: "Budget in USD" }).click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("0.5")
        await dialog.getByRole("button", { name: "Start the run" }).click()
        // Its model has no price: the server says so of the budget.
        await has(dialog, "no price: scenes/m")
        await dialog.getByRole("textbox", { name: "Budget in USD" }).click()
        await page.keyboard.press("Control+a")
        await page.keyboard.press("Backspace")
        await dialog.getByRole("button", { name: "Start the run" }).click()
        await page.waitForURL(/\/runs\/run_/)
        const id = new URL(page.url()).pathname.split("/").at(-1)
        const run = (await world.api("GET", `/v1/runs/${id}`)) as { readonly tags: unknown; readonly flow: string }
        assert.deepEqual([run.flow, run.tags], ["other", ["by-hand", "second"]])
        await page.goto(`${world.url}/console/runs?new=1`)
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await dialog.waitFor({ state: "detached" })
      },
    ),
    {
      name: "find: axe finds nothing, and seven runs fit on a small screen",
      async run() {
        for (let n = 0; n < 12; n++) await start("scene:hello", "other", { tags: ["many"] })
        await looked(at, "find", "/console/runs?tag=many&since=7d", async ({ page }) => {
          await page.locator("tbody tr a").nth(11).waitFor()
          if ((page.viewportSize()?.width ?? 0) >= 768) return
          await page.mouse.wheel(0, 400)
          await page.waitForTimeout(200)
          const boxes = await page
            .locator("tbody tr[data-run]")
            .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().toJSON() as { top: number; bottom: number }))
          const whole = boxes.filter(({ top, bottom }) => top >= 0 && bottom <= innerHeightOf(page) - 60)
          assert.ok(whole.length >= 7, `${whole.length} runs are whole`)
        })
      },
    },
  ]
}

const innerHeightOf = (page: Page): number => page.viewportSize()?.height ?? 0
