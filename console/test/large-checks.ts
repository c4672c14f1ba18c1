// A run of 200 steps and 5,000 events: the page draws what is in view and nothing else, and takes the journal in pieces.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { checkAt, has } from "./visit.ts"
import type { World } from "./world.ts"

const STEPS = 200
const TURNS = 6
const ID = "run_large"
const BEGAN = Date.UTC(2026, 0, 2)

const stepNo = (no: number): string => `step-${String(no).padStart(3, "0")}`

/** Each step has six turns with a call each: 5,000 events in all, and some more. */
function journal(): object[] {
  const events: object[] = []
  const add = (event: object): void => {
    events.push({ seq: events.length + 1, at: BEGAN + events.length * 200, v: 1, prev: "0".repeat(64), ...event })
  }
  add({
    type: "run.started",
    run: ID,
    flow: "large",
    task: "A large one.",
    inputs: {},
    autonomous: true,
    pinned: {},
    trigger: { kind: "api" },
    rehearsed: false,
  })
  for (let no = 0; no < STEPS; no++) {
    const step = stepNo(no)
    add({ type: "step.opened", step, stepType: "agent", agent: "worker", pass: 1, tools: ["look"], task: `Do ${step}.` })
    for (let turn = 0; turn < TURNS; turn++) {
      const callId = `call-${turn}`
      const key = `${step}/1/${turn}/model`
      add({ type: "action.begun", key, kind: "model", step, attempt: 1 })
      add({
        type: "model.replied",
        step,
        pass: 1,
        turn,
        key,
        text: `Turn ${turn} of ${step}. `.repeat(10),
        toolCalls: [{ id: callId, name: "look", args: { turn } }],
        usage: { input: 900, output: 60 },
        cost: 0.001,
        stopReason: "tool_calls",
      })
      add({ type: "tool.called", step, callId, tool: "look", args: { turn } })
      add({ type: "tool.returned", step, callId, tool: "look", isError: false, content: [{ type: "text", text: "Seen. ".repeat(20) }] })
    }
    add({ type: "step.finished", step, pass: 1, status: "complete", summary: `Done with ${step}.`, files: [], outputs: {} })
  }
  add({ type: "run.ended", status: "succeeded", output: { summary: "All is done." } })
  return events
}

export function largeChecks(browser: Browser, world: World, shots?: string): Check[] {
  return [
    checkAt({ browser, world, shots }, "large: 200 steps and 5,000 events", "/console/chat", async ({ page }) => {
      const events = journal()
      const ids = Array.from({ length: STEPS }, (_, no) => stepNo(no))
      const view = {
        id: ID,
        flow: "large",
        thread: ID,
        status: "succeeded",
        created: new Date(BEGAN).toISOString(),
        since: new Date(BEGAN).toISOString(),
        task: "A large one.",
        inputs: {},
        autonomous: true,
        effects: "live",
        pinned: { revision: 1 },
        rehearsed: false,
        trigger: { kind: "api" },
        tags: [],
        usage: { tokens: 1, usd: 1, tool_calls: 1 },
        pending: 0,
        seq: events.length,
        children: [],
        steps: Object.fromEntries(
          ids.map((id) => [id, { status: "complete", type: "agent", usage: { input: 1, output: 1 }, attempts: 1, pass: 1 }]),
        ),
      }
      const graph = {
        nodes: ids.map((id, no) => ({ id, type: "agent", agent: "worker", segment: Math.floor(no / 4) })),
        edges: ids.slice(4).map((to, no) => ({ from: ids[no], to, kind: "next" })),
        start: { description: "", inputs: {}, task_required: false },
      }
      await page.route(`**/v1/runs/${ID}`, (route) => route.fulfill({ json: view }))
      await page.route("**/v1/flows/large/graph*", (route) => route.fulfill({ json: graph }))
      await page.route(`**/v1/runs/${ID}/events*`, (route) =>
        route.fulfill({ contentType: "text/event-stream", body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") }),
      )
      await page.addInitScript(() => {
        const late: number[] = []
        Object.assign(globalThis, { late })
        new PerformanceObserver((list) => late.push(...list.getEntries().map(({ duration }) => duration))).observe({
          entryTypes: ["longtask"],
        })
      })
      await page.goto(`${world.url}/console/runs/${ID}`)
      await has(page.locator(".r-title"), "Succeeded")
      await has(page.locator(".md-b"), "All is done.")
      await has(page.locator(".scrub"), `of ${events.length}`)
      const drawn = async (what: string): Promise<number> => page.locator(what).count()
      assert.ok((await drawn('[role="row"]')) < 80, "few rows are drawn")
      assert.ok((await drawn(".react-flow__node")) < 120, "few steps are drawn")
      for (let i = 0; i < 30; i++) await page.keyboard.press("j")
      await page.locator(`.nd.sel:has-text("${stepNo(29)}")`).waitFor()
      await page.getByRole("tab", { name: "Events" }).click()
      assert.ok((await drawn(".evs li")) < 80, "few events are drawn")
      await page.getByRole("slider", { name: "Moment" }).focus()
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft")
      await page.waitForURL(new RegExp(`at=${events.length - 5}`))
      await has(page.locator(".asof"), `event ${events.length - 5} of`)
      if (shots !== undefined) {
        await page.screenshot({ path: `${shots}/run-large-1440-light.png` })
        console.log("  long tasks (ms):", JSON.stringify(await page.evaluate(() => (globalThis as unknown as { late: number[] }).late)))
      }
    }),
  ]
}
