// The console's settings, driven by a browser: people, hooks, schedules, callbacks, roles, prices, the budget, the policy and the gate.

import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { failing } from "../failures-world.ts"
import { openPage } from "../page.ts"
import { retype } from "../retype.ts"
import { checkAt, choose, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const at = (section: string): string => `/console/settings/${section}`
const SECRET = "a-secret-of-the-checks"

const written = (page: Page, text: string): Promise<void> => retype(page.getByRole("textbox", { name: "Policy" }), text)

export function settingsTriggerChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const dialog = (page: Page) => page.getByRole("dialog")
  const row = (page: Page, text: string) => page.locator(".settings_srow", { hasText: text })
  return [
    checkAt(
      stage,
      "settings: [H13] who is signed in is listed, and a session is ended while it is open",
      at("people"),
      async ({ page }) => {
        await has(row(page, "you, here"), "key local")
        const other = await openPage(browser, [world.url])
        try {
          await other.page.goto(world.url + at("browser"))
          await other.page.getByLabel("Tenant key").fill(world.key)
          await other.page.getByLabel("Your name").fill("Berta of the checks")
          await other.page.getByRole("button", { name: "Sign in", exact: true }).click()
          await other.page.getByLabel("Theme", { exact: true }).waitFor()
          await page.reload()
          await row(page, "Berta of the checks").getByRole("button", { name: "End the session of Berta of the checks" }).click()
          await has(dialog(page), "End the session of “Berta of the checks”?")
          await dialog(page).getByRole("button", { name: "End the session" }).click()
          await row(page, "Berta of the checks").waitFor({ state: "detached" })
          await other.page.waitForFunction(async () => (await fetch("/v1/session")).status === 401)
          // The page may have seen its session end by now: then it asks for a key already.
          await other.page.goto(world.url + at("usage"))
          await other.page.getByRole("heading", { name: "Sign in to this instance" }).waitFor()
        } finally {
          await other.context.close()
        }
      },
    ),
    checkAt(
      stage,
      "settings: [W1] a hook is made, a signed test says what it would start, and a delivery is delivered again",
      async () => {
        await world.api("PUT", "/v1/secrets/settings-hook", { value: SECRET })
        return at("hooks")
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Add a hook" }).click()
        await dialog(page).getByLabel("Flow").fill("other")
        await choose(dialog(page).getByLabel("Signature"), "HMAC of the body")
        await dialog(page).getByLabel("Secret").fill("hook-inline")
        await dialog(page).getByLabel("Task (optional)").fill("${{trigger.body.title}}")
        await dialog(page).getByRole("button", { name: "Add the hook" }).click()
        await has(dialog(page).getByRole("alert"), "There is no secret hook-inline yet")
        assert.equal(await dialog(page).getByLabel("Value of hook-inline", { exact: true }).getAttribute("type"), "password")
        await dialog(page).getByLabel("Secret").fill("settings-hook")
        await dialog(page).getByLabel("Filter").fill('kind == "made"')
        await dialog(page).getByRole("button", { name: "Add the hook" }).click()
        await dialog(page).waitFor({ state: "detached" })
        await row(page, "secret settings-hook").getByRole("link", { name: "other", exact: true }).click()
        const test = page.getByRole("region", { name: "Test delivery" })
        await test.getByRole("button", { name: "Send a signed test delivery" }).click()
        await has(test.getByRole("status"), `It would start nothing. The filter's kind == "made" does not hold`)
        await test.getByLabel("Body").fill('{"kind":"made","title":"<img src=x onerror=alert(1)>"}')
        await test.getByRole("button", { name: "Send a signed test delivery" }).click()
        await has(test.getByRole("status"), "It would start other with the task “<img src=x onerror=alert(1)>”.")
        await has(test.getByRole("status"), "Signed with x-signature.")
        await has(page.getByRole("region", { name: "Deliveries" }), "Nothing has been delivered here.")
        const url = ((await page.getByRole("region", { name: "Its address" }).textContent()) ?? "").trim()
        const body = JSON.stringify({ kind: "made", title: "scene:hello" })
        const proof = createHmac("sha256", SECRET).update(body).digest("hex")
        const headers = { "x-signature": proof, "content-type": "application/json" }
        assert.equal((await fetch(url, { method: "POST", body, headers })).status, 202)
        await page.getByRole("button", { name: "Refresh" }).click()
        await row(page, "accepted")
          .getByRole("button", { name: /^Deliver again/ })
          .click()
        await has(page.getByRole("region", { name: "Deliveries" }).getByRole("status"), "Delivered again, and started run_")
        await page.waitForFunction(() => document.querySelectorAll('[aria-label="Deliveries"] .settings_srow').length === 2)
        // Both by the hour in which they came.
        await page.waitForFunction(() => /accepted 2/.test(document.querySelector("[role=slider]")?.getAttribute("aria-valuetext") ?? ""))
        await page.getByRole("link", { name: "All hooks" }).click()
        await page.getByRole("button", { name: "Delete the hook of other" }).click()
        await dialog(page).getByRole("button", { name: "Delete the hook" }).click()
        await row(page, "secret settings-hook").waitFor({ state: "detached" })
      },
    ),
    checkAt(
      stage,
      "settings: [W5] a schedule shows its next times before it is made, fires now, and is paused",
      at("schedules"),
      async ({ page }) => {
        await page.getByRole("button", { name: "Add a schedule" }).click()
        const times = dialog(page).getByRole("status", { name: "Next times" })
        await dialog(page).getByLabel("When").fill("61 * * * *")
        await times.locator(".msg").waitFor()
        await dialog(page).getByLabel("When").fill("30 4 1 1 *")
        await dialog(page).getByLabel("Time zone").fill("Europe/Berlin")
        await times.locator("li").nth(4).waitFor()
        assert.match((await times.locator("li").first().textContent()) ?? "", /January 1, \d{4} at 4:30/)
        await dialog(page).getByLabel("Flow").fill("other")
        await dialog(page).getByLabel("Task").fill("scene:hello")
        await dialog(page).getByRole("button", { name: "Add the schedule" }).click()
        const own = row(page, "30 4 1 1 *")
        await has(own, "Europe/Berlin")
        await own.getByRole("button", { name: "Run now: other" }).click()
        await has(own.getByRole("status"), "Started run_")
        await own.getByRole("button", { name: "Pause other" }).click()
        await has(own, "paused")
        await has(own, "no next time")
        await own.getByRole("button", { name: "Resume other" }).click()
        await has(own, "next Jan 1")
        await own.getByRole("button", { name: "Delete the schedule of other" }).click()
        await dialog(page).getByRole("button", { name: "Delete the schedule" }).click()
        await own.waitFor({ state: "detached" })
      },
    ),
    checkAt(
      stage,
      "settings: [W5] the next seven days have what runs by itself, and how often where that is often",
      async () => {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
        for (const cron of ["0 9 * * *", "*/5 * * * *"])
          await world.api("POST", "/v1/schedules", { flow: "pair", cron, zone, task: "scene:hello", inputs: { who: "Ada" } })
        return at("schedules")
      },
      async ({ page }) => {
        try {
          const week = page.getByRole("region", { name: "Next 7 days" })
          await has(week.locator("ol > li").nth(1), "9:00 AM")
          await has(week.locator("ol > li").nth(2), "often")
          assert.equal(await week.locator("ol > li").count(), 7)
          await has(row(page, "0 9 * * *"), "with who")
          assert.deepEqual(await axe(page), [])
        } finally {
          const { data } = (await world.api("GET", "/v1/schedules")) as { readonly data: readonly { readonly id: string }[] }
          for (const { id } of data) await world.api("DELETE", `/v1/schedules/${id}`)
        }
      },
    ),
    checkAt(stage, "settings: [W6] a receiver is checked where its fault is, made and deleted", at("callbacks"), async ({ page }) => {
      await page.getByRole("button", { name: "Add a receiver" }).click()
      await dialog(page).getByLabel("Address").fill("http://127.0.0.1:9/hear")
      await dialog(page).getByRole("button", { name: "Add the receiver" }).click()
      await has(dialog(page).getByRole("alert"), "is required: the vault scope whose secret signs the messages")
      await choose(dialog(page).getByLabel("Sends"), "A message to Slack")
      await dialog(page).getByRole("button", { name: "Add the receiver" }).click()
      await has(row(page, "127.0.0.1:9/hear"), "not signed")
      await page.getByRole("button", { name: "Dead", exact: true }).click()
      await page.waitForURL(/status=dead/)
      await row(page, "127.0.0.1:9/hear")
        .getByRole("button", { name: /^Delete http/ })
        .click()
      await dialog(page).getByRole("button", { name: "Delete the receiver" }).click()
      await row(page, "127.0.0.1:9/hear").waitFor({ state: "detached" })
    }),
    checkAt(stage, "settings: [F52] [B3] roles and prices are written, and a fault stands at its field", at("roles"), async ({ page }) => {
      await page.getByLabel("Model of vision").fill("nobody/m")
      await page.keyboard.press("Tab")
      await page.getByRole("button", { name: "Save the roles" }).click()
      await has(page.locator("#role-vision-fault"), "nobody")
      await page.getByLabel("Model of vision").fill("scenes/m")
      await page.keyboard.press("Tab")
      await page.getByText("Fix what is marked").waitFor({ state: "detached" })
      await page.getByLabel("Then, for vision").fill("scenes/n")
      await page.keyboard.press("Tab")
      await page.getByRole("button", { name: "Save the roles" }).click()
      await has(page.locator("main [role=status]"), /Saved \d/)
      await page.waitForFunction(async () => {
        const roles = (await (await fetch("/v1/settings/roles")).json()) as { readonly vision?: unknown }
        return JSON.stringify(roles.vision) === '["scenes/m","scenes/n"]'
      })
      await world.api("PUT", "/v1/settings/roles", { default: "scenes/m" })
      await page.getByRole("link", { name: "Prices" }).click()
      await page.getByRole("button", { name: "Add a price" }).click()
      await dialog(page).getByLabel("Model").fill("scenes/priced")
      await dialog(page).getByLabel("Input").fill("3")
      await dialog(page).getByRole("button", { name: "Save the price" }).click()
      await has(dialog(page).getByRole("alert"), "is needed")
      await dialog(page).getByLabel("Output").fill("15.5")
      await dialog(page).getByRole("button", { name: "Save the price" }).click()
      await has(row(page, "scenes/priced"), "input $3, output $15.5")
      await row(page, "scenes/priced").getByRole("button", { name: "Remove scenes/priced" }).click()
      await dialog(page).getByRole("button", { name: "Remove the price" }).click()
      await row(page, "scenes/priced").waitFor({ state: "detached" })
    }),
    checkAt(stage, "settings: [B4] the daily limit is written, with what is spent and held today", at("budget"), async ({ page }) => {
      await has(page.locator("main"), "There is no daily limit.")
      await page.getByLabel("Tokens", { exact: true }).fill("many")
      await page.getByRole("button", { name: "Save the limit" }).click()
      await has(page.getByRole("alert"), "is not a number")
      await page.getByLabel("Tokens", { exact: true }).fill("9000000000")
      await page.getByRole("button", { name: "Save the limit" }).click()
      try {
        const cells = page.locator(".usage_utab tbody tr", { hasText: "Tokens" }).locator("td")
        await cells.first().waitFor()
        assert.deepEqual(await cells.allTextContents(), ["0", "0", "9000.0M"])
      } finally {
        await world.api("PUT", "/v1/settings/budget", {})
      }
    }),
    checkAt(
      stage,
      "settings: [B6] what one run may use is written, and a default above its ceiling is told at its field",
      at("budget"),
      async ({ page }) => {
        await page.getByLabel("Steps, by default").fill("30")
        await page.getByLabel("Steps, at most").fill("20")
        await page.getByRole("button", { name: "Save the limits" }).click()
        await has(page.locator(".field", { hasText: "Steps, by default" }), "must be at most 20")
        await page.getByLabel("Steps, by default").fill("10")
        try {
          const saved = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok())
          await page.getByRole("button", { name: "Save the limits" }).click()
          await saved
          await page.reload()
          await page.getByLabel("Steps, at most").waitFor()
          assert.deepEqual(await world.api("GET", "/v1/settings/budget"), { run: { default: { steps: 10 }, most: { steps: 20 } } })
          assert.equal(await page.getByLabel("Steps, by default").inputValue(), "10")
        } finally {
          await world.api("PUT", "/v1/settings/budget", {})
        }
      },
    ),
    checkAt(
      stage,
      "settings: [T30] a policy with a fault says so at its line, and is saved once it is mended",
      at("policy"),
      async ({ page }) => {
        const field = page.getByRole("textbox", { name: "Policy" })
        await field.waitFor()
        const before = await world.api("GET", "/v1/settings/policy")
        await written(page, '{\n  "tools": { "deny": ["bash"] },\n  "autonomy": "wild"\n}')
        await page.getByRole("button", { name: "Save the policy" }).click()
        await has(page.locator("[data-form] [role=alert]"), /conservative/)
        assert.deepEqual(await world.api("GET", "/v1/settings/policy"), before)
        await written(page, '{\n  "tools": ,\n}')
        await has(page.locator(".faces_faceText"), /Unexpected|Expected/)
        await written(page, '{ "denylist": [{ "tool": "bash", "args": "settings-check", "reason": "Never here." }] }')
        await page.getByRole("button", { name: "Save the policy" }).click()
        await page.waitForFunction(async () => (await (await fetch("/v1/settings/policy")).text()).includes("settings-check"))
        await world.api("PUT", "/v1/settings/policy", before)
      },
    ),
    checkAt(
      stage,
      "settings: [T30] before a policy is saved, it says which calls of the last runs it would refuse, and about which it would ask",
      async () => {
        const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:tools-done" })) as { readonly id: string }
        await failing(world).over(id)
        return at("policy")
      },
      async ({ page }) => {
        const field = page.getByRole("textbox", { name: "Policy" })
        await field.waitFor()
        await written(page, '{ "tools": { "deny": ["memory.*"] } }')
        await has(page.locator(".faces_prev"), /refuses none that the saved one lets through/)
        await written(page, '{ "tools": { "deny": ["charges"] } }')
        await has(page.locator(".faces_prev li"), /charges by helper: deny charges; \d+ calls? in \d+ runs?/)
        await has(page.locator(".faces_prev"), /This policy would refuse \d+ calls?/)
        assert.deepEqual(await axe(page), [])
        await written(page, '{ "hooks": { "confirm": ["charges"] } }')
        await has(page.locator(".faces_prev"), /It would ask a person about \d+ calls?/)
        await has(page.locator(".faces_prev li"), /charges by helper: hooks\.confirm names it; \d+ calls? in \d+ runs?/)
        await written(page, '{ "tools": { "deny": 1 } }')
        await has(page.locator(".faces_prev"), "Fix the errors to preview this policy")
        assert.equal(await page.locator(".faces_prev li").count(), 0)
      },
    ),
    {
      name: "settings: axe finds nothing in hooks, schedules and the other sections, in either theme and on both screens",
      async run() {
        await world.api("PUT", "/v1/secrets/settings-hook", { value: SECRET })
        const { id } = (await world.api("POST", "/v1/hooks", { flow: "other", kind: "github", secret: "settings-hook" })) as {
          readonly id: string
        }
        await looked(stage, "settings-hooks", at("hooks"), ({ page }) => page.locator(".settings_srow").first().waitFor())
        await looked(stage, "settings-hook", at(`hooks/${id}`), async ({ page }) => {
          await page.getByRole("button", { name: "Send a signed test delivery" }).click()
          await has(page.getByRole("region", { name: "Test delivery" }).getByRole("status"), "It would start other")
        })
        await world.api("DELETE", `/v1/hooks/${id}`)
        await looked(stage, "settings-schedule", at("schedules"), async ({ page }) => {
          await page.getByRole("button", { name: "Add a schedule" }).click()
          await dialog(page).locator("ol li").first().waitFor()
        })
        await looked(stage, "settings-callbacks", at("callbacks"), ({ page }) => has(page.locator("main"), "No message has been sent."))
        await looked(stage, "settings-people", at("people"), ({ page }) => row(page, "you, here").waitFor())
        await looked(stage, "settings-roles", at("roles"), ({ page }) => page.getByLabel("Model of vision").waitFor())
        await looked(stage, "settings-budget", at("budget"), ({ page }) => page.getByLabel("Tokens", { exact: true }).waitFor())
        await looked(stage, "settings-policy", at("policy"), ({ page }) => page.getByRole("textbox", { name: "Policy" }).waitFor())
        await looked(stage, "settings-gate", at("gate"), ({ page }) => page.getByRole("textbox", { name: "Gate" }).waitFor())
        for (const [name, section] of [
          ["API keys", "keys"],
          ["Secrets", "secrets"],
          ["Prices", "prices"],
        ] as const)
          await looked(stage, `settings-${section}`, at(section), ({ page }) => page.getByRole("heading", { name, level: 1 }).waitFor())
      },
    },
  ]
}
