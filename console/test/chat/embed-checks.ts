// <sluice-chat> on another company's page, driven by a browser.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import { axe } from "../axe.ts"
import { until, type Check } from "../../../test/browser/checks.ts"
import { openPage, send, type Look, type Seen } from "../page.ts"
import { ATTACKS } from "../scenes.ts"
import type { World } from "../world.ts"

interface Visit extends Seen {
  say(text: string): Promise<void>
  last(): Locator
  button(name: string): Locator
  settled(): Promise<void>
}

export function embedChecks(browser: Browser, world: World, shots?: string): Check[] {
  const visit = async (query = "?answer=yes", look: Look = {}): Promise<Visit> => {
    const seen = await openPage(browser, [world.url, world.page], look)
    const { page } = seen
    await page.goto(`${world.page}/${query}`)
    return {
      ...seen,
      async say(text) {
        await send(page, text)
      },
      last: () => page.locator(".mes").last(),
      button: (name) => page.getByRole("button", { name, exact: true }),
      settled: () => page.locator(".mes").last().locator(".st.running").waitFor({ state: "detached" }),
    }
  }
  const check = (name: string, run: (visit: Visit) => Promise<void>, query?: string): Check => ({
    name,
    async run() {
      const visited = await visit(query)
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
  const threadOf = async (page: Page): Promise<string> =>
    page.evaluate(
      () =>
        Object.keys(sessionStorage)
          .find((key) => / chat-[0-9a-f-]{36}$/.test(key))
          ?.split(" ")
          .at(-1) ?? "",
    )
  const runsOf = async (thread: string): Promise<Row[]> => {
    const { data } = (await world.api("GET", `/v1/runs?thread=${thread}`)) as { data: Row[] }
    return data
  }
  interface Row {
    readonly id: string
    readonly status: string
  }
  const has = (place: Locator, text: string | RegExp): Promise<void> => place.filter({ hasText: text }).first().waitFor()

  return [
    check(
      "[P22] on another origin: tools are watched as they run, and the answer is Markdown of text nodes",
      async ({ page, say, last, settled }) => {
        await say("What was charged? scene:tools")
        await world.model.arrived("compare")
        await has(last(), "I compare them.")
        await has(last(), "export_all")
        assert.equal(await last().locator(".said").getAttribute("aria-hidden"), "true")
        world.model.open("compare")
        await settled()
        await has(last().locator("strong"), "Two charges")
        await has(last().locator("ol li"), "belongs to nothing")
        assert.equal(await last().locator("a").first().getAttribute("href"), "https://billing.example/invoices/4471")
        // How long it took and what it cost is of no use to a visitor.
        assert.equal((await last().locator("summary").first().innerText()).trim(), "3 calls")
        assert.doesNotMatch(await last().locator(".who").innerText(), /\d (ms|s)\b/)
        await last().locator("summary").first().click()
        await last().locator("details.call summary").first().click()
        await has(last().locator("pre"), "cus_QK21")
        await last().getByRole("button", { name: "Text", exact: true }).click()
        await has(last(), "**Two charges**")
        await has(page.locator('[role="status"]'), "Acme: It is true.")
      },
    ),
    check(
      "floating: it is closed until the visitor opens it, asks for no token before, and has the page's color and corner",
      async ({ page, button }) => {
        const asked: string[] = []
        page.on("request", (request) => asked.push(new URL(request.url()).pathname))
        await page.reload()
        await button("Open the chat").waitFor()
        const box = await page.locator("sluice-chat").boundingBox()
        assert.ok(box && box.width <= 48 && box.x < 48, JSON.stringify(box))
        assert.equal(await button("Open the chat").evaluate((node) => getComputedStyle(node).backgroundColor), "rgb(11, 110, 79)")
        assert.ok(!asked.includes("/chat-token"))
        assert.deepEqual(await axe(page), [])
        await button("Open the chat").click()
        await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
        await page.waitForFunction(() => document.querySelector("sluice-chat")?.shadowRoot?.activeElement?.tagName === "TEXTAREA")
        assert.ok(asked.includes("/chat-token"))
        await button("Close").click()
        await button("Open the chat").waitFor()
      },
      "?shut=yes&color=%230b6e4f",
    ),
    check(
      "floating: a color that could not be seen is not taken",
      async ({ button }) => {
        await button("Open the chat").waitFor()
        assert.notEqual(await button("Open the chat").evaluate((node) => getComputedStyle(node).backgroundColor), "rgb(250, 250, 210)")
      },
      "?shut=yes&color=%23fafad2",
    ),
    check("[P23] the exact call stands beside its buttons; approved, it runs once", async ({ page, say, last, button, settled }) => {
      const before = world.refunds.length
      await say("Refund it. scene:approve")
      await has(last().locator(".asks pre"), /refund \{\s+"to": "ch_3QF1kV2eZvKYlo2C",\s+"text": "duplicate",\s+"amount": 4900/)
      await has(page.locator('[role="alert"]'), "Approve this call? refund")
      assert.equal(world.refunds.length, before)
      await button("Approve").click()
      await world.model.arrived("refunded")
      assert.deepEqual(world.refunds.slice(before), [{ to: "ch_3QF1kV2eZvKYlo2C", text: "duplicate", amount: 4900 }])
      world.model.open("refunded")
      await settled()
      await has(last(), "The refund is on its way.")
      await has(last(), "Approved: refund.")
    }),
    check(
      "[P23] an edited call runs as edited; a rejected one does not run, and the agent is told why",
      async ({ say, last, page, button, settled }) => {
        const before = world.refunds.length
        await say("scene:edit")
        await button("Edit").click()
        const area = page.getByRole("textbox", { name: "Arguments, as JSON" })
        await area.fill("no json")
        await button("Approve edited call").click()
        await has(last(), "The arguments are not a JSON object.")
        await area.fill('{"to": "ch_1", "amount": 100}')
        await button("Approve edited call").click()
        await settled()
        await has(last(), "Done as you said.")
        assert.deepEqual(world.refunds.slice(before), [{ to: "ch_1", amount: 100 }])
        await say("scene:reject")
        await button("Reject").click()
        await page.getByRole("textbox", { name: "Reason, for the agent (optional)" }).fill("Not this one")
        await button("Reject").click()
        await settled()
        await has(last(), "Then I leave it.")
        assert.equal(world.refunds.length, before + 1)
      },
    ),
    check("[P23] a choice, words, and yes or no are answered in the conversation", async ({ say, last, page, button, settled }) => {
      await say("scene:ask")
      await has(last(), "Which invoice is it?")
      await button("4472").click()
      await has(last(), "Where should it go?")
      await page.getByRole("textbox", { name: "Your answer" }).fill("Harbor Road 7")
      await button("Answer").click()
      await has(last(), "Send it now?")
      await button("Yes").click()
      await settled()
      await has(last(), "Sent to the new address.")
      await has(last(), "You answered: Harbor Road 7")
    }),
    check("[P24] a reload in the middle goes on with the same message and starts no second run", async ({ page, say, last, settled }) => {
      await say("scene:reload")
      await world.model.arrived("reload")
      await has(last(), "Half of the work is done.")
      await page.reload()
      await has(last(), "Half of the work is done.")
      assert.equal(await page.locator(".mes").count(), 2)
      world.model.open("reload")
      await settled()
      await has(last(), "The whole work is done.")
      assert.equal((await runsOf(await threadOf(page))).length, 1)
    }),
    check("[P8] a run that ended while the page was away is read to its end", async ({ page, say, last, settled }) => {
      await say("scene:gone")
      await world.model.arrived("gone")
      const thread = await threadOf(page)
      const { length: seen } = world.page
      await page.goto(`${world.page.slice(0, seen)}/empty`)
      world.model.open("gone")
      for (let status = ""; status !== "succeeded";) status = (await runsOf(thread))[0]?.status ?? ""
      await page.goto(`${world.page}/?answer=yes`)
      await settled()
      await has(last(), "It ended while you were away.")
      assert.deepEqual([world.model.asked.get("gone"), (await runsOf(thread)).length], [1, 1])
    }),
    check("stop cancels the run, says so, and the conversation goes on", async ({ page, say, last, button, settled }) => {
      await say("scene:slow")
      await world.model.arrived("slow")
      await button("Stop").click()
      await has(last(), "Stopped. Completed work is kept.")
      const [run] = await runsOf(await threadOf(page))
      assert.equal(run?.status, "canceled")
      await say("scene:hello")
      await settled()
      await has(last(), "Hello to you.")
    }),
    check("a second conversation begins empty, and the first is still there", async ({ page, say, last, button, settled }) => {
      await say("The first one. scene:hello")
      await settled()
      await button("New conversation").click()
      await has(page.locator(".talk"), "Write a message to begin.")
      await say("The second one. scene:remember")
      await settled()
      const choice = page.getByRole("combobox", { name: "Conversation" })
      assert.equal(await choice.locator("option").count(), 2)
      await choice.selectOption({ label: "The first one. scene:hello" })
      await has(last(), "Hello to you.")
      assert.equal(await page.locator(".mes").count(), 2)
    }),
    check(
      "[P9] without `answer` a colleague is asked: no button decides, and the conversation goes on when one has",
      async ({ page, say, last, button }) => {
        await say("scene:colleague")
        await has(last(), "Waiting for a colleague to approve refund.")
        assert.equal(await button("Approve").count(), 0)
        await has(page.locator(".say-box"), "You can write again after a colleague has decided.")
        const [run] = await runsOf(await threadOf(page))
        const { data } = (await world.api("GET", `/v1/runs/${run?.id}/interactions`)) as {
          data: { id: string; payload: { hash: string } }[]
        }
        await world.api("POST", `/v1/runs/${run?.id}/interactions/${data[0]?.id}`, { decision: "approve", hash: data[0]?.payload.hash })
        await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
        await has(last(), "It was allowed.")
      },
      "",
    ),
    check("a failed turn says why, and is asked again as a new message", async ({ page, say, last, button, settled }) => {
      await say("scene:fails")
      await settled()
      await has(last().locator(".note.error"), /model/i)
      const first = world.model.asked.get("fails") ?? 0
      await button("Again").click()
      await settled()
      await has(last().locator(".note.error"), /model/i)
      assert.ok((world.model.asked.get("fails") ?? 0) > first)
      assert.deepEqual([await page.locator(".mes").count(), (await runsOf(await threadOf(page))).length], [2, 2])
    }),
    check("all of it works with the keyboard alone", async ({ page }) => {
      const focused = (): Promise<string> =>
        page.evaluate(() => {
          const inside = document.querySelector("sluice-chat")?.shadowRoot?.activeElement
          // The letter beside a word is only shown.
          return inside?.getAttribute("aria-label") ?? inside?.firstChild?.textContent ?? ""
        })
      const reach = async (name: string): Promise<void> => {
        for (let n = 0; (await focused()) !== name; n += 1) {
          assert.ok(n < 30, `${name} cannot be reached; the focus is on ${await focused()}`)
          await page.keyboard.press("Tab")
        }
      }
      await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
      await reach("Message")
      await page.keyboard.type("scene:reject")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Reject", exact: true }).waitFor()
      await page.keyboard.press("Shift+Tab")
      for (let n = 0; (await focused()) !== "Reject"; n += 1) {
        assert.ok(n < 30, `Reject cannot be reached; the focus is on ${await focused()}`)
        await page.keyboard.press("Shift+Tab")
      }
      await page.keyboard.press("Enter")
      assert.equal(await focused(), "Reason, for the agent (optional)")
      await reach("Reject")
      await page.keyboard.press("Enter")
      await has(page.locator(".mes").last(), "Then I leave it.")
    }),
    check("attacks in every text of a model and a tool stay text", async ({ page, say, last, button, settled }) => {
      await say(`scene:attack ${ATTACKS.join(" ")}`)
      await has(last(), "A question for you")
      for (const attack of ATTACKS.slice(0, 6)) assert.ok((await last().innerText()).includes(attack.slice(0, 12)), attack)
      for (const details of await last().locator("details").all()) await details.evaluate((node) => node.toggleAttribute("open", true))
      await last().locator(".option").nth(0).click()
      await has(last(), "Approve this call?")
      await button("Approve").click()
      await settled()
      for (const details of await last().locator("details").all()) await details.evaluate((node) => node.toggleAttribute("open", true))
      const made = await page.evaluate(() => {
        const root = document.querySelector("sluice-chat")?.shadowRoot
        return [...(root?.querySelectorAll("img, script, iframe, style, [onload], [onerror], [onmouseover]") ?? [])].map(
          ({ outerHTML }) => outerHTML,
        )
      })
      assert.deepEqual(made, [])
      const links = await last()
        .locator("a")
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol))
      assert.deepEqual([...new Set(links)], ["http:"])
      await page.reload()
      await has(last(), "<script>alert(2)</script>")
    }),
    check(
      "[V20] with a token made with feedback a finished answer has two thumbs and a field; the newest counts, and the page hears of it",
      async ({ page, say, last, settled, button }) => {
        await page.evaluate(() => {
          const heard: unknown[] = []
          Object.assign(globalThis, { heard })
          document
            .querySelector("sluice-chat")
            ?.addEventListener("sluice-feedback", (e) => void heard.push((e as CustomEvent<unknown>).detail))
        })
        await say("scene:hello")
        await settled()
        const rate = last().getByRole("group", { name: "Rate this answer" })
        await rate.waitFor()
        assert.deepEqual(await axe(page), [])
        for (const theme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: theme })
          if (shots !== undefined) await page.screenshot({ path: `${shots}/embed-rate-${theme}.png` })
        }
        await rate.getByRole("button", { name: "Good answer" }).click()
        await has(rate, "Thank you.")
        assert.equal(await rate.getByRole("button", { name: "Good answer" }).getAttribute("aria-pressed"), "true")
        await rate.getByRole("button", { name: "Bad answer" }).click()
        await rate.getByRole("textbox", { name: "What about this answer?" }).click()
        await page.keyboard.type("It was the other invoice.")
        await page.keyboard.press("Enter")
        const [run] = await runsOf(await threadOf(page))
        const view = async () => (await world.api("GET", `/v1/runs/${run?.id ?? ""}`)) as { readonly feedback?: object }
        await until(async () => JSON.stringify((await view()).feedback) === '{"up":0,"down":1}')
        assert.deepEqual((await view()).feedback, { up: 0, down: 1 })
        await page.waitForFunction(() => (globalThis as unknown as { heard: unknown[] }).heard.length === 3)
        const heard = await page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard)
        assert.deepEqual(heard, [
          { run: run?.id, thumb: "up" },
          { run: run?.id, thumb: "down" },
          { run: run?.id, comment: "It was the other invoice." },
        ])
        await rate.getByRole("button", { name: "Bad answer" }).click()
        await until(async () => (await view()).feedback === undefined)
        assert.equal((await view()).feedback, undefined)
        await button("Send").first().waitFor()
      },
      "?answer=yes&feedback=yes",
    ),
    check("[V20] without that right an answer has no thumbs", async ({ say, last, settled }) => {
      await say("scene:hello")
      await settled()
      assert.equal(await last().getByRole("group", { name: "Rate this answer" }).count(), 0)
    }),
    {
      name: "[P9] what reaches the page has no prompt, no cost, no key",
      async run() {
        const { token, thread } = (await world.api("POST", "/v1/flows/assist/chat-token", {})) as { token: string; thread: string }
        const message = { id: "m-1", role: "user", parts: [{ type: "text", text: "scene:hello" }] }
        const answer = await fetch(`${world.url}/v1/flows/assist/chat`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ id: thread, messages: [message] }),
        })
        const frames = await answer.text()
        assert.match(frames, /Hello to you\./)
        assert.doesNotMatch(frames, /SECRET-PROMPT|usd|sl_local_dev|"data-event"/)
      },
    },
    ...(["light", "dark"] as const).flatMap((theme) =>
      [390, 1440].map((width): Check => ({
        name: `WCAG 2.2 AA: every state at ${width} pixels in the ${theme} theme`,
        async run() {
          const { page, context, say, last, button, settled, faults } = await visit("?answer=yes", { width, theme })
          const looks = async (state: string): Promise<void> => {
            if (shots !== undefined) await page.screenshot({ path: `${shots}/embed-${state}-${width}-${theme}.png` })
            assert.deepEqual(await axe(page), [], state)
          }
          try {
            await button("Send").waitFor()
            await looks("empty")
            await say("What was charged? scene:tools")
            world.model.open("compare")
            await settled()
            await last().locator("summary").first().click()
            await looks("answered")
            await say("Refund it. scene:edit")
            await button("Edit").waitFor()
            await looks("approval")
            await button("Edit").click()
            await looks("edit")
            await button("Approve edited call").click()
            await settled()
            await say("scene:ask")
            await has(last(), "Which invoice is it?")
            await looks("question")
            await button("Stop").click()
            await has(last(), "Stopped.")
            await looks("stopped")
            await say("scene:fails")
            await settled()
            await looks("failed")
            await button("Close").click()
            await looks("closed")
            assert.deepEqual(faults, [])
          } finally {
            await context.close()
          }
        },
      })),
    ),
  ]
}
