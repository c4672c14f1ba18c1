// A page of the console, signed in with the tenant's key, and checks that keep a picture of what went wrong.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { axe } from "./axe.ts"
import { openPage, type Look, type Seen } from "./page.ts"
import type { World } from "./world.ts"

export interface Stage {
  readonly browser: Browser
  readonly world: World
  /** A folder for pictures. */
  readonly shots: string | undefined
  readonly look?: Look
}

export async function visit(browser: Browser, world: World, place: string, look: Look = {}): Promise<Seen> {
  const seen = await openPage(browser, [world.url], look)
  await seen.page.goto(world.url + place)
  await seen.page.getByRole("button", { name: "Use sl_local_dev" }).click()
  await seen.page.locator("main#main:not(.sign-in_signin)").waitFor()
  return seen
}

export const has = (place: Locator, text: string | RegExp): Promise<void> => place.filter({ hasText: text }).first().waitFor()

/** Opens a select of ours and takes the row that reads so. */
export async function choose(select: Locator, words: string): Promise<void> {
  await select.click()
  await select.page().getByRole("option", { name: words, exact: true }).click()
}

/** A check on a page of its own, on which nothing may go wrong. */
export function checkAt(
  { browser, world, shots, look }: Stage,
  name: string,
  place: string | (() => Promise<string>),
  run: (seen: Seen) => Promise<void>,
): Check {
  return {
    name,
    async run() {
      const seen = await visit(browser, world, typeof place === "string" ? place : await place(), look)
      try {
        await run(seen)
        assert.deepEqual(seen.faults, [])
      } catch (error) {
        if (shots !== undefined) await seen.page.screenshot({ path: `${shots}/failed-${name.replaceAll(/\W+/g, "-").slice(0, 40)}.png` })
        throw error
      } finally {
        await seen.context.close()
      }
    },
  }
}

/** What draws a plot comes by itself, after the rest of the page. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => [...document.querySelectorAll(".plot_draw")].every((plot) => plot.querySelector("canvas") !== null))
}

const LOOKS = [1440, 390].flatMap((width) => (["light", "dark"] as const).map((theme) => ({ width, theme })))

/** axe in both themes and on both screens, and a picture of each. */
export async function looked(
  { browser, world, shots, zone }: Stage,
  name: string,
  place: string,
  settle: (seen: Seen) => Promise<void>,
): Promise<void> {
  for (const look of LOOKS) {
    const seen = await visit(browser, world, place, { ...look, ...(zone === undefined ? {} : { zone }) })
    try {
      await settle(seen)
      await drawn(seen.page)
      if (shots !== undefined) await seen.page.screenshot({ path: `${shots}/${name}-${look.width}-${look.theme}.png` })
      assert.deepEqual(await axe(seen.page), [], `${name} at ${look.width}, ${look.theme}`)
      assert.equal(
        await seen.page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
        `${name} at ${look.width} is wider than the screen`,
      )
      assert.deepEqual(seen.faults, [])
    } finally {
      await seen.context.close()
    }
  }
}
