// The console's settings, driven by a browser: usage, providers, keys, secrets, and what the browser keeps for itself.

import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Browser, Page } from "playwright-core"
import type { Usage } from "../../../src/api/doc/insight.doc.ts"
import type { Check } from "../../../test/browser/checks.ts"
import { failing } from "../failures-world.ts"
import { openPage } from "../page.ts"
import { ATTACK } from "../scenes.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const at = (section: string): string => `/console/settings/${section}`

export function settingsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const dialog = (page: Page) => page.getByRole("dialog")
  const row = (page: Page, text: string) => page.locator(".settings_srow", { hasText: text })
  const usage = (query: string): Promise<Usage> => world.api("GET", `/v1/usage?${query}`) as Promise<Usage>
  const { over } = failing(world)
  const ended = async (flow: string, task: string): Promise<void> => {
    const { id } = (await world.api("POST", `/v1/flows/${flow}/runs`, { task })) as { readonly id: string }
    await over(id)
  }
  return [
    checkAt(
      stage,
      "settings: [H14] the numbers of the usage page are those of GET /v1/usage, by day and by name",
      async () => {
        await ended("assist", "scene:hello")
        return "/console/runs"
      },
      async ({ page }) => {
        await page.getByRole("link", { name: "Settings", exact: true }).click()
        await page.waitForURL(/\/settings\/providers$/)
        assert.match(await page.title(), /Models · Settings · Sluice$/)
        await page.getByRole("link", { name: "Usage", exact: true }).click()
        assert.match(await page.title(), /Usage · Settings · Sluice$/)
        await page.locator(".usage_utab tfoot").waitFor()
        const { total } = await usage("by=day")
        const foot = page.locator(".usage_utab tfoot td.num")
        const numbers = await foot.allTextContents()
        assert.equal(numbers.at(0), total.runs.toLocaleString("en-US"))
        assert.equal(numbers.at(1), total.failed.toLocaleString("en-US"))
        assert.equal(numbers.at(-2), (total.model_calls + total.tool_calls).toLocaleString("en-US"))
        assert.equal(numbers.at(-4), (total.questions + total.approvals).toLocaleString("en-US"))
        await has(page.locator(".usage_heads"), "People asked")
        assert.equal(numbers.at(-1), total.usd === null ? "–" : total.usd.toFixed(3), "what has no price is not 0")
        await page.getByRole("button", { name: "Flow", exact: true }).click()
        const flows = page.getByRole("region", { name: "Usage by flow" })
        await flows.waitFor()
        const { data } = await usage("by=flow")
        for (const { key, runs } of data) {
          const cells = await flows
            .locator("tbody tr", { has: page.getByRole("rowheader", { name: key, exact: true }) })
            .locator("td")
            .allTextContents()
          assert.equal(cells[1], runs.toLocaleString("en-US"), key)
        }
        await page.waitForURL(/by=flow/)
        // Days are parted by flow, each with its name; all flows of a day are its sum.
        const daily = await usage("by=flow&each=day")
        await page.getByRole("button", { name: "Runs", exact: true }).click()
        await page.waitForURL(/plot=runs/)
        const largest = daily.data.toSorted((a, b) => b.runs - a.runs)[0]
        await page.locator(".usage_plot .plot_legend", { hasText: largest?.key ?? "" }).waitFor()
        for (const mark of await page.locator(".usage_plot .plot_y span").allTextContents())
          assert.match(mark, /^[\d,]+$/, "runs are marked in whole numbers")
        // The table behind the plot has what the server says of the day.
        await page.getByRole("button", { name: "Table: Runs per day" }).click()
        const table = page.getByRole("table", { name: "Runs per day" })
        const column = (await table.locator("thead th").allTextContents()).indexOf(largest?.key ?? "")
        assert.ok(column > 0, "the first flow has a part of the plot")
        assert.equal(await table.locator("tbody tr:last-child > *").nth(column).textContent(), largest?.runs.toLocaleString("en-US"))
      },
    ),
    checkAt(
      stage,
      "settings: [H14] Left and Right move the day of the plot, days are chosen, and the table is a file",
      at("usage"),
      async ({ page }) => {
        const plot = page.getByRole("slider", { name: "Spend per day" })
        await plot.focus()
        const last = await plot.getAttribute("aria-valuetext")
        await page.keyboard.press("ArrowLeft")
        assert.notEqual(await plot.getAttribute("aria-valuetext"), last)
        assert.equal(await plot.getAttribute("aria-valuenow"), "29")
        await page.getByRole("button", { name: "7 days" }).click()
        await page.waitForFunction(() => document.querySelector('[role="slider"]')?.getAttribute("aria-valuemax") === "7")
        // Of a week there are hours, by name too; and what keys used.
        await page.getByRole("button", { name: "by hour" }).click()
        await page.waitForURL(/each=hour/)
        await page.getByRole("slider", { name: "Spend per hour" }).waitFor()
        await page.getByRole("button", { name: "Flow", exact: true }).click()
        await page.getByRole("button", { name: "Runs", exact: true }).click()
        const { data } = await usage("by=flow&each=hour")
        const latest = data.findLast(({ key, runs }) => key === "assist" && runs > 0)
        assert.ok(latest?.hour)
        const hours = page.getByRole("table", { name: "Runs per hour" })
        await has(hours.locator("thead"), "assist")
        const column = (await hours.locator("thead th").allTextContents()).indexOf("assist")
        const spent = await hours.locator(`tbody tr > :nth-child(${column + 1})`).allTextContents()
        assert.equal(
          spent.reduce((sum, count) => sum + Number(count), 0),
          data.reduce((sum, { key, runs }) => sum + (key === "assist" ? runs : 0), 0),
          "the hours of a flow are those of the server",
        )
        await page.getByRole("button", { name: "API key", exact: true }).click()
        await has(page.getByRole("region", { name: "Usage by api key" }).locator("tbody"), "local")
        await page.getByRole("button", { name: "Day", exact: true }).click()
        await page.getByRole("button", { name: "by day" }).click()
        await page.getByRole("button", { name: "Tokens", exact: true }).click()
        await has(page.locator(".plot_legend"), "Input from cache")
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()])
        assert.match(file.suggestedFilename(), /^usage-by-day-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
        await page.getByLabel("Rehearsed runs").check()
        await page.waitForURL(/rehearsed=1/)
      },
    ),
    checkAt(
      stage,
      "settings: [N6] a provider is added, tested, refused with its reason, and removed",
      at("providers"),
      async ({ page }) => {
        const server = await refusing()
        try {
          await row(page, "scenes").getByRole("button", { name: "Test scenes" }).click()
          await has(row(page, "scenes").getByRole("status"), /m at 127\.0\.0\.1.* answered in [\d,]+ ms/)
          await page.getByRole("button", { name: "Add by hand" }).click()
          await choose(dialog(page).getByLabel("Kind"), "OpenAI-compatible server")
          await dialog(page).getByLabel("Name").fill("refuser")
          await dialog(page).getByRole("button", { name: "Add the provider" }).click()
          await has(dialog(page).getByRole("alert"), "is required for the kind openai-compatible")
          await dialog(page).getByLabel("Address").fill(`${server.url}/v1`)
          await dialog(page).getByLabel("Key", { exact: true }).fill("sk-wrong-key-0123456789")
          await dialog(page).getByRole("button", { name: "Add the provider" }).click()
          await dialog(page).waitFor({ state: "detached" })
          const own = row(page, "refuser")
          await has(own, "has a key")
          await own.getByRole("button", { name: "Test refuser" }).click()
          await has(own.getByRole("status"), "No role uses one of its models yet")
          await own.getByLabel("Model of refuser").fill("big")
          await own.getByRole("button", { name: "Test refuser" }).click()
          await has(own.getByRole("status"), /does not accept the key/)
          assert.equal((await page.content()).includes("sk-wrong-key"), false, "the key is written and never shown")
          await own.getByRole("button", { name: "Edit refuser" }).click()
          await has(dialog(page), "if you save without one, it is removed")
          await page.keyboard.press("Escape")
          await own.getByRole("button", { name: "Remove refuser" }).click()
          await has(dialog(page), "Remove the provider “refuser”?")
          await dialog(page).getByRole("button", { name: "Remove refuser" }).click()
          await own.waitFor({ state: "detached" })
        } finally {
          await server.close()
        }
      },
    ),
    checkAt(stage, "settings: [H13] a key is shown once, and its session ends when it is revoked", at("keys"), async ({ page }) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      await dialog(page).getByLabel("Name").fill("colleague")
      await dialog(page).getByLabel("catalog:read").check()
      await choose(dialog(page).getByLabel("Expires"), "In 7 days")
      await dialog(page).getByRole("button", { name: "Create the key" }).click()
      const key = (await dialog(page).getByRole("region", { name: "The key" }).textContent()) ?? ""
      assert.match(key, /^sl/)
      await dialog(page).getByRole("button", { name: "Close", exact: true }).last().click()
      await has(row(page, "colleague"), "runs:read, catalog:read")
      await has(row(page, "colleague"), "never used")
      const other = await openPage(browser, [world.url])
      try {
        await other.page.goto(world.url + at("secrets"))
        await other.page.getByLabel("Tenant key").fill(key)
        await other.page.getByRole("button", { name: "Sign in", exact: true }).click()
        await has(other.page.locator("main"), "It needs the scope admin")
        await has(other.page.locator("main"), "runs:read, catalog:read")
        await row(page, "colleague").getByRole("button", { name: "Revoke colleague" }).click()
        await has(dialog(page), "Revoke the key “colleague”?")
        await dialog(page).getByRole("button", { name: "Revoke colleague" }).click()
        await row(page, "colleague").waitFor({ state: "detached" })
        // It follows its key within 5 seconds.
        await other.page.waitForFunction(async () => (await fetch("/v1/session")).status === 401)
        // The page may have seen its session end by now: then it asks for a key already.
        await other.page.goto(world.url + at("usage"))
        await other.page.getByRole("heading", { name: "Sign in to this instance" }).waitFor()
      } finally {
        await other.context.close()
      }
    }),
    checkAt(stage, "settings: a secret goes in and never comes out", at("secrets"), async ({ page }) => {
      await page.getByRole("button", { name: "Write a secret" }).click()
      await dialog(page).getByLabel("Name").fill("settings-secret")
      assert.equal(await dialog(page).getByLabel("Value", { exact: true }).getAttribute("type"), "password")
      await dialog(page).getByLabel("Value", { exact: true }).fill("short")
      await dialog(page).getByRole("button", { name: "Save the secret" }).click()
      await has(dialog(page).getByRole("alert"), "at least")
      await dialog(page).getByLabel("Value", { exact: true }).fill("a-long-enough-value")
      await dialog(page).getByLabel("The value before").fill("the-one-before-it")
      await dialog(page).getByRole("button", { name: "Save the secret" }).click()
      await has(row(page, "settings-secret"), "2 values")
      assert.equal((await page.content()).includes("long-enough"), false)
      await row(page, "settings-secret").getByRole("button", { name: "Remove settings-secret" }).click()
      await dialog(page).getByRole("button", { name: "Remove settings-secret" }).click()
      await row(page, "settings-secret").waitFor({ state: "detached" })
    }),
    checkAt(stage, "settings: letters are no keys once they are turned off, and the theme is kept", at("browser"), async ({ page }) => {
      await page.keyboard.press("?")
      await dialog(page).waitFor()
      await page.keyboard.press("Escape")
      await page.getByLabel(/Single letters are keys/).uncheck()
      await page.locator("h1").click()
      await page.keyboard.press("?")
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      assert.equal(await dialog(page).count(), 0)
      assert.match(page.url(), /settings\/browser$/)
      await choose(page.getByLabel("Theme", { exact: true }), "Dark")
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark")
      await page.reload()
      await page.getByLabel("Theme", { exact: true }).waitFor()
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark")
      assert.equal(await page.getByLabel(/Single letters are keys/).isChecked(), false)
      await choose(page.getByLabel("Theme", { exact: true }), "Same as the system")
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), undefined)
    }),
    checkAt(stage, "settings: what cannot be read says why, and is tried again", at("keys"), async ({ page }) => {
      await page.route("**/v1/keys*", (route) => route.fulfill({ status: 500, json: { code: "internal", detail: "The rows are away." } }))
      await page.reload()
      await has(page.getByRole("alert"), "Reading the keys failed. The rows are away.")
      await page.unroute("**/v1/keys*")
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("alert").waitFor({ state: "detached" })
    }),
    checkAt(stage, "settings: no text of a setting acts on the page", at("keys"), async ({ page }) => {
      const name = ATTACK.slice(0, 90)
      const { id } = (await world.api("POST", "/v1/keys", { name, scopes: ["runs:read"] })) as { readonly id: string }
      await page.reload()
      await has(page.locator(".settings_srow"), "onerror=")
      await row(page, "onerror=")
        .getByRole("button", { name: /^Revoke/ })
        .click()
      await has(dialog(page), "onerror=")
      assert.equal(await page.locator("main :is(script, iframe, img, style, object)").count(), 0)
      await world.api("DELETE", `/v1/keys/${id}`)
    }),
    {
      name: "settings: axe finds nothing in any section, in either theme, on a wide and on a small screen",
      async run() {
        await ended("assist", "scene:hello")
        await looked(stage, "settings-usage", at("usage"), ({ page }) => page.locator(".usage_utab tfoot").waitFor())
        await looked(stage, "settings-usage-tokens", `${at("usage")}?by=model&plot=tokens`, ({ page }) =>
          page.locator(".usage_utab tfoot").waitFor(),
        )
        await looked(stage, "settings-providers", at("providers"), async ({ page }) => {
          await row(page, "scenes").getByRole("button", { name: "Test scenes" }).click()
          await has(row(page, "scenes").getByRole("status"), "answered")
        })
        await looked(stage, "settings-provider", at("providers"), async ({ page }) => {
          await page.getByRole("button", { name: "Add by hand" }).click()
          await dialog(page).waitFor()
        })
        await looked(stage, "settings-key", at("keys"), async ({ page }) => {
          await page.getByRole("button", { name: "Create a key" }).click()
          await dialog(page).waitFor()
        })
        await looked(stage, "settings-browser", at("browser"), async ({ page }) => page.getByLabel("Theme", { exact: true }).waitFor())
      },
    },
  ]
}

/** A provider's server that knows no key. */
async function refusing(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: "Incorrect API key provided", type: "invalid_request_error" } }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
