// Maps whose calls go through a provider's batch API, from the start to the last reply.

import { afterAll, beforeAll, expect, test } from "vitest"
import { amount } from "../../support/amount.ts"
import { ask, BatchStand, call, ended, eventsNamed, foundBatchTenant, runOf, start } from "../../support/worker/batch-stand.ts"
import type { Fate } from "../../support/batch/batch-provider.ts"

let stand: BatchStand
const DONE: Fate = { args: { status: "complete", summary: "done" } }

beforeAll(async () => {
  stand = new BatchStand("messages")
  await foundBatchTenant("batch-messages")
})
afterAll(() => stand.restore())

test("[R33] the calls of a map's children leave in one batch once none can go on, and their replies come back to them", async () => {
  const run = await start("ba-map", { inputs: { list: ["a", "b", "c", "d", "e", "f"] } })
  await stand.until("a batch of six", () => stand.calls === 6)
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  expect((await runOf(run)).steps["m"]).toMatchObject({ batch: { sent: 6, answered: 0, waiting: 6, until: expect.any(String) } })
  const [child = ""] = await stand.childrenOf(run)
  expect(await runOf(child)).toMatchObject({ status: "waiting", waiting: { reason: "batch" } })
  stand.answer()
  expect(await stand.toEnd(run)).toMatchObject({ status: "succeeded", output: { outputs: { succeeded: 6 } } })
  expect(await eventsNamed(run, "batch.ended")).toMatchObject([{ answered: 6, failed: 0, expired: 0, canceled: 0 }])
  expect(await eventsNamed(child, "model.batched")).toMatchObject([{ step: "a", turn: 0, run }])
  expect(await eventsNamed(child, "model.replied")).toMatchObject([{ batch: expect.any(String), usage: { input: 100, output: 20 } }])
  expect(stand.provider.removed).toHaveLength(1)
})

const items = (count: number, of: string): string[] => Array.from({ length: count }, (_, n) => `${of} ${n}`)

/** The calls whose bodies hold this text, by how often they reached the provider. */
const timesOf = (text: string): number[] => [...stand.provider.seen].flatMap(([body, times]) => (body.includes(text) ? [times] : []))

async function played(list: readonly string[], budget: object | undefined, kills: boolean): Promise<string> {
  const run = await start("ba-map", { inputs: { list }, ...(budget === undefined ? {} : { budget }) })
  for (let n = 0; n < 300 && timesOf(list[0]?.split(" ")[0] ?? "").length < list.length; n++) {
    await stand.ring(run)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length > 0)
  if (kills) await stand.kill(run)
  // Nothing comes for most of a day.
  for (let hours = 0; hours < 23; hours += 1) {
    stand.pass(3_600_000)
    await stand.ring(run)
    if (kills && hours % 10 === 5) await stand.kill(run)
  }
  const [child = ""] = await stand.childrenOf(run)
  if (kills) await stand.kill(child)
  stand.answer()
  stand.pass(3_600_000)
  if (kills) {
    await stand.ring(run)
    await stand.kill(run)
  }
  const seen = await stand.toEnd(run)
  expect(seen).toMatchObject({ status: "succeeded", output: { outputs: { succeeded: list.length, failed: 0 } } })
  return run
}

test("[R35] 100 items cost half, reservations included, and each is asked once: a day later, and after five deaths", async () => {
  const list = items(100, "half")
  const run = await played(list, { usd: 100 }, true)
  expect(timesOf("half")).toEqual(list.map(() => 1))
  // 100 tokens read at 3 dollars a million, 20 written at 15, at half the price.
  expect((await runOf(run)).usage.usd).toBeCloseTo(100 * 0.5 * ((100 * 3 + 20 * 15) / 1e6), 9)
  const children = await stand.childrenOf(run)
  expect(children).toHaveLength(100)
  for (const child of children.slice(0, 5)) {
    const [reserved] = await eventsNamed(child, "budget.reserved")
    const [replied] = await eventsNamed(child, "model.replied")
    const most = ((replied?.requestBytes ?? 0) * 3.75 + 4_096 * 15) / 1e6
    expect(reserved?.amount.usd).toBeCloseTo(most / 2, 9)
  }
})

// All of it in the proof: a day later, and after five deaths.
test("[R33] [R35] a budget that just covers all items lets each of them ask", async () => {
  const probe = await played(items(1, "probe"), { usd: 100 }, false)
  const [child = ""] = await stand.childrenOf(probe)
  const [reserved] = await eventsNamed(child, "budget.reserved")
  const list = items(100, "tight")
  // Numbers of two digits make a request longer.
  const run = await played(list, { usd: 100 * ((reserved?.amount.usd ?? 0) + 3.75e-6 * 4) }, amount(1, 0) === 1)
  expect(timesOf("tight")).toEqual(list.map(() => 1))
  expect(await eventsNamed(run, "interaction.asked")).toEqual([])
})

test("[R36] what expires or fails for now goes into the next batch, four times in all; then it is api_error", async () => {
  const run = await start("ba-map-tolerant", { inputs: { list: ["fated good", "fated late", "fated busy", "fated bad"] } })
  const fate = (body: Record<string, unknown>): Fate => {
    const text = JSON.stringify(body)
    if (text.includes("fated late")) return "expired"
    if (text.includes("fated busy")) return timesOf("fated busy")[0] === 1 ? { error: { type: "overloaded_error", status: 529 } } : DONE
    return text.includes("fated bad") ? { error: { type: "invalid_request_error", status: 400 } } : DONE
  }
  for (let n = 0; n < 60 && (await runOf(run)).ended === undefined; n++) {
    stand.answer(fate)
    stand.pass(600_000)
    await stand.ring(run)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  expect(await runOf(run)).toMatchObject({ status: "succeeded", output: { outputs: { succeeded: 2, failed: 2 } } })
  expect(timesOf("fated late")).toEqual([4])
  expect(timesOf("fated busy")).toEqual([2])
  expect(timesOf("fated bad")).toEqual([1])
  for (const child of await stand.childrenOf(run)) {
    const { usage, status, error } = await runOf(child)
    // What failed or expired costs nothing.
    expect(usage.lost).toBeUndefined()
    expect(status === "succeeded" || (usage.tokens === 0 && error?.source === "api_error")).toBe(true)
  }
})

test("[R37] a map that is canceled cancels its batches until the provider has heard", async () => {
  const run = await start("ba-map", { inputs: { list: items(3, "gone") } })
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  stand.provider.refuse = { path: /cancel$/, status: 503 }
  await ask("POST", `/v1/runs/${run}/cancel`)
  const isCanceled = (): boolean => stand.provider.asked.filter((path) => path.endsWith("/cancel")).length > 1
  for (let n = 0; n < 20 && !isCanceled(); n++) {
    stand.pass(60_000)
    await stand.ring(run)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(isCanceled()).toBe(true)
  expect(timesOf("gone")).toEqual([1, 1, 1])
})

test("[R37] a paused run sends nothing, and goes on with what it gathered", async () => {
  const run = await start("ba-map", { inputs: { list: items(5, "held") } })
  await ask("POST", `/v1/runs/${run}/pause`)
  stand.pass(3_600_000)
  await stand.ring(run)
  const sent = (await eventsNamed(run, "batch.sent")).length
  await stand.ring(run)
  expect((await eventsNamed(run, "batch.sent")).length).toBe(sent)
  await ask("POST", `/v1/runs/${run}/resume`)
  for (let n = 0; n < 60 && (await runOf(run)).ended === undefined; n++) {
    stand.answer()
    stand.pass(600_000)
    await stand.ring(run, ...(await stand.childrenOf(run)))
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  expect(await runOf(run)).toMatchObject({ status: "succeeded" })
  expect(timesOf("held")).toEqual([1, 1, 1, 1, 1])
})

test("[R37] at a provider that keeps no name, a sending whose answer was lost is made again, and the lost one counts whole", async () => {
  stand.provider.lose = { path: /POST \/messages\/batches$/, when: "after" }
  const run = await start("ba-map", { inputs: { list: ["twice"] } })
  await stand.until("tried", () => timesOf("twice").length > 0)
  expect(await stand.toEndWith(run)).toMatchObject({ status: "succeeded" })
  expect(timesOf("twice")).toEqual([2])
  const [child = ""] = await stand.childrenOf(run)
  expect((await runOf(child)).usage.lost).toMatchObject({ calls: 1 })
})

test("[R33] runs below the children hand their calls to the map too, and the timeouts of what waits stand still", async () => {
  const run = await start("ba-deep", { inputs: { list: ["deep 1", "deep 2"] } })
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  const [middle = ""] = await stand.childrenOf(run)
  const [leaf = ""] = await stand.childrenOf(middle)
  expect(await eventsNamed(leaf, "model.batched")).toMatchObject([{ run }])
  expect(await runOf(middle)).toMatchObject({ status: "waiting", waiting: { reason: "batch" } })
  // Its own timeout, its step's and that of the run below are a minute.
  stand.pass(7_200_000)
  await stand.ring(run, middle, leaf)
  expect(await runOf(leaf)).toMatchObject({ status: "waiting", waiting: { reason: "batch" } })
  expect(await stand.toEndWith(run)).toMatchObject({ status: "succeeded" })
  expect(timesOf("deep")).toEqual([1, 1])
})

test("[R33] the map's own timeout goes on", async () => {
  const run = await start("ba-timed", { inputs: { list: ["timed"] } })
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  stand.pass(7_200_000)
  await stand.ring(run)
  expect(await ended(run)).toMatchObject({ status: "failed", error: { source: "step_timeout" } })
})

test("[R37] a fork begins its open children anew, with calls of its own", async () => {
  const run = await start("ba-map", { inputs: { list: ["forked"] } })
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  const { seq } = await runOf(run)
  const { id } = await ask<{ id: string }>("POST", `/v1/runs/${run}/fork`, { from: { seq } })
  expect(await stand.toEndWith(id)).toMatchObject({ status: "succeeded" })
  await stand.toEndWith(run)
  expect(timesOf("forked")).toEqual([2])
  expect(await eventsNamed(id, "batch.ended")).toHaveLength(1)
})

test("[K18] a run that waited for batches replays identically, and so do its children", async () => {
  const run = await start("ba-map", { inputs: { list: ["again"] } })
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  await stand.toEndWith(run)
  for (const one of [run, ...(await stand.childrenOf(run))])
    expect(await ask<object>("GET", `/v1/runs/${one}/replay`)).toMatchObject({ identical: true })
})

test("[R32] a model without a batch API is refused at the map's step; a rehearsal is answered at once", async () => {
  await ask("PUT", "/v1/settings/providers/gem", { kind: "google", apiKey: "test-key" })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "ba-gem.md": "---\nname: ba-gem\ndescription: d\nmodel: [claude/claude-sonnet-4-5, gem/gemini-3-pro]\ntools: []\n---\n${{task}}\n",
    },
    flows: {
      "ba-gem-item.yaml": "name: ba-gem-item\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: ba-gem }\n",
      "ba-gem-map.yaml": `name: ba-gem-map\ndescription: d\ninputs: { list: { type: array, default: [1] } }\nsteps:\n  - { id: m, type: map, over: "\${{flow.input.list}}", do: ba-gem-item, batch_api: true }\n`,
    },
  })
  const refused = await call("POST", "/v1/flows/ba-gem-map/runs", { task: "go" })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({
    code: "unsupported",
    errors: [{ pointer: "/steps/m", message: expect.stringContaining("gem/gemini-3-pro") }],
  })
  const rehearsed = await start("ba-gem-map", { rehearse: true })
  expect(await ended(rehearsed)).toMatchObject({ status: "succeeded" })
  expect(await eventsNamed(rehearsed, "batch.sent")).toEqual([])
})
