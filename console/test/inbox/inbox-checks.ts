// The inbox, driven by a browser: every kind of question, its keys, another person who is faster, and texts that attack the page.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import { until, type Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { inboxWorld, type Asking, type InboxWorld } from "./inbox-world.ts"
import { openPage, type Look, type Seen } from "../page.ts"
import { ATTACKS } from "../scenes.ts"
import type { World } from "../world.ts"

interface Visit extends Seen {
  readonly inbox: InboxWorld
  title(words: string | RegExp): Promise<void>
  button(name: string | RegExp): Locator
  open(asking?: Asking): Promise<void>
  /** The row of what was decided about it. */
  past(asking: Asking, words: string | RegExp): Promise<void>
}

const has = (place: Locator, text: string | RegExp): Promise<void> => place.filter({ hasText: text }).first().waitFor()

export function inboxChecks(browser: Browser, world: World, shots?: string): Check[] {
  const inbox = inboxWorld(world)
  const visit = async (look: Look = {}): Promise<Visit> => {
    const seen = await openPage(browser, [world.url], look)
    const { page } = seen
    return {
      ...seen,
      inbox,
      past: ({ run }, words) => has(page.locator(`.inbox_past[href*="${run}"]`), words),
      title: (words) => has(page.locator("#ask-title"), words),
      button: (name) => page.getByRole("button", { name, exact: typeof name === "string" }),
      async open(asking) {
        const place = asking === undefined ? "" : `/${asking.run}/${asking.id}`
        await page.goto(`${world.url}/console/inbox${place}`)
        const key = page.getByRole("button", { name: "Use sl_local_dev" })
        await key.or(page.locator("main.inbox_inbox")).first().waitFor()
        if (await key.isVisible()) await key.click()
        await page.locator("main.inbox_inbox").waitFor()
      },
    }
  }
  const check = (name: string, run: (visited: Visit) => Promise<void>, look: Look = {}): Check => ({
    name: `inbox: ${name}`,
    async run() {
      const visited = await visit(look)
      try {
        // Other checks leave runs that ask.
        await visited.inbox.clear()
        await run(visited)
        assert.deepEqual(visited.faults, [])
      } catch (error) {
        if (shots !== undefined)
          await visited.page.screenshot({ path: `${shots}/failed-inbox-${name.replaceAll(/\W+/g, "-").slice(0, 40)}.png` })
        throw error
      } finally {
        await visited.context.close()
        await visited.inbox.clear()
      }
    },
  })

  return [
    check(
      "what waits is in the list, the bar and the title; A approves exactly the call that is shown",
      async ({ page, inbox, open, title, past }) => {
        const asking = await inbox.asks("inbox-refund")
        const hash = (await inbox.interaction(asking)).payload.hash
        const before = world.refunds.length
        await open()
        await title("Let helper call refund?")
        await has(page.locator(".shell_nav .count"), "1")
        await page.waitForFunction(() => document.title.startsWith("(1) refund · Inbox"))
        await has(page.locator("pre"), '"amount": 4900')
        await has(page.locator(".inbox_one"), "I will refund the second charge only.")
        await has(page.locator(".inbox_one .inbox_side"), "changes something")
        const sent = page.waitForRequest((request) => request.method() === "POST")
        await pressUntil(page, "a", () => past(asking, "Approved refund"))
        assert.deepEqual((await sent).postDataJSON(), { decision: "approve", hash })
        await has(page.locator(".inbox_one"), "Nothing waits for you")
        assert.equal((await inbox.interaction(asking)).status, "answered")
        await page.waitForFunction(() => document.title === "Inbox · Sluice")
        await until(() => world.refunds.length > before)
        assert.deepEqual(world.refunds.slice(before), [{ to: "ch_3QF1kV", text: "duplicate", amount: 4900 }])
      },
    ),
    check("A waits half a second, and for the end of a long call", async ({ page, inbox, open, title, past }) => {
      const asking = await inbox.asks("inbox-long")
      // The page's clock is held: a key in the first moments is one before it moves.
      await page.clock.install()
      await open(asking)
      await title("Let helper call refund?")
      await page.keyboard.press("a")
      await page.clock.runFor(600)
      assert.equal((await inbox.interaction(asking)).status, "pending")
      await page.keyboard.press("a")
      await has(page.getByRole("alert"), "Scroll to the end of the call first")
      assert.equal((await inbox.interaction(asking)).status, "pending")
      await page.locator("pre i").last().scrollIntoViewIfNeeded()
      await page.waitForFunction(() => {
        const end = document.querySelector("pre i:last-child")?.getBoundingClientRect()
        return end !== undefined && end.bottom < innerHeight
      })
      await pressUntil(
        page,
        "a",
        () => past(asking, "Approved refund"),
        () => page.clock.runFor(100),
      )
      assert.equal((await inbox.interaction(asking)).answer?.["decision"], "approve")
    }),
    check(
      "E edits: fields by the tool's schema, the difference, and the edited call runs",
      async ({ page, inbox, open, title, button, past }) => {
        const asking = await inbox.asks("inbox-refund")
        const before = world.refunds.length
        await open(asking)
        await title("Let helper call refund?")
        await pressUntil(page, "e", () => page.getByLabel("amount").waitFor())
        await has(page.locator(".edit"), "Nothing is changed.")
        await page.getByLabel("amount").fill("forty")
        await has(page.getByRole("alert"), "amount is not a number.")
        assert.equal(await button(/^Approve edited call/).getAttribute("aria-disabled"), "true")
        await page.getByLabel("amount").fill("2450")
        await has(page.locator(".diff-view_diff .diff-view_del"), '"amount": 4900')
        await has(page.locator(".diff-view_diff .diff-view_add"), '"amount": 2450')
        if (shots !== undefined) await page.screenshot({ path: `${shots}/inbox-edit.png` })
        await page.keyboard.press("Control+Enter")
        await past(asking, "Approved an edited refund")
        assert.deepEqual((await inbox.interaction(asking)).answer?.["args"], { to: "ch_3QF1kV", text: "duplicate", amount: 2450 })
        await until(() => world.refunds.length > before)
        assert.deepEqual(world.refunds.slice(before), [{ to: "ch_3QF1kV", text: "duplicate", amount: 2450 }])
      },
    ),
    check("R rejects with a word to the agent; Escape leaves it", async ({ page, inbox, open, title, past }) => {
      const asking = await inbox.asks("inbox-refund")
      const before = world.refunds.length
      await open(asking)
      await title("Let helper call refund?")
      const field = page.getByLabel("Why not?")
      await pressUntil(page, "r", () => field.waitFor())
      await field.fill("a letter: r")
      await page.keyboard.press("Escape")
      await field.waitFor({ state: "detached" })
      await page.locator("#ask-title").focus()
      await pressUntil(page, "r", () => field.waitFor())
      await field.fill("Ask for the invoice first.")
      await page.keyboard.press("Control+Enter")
      await past(asking, "Rejected refund")
      const { answer } = await inbox.interaction(asking)
      assert.deepEqual([answer?.["decision"], answer?.["feedback"]], ["reject", "Ask for the invoice first."])
      assert.equal(world.refunds.length, before)
    }),
    check(
      "a choice by its number, own words, several, yes or no, words, and the agent's choice",
      async ({ page, inbox, open, title, button, past }) => {
        const said = async (scene: string, question: string, act: () => Promise<void>): Promise<unknown> => {
          const asking = await inbox.asks(scene)
          await open(asking)
          await title(question)
          await act()
          await button(/^Answer/).click()
          await past(asking, /Answered: |Left to the agent: /)
          return (await inbox.interaction(asking)).answer
        }
        const option = (name: string): Locator => page.locator(".question_opt", { hasText: name })
        const choice = await said("inbox-choice", "Which law governs?", async () => {
          await button(/^Answer/).click()
          await has(page.getByRole("alert"), "Choose an answer first.")
          await pressUntil(page, "2", () => option("Ireland").and(page.locator(".question_on")).waitFor())
          await page.getByLabel("Note").fill("Only for this one")
        })
        assert.deepEqual(choice, { answer: "Ireland", notes: "Only for this one" })
        const own = await said("inbox-choice", "Which law governs?", async () => {
          await option("Other").click()
          await page.getByLabel("In your own words").fill("Scots law")
        })
        assert.deepEqual(own, { custom: "Scots law" })
        const auto = await said("inbox-choice", "Which law governs?", () => option("Let the agent choose").click())
        assert.deepEqual(auto, { auto: true })
        const several = await said("inbox-several", "Which pages?", async () => {
          while ((await page.locator(".question_opt.question_on", { hasText: "Home" }).count()) === 0) await page.keyboard.press("1")
          await option("Jobs").click()
        })
        assert.deepEqual(several, { answer: ["Home", "Jobs"] })
        const yes = await said("inbox-yes", "Send it now?", () => option("No").click())
        assert.deepEqual(yes, { answer: false })
        const words = await said("inbox-words", "Where should it go?", () => page.getByLabel("Your answer").fill("To the <b>top</b>"))
        assert.deepEqual(words, { answer: "To the <b>top</b>" })
      },
    ),
    check("a fork shows where each option leads", async ({ page, inbox, open, title, button, past }) => {
      const asking = await inbox.asks("inbox-refund", { flow: "inbox-fork" })
      await open(asking)
      await title("Which clause for Ticket 50907")
      await has(page.locator(".question_opt").nth(1).locator(".question_to"), "long")
      await page.locator(".question_opt").nth(1).click()
      await button(/^Answer/).click()
      await past(asking, "Answered: Long")
      assert.deepEqual((await inbox.interaction(asking)).answer, { answer: "Long" })
    }),
    check(
      "a used-up budget: the new limit must be above the old one, and the run goes on",
      async ({ page, inbox, open, title, button, past }) => {
        const asking = await inbox
          .asks("inbox-money", { budget: { tool_calls: 1 } })
          .catch(() => inbox.asks("inbox-money", { budget: { tokens: 1_000 } }))
        await open(asking)
        await title("The budget is used: raise it or stop?")
        const field = page.getByLabel(/^New limit/)
        await field.fill("0")
        await button(/^Raise to/).click()
        await has(page.getByRole("alert"), "Enter a limit above the amount already used.")
        await field.fill("500000")
        if (shots !== undefined) await page.screenshot({ path: `${shots}/inbox-budget.png` })
        await page.keyboard.press("Control+Enter")
        await past(asking, "Raised the budget")
        assert.equal((await inbox.interaction(asking)).status, "answered")
      },
    ),
    check("who is too late sees who decided and when, and the buttons go", async ({ page, inbox, open, title, button }) => {
      const asking = await inbox.asks("inbox-refund")
      await open(asking)
      await title("Let helper call refund?")
      const { payload } = await inbox.interaction(asking)
      // The list is held back, so that the page still thinks that it waits.
      await page.route("**/v1/interactions*", (route) => route.abort())
      await inbox.answer(asking, { decision: "reject", feedback: "Not today" })
      await pressUntil(page, "a", () => has(page.getByRole("alert"), "Someone answered first. Rejected refund by "))
      await has(page.getByRole("alert"), "Not today")
      await has(page.getByRole("alert"), new Date().getFullYear().toString())
      assert.equal(await button(/^Approve/).count(), 0)
      assert.ok(payload.hash)
    }),
    check(
      "two browsers on one question: the other one sees the decision without a reload",
      async ({ page, inbox, open, title, button }) => {
        const asking = await inbox.asks("inbox-refund")
        const other = await visit()
        try {
          await open(asking)
          await other.open(asking)
          await title("Let helper call refund?")
          await other.title("Let helper call refund?")
          await pressUntil(other.page, "a", () => other.past(asking, "Approved refund"))
          await has(page.locator(".inbox_one"), "Approved refund by ")
          assert.equal(await button(/^Approve/).count(), 0)
          assert.deepEqual(other.faults, [])
        } finally {
          await other.context.close()
        }
      },
    ),
    check("what was answered is listed with who and when, whoever answered and wherever", async ({ page, inbox, open, past }) => {
      const asking = await inbox.asks("inbox-words")
      await open(asking)
      await has(page.locator(".inbox_one"), "Where should it go?")
      await inbox.answer(asking, { answer: "To the cellar" })
      await past(asking, "Answered: To the cellar")
      const { by } = await inbox.interaction(asking)
      assert.ok(by)
      await past(asking, by)
      const row = page.locator(`.inbox_past[href*="${asking.run}"]`)
      assert.match((await row.getAttribute("title")) ?? "", new RegExp(String(new Date().getFullYear())))
      await open()
      await past(asking, "Answered: To the cellar")
      await row.click()
      await has(page.locator(".inbox_one"), `Answered: To the cellar by ${by}, `)
    }),
    check(
      "the server goes away: what was written stays, and is sent when it is back",
      async ({ page, context, inbox, open, title, button, past }) => {
        const asking = await inbox.asks("inbox-words")
        await open(asking)
        await title("Where should it go?")
        await page.getByLabel("Your answer").fill("To the archive")
        await context.setOffline(true)
        await button(/^Answer/).click()
        await has(page.getByRole("alert"), "The server did not answer.")
        assert.equal(await page.getByLabel("Your answer").inputValue(), "To the archive")
        await context.setOffline(false)
        await button(/^Answer/).click()
        await past(asking, "Answered: To the archive")
      },
    ),
    check("attacks in every text of a question and a call stay text", async ({ page, inbox, open, title, button, past }) => {
      const hostile = await inbox.asks("inbox-hostile")
      const attack = await inbox.asks("inbox-attack")
      await open(attack)
      await title("Let helper call refund?")
      await has(page.locator(".inbox_one"), "<script>alert(2)</script>")
      await has(page.locator("pre"), "U+202E")
      await pressUntil(page, "e", () => page.getByLabel("text", { exact: true }).waitFor())
      await page.getByLabel("text", { exact: true }).fill(JSON.stringify(ATTACKS[0]))
      await has(page.locator(".diff-view_diff .diff-view_add"), "<img src=x onerror=")
      await page.keyboard.press("Escape")
      await pressUntil(page, "r", () => page.getByLabel("Why not?").waitFor())
      await page.getByLabel("Why not?").fill(ATTACKS.join(" "))
      await page.keyboard.press("Control+Enter")
      await past(attack, "Rejected refund")
      await open(hostile)
      await page.locator(".question_opt").nth(1).click()
      await button(/^Answer/).click()
      await past(hostile, "Answered: <script>alert(2)</script>")
      const made = await page.evaluate(() =>
        [...document.querySelectorAll("#app :is(img, script, iframe, style, [onload], [onerror], [onmouseover])")].map(
          ({ outerHTML }) => outerHTML,
        ),
      )
      assert.deepEqual(made, [])
    }),
    ...(["light", "dark"] as const).flatMap((theme) =>
      [390, 768, 1440].map((width) =>
        check(
          `WCAG 2.2 AA at ${width} pixels in the ${theme} theme`,
          async ({ page, inbox, open, title }) => {
            const looks = async (state: string): Promise<void> => {
              if (shots !== undefined) await page.screenshot({ path: `${shots}/inbox-${state}-${width}-${theme}.png` })
              assert.deepEqual(await axe(page), [], state)
              assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${state} is wider than the window`)
            }
            await open()
            await has(page.locator("#main"), width < 768 ? "Nothing waits for an answer." : "Nothing waits for you")
            await looks("empty")
            const approval = await inbox.asks("inbox-refund")
            const choice = await inbox.asks("inbox-choice")
            const money = await inbox.asks("inbox-money", { budget: { tokens: 1_000 } })
            await open(approval)
            await title("Let helper call refund?")
            await has(page.locator(".inbox_one"), "What the agent said")
            await has(page.locator(".shell_nav .count"), "3")
            await looks("approval")
            await page.getByRole("button", { name: /^Edit/ }).click()
            await page.getByLabel("amount").fill("12")
            await looks("edit")
            await page.getByRole("button", { name: /^Discard/ }).click()
            await page.getByRole("button", { name: /^Reject/ }).click()
            await page.getByLabel("Why not?").waitFor()
            await looks("reject")
            await open(choice)
            await title("Which law governs?")
            await page.locator(".question_opt").nth(1).click()
            await looks("question")
            await open(money)
            await title("The budget is used")
            await looks("budget")
            if (width < 768) {
              await page.getByRole("link", { name: "Inbox", exact: true }).click()
              await page.locator(".inbox_it").first().waitFor()
              await looks("list")
            }
            await inbox.answer(choice, { answer: "Ireland" })
            await open(choice)
            await has(page.locator(".inbox_one"), "Answered: Ireland")
            await looks("decided")
          },
          { width, theme },
        ),
      ),
    ),
  ]
}

/** A key is pressed again until the page takes it: it has to have been in view for half a second. */
export async function pressUntil(
  page: Page,
  key: string,
  done: () => Promise<void>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  let isDone = false
  const waited = done().finally(() => (isDone = true))
  // The rejection is that of `waited` below.
  waited.catch(() => undefined)
  while (!isDone) {
    if (await page.evaluate(() => !document.activeElement?.matches("input:not([type=radio], [type=checkbox]), textarea, select")))
      await page.keyboard.press(key)
    await between()
    await page.waitForTimeout(50)
  }
  await waited
}
