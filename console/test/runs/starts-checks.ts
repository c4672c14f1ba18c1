// Starts that wait, in a browser [R23]: the page of a run that has not begun, and the forms that say when one begins.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const HANDS = { delay: 30 }

/** One run at a time of each customer. */
const FLOW = `name: in-line
description: Waits for the door, one at a time.
autonomous: false
inputs:
  customer: { type: string, required: true }
start:
  concurrency: { key: "\${{flow.input.customer}}" }
steps:
  - { id: reply, type: wait, signal: door, timeout: 1h }
`

interface Waiting {
  readonly status: string
  readonly waiting?: { readonly reason: string; readonly ahead?: number }
}

export function startsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const dialog = (page: Page) => page.getByRole("dialog")
  const view = async (run: string): Promise<Waiting> => (await world.api("GET", `/v1/runs/${run}`)) as Waiting
  const write = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${world.key}`, "content-type": "application/yaml" }
    const answer = await fetch(`${world.url}/v1/flows/in-line`, { method: "PUT", body: FLOW, headers })
    assert.ok(answer.ok, await answer.text())
  }
  const start = async (task: string, customer: string): Promise<string> =>
    ((await world.api("POST", "/v1/flows/in-line/runs", { task, inputs: { customer } })) as { readonly id: string }).id
  /** One that holds the key, and so many behind it. */
  const line = async (customer: string, behind: number): Promise<readonly string[]> => {
    await write()
    const holder = await start("Holds the key", customer)
    while ((await view(holder)).status !== "waiting") await new Promise((resolve) => setTimeout(resolve, 50))
    const runs = [holder]
    for (let no = 1; no <= behind; no += 1) runs.push(await start(`Place ${no}`, customer))
    return runs
  }
  const type = async (page: Page, label: string, words: string): Promise<void> => {
    await dialog(page).getByLabel(label, { exact: true }).focus()
    await page.keyboard.type(words, HANDS)
  }
  const shown = (page: Page, label: string): Promise<string> => dialog(page).getByLabel(label, { exact: true }).inputValue()
  let asked: readonly string[] = []
  return [
    checkAt(
      at,
      "starts: [R23] a run in line says for whom it waits and its place; J, K and O lead on, and it moves up by itself",
      async () => {
        asked = await line("cus_line", 3)
        return `/console/runs/${asked[3] ?? ""}`
      },
      async ({ page }) => {
        const [holder = "", first = "", , last = ""] = asked
        const why = page.getByRole("status").filter({ hasText: "one run at a time" })
        await has(why, "2 before it")
        await has(why, `${holder.slice(0, 12)} holds the key; it is at reply.`)
        const rows = page.getByRole("region", { name: "The line of cus_line" }).getByRole("listitem")
        await has(rows.nth(3), "this run")
        assert.equal(await rows.count(), 4)
        for (const [no, words] of [/Holds the key.*holds the key/, /^1.*Place 1/, /^2.*Place 2/, /^3.*Place 3/].entries())
          await has(rows.nth(no), words)
        assert.equal(await rows.nth(3).getAttribute("aria-current"), "true")
        const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement?.getAttribute("href") ?? null)
        await page.keyboard.press("j")
        assert.match((await focused()) ?? "", new RegExp(`${holder}$`))
        await page.keyboard.press("j")
        assert.match((await focused()) ?? "", new RegExp(`${first}$`))
        await page.keyboard.press("k")
        assert.match((await focused()) ?? "", new RegExp(`${holder}$`))
        await world.api("POST", `/v1/runs/${holder}/signals/door`, {})
        await has(why, "1 before it")
        await has(why, `${first.slice(0, 12)} holds the key`)
        await page.keyboard.press("o")
        await page.waitForURL(new RegExp(`/runs/${first}`))
        await page.goBack()
        await has(why, "1 before it")
        await page.keyboard.press("c")
        await dialog(page)
          .getByRole("button", { name: /^Cancel/ })
          .first()
          .click()
        await page.locator("#main .st.canceled").first().waitFor()
        assert.equal((await view(last)).status, "canceled")
      },
    ),
    {
      name: "starts: axe finds nothing on a run in line, in either theme, on a wide and on a small screen",
      async run() {
        const [, , last = ""] = await line("cus_look", 2)
        await looked(at, "queued", `/console/runs/${last}`, async ({ page }) => {
          await has(page.getByRole("region", { name: "Before it begins" }), "A free place for runs")
          await page.getByRole("region", { name: "The line of cus_look" }).getByRole("listitem").nth(2).waitFor()
        })
      },
    },
    checkAt(
      at,
      "starts: [R23] a new run is given a priority and a later beginning by keys; a wrong span is said at its field",
      "/console/runs?q=flow:other",
      async ({ page }) => {
        await page.locator("main:not([aria-busy]) h1").first().waitFor()
        await page.keyboard.press("n")
        await dialog(page).getByRole("button", { name: "When it begins" }).click()
        await type(page, "Begin later by", "soon")
        await choose(dialog(page).getByLabel("Priority", { exact: true }), "High: first")
        await type(page, "Give up after", "1d")
        await dialog(page).getByRole("button", { name: "Start the run" }).click()
        const wrong = dialog(page).locator('[aria-invalid="true"]')
        await wrong.waitFor()
        assert.equal(await wrong.inputValue(), "soon")
        await wrong.fill("")
        await type(page, "Begin later by", "2h")
        const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/v1/flows/other/runs"))
        await page.keyboard.press("Enter")
        const { start: said } = (await sent).postDataJSON() as { readonly start?: unknown }
        assert.deepEqual(said, { priority: "high", delay: "2h", expires: "1d" })
        await page.waitForURL(/\/runs\/run_/)
        await has(page.locator("#main").getByRole("heading", { level: 2 }), /^Begins at \w+ \d+:\d\d [AP]M$/)
        await has(page.locator("#main .st").first(), "Queued")
        const run = page.url().split("/").at(-1)?.split("?")[0] ?? ""
        assert.equal((await view(run)).waiting?.reason, "delay")
        await world.api("POST", `/v1/runs/${run}/cancel`)
      },
    ),
    checkAt(
      at,
      "starts: [R23] a schedule's block is typed, kept and shown again; what the fields cannot say is JSON",
      "/console/settings/schedules",
      async ({ page }) => {
        await page.getByRole("button", { name: "Add a schedule" }).click()
        await dialog(page).getByLabel("Flow", { exact: true }).fill("other")
        await dialog(page).getByLabel("When", { exact: true }).fill("5 4 * * 1")
        await dialog(page).getByRole("button", { name: "When its runs start" }).click()
        await type(page, "Key", "nightly")
        await type(page, "Runs at once", "2")
        await choose(dialog(page).getByLabel("When that many run", { exact: true }), "The start is skipped")
        await dialog(page)
          .getByRole("button", { name: /^Add the schedule/ })
          .click()
        await dialog(page).waitFor({ state: "detached" })
        const all = (await world.api("GET", "/v1/schedules")) as {
          readonly data: readonly { readonly id: string; readonly cron: string; readonly start?: unknown }[]
        }
        const made = all.data.find(({ cron }) => cron === "5 4 * * 1")
        assert.deepEqual(made?.start, { concurrency: { key: "nightly", limit: 2, overlap: "skip" } })
        const row = page.locator(".settings_srow", { hasText: "5 4 * * 1" })
        await row.getByRole("button", { name: /^Edit/ }).click()
        assert.equal(await shown(page, "Key"), "nightly")
        assert.equal(await shown(page, "Runs at once"), "2")
        await dialog(page).getByRole("button", { name: "Write it as JSON" }).click()
        assert.match(await dialog(page).getByLabel("When its runs start (JSON)").inputValue(), /"overlap": "skip"/)
        await page.keyboard.press("Escape")
        await world.api("DELETE", `/v1/schedules/${made?.id ?? ""}`)
      },
    ),
  ]
}
