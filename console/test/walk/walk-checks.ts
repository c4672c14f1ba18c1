// The walk of the guide, played on a server as `npm start` makes it: what the page says is done and seen, with as many clicks and keys.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import type { Sluice } from "../../../src/client/sluice.ts"
import { startFirst } from "../first-world.ts"
import { openPage } from "../page.ts"
import type { World } from "../world.ts"
import { readWalk, type Act } from "./walk.ts"

/** Of the clicks and keys that the same deeds took in November. */
const MOST = 2 / 3
const MOST_NEW = 5

/** With two mistakes, for which the editor has a fix each. */
const FLOW = `name: walk
description: Says that the gate is open.
steps:
  - id: gate
    type: wait
    signal: open
  - id: report
    type: agent
    agent: claim-cheker
    task: Say that the gate is open.
  - id: check
    type: agent
    agent: claim-checker
    blockedBy: reprot
    task: Check it.
`

export function walkChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    {
      name: "walk: what the guide counts takes two thirds of what it took, and what was impossible five clicks and keys",
      run() {
        const walk = readWalk()
        for (const { deed, acts, count, before } of walk) {
          assert.equal(acts.length, count, `${deed}: the guide says ${count}, and has ${acts.length}`)
          if (before === undefined) assert.ok(count <= MOST_NEW, deed)
        }
        const compared = walk.filter(({ before }) => before !== undefined)
        const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0)
        const [now, then] = [sum(compared.map(({ count }) => count)), sum(compared.map(({ before = 0 }) => before))]
        assert.ok(compared.length >= 9 && now <= then * MOST, `${now} now, and ${then} in November`)
        return Promise.resolve()
      },
    },
    {
      name: "walk: the guide's walk is played, and each deed shows what it says",
      async run() {
        const { world: own, api, close } = await startFirst(world)
        const { page, faults, context } = await openPage(browser, [own.url])
        try {
          await page.goto(`${own.url}/console/`)
          for (const { at, deed, acts, sees } of readWalk()) {
            try {
              if (at !== "") await goTo(page, own.url + (await placeOf(at, api)))
              for (const act of acts) await does(page, act)
              await page.getByText(sees).first().waitFor()
            } catch (error) {
              if (shots !== undefined) await page.screenshot({ path: `${shots}/walk-${faults.length}.png` })
              faults.push(`${deed}: ${String(error)}`)
            }
          }
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
          await close()
        }
      },
    },
  ]
}

async function placeOf(at: string, api: Sluice): Promise<string> {
  if (at === "Flows" || at === "Runs") return `/console/${at.toLowerCase()}`
  if (at !== "the failed run") throw new Error(`The walk names a page that its player does not know: ${at}`)
  for await (const { id } of api.runs.list({ status: "failed" })) return `/console/runs/${id}`
  throw new Error("There is no failed run.")
}

/** As a link of the console does: what is not saved stays. */
const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, "", to)
    dispatchEvent(new PopStateEvent("popstate"))
  }, address)

async function does(page: Page, { how, what }: Act): Promise<void> {
  if (how === "click") {
    const named = page.getByRole("button", { name: what }).or(page.getByRole("link", { name: what }))
    await named.first().click()
  } else if (how === "paste") {
    assert.equal(what, "a flow")
    await page.keyboard.press("Control+a")
    await page.evaluate((text) => {
      const data = new DataTransfer()
      data.setData("text/plain", text)
      const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
      inner?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true }))
    }, FLOW)
  } else {
    // A person sees the page before the next key.
    await page.locator("main#main h1, [role=dialog]").first().waitFor()
    await page.waitForTimeout(PAUSE_MS)
    await page.locator("[data-reading]").first().waitFor({ state: "detached" })
    if (how === "type") await page.keyboard.type(what, { delay: 20 })
    else await page.keyboard.press(what.replaceAll("Ctrl ", "Control+").replaceAll("Alt ", "Alt+"))
  }
}

/** How long a quick reader looks before a key; keys within half a second of an answer are held back. */
const PAUSE_MS = 900
