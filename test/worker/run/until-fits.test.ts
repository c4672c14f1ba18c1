// `until` among the other rules [V26, V27]: the cache of steps, forks, backtests, usage, and what names a scorer.

import { beforeAll, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const wrote = (text: string): object => ({ finish: { status: "complete", summary: text } })
const on = (name: string, tools = "read"): string => agent(name, tools).replace("rehearsal/default", `fits/${name}`)

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/fits", {
    kind: "scripted",
    turns: {
      writer: [{ ...wrote("short"), last: true }, wrote("a longer text")],
      good: [wrote("a good text")],
      judge: [{ finish: { status: "complete", summary: "s", reason: "fine", level: "yes" } }],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "writer.md": on("writer"), "good.md": on("good") },
    flows: {
      "fits-coded.yaml": flow("fits-coded", "  - { id: write, type: agent, agent: writer, until: { scorer: long, at_least: 1 } }\n"),
      "fits-judged.yaml": flow(
        "fits-judged",
        "  - { id: write, type: agent, agent: good, cache: 1h, until: { scorer: kind, at_least: 1 } }\n",
      ),
    },
    scorers: {
      "long.yaml": "name: long\ndescription: Long enough.\ncode: true\n",
      "long.ts": "export default (account: { answer: string }) => (account.answer.length > 8 ? 1 : 0)\n",
      "kind.yaml": "name: kind\ndescription: Kind.\njudge: { rubric: Is it kind?, model: fits/judge }\n",
    },
  })
}, 60_000)

const done = async (name: string, task: string): Promise<RunView> => {
  const view = await until(await start(name, { task }), ended)
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  return view
}
const isIdentical = async (id: string): Promise<boolean> => (await ask<Replayed>("GET", `/v1/runs/${id}/replay`)).identical
const scoredIn = (events: readonly RunEvent[]) => events.flatMap((e) => (e.type === "step.scored" ? [e] : []))

test("[R38] [R40] an equal pass takes the result with the score that was enough, and nobody is asked", async () => {
  const first = await done("fits-judged", "cached")
  let second: RunView | undefined
  await expect
    .poll(
      async () => {
        second = await done("fits-judged", "cached")
        return (await eventsOf(second.id)).some((e) => e.type === "model.replied")
      },
      { timeout: 20_000, interval: 300 },
    )
    .toBe(false)
  const events = await eventsOf(second?.id ?? "")
  const [before] = scoredIn(await eventsOf(first.id))
  const [scored] = scoredIn(events)
  expect(scored).toMatchObject({ scorer: "kind", score: 1, enough: true, version: before?.version })
  expect(events.some((e) => e.type === "child.started")).toBe(false)
  expect(events.find((e) => e.type === "step.finished")).toMatchObject({ status: "complete", summary: "a good text" })
  expect(await isIdentical(second?.id ?? "")).toBe(true)
}, 60_000)

test("[K10] [V27] a fork in the middle of a round begins its judge anew", async () => {
  const view = await done("fits-judged", "forked")
  const events = await eventsOf(view.id)
  const offered = events.find((e) => e.type === "step.offered")?.seq ?? 0
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${view.id}/fork`, { from: { seq: offered } })
  expect((await until(fork.id, ended)).status).toBe("succeeded")
  const [before] = scoredIn(events)
  const [after] = scoredIn(await eventsOf(fork.id))
  expect(after).toMatchObject({ score: 1, enough: true, judge: expect.stringMatching(/^run_/) })
  expect(after?.judge).not.toBe(before?.judge)
  expect(await isIdentical(fork.id)).toBe(true)
}, 60_000)

test("[V15] [V27] a judge of `until` counts as no run and no child, and its model calls count", async () => {
  const rows = async () =>
    (await ask<{ data: { key: string; runs: number; children: number; model_calls: number }[] }>("GET", "/v1/usage?by=flow")).data
  await done("fits-judged", "counted")
  await expect.poll(async () => JSON.stringify(await rows()), { timeout: 10_000 }).toContain("@judge/kind")
  const judge = (await rows()).find(({ key }) => key === "@judge/kind")
  expect(judge).toMatchObject({ runs: 0, children: 0 })
  expect(judge?.model_calls).toBeGreaterThan(0)
}, 60_000)

interface Backtest {
  readonly status: string
  readonly runs: readonly { readonly result: string; readonly live?: string }[]
}

async function backtest(run: string, body: object): Promise<Backtest["runs"][number] | undefined> {
  const { id } = await ask<{ id: string }>("POST", "/v1/flows/fits-coded/backtest", { against: { runs: [run] }, ...body })
  let found: Backtest | undefined
  await expect.poll(async () => (found = await ask<Backtest>("GET", `/v1/backtests/${id}`)).status, { timeout: 30_000 }).toBe("done")
  return found?.runs[0]
}

test("[K23] [V27] a backtest goes over rounds as they were recorded, and live a handler judges new ones", async () => {
  const { id } = await done("fits-coded", "tested")
  const described = on("writer").replace("description: writer", "description: who writes")
  expect(await backtest(id, { change: { definitions: { "agents/writer.md": described } } })).toMatchObject({ result: "same" })
  const change = { definitions: { "agents/writer.md": on("writer").replace("Do it.", "Do it well.") } }
  expect(await backtest(id, { change, match: "exact", beyond: "live" })).toMatchObject({ live: "succeeded" })
}, 60_000)

test("[V1] [F76] a scorer that `until` names is in use, and a write that removes it breaks the flow", async () => {
  const refused = await call("DELETE", "/v1/scorers/long")
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ code: "in_use", used_by: [{ kind: "flow", id: "fits-coded", step: "write" }] })
  const plan = await ask<{ breaks: object[] }>("POST", "/v1/catalog/plan", {
    mode: "merge",
    delete: ["scorers/long.yaml", "scorers/long.ts"],
  })
  expect(plan.breaks).toMatchObject([{ kind: "flow", id: "fits-coded" }])
  const r = await call("GET", "/v1/flows/fits-judged/check")
  expect(await r.json()).toMatchObject({
    models: { "@judge/kind": "fits/judge" },
    proof: { calls: { least: 2 }, cycles: [{ steps: ["write", "write"], by: "until", cap: 2 }] },
  })
})
