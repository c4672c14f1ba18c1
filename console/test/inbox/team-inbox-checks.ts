// The inbox of a team: many asks at once, in groups, answered in one go, filtered, snoozed, and all of it by keyboard.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import { until, type Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import type { Look, Seen } from "../page.ts"
import { checkAt, has } from "../visit.ts"
import type { World } from "../world.ts"
import { pressUntil } from "./inbox-checks.ts"
import { inboxWorld, type Asking } from "./inbox-world.ts"

/** At one key a second, two minutes. */
const MAX_KEYS = 120

export function teamInboxChecks(browser: Browser, world: World, shots?: string): Check[] {
  const inbox = inboxWorld(world)
  const many = (count: number, scene: string, task = ""): Promise<Asking[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => inbox.asks(scene, task === "" ? {} : { task: `${task} ${n + 1}` })))
  const check = (name: string, run: (seen: Seen & { readonly page: Page }) => Promise<void>, look: Look = {}): Check => {
    const { run: visit, ...rest } = checkAt({ browser, world, shots, look }, `inbox: ${name}`, "/console/chat", run)
    return {
      ...rest,
      async run() {
        await inbox.clear()
        try {
          await visit()
        } finally {
          await inbox.clear()
        }
      },
    }
  }
  const open = async (page: Page, place = ""): Promise<void> => {
    await page.goto(`${world.url}/console/inbox${place}`)
    await page.locator(".inbox_it, .empty-state").first().waitFor()
  }
  const rows = (page: Page) => page.locator(".ask-list_list ul a.ask-list_row")

  return [
    check("forty asks are emptied by keyboard in as many keys as two minutes have", async ({ page }) => {
      await many(20, "inbox-words", "Where to")
      await many(12, "inbox-choice", "Which law")
      await many(8, "inbox-refund", "Charged twice")
      await open(page)
      await has(page.locator(".shell_nav .count"), "40")
      let keys = 0
      const press = async (key: string): Promise<void> => {
        keys += 1
        await page.keyboard.press(key)
      }
      const dialog = page.getByRole("dialog")
      const done = dialog.getByRole("button", { name: "Done" })
      await page.locator("#ask-title").waitFor()
      // Twenty that want words.
      await press("Shift+A")
      await dialog.getByLabel("The answer for all").waitFor()
      for (const letter of "To the archive") await press(letter)
      await press("Control+Enter")
      await done.waitFor()
      await press("Enter")
      await dialog.waitFor({ state: "detached" })
      await has(page.locator("#ask-title"), "Which law governs?")
      // Two one by one, and ten together.
      for (const left of [11, 10]) {
        await press("2")
        await press("Control+Enter")
        await has(page.locator(".shell_nav .count"), String(left + 8))
        await has(page.locator("#ask-title"), "Which law governs?")
      }
      await press("Shift+A")
      await dialog.locator('input[type="radio"]:focus').waitFor()
      // For a moment after it has opened, a dialog holds keys for the field that it opens with.
      await page.waitForTimeout(200)
      await press("2")
      await press("Control+Enter")
      await done.waitFor()
      await press("Enter")
      await dialog.waitFor({ state: "detached" })
      await has(page.locator("#ask-title"), "Let helper call refund?")
      // Calls: read to the last one.
      const before = world.refunds.length
      await press("Shift+A")
      await dialog.locator("pre").last().waitFor()
      while (!(await done.isVisible()) && keys < MAX_KEYS) {
        await press("Control+Enter")
        await page.waitForTimeout(700)
      }
      await press("Enter")
      await has(page.locator(".inbox_one"), "Nothing waits for you")
      assert.ok(keys <= MAX_KEYS, `${keys} keys`)
      await until(() => world.refunds.length >= before + 8)
      assert.equal(world.refunds.length - before, 8)
    }),
    check("alike calls: each stands whole in a row, one can be left out, and one that somebody else answered says so", async ({ page }) => {
      const asked = await many(4, "inbox-refund", "Charged twice")
      await open(page)
      await has(page.locator(".inbox_alike"), "3 more asks are alike: the same tool, agent and reason")
      await page.getByRole("button", { name: /^Answer 4 alike/ }).click()
      const dialog = page.getByRole("dialog")
      await dialog.locator("pre").nth(3).waitFor()
      assert.equal(await dialog.locator("pre").count(), 4)
      for (const text of await dialog.locator("pre").allTextContents())
        assert.deepEqual(JSON.parse(text), { to: "ch_3QF1kV", text: "duplicate", amount: 4900 })
      // The list is held back, so that the page still thinks that they wait.
      await page.route(/\/v1\/interactions(\?|$)/, (route) => route.abort())
      const names = await dialog.locator("li label").allTextContents()
      const numbered = (n: number): number => names.findIndex((words) => words.includes(`Charged twice ${n}`))
      const [first, , , last] = asked
      assert.ok(first && last)
      await inbox.answer(first, { decision: "reject", feedback: "Not this one" })
      await dialog.locator("li label").nth(numbered(4)).getByRole("checkbox").uncheck()
      await dialog.getByRole("button", { name: /^Approve 3 calls/ }).click()
      await has(dialog.locator(".alike_row").nth(numbered(1)), /was first: Rejected refund/)
      await has(dialog.getByRole("status"), "0 of 1 chosen")
      const kinds = await Promise.all(asked.map(async (one) => (await inbox.interaction(one)).answer?.["decision"]))
      assert.deepEqual(kinds, ["reject", "approve", "approve", undefined])
    }),
    ...[1440, 390].map((width) =>
      check(
        `groups, the filter and the dialog of alike asks have no fault at ${width} pixels`,
        async ({ page }) => {
          await many(3, "inbox-refund", "Charged twice")
          await many(2, "inbox-choice", "Which law")
          await open(page)
          await has(page.locator(".ask-list_group").first(), "assist, approvals")
          assert.deepEqual(await axe(page), [])
          await page.getByRole("button", { name: /^Answer 3 alike/ }).click()
          await page.getByRole("dialog").locator("pre").first().waitFor()
          assert.deepEqual(await axe(page), [])
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
        },
        { width },
      ),
    ),
    check("a filter is typed, stands in the address, and is cleared; groups fold", async ({ page }) => {
      await many(3, "inbox-words", "Mara")
      await many(2, "inbox-choice", "Priya")
      await open(page)
      await page.locator("#ask-title").waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("which priya", { delay: 20 })
      await has(page.locator(".ask-list_list .panel-head .count").first(), /^2$/)
      assert.equal(new URL(page.url()).searchParams.get("q"), "which priya")
      await page.reload()
      await has(page.locator(".ask-list_list .panel-head .count").first(), /^2$/)
      await page.keyboard.press("j")
      assert.equal(new URL(page.url()).searchParams.get("q"), "which priya")
      await page.getByPlaceholder("Find").fill("nobody")
      await page.getByRole("button", { name: "Clear filter" }).click()
      await has(page.locator(".ask-list_list .panel-head .count").first(), /^5$/)
      await page.getByRole("button", { name: /^assist, questions/ }).click()
      assert.equal(await rows(page).count(), 0)
    }),
    check("Z and 1 put an ask out of sight for this person, and Z brings it back", async ({ page, context }) => {
      const asked = await many(2, "inbox-words", "Mara")
      await open(page)
      await page.locator("#ask-title").waitFor()
      const gone = new URL(page.url()).pathname
      await page.keyboard.press("z")
      await page.getByRole("menuitem", { name: /1 hour/ }).waitFor()
      await page.keyboard.press("1")
      await page.getByRole("button", { name: "Snoozed 1" }).waitFor()
      assert.equal(await rows(page).count(), 1)
      assert.equal((await inbox.interaction(asked[0] as Asking)).status, "pending")
      const other = await context.newPage()
      await other.goto(`${world.url}/console/inbox`)
      await other.getByRole("button", { name: "Snoozed 1" }).waitFor()
      await other.close()
      await page.getByRole("button", { name: "Snoozed 1" }).click()
      await has(page.locator(".ask-list_list h2"), "Snoozed")
      await page.waitForFunction((at) => location.pathname === at, gone)
      await page.keyboard.press("z")
      await has(page.locator(".ask-list_none, .inbox_none"), "Nothing is snoozed.")
      await open(page)
      assert.equal(await rows(page).count(), 2)
    }),
    check("of a hundred asks those in view are drawn, and the last is chosen by keyboard", async ({ page }) => {
      await many(100, "inbox-words", "Mara")
      await open(page)
      await has(page.locator(".ask-list_list .panel-head .count").first(), /^100$/)
      assert.ok((await rows(page).count()) < 60)
      for (let n = 1; n < 100; n += 1) {
        const before = page.url()
        await page.keyboard.press("j")
        await page.waitForFunction((address) => location.href !== address, before)
      }
      await has(page.locator(".inbox_one"), "100 of 100")
      const row = await page.locator('.ask-list_list [aria-current="true"]').boundingBox()
      assert.ok(row && row.y >= 0 && row.y + row.height <= 900, JSON.stringify(row))
    }),
    check("a key that comes too early is told so, and decides nothing", async ({ page }) => {
      const [asking] = await many(1, "inbox-refund")
      assert.ok(asking)
      // The page's clock stands, and goes on in steps too short to count: however slow the machine is, these keys come early.
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 60_000)
      const opened = open(page)
      while (!(await page.locator("#ask-title", { hasText: "Let helper call refund?" }).isVisible())) await page.clock.runFor(50)
      await opened
      for (const key of ["a", "r", "e"]) await page.keyboard.press(key)
      await has(page.locator(".inbox_early"), "This has just opened. Read it, then press the key again.")
      assert.equal((await inbox.interaction(asking)).status, "pending")
      await page.clock.runFor(3_000)
      assert.equal(await page.locator(".inbox_early").textContent(), "")
      await pressUntil(
        page,
        "r",
        () => page.getByLabel("Why not?").waitFor(),
        () => page.clock.runFor(100),
      )
    }),
    check(
      "on a small screen an open ask begins at the top",
      async ({ page }) => {
        await many(3, "inbox-refund")
        await open(page)
        await rows(page).last().click()
        const title = page.locator("#ask-title")
        await has(title, "Let helper call refund?")
        const box = await title.boundingBox()
        assert.ok(box && box.y >= 48 && box.y < 130, JSON.stringify(box))
        await page.getByRole("link", { name: "Inbox", exact: true }).click()
        await rows(page).first().waitFor()
      },
      { width: 390 },
    ),
    check("a signal that a run waits for is sent from here", async ({ page }) => {
      const { id } = (await world.api("POST", "/v1/flows/inbox-signal/runs", { task: "Open the door for Mara" })) as { id: string }
      try {
        await open(page)
        const row = page.locator(`a[href$="/signal/${id}"]`)
        await has(row, "Open the door for Mara")
        await row.click()
        await has(page.locator("#ask-title"), "Waits for the signal door")
        assert.deepEqual(await axe(page), [])
        await page.getByRole("button", { name: "Send signal" }).click()
        await row.waitFor({ state: "detached" })
        for (;;) {
          const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { status: string }
          if (status === "succeeded") break
          await page.waitForTimeout(50)
        }
      } finally {
        await world.api("POST", `/v1/runs/${id}/cancel`).catch(() => undefined)
      }
    }),
  ]
}
