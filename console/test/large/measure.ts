// How much work the page's main thread does: CPU time of its tasks, from Chromium's trace, because wall times of a shared machine say little.
// `bench/console.ts` prints its JSON as a table.

import { chromium, type Browser, type Page } from "playwright-core"
import { ID, serveLargeRun, serveManyRuns, stepNo } from "./large-run.ts"
import { openPage } from "../page.ts"
import { startWorld, type World } from "../world.ts"
import { runMain } from "../../../local/trouble.ts"
import { chromiumOf } from "../../../local/browser.ts"

interface Part {
  readonly name: string
  /** What is measured, after what comes before it. */
  readonly before: (page: Page, world: World) => Promise<void>
  readonly act: (page: Page, world: World) => Promise<void>
}

const open = async (page: Page, { url }: World): Promise<void> => {
  await page.goto(`${url}/console/runs/${ID}`)
  await page.locator(".markdown_mdB").waitFor()
  await page.locator(".graph_gIn .graph_nd").first().waitFor()
}
const list = async (page: Page, { url }: World): Promise<void> => {
  await serveManyRuns(page)
  await page.goto(`${url}/console/runs`)
  await page.locator("tbody tr a").first().waitFor()
}
const large = async (page: Page): Promise<void> => void (await serveLargeRun(page))

const PARTS: readonly Part[] = [
  { name: "the run opens, 5,000 events come", before: large, act: open },
  {
    name: "30 steps on, by J",
    before: async (page, world) => {
      await large(page)
      await open(page, world)
    },
    act: async (page) => {
      for (let n = 0; n < 30; n++) await page.keyboard.press("j")
      await page.locator(`.graph_nd.sel:has-text("${stepNo(29)}")`).waitFor()
    },
  },
  {
    name: "a moment of the past, told from the first event",
    before: async (page, world) => {
      await large(page)
      await open(page, world)
      await page.getByRole("slider", { name: "Moment" }).focus()
    },
    act: async (page) => {
      await page.keyboard.press("ArrowLeft")
      await page.locator(".run-head_asof").waitFor()
    },
  },
  { name: "10,000 runs: the first rows", before: serveManyRuns, act: list },
  {
    name: "10,000 runs: 200 turns of the wheel",
    before: list,
    act: async (page) => {
      for (let n = 0; n < 200; n++) await page.mouse.wheel(0, 3_000)
    },
  },
]

interface Seen {
  /** CPU milliseconds of each task. */
  readonly tasks: readonly number[]
  /** Of the page, in wall time; undefined where none was loaded. */
  readonly paint: number | undefined
}

async function measured(browser: Browser, world: World, { before, act }: Part): Promise<Seen> {
  const { page, context } = await openPage(browser, [world.url])
  try {
    await page.goto(`${world.url}/console/chat`)
    await page.getByRole("button", { name: "Use sl_local_dev" }).click()
    await page.locator("main#main:not(.sign-in_signin)").waitFor()
    await before(page, world)
    await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"] })
    await act(page, world)
    const trace = JSON.parse((await browser.stopTracing()).toString("utf8")) as { readonly traceEvents: readonly TraceEvent[] }
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime)
    return { tasks: tasksOf(trace.traceEvents), paint: act === open || act === list ? paint : undefined }
  } finally {
    await context.close()
  }
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of CPU. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** CPU milliseconds of each task of the busiest page's main thread. */
function tasksOf(events: readonly TraceEvent[]): number[] {
  const mains = new Set(
    events.flatMap(({ name, pid, tid, args }) => (name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [])),
  )
  const byThread = new Map<string, number[]>()
  for (const { name, pid, tid, tdur } of events) {
    const thread = `${pid} ${tid}`
    if (tdur === undefined || !mains.has(thread) || !name.endsWith("RunTask")) continue
    byThread.set(thread, [...(byThread.get(thread) ?? []), tdur / 1_000])
  }
  return [...byThread.values()].toSorted((a, b) => total(b) - total(a))[0] ?? []
}

const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0)

/** The name of each part, with what was seen in each round. */
async function measureConsole(rounds: number): Promise<readonly (readonly [name: string, seen: readonly Seen[]])[]> {
  const world = await startWorld()
  const browser = await chromium.launch({ executablePath: chromiumOf(process.env["CHROMIUM"]), args: ["--no-sandbox"] })
  try {
    const found: [string, Seen[]][] = []
    for (const part of PARTS) {
      const seen: Seen[] = []
      for (let n = 0; n < rounds; n++) seen.push(await measured(browser, world, part))
      found.push([part.name, seen])
    }
    return found
  } finally {
    await browser.close()
    await world.close()
  }
}

await runMain(async () => {
  console.log(`\n${JSON.stringify(await measureConsole(Number(process.argv[2] ?? 1)))}`)
})
