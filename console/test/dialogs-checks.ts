// Dialogs in people's hands: opened by a key and typed into at once, closed by Escape, with the focus back where it was; and after a change of page
// the focus is at the page's heading.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import { until, type Check } from "../../test/browser/checks.ts"
import { checkAt, has } from "./visit.ts"
import type { World } from "./world.ts"

const WORDS = "gig?/jk begin"
/** Between two keys. */
const HANDS_MS = 15
/** Where the first field of a dialog is an editor, whose file comes after that of the dialog. */
const EDITOR = "editor"

interface Opened {
  /** What is typed stands in it. Without, the dialog begins with no text. */
  readonly field?: string
  /** The page on which the dialog is, if another one. */
  readonly to?: string
}

export function dialogsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const ended = async (): Promise<string> => {
    const { id } = (await world.api("POST", "/v1/flows/assist/runs", { task: "scene:hello" })) as { readonly id: string }
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (status === "succeeded") return `/console/runs/${id}`
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const waiting = async (): Promise<string> => {
    const { id } = (await world.api("POST", "/v1/flows/inbox-signal/runs", { task: "Open the door" })) as { readonly id: string }
    return `/console/runs/${id}`
  }
  const at = (place: string) => (): Promise<string> => Promise.resolve(place)
  const opened = (name: string, place: () => Promise<string>, keys: readonly string[], { field, to }: Opened = {}): Check =>
    checkAt(stage, `dialogs: ${name} opens by its key and takes what is typed at once`, place, async ({ page }) => {
      await page.locator("main:not([aria-busy]) h1").first().waitFor()
      const address = new URL(page.url()).pathname
      for (const key of keys) await page.keyboard.press(key)
      await page.keyboard.type(WORDS, { delay: HANDS_MS })
      const dialog = page.getByRole("dialog")
      await dialog.waitFor()
      if (field === undefined) await within(page)
      else if (field === EDITOR) {
        await page.waitForFunction((words) => {
          const host = document.querySelector('[role="dialog"] [data-editor]')
          return host?.shadowRoot?.querySelector(".cm-content")?.textContent.includes(words) === true
        }, WORDS)
      } else {
        // What was typed before the field was there comes into it all at once; a list that has come may have made the field anew.
        const typed = dialog.getByLabel(field).first()
        await until(async () => (await typed.inputValue()) !== "")
        assert.equal(await typed.inputValue(), WORDS)
      }
      assert.equal(new URL(page.url()).pathname, to ?? address)
      assert.equal(await page.getByRole("dialog").count(), 1)
      // × comes last.
      assert.equal(await dialog.locator("button:not([tabindex='-1'])").last().getAttribute("aria-label"), "Close")
      // An open list is closed alone.
      if ((await page.getByRole("listbox").count()) > 0) await page.keyboard.press("Escape")
      await page.getByRole("listbox").waitFor({ state: "detached" })
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await page.waitForFunction(() => document.activeElement !== document.body)
    })
  return [
    opened("find or do", at("/console/runs"), ["Control+k"], { field: "Find a run, a flow or an agent, or do something" }),
    opened("the sheet of keys", at("/console/runs"), ["?"]),
    opened("a new run", at("/console/runs?q=flow:pair"), ["n"], { field: "Task" }),
    opened("a new run from another page", at("/console/overview"), ["n"], { field: "Task", to: "/console/runs" }),
    opened("another run to compare with", ended, ["m", "c"], { field: "Run to compare with" }),
    opened("a cancellation", waiting, ["c"]),
    opened("a saved view", at("/console/runs?status=failed"), ["v"], { field: "Name" }),
    opened("a new flow", at("/console/flows"), ["n"], { field: "Name" }),
    opened("a new agent", at("/console/agents"), ["n"], { field: "Name" }),
    opened("a fork", ended, ["f"]),
    opened("edit and run", ended, ["j", "e"], { field: EDITOR }),
    opened("run again", ended, ["r"]),
    checkAt(stage, "dialogs: a space between letters presses no button, and a press by itself does", waiting, async ({ page }) => {
      await page.locator("main:not([aria-busy]) h1").first().waitFor()
      const run = new URL(page.url()).pathname.replace("/console", "/v1")
      await page.keyboard.press("c")
      const cancel = page.getByRole("dialog").getByRole("button", { name: "Cancel the run" })
      await cancel.waitFor()
      await page.waitForFunction(() => document.activeElement?.textContent === "Cancel the run")
      await page.keyboard.type("not now please", { delay: HANDS_MS })
      await cancel.waitFor()
      assert.equal(((await world.api("GET", run)) as { readonly status: string }).status, "waiting")
      for (let n = 0; n < 100 && (await cancel.isVisible()); n++) await page.keyboard.press("Enter", { delay: 30 })
      await has(page.locator("#main .st").first(), "Canceled")
    }),
    checkAt(stage, "dialogs: the focus goes back to the button that opened one", "/console/settings/secrets", async ({ page }) => {
      const button = page.getByRole("button", { name: "Write a secret" }).first()
      await button.click()
      await page.getByRole("dialog").waitFor()
      await page.keyboard.type("github", { delay: HANDS_MS })
      assert.equal(await page.getByRole("dialog").getByLabel("Name").inputValue(), "github")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await page.waitForFunction((words) => document.activeElement?.textContent?.trim() === words, "Write a secret")
    }),
    checkAt(stage, "dialogs: after a change of page the focus is at its heading", "/console/runs", async ({ page }) => {
      await page.locator("main h1").first().waitFor()
      for (const [key, heading] of [
        ["f", "Flows"],
        ["a", "Agents"],
        ["r", "Runs"],
      ] as const) {
        await page.keyboard.press("g")
        await page.keyboard.press(key)
        await page.locator("main h1", { hasText: heading }).waitFor()
        await page.waitForFunction((words) => document.activeElement?.textContent?.includes(words), heading)
      }
    }),
  ]
}

/** The focus is in the dialog, and not at its way out. */
const within = async (page: Page): Promise<void> => {
  const where = await page.evaluate(() => {
    const { activeElement: node } = document
    return { isIn: node?.closest('[role="dialog"]') !== null, name: node?.getAttribute("aria-label") }
  })
  assert.equal(where.isIn, true)
  assert.notEqual(where.name, "Close")
}
