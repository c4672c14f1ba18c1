// No page changes how another one looks [B2]: what is seen on a tour looks as it does on a page that was opened by itself.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { SHOWN, staged, type Stage } from "../pictures/shown.ts"
import { visit } from "../visit.ts"
import type { World } from "../world.ts"
import { computed, differences, type Computed } from "./computed.ts"

/** A page of each route. */
const ROUTES = [
  "overview",
  "runs",
  "failures",
  "run-done",
  "compare",
  "inbox-approval",
  "effects",
  "flows",
  "flow-tests",
  "agents",
  "agent-playground",
  "connect-folder",
  "settings-usage",
  "chat",
]
/** Pages with parts that have sheets of their own. */
const PARTS = [
  "new-run",
  "bulks",
  "run-prompt",
  "run-events",
  "inbox-question",
  "flow",
  "flow-architect",
  "agent",
  "connect-openapi",
  "settings-keys",
]
/** Pages with wide tables. */
const TABLES = ["flow-overview", "settings-providers", "settings-prices", "settings-hooks", "settings-schedules", "tools"]

export function tourChecks(browser: Browser, world: World): readonly Check[] {
  return [checked({ browser, world }, "tour: [B2] on the way there and back every page looks as it does by itself", ROUTES, thereAndBack)]
}

export function pairChecks(browser: Browser, world: World): readonly Check[] {
  const stage = { browser, world }
  return [
    checked(stage, "parts: [B2] on the way there and back every part looks as it does by itself", [...ROUTES, ...PARTS], thereAndBack),
    checked(stage, "pairs: [B2] after any other page, every page looks as it does by itself", ROUTES, async ({ page, places, compare }) => {
      for (const before of places)
        for (const place of places) {
          if (place === before) continue
          await page.goto(before.address)
          await page.locator("main h1").first().waitFor()
          await compare(place, `after ${before.name}`)
        }
    }),
  ]
}

async function thereAndBack({ page, places, compare }: Tour): Promise<void> {
  await page.reload()
  for (const place of places) await compare(place, "there")
  for (const place of places.toReversed()) await compare(place, "back")
}

export const placesOf = (world: World, stage: Stage, names = [...ROUTES, ...PARTS, ...TABLES]): readonly Place[] =>
  names.map((sheet) => {
    const shown = SHOWN.find((one) => one.name === sheet)
    if (!shown) throw new Error(`There is no page ${sheet} in SHOWN.`)
    return { name: sheet, address: world.url + shown.place(stage) }
  })

export interface Place {
  readonly name: string
  readonly address: string
}

interface Tour {
  readonly page: Page
  readonly places: readonly Place[]
  /** Goes there as a link of the console does: nothing is loaded anew. */
  compare(place: Place, when: string): Promise<void>
}

const MAX_TOLD = 20

function checked(
  { browser, world }: { readonly browser: Browser; readonly world: World },
  name: string,
  names: readonly string[],
  walk: (tour: Tour) => Promise<void>,
): Check {
  return {
    name,
    async run() {
      const places = placesOf(world, await staged(world), names)
      const { page, context } = await visit(browser, world, "/console/runs")
      try {
        const alone = await context.newPage()
        const fresh = new Map<string, Computed>()
        const open = async (place: Place): Promise<Computed> => {
          await alone.goto(place.address)
          const now = await computed(alone)
          fresh.set(place.name, now)
          return now
        }
        const faults: string[] = []
        const compare = async (place: Place, when: string): Promise<void> => {
          await page.evaluate((to) => {
            history.pushState(null, "", to)
            dispatchEvent(new PopStateEvent("popstate"))
          }, place.address)
          const seen = await computed(page)
          // A page that stopped is another page: it says why, and the comparison would not.
          const stopped = page.locator("main > .empty-state[role=alert]")
          if ((await stopped.count()) > 0) throw new Error(`${place.name}, ${when}: ${await stopped.innerText()}`)
          if (differences(fresh.get(place.name) ?? (await open(place)), seen).length === 0) return
          // Runs go on meanwhile, and a slow machine shows a page in two steps: only what differs from the page of now is a fault.
          faults.push(...differences(await open(place), await computed(page)).map((line) => `${place.name}, ${when}: ${line}`))
        }
        await walk({ page, places, compare })
        assert.deepEqual(faults.slice(0, MAX_TOLD), [])
      } finally {
        await context.close()
      }
    },
  }
}
