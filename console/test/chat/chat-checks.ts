// The console's chat page, driven by a browser with the tenant's key.

import assert from "node:assert/strict"
import type { Browser, Locator } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { openPage, send, type Look, type Seen } from "../page.ts"
import { ATTACKS } from "../scenes.ts"
import type { World } from "../world.ts"
import { choose } from "../visit.ts"

interface Visit extends Seen {
  say(text: string): Promise<void>
  last(): Locator
  button(name: string): Locator
  settled(): Promise<void>
  thread(): string
}

interface Row {
  readonly id: string
  readonly status: string
}

export function chatChecks(browser: Browser, world: World, shots?: string): Check[] {
  const signedIn = async (look: Look = {}, place = "/console/chat"): Promise<Visit> => {
    const seen = await openPage(browser, [world.url], look)
    const { page } = seen
    await page.goto(world.url + place)
    await page.getByRole("button", { name: "Use sl_local_dev" }).click()
    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
    return {
      ...seen,
      async say(text) {
        await send(page, text)
      },
      last: () => page.locator(".mes").last(),
      button: (name) => page.getByRole("button", { name, exact: true }),
      settled: () => page.locator(".mes").last().locator(".st.running").waitFor({ state: "detached" }),
      thread: () => decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? ""),
    }
  }
  const check = (name: string, run: (visit: Visit) => Promise<void>, place?: string): Check => ({
    name,
    async run() {
      const visited = await signedIn({}, place)
      try {
        await run(visited)
        assert.deepEqual(visited.faults, [])
      } catch (error) {
        if (shots !== undefined) await visited.page.screenshot({ path: `${shots}/failed-${name.replaceAll(/\W+/g, "-").slice(0, 40)}.png` })
        throw error
      } finally {
        await visited.context.close()
      }
    },
  })
  const has = (place: Locator, text: string | RegExp): Promise<void> => place.filter({ hasText: text }).first().waitFor()
  const runsOf = async (thread: string): Promise<Row[]> => ((await world.api("GET", `/v1/runs?thread=${thread}`)) as { data: Row[] }).data

  return [
    {
      name: "sign-in: a key that is not known is refused in words; no script and no address has it, and signing out ends the session",
      async run() {
        const { page, context, faults } = await openPage(browser, [world.url])
        try {
          await page.goto(`${world.url}/console/chat/assist`)
          await page.getByLabel("Tenant key").fill("sl_wrong")
          await page.getByRole("button", { name: "Sign in" }).click()
          await has(page.getByRole("alert"), "This key is not known here, or it was revoked.")
          await page.getByLabel("Tenant key").fill(world.key)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
          assert.doesNotMatch(page.url(), /sl_/)
          const stored = (): Promise<string> =>
            page.evaluate(() => document.cookie + Object.values(localStorage).join() + Object.values(sessionStorage).join())
          // That somebody is signed in, and nothing that signs anybody in.
          assert.equal(await stored(), "yes")
          const [cookie, ...others] = await context.cookies()
          assert.deepEqual(
            [cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.value.includes(world.key), others],
            [true, "Strict", "/", false, []],
          )
          // Another tab of the browser, and the page loaded anew, are signed in.
          await page.reload()
          await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByLabel("Tenant key").waitFor()
          assert.deepEqual(await context.cookies(), [])
          await page.reload()
          await page.getByLabel("Tenant key").waitFor()
          assert.equal(await stored(), "")
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    {
      name: "sign-in: what a person decides has their name; a session that ends elsewhere leads to the sign-in page",
      async run() {
        const { page, context, faults } = await openPage(browser, [world.url])
        try {
          await page.goto(`${world.url}/console/chat/assist`)
          await page.getByLabel("Your name").fill("Anna")
          await page.getByRole("button", { name: "Use sl_local_dev" }).click()
          await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
          const who = await page.evaluate(async () => (await (await fetch("/v1/session")).json()) as { by: string; via: string })
          assert.deepEqual([who.by, who.via], ["Anna", "session"])
          // The page asks for its list by and by, and hears of it.
          await page.evaluate(() => fetch("/v1/session", { method: "DELETE" }))
          await page.getByLabel("Tenant key").waitFor()
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    check(
      "a conversation: tools, an approval by its letter, and the thread in the list with its title",
      async ({ page, say, last, settled }) => {
        await say("What was charged? scene:tools")
        world.model.open("compare")
        await settled()
        await has(last().locator("strong"), "Two charges")
        await has(page.locator(".chat-page_th.chat-page_on b"), "What was charged? scene:tools")
        const before = world.refunds.length
        await say("Refund it. scene:approve")
        await has(last(), "Approve this call?")
        await has(page.locator(".chat-page_th.chat-page_on .chat-page_sub"), "asks you")
        await page.keyboard.press("a")
        assert.equal(world.refunds.length, before, "the letter was written into the field")
        await page.locator(".talk").focus()
        await page.waitForFunction(() => /^(\(\d+\) )?◆ /.test(document.title))
        for (let n = 0; n < 100 && (await page.locator(".asks").count()) > 0; n += 1) await page.keyboard.press("a", { delay: 20 })
        world.model.open("refunded")
        await settled()
        await has(last(), "The refund is on its way.")
        assert.equal(world.refunds.length, before + 1)
        await has(page.locator(".chat-page_abt"), /1\.\dk tokens/)
      },
    ),
    check("[P24] a reload in the middle shows what was said and goes on", async ({ page, say, last, settled, thread }) => {
      await say("First. scene:hello")
      await settled()
      await say("Then this. scene:console-reload")
      await world.model.arrived("console-reload")
      await has(last(), "Half of the work is done.")
      await page.reload()
      await has(page.locator(".mes.me").first(), "First. scene:hello")
      await has(page.locator(".mes.me").last(), "Then this. scene:console-reload")
      await has(last(), "Half of the work is done.")
      world.model.open("console-reload")
      await settled()
      await has(last(), "The whole work is done.")
      assert.deepEqual([await page.locator(".mes").count(), (await runsOf(thread())).length], [4, 2])
      await page.reload()
      await has(last(), "The whole work is done.")
      assert.equal(await page.locator(".mes").count(), 4)
    }),
    check(
      "[P5] what a run below asks is asked in the conversation, also after a reload, and answered there",
      async ({ page, say, last, button, settled, thread }) => {
        await say("scene:ask")
        await has(last(), "Which invoice is it?")
        await has(page.locator(".chat-page_th.chat-page_on .chat-page_sub"), "asks you")
        await page.reload()
        await has(last(), "Which invoice is it?")
        await button("4472").click()
        await has(last(), "Where should it go?")
        await page.getByRole("textbox", { name: "Your answer" }).fill("Harbor Road 7")
        await button("Answer").click()
        await has(last(), "Send it now?")
        await button("Yes").click()
        await settled()
        await has(last(), "Sent to the new address.")
        assert.deepEqual([await page.locator(".mes").count(), (await runsOf(thread())).map(({ status }) => status)], [2, ["succeeded"]])
      },
      "/console/chat/desk",
    ),
    check(
      "[P5] a call of a run below is approved in the conversation",
      async ({ say, last, button, settled }) => {
        const before = world.refunds.length
        await say("scene:colleague")
        await has(last(), "Approve this call?")
        assert.equal(world.refunds.length, before)
        await button("Approve").click()
        await settled()
        await has(last(), "It was allowed.")
        assert.equal(world.refunds.length, before + 1)
      },
      "/console/chat/desk",
    ),
    check("what somebody else answers and ends is seen without a reload", async ({ page, say, last, thread }) => {
      await say("scene:colleague")
      await has(last(), "Approve this call?")
      await page.reload()
      await has(last(), "Approve this call?")
      const [run] = await runsOf(thread())
      const { data } = (await world.api("GET", `/v1/runs/${run?.id}/interactions`)) as { data: { id: string; payload: { hash: string } }[] }
      await world.api("POST", `/v1/runs/${run?.id}/interactions/${data[0]?.id}`, { decision: "approve", hash: data[0]?.payload.hash })
      for (let status = ""; status !== "succeeded";) status = (await runsOf(thread()))[0]?.status ?? ""
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
      await has(last(), "It was allowed.")
      assert.equal(await page.locator(".mes").count(), 2)
    }),
    check(
      "what was said stays beside the answer; the thread's cost, its run and its example tasks",
      async ({ page, say, last, settled }) => {
        await say("What was charged? scene:tools")
        await world.model.arrived("compare")
        await has(last().locator(".said"), "I compare them.")
        world.model.open("compare")
        await settled()
        await has(last().locator(".said"), "I compare them.")
        await has(last().locator("strong"), "Two charges")
        const about = page.locator(".chat-page_abt")
        await has(about, /Thread.*1 turn/s)
        await about.getByRole("link", { name: /^run_/ }).click()
        await page.waitForURL(/\/console\/runs\/run_/)
        await page.goto(`${world.url}/console/chat/assist`)
        const sample = page.locator(".sample").first()
        await sample.click()
        assert.equal(await page.getByRole("textbox", { name: "Message", exact: true }).inputValue(), await sample.innerText())
        assert.deepEqual(await axe(page), [])
      },
    ),
    check("stop, a second thread, and back: the addresses lead there", async ({ page, say, last, button, settled, thread }) => {
      await say("Slowly. scene:console-slow")
      await world.model.arrived("console-slow")
      const first = page.url()
      await page.getByRole("textbox", { name: "Message", exact: true }).press("Escape")
      await has(last(), "Stopped. Completed work is kept.")
      assert.equal((await runsOf(thread()))[0]?.status, "canceled")
      await page.getByRole("link", { name: "New thread", exact: true }).click()
      await has(page.locator(".talk"), "Answers questions about invoices.")
      assert.notEqual(page.url(), first)
      await say("The second. scene:remember")
      await settled()
      await page.locator(".chat-page_th", { hasText: "Slowly. scene:console-slow" }).click()
      await has(last(), "Stopped.")
      assert.equal(page.url(), first)
      await page.goBack()
      await has(last(), "I remember what was said.")
      await choose(page.getByRole("combobox", { name: "Flow" }), "other")
      await has(page.locator(".talk"), "Another flow.")
      assert.equal(await button("Stop").count(), 0)
    }),
    check("a line that breaks is taken up again", async ({ page, context, say, last, settled }) => {
      await say("scene:console-line")
      await world.model.arrived("console-line")
      await has(last(), "The line may break.")
      await context.setOffline(true)
      world.model.open("console-line")
      await context.setOffline(false)
      await settled()
      await has(last(), "The line held.")
      await has(page.locator(".mes"), "scene:console-line")
    }),
    check("attacks in every text of a person, a model and a tool stay text", async ({ page, say, last, button, settled }) => {
      await say(`scene:attack ${ATTACKS.join(" ")}`)
      await has(last(), "A question for you")
      await last().locator(".option").nth(1).click()
      await has(last(), "Approve this call?")
      await button("Approve").click()
      await settled()
      await page.reload()
      await has(last(), "<script>alert(2)</script>")
      for (const details of await page.locator(".mes details").all()) await details.evaluate((node) => node.toggleAttribute("open", true))
      const made = await page.evaluate(() =>
        [...document.querySelectorAll("#app :is(img, script, iframe, style, [onload], [onerror], [onmouseover])")].map(
          ({ outerHTML }) => outerHTML,
        ),
      )
      assert.deepEqual(made, [])
    }),
    ...(["light", "dark"] as const).flatMap((theme) =>
      [390, 768, 1440].map((width): Check => ({
        name: `WCAG 2.2 AA: the console's chat at ${width} pixels in the ${theme} theme`,
        async run() {
          const { page, context, faults } = await openPage(browser, [world.url], { width, theme })
          const looks = async (state: string): Promise<void> => {
            if (shots !== undefined) await page.screenshot({ path: `${shots}/console-${state}-${width}-${theme}.png` })
            assert.deepEqual(await axe(page), [], state)
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${state} is wider than the window`)
          }
          try {
            await page.goto(`${world.url}/console/chat`)
            await page.getByRole("button", { name: "Use sl_local_dev" }).waitFor()
            await looks("sign-in")
            await page.getByRole("button", { name: "Sign in" }).click()
            await has(page.getByRole("alert"), "Paste a key first.")
            await looks("refused")
            await page.getByRole("button", { name: "Use sl_local_dev" }).click()
            const field = page.getByRole("textbox", { name: "Message", exact: true })
            await field.waitFor()
            await looks("empty")
            const say = async (text: string): Promise<void> => {
              await field.fill(text)
              await field.press("Enter")
            }
            const settled = (): Promise<void> => page.locator(".mes").last().locator(".st.running").waitFor({ state: "detached" })
            await say("What was charged? scene:tools")
            world.model.open("compare")
            await settled()
            await page.locator(".mes summary").first().click()
            await looks("answered")
            await say("Refund it. scene:edit")
            await page.getByRole("button", { name: "Edit", exact: true }).waitFor()
            await looks("approval")
            await page.getByRole("button", { name: "Stop", exact: true }).click()
            await has(page.locator(".mes").last(), "Stopped.")
            await say("scene:ask")
            await has(page.locator(".mes").last(), "Which invoice is it?")
            await looks("question")
            if (width < 768) {
              await page.getByRole("button", { name: "Threads", exact: true }).click()
              await page.locator(".chat-page_th").first().waitFor()
              await looks("threads")
            }
            assert.deepEqual(faults, [])
          } finally {
            await context.close()
          }
        },
      })),
    ),
  ]
}
