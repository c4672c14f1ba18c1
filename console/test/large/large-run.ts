// A run of 200 steps and 5,000 events, and a list of 10,000 runs, answered without a server, so that only the page's own work is seen.

import type { Page } from "playwright-core"

export const STEPS = 200
const TURNS = 6
export const ID = "run_large"
const BEGAN = Date.UTC(2026, 0, 2)

export const stepNo = (no: number): string => `step-${String(no).padStart(3, "0")}`

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

/** From now on the page finds the run, and its journal once that is `ready`. Answers how many events it has. */
export async function serveLargeRun(page: Page, ready: Promise<void> = Promise.resolve()): Promise<number> {
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
  await page.route(`**/v1/runs/${ID}/events*`, async (route) => {
    await ready
    await route.fulfill({ contentType: "text/event-stream", body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") })
  })
  return events.length
}

export const RUNS = 10_000

/** From now on the page finds these runs, and none else. */
export async function serveManyRuns(page: Page): Promise<void> {
  await page.route("**/v1/runs?*", async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))]
    const data = Array.from({ length: Math.min(limit, RUNS - from) }, (_, i) => rowNo(from + i))
    await route.fulfill({ json: { data, next_cursor: from + data.length < RUNS ? String(from + data.length) : null } })
  })
}

export const rowNo = (no: number) => ({
  id: `run_${no}`,
  flow: `flow-${no}`,
  status: "succeeded",
  created: new Date(Date.UTC(2026, 0, 2) - no * 1_000).toISOString(),
  ended: new Date(Date.UTC(2026, 0, 2) - no * 1_000 + 900).toISOString(),
  trigger: { kind: "api", key: "local" },
  tags: [],
  usage: { tokens: 10, usd: 0.001, tool_calls: 0 },
  pending: 0,
  rehearsed: false,
  thread: `run_${no}`,
  task: `Task ${no}`,
})
