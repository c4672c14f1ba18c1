// Nothing is cut off, what is done is readable under the mouse, and what is pressed is large enough for a finger.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import type { Look } from "../page.ts"
import { SHOWN, staged } from "../pictures/shown.ts"
import { checkAt, visit } from "../visit.ts"
import type { World } from "../world.ts"
import { settled } from "./computed.ts"
import { placesOf } from "./tour-checks.ts"

const WIDTHS = [1440, 768, 390]
/** Beside what each room has checks for: both themes, at 1440 and 390. */
const LOOKS: readonly (readonly [string, Look])[] = [
  ["at 200 %", { width: 720, height: 450 }],
  ["with forced colors", { isForced: true }],
  ["with forced colors on a phone", { isForced: true, width: 390, theme: "dark" }],
]

export function shapeChecks(browser: Browser, world: World, shots: string | undefined): readonly Check[] {
  const stage = { browser, world, shots }
  return [
    {
      name: "shape: no word of a page is cut without a sign, and what is pressed has room for a finger",
      async run() {
        const places = placesOf(world, await staged(world))
        const faults: string[] = []
        for (const width of WIDTHS) {
          const { page, context } = await visit(browser, world, "/console/runs", { width })
          try {
            for (const { name, address } of places) {
              await page.goto(address)
              await settled(page)
              for (const line of await cut(page)) faults.push(`${name} at ${width}: cut: ${line}`)
              if (width < 768) for (const line of await sideways(page)) faults.push(`${name} at ${width}: sideways: ${line}`)
              if (width < 768) for (const line of await small(page)) faults.push(`${name} at ${width}: small: ${line}`)
            }
          } finally {
            await context.close()
          }
        }
        assert.deepEqual(faults, [])
      },
    },
    ...LOOKS.map(([how, look]): Check => ({
      name: `shape: axe finds nothing on any page ${how}`,
      async run() {
        const of = await staged(world)
        const faults: string[] = []
        const { context } = await visit(browser, world, "/console/runs", look)
        try {
          for (const { name, place, ready, act, isFirst } of SHOWN) {
            if (isFirst) continue
            // A page of its own: one with an unsaved draft asks before it is left.
            const page = await context.newPage()
            await page.goto(world.url + place(of))
            await page.locator(ready).first().waitFor({ state: "attached" })
            await act?.(page)
            for (const fault of await axe(page)) faults.push(`${name}: ${fault}`)
            await page.close()
          }
        } finally {
          await context.close()
        }
        assert.deepEqual(faults, [])
      },
    })),
    checkAt(
      stage,
      "shape: a filled button that is busy looks the same under the mouse",
      "/console/runs?new=1&flow=pair",
      async ({ page }) => {
        const button = page.getByRole("dialog").locator(".btn.first")
        await button.evaluate((node) => node.setAttribute("aria-disabled", "true"))
        const look = () => button.evaluate((node) => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor])
        await page.mouse.move(0, 0)
        const before = await look()
        await button.hover({ force: true })
        assert.equal(await button.evaluate((node) => node.matches(":hover")), true)
        assert.deepEqual(await look(), before)
      },
    ),
  ]
}

/** Words of which a box around them hides a part, though the box shows no "…" and does not scroll. */
const cut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>()
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = words.nextNode(); node; node = words.nextNode()) {
      const text = node.textContent?.trim() ?? ""
      const parent = node.parentElement
      // Whoever hears the page only, and a graph that is panned.
      if (
        text === "" ||
        !parent?.checkVisibility({ visibilityProperty: true }) ||
        parent.closest(".vh, .graph_pan, option, title, [href='#main']")
      )
        continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const lines = [...range.getClientRects()]
      if (parent.localName === "kbd" && new Set(lines.map(({ top }) => Math.round(top))).size > 1) found.add(`the key ${text} is broken`)
      for (let box: Element | null = parent; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box)
        if (style.clipPath !== "none" || style.position === "fixed") break
        const [x, y] = [style.overflowX, style.overflowY]
        if (x === "auto" || x === "scroll" || y === "auto" || y === "scroll") break
        const hides = x === "hidden" || x === "clip" || y === "hidden" || y === "clip"
        if (!hides || style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none") {
          if (hides) break
          continue
        }
        const edge = box.getBoundingClientRect()
        if (
          lines.some(
            (line) => line.right > edge.right + 1 || line.left < edge.left - 1 || line.bottom > edge.bottom + 1 || line.top < edge.top - 1,
          )
        )
          found.add(`"${text.slice(0, 40)}" by ${box.localName}.${box.getAttribute("class") ?? ""}`)
      }
    }
    return [...found]
  })

/** Rows of chips and columns that are swiped scroll sideways, and text as it was written. Nothing else does. */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("main *")].flatMap((node) => {
      const { overflowX } = getComputedStyle(node)
      const isMeant = node.matches("pre, .code, .query_views, .runs_chips, .playground_pgCols, .graph_pan, [role=tablist]")
      if ((overflowX !== "auto" && overflowX !== "scroll") || isMeant || node.scrollWidth <= node.clientWidth + 1) return []
      return [`${node.localName}.${node.getAttribute("class") ?? ""} ${node.clientWidth} < ${node.scrollWidth}`]
    }),
  )

/** Links in a text are as high as its line, and the rows of a long list of events stand closer. */
const small = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const LEAST = 44
    const found = new Set<string>()
    for (const node of document.querySelectorAll("button, select, input:not([type=range], [type=hidden]), summary, [role=tab], nav a")) {
      if (!node.checkVisibility({ visibilityProperty: true }) || node.closest(".vh, .graph_pan, .detail_evs, [aria-hidden=true]")) continue
      // A box to check is pressed with its label.
      const target = (node instanceof HTMLInputElement && node.closest("label")) || node
      const { width, height } = target.getBoundingClientRect()
      if (Math.round(height) < LEAST)
        found.add(
          `${node.localName}.${node.getAttribute("class") ?? ""} "${(node.textContent ?? "").trim().slice(0, 20)}" ${Math.round(width)} × ${Math.round(height)}`,
        )
    }
    return [...found]
  })
