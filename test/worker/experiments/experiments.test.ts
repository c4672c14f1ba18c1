// Experiments over HTTP [V32–V38]: two revisions that differ in the second of two steps, equal ones, and what is read, stopped and deleted.

import { beforeAll, expect, test } from "vitest"
import type {
  ExperimentBegunShown,
  ExperimentForecastShown,
  ExperimentRowShown,
  ExperimentShown,
} from "../../../src/api/doc/experiments.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const worker = (name: string, model: string, text = "Do it."): string =>
  agent(name).replace("rehearsal/default", model).replace("Do it.", text)

const FLOW = flow("pair", "  - { id: read, agent: reader }\n  - { id: write, agent: writer, blockedBy: [read] }\n")

const revision = async (): Promise<number> =>
  (await ask<{ data: { revision: number }[] }>("GET", "/v1/catalog/history?limit=1")).data[0]?.revision ?? 0

let before = 0
let after = 0
const runs: string[] = []

beforeAll(async () => {
  const finish = (summary: string) => [{ finish: { status: "complete", summary } }]
  await ask("PUT", "/v1/settings/providers/paired", {
    kind: "scripted",
    turns: { read: finish("Read."), write: finish("Written.") },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "reader.md": worker("reader", "paired/read"), "writer.md": worker("writer", "paired/write") },
    flows: { "pair.yaml": FLOW },
    scorers: {
      "never.yaml": "name: never\ndescription: Never.\nexpect: { turns: 99 }\n",
      "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n",
      "brief.yaml": "name: brief\ndescription: It says so.\nexpect: { answer: { matches: Written } }\n",
      "nice.yaml": "name: nice\ndescription: It helps.\njudge: { rubric: Does it help?, model: rehearsal/default }\n",
    },
  })
  before = await revision()
  for (let i = 0; i < 12; i++) runs.push(await start("pair", { task: `go ${i}` }))
  for (const id of runs) await until(id, ended)
  await ask("PUT", "/v1/catalog", {
    agents: { "writer.md": worker("writer", "paired/write", "Do it well."), "reader.md": worker("reader", "paired/read") },
  })
  after = await revision()
}, 60_000)

const begin = (more: object = {}): Promise<ExperimentBegunShown> =>
  ask("POST", "/v1/experiments", {
    flow: "pair",
    dataset: { runs },
    scorers: ["fine"],
    variants: [
      { name: "before", revision: before },
      { name: "after", revision: after },
    ],
    ...more,
  })

const get = (id: string): Promise<ExperimentShown> => ask("GET", `/v1/experiments/${id}`)
async function over(id: string): Promise<ExperimentShown> {
  for (let i = 0; i < 1_200; i++) {
    const seen = await get(id)
    if (seen.status !== "running") return seen
    await new Promise((r) => setTimeout(r, 25))
  }
  throw new Error(`${id} does not end: ${JSON.stringify(await ask<object>("GET", `/v1/experiments/${id}/rows`))}`)
}
const rowsOf = async (id: string, query = ""): Promise<ExperimentRowShown[]> =>
  (await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows?limit=200${query}`)).data

test("[V33] [V34] the trials of both revisions are forks before the second step, and no model is asked for the first", async () => {
  const { id, rows } = await begin()
  expect(rows).toBe(12)
  const seen = await over(id)
  expect(seen).toMatchObject({ status: "done", rows: 12, same: 0, left_out: [], flags: ["few_rows"] })
  expect(seen.compared).toMatchObject([
    { variant: "after", with: "before", scores: { fine: { n: 12, difference: 0, better: 0, worse: 0 } } },
  ])
  expect(seen.variants).toMatchObject([
    { name: "before", trials: 12, failed: 0, stopped: 0, scores: { fine: { n: 12, mean: 1 } } },
    { name: "after", trials: 12, failed: 0, stopped: 0, scores: { fine: { n: 12, mean: 1 } } },
  ])
  const all = await rowsOf(id)
  expect(all).toHaveLength(12)
  for (const { cut, trials } of all) {
    expect(cut).toEqual({ step: "write", pass: 1 })
    expect(trials.map(({ state, scores }) => [state, scores])).toEqual([
      ["succeeded", { fine: 1 }],
      ["succeeded", { fine: 1 }],
    ])
  }
  const trial = all[0]?.trials[1]?.run ?? ""
  const view = await ask<RunView>("GET", `/v1/runs/${trial}`)
  expect(view).toMatchObject({
    effects: "dry",
    trigger: { kind: "experiment" },
    trial: { experiment: id, row: all[0]?.row, variant: "after", repeat: 1, recording: all[0]?.run },
  })
  const events = await eventsOf(trial)
  const own = events.slice(events.findIndex((e) => e.type === "run.forked"))
  expect(own.flatMap((e) => (e.type === "model.replied" ? [e.step] : []))).toEqual(["write"])
  const listed = async (query: string): Promise<string[]> =>
    (await ask<{ data: { id: string }[] }>("GET", `/v1/runs?limit=200${query}`)).data.map((row) => row.id)
  expect(await listed("")).not.toContain(trial)
  expect(await listed("&trigger=experiment")).toContain(trial)
}, 60_000)

test("[V33] equal revisions are the same in every row, and no run begins", async () => {
  const now = await revision()
  const variants = [{ name: "one", revision: now }, { name: "other" }]
  const { id } = await begin({ variants })
  const seen = await over(id)
  expect(seen).toMatchObject({ status: "done", same: 12, usage: { tokens: 0 } })
  expect(seen.compared?.[0]?.scores["fine"]).toMatchObject({ n: 12, difference: 0 })
  expect((await rowsOf(id)).every(({ same, trials }) => same && trials.length === 0)).toBe(true)
}, 60_000)

test("[V38] rows that got worse are those of a variant, by one scorer or any, and a filter that names nothing is 422", async () => {
  await ask("PUT", "/v1/settings/providers/worse", {
    kind: "scripted",
    turns: { write: [{ finish: { status: "complete", summary: "No." } }] },
  })
  const variants = [
    { name: "before", revision: before },
    { name: "same", revision: before, models: { writer: "paired/write" } },
    { name: "other", revision: before, models: { writer: "worse/write" } },
  ]
  const { id } = await begin({ dataset: { runs: runs.slice(0, 3) }, scorers: ["fine", "brief"], variants })
  await over(id)
  const worse = async (query: string): Promise<number> => (await rowsOf(id, query)).length
  expect(await worse("&worse=other")).toBe(3)
  expect(await worse("&worse=other&scorer=brief")).toBe(3)
  expect(await worse("&worse=other&scorer=fine")).toBe(0)
  expect(await worse("&worse=same")).toBe(0)
  const page = await ask<{ data: ExperimentRowShown[]; next_cursor: string }>("GET", `/v1/experiments/${id}/rows?limit=2&worse=other`)
  expect(page.data).toHaveLength(2)
  expect(await worse(`&worse=other&cursor=${encodeURIComponent(page.next_cursor)}`)).toBe(1)
  for (const [query, pointer] of [
    ["scorer=brief", "?scorer"],
    ["worse=nobody", "?worse"],
    ["worse=before", "?worse"],
    ["worse=other&scorer=nice", "?scorer"],
  ] as const) {
    const answer = await call("GET", `/v1/experiments/${id}/rows?${query}`)
    expect([query, answer.status, await answer.json()]).toMatchObject([query, 422, { errors: [{ pointer }] }])
  }
  expect((await call("GET", "/v1/experiments/exp_none/rows?worse=other")).status).toBe(404)
}, 60_000)

test("[V32] a check looks at rows, and begins nothing", async () => {
  const variants = [{ revision: before }, { revision: after }]
  const found = await ask<ExperimentForecastShown>("POST", "/v1/experiments?check=1", {
    flow: "pair",
    dataset: { runs },
    scorers: ["fine"],
    variants,
  })
  expect(found).toMatchObject({ rows: 12, looked: 12, same: 0, trials: 24 })
  expect(found.typical).toEqual({ tokens: 0, usd: null })
})

test("[V32] recorded runs alone are scored as they are, with a judge that costs nothing", async () => {
  const { id } = await begin({ variants: [{ recorded: true }], scorers: ["nice", "never"] })
  const seen = await over(id)
  expect(seen).toMatchObject({ status: "done", same: 0, compared: [] })
  expect(seen.variants).toMatchObject([{ name: "recorded", trials: 12, scores: { nice: { n: 12, mean: 1 }, never: { n: 12, mean: 0 } } }])
  expect((await rowsOf(id)).map(({ run, trials }) => trials[0]?.run === run)).not.toContain(false)
}, 60_000)

test("[V38] a stopped experiment has no comparison, and a deleted one takes its trials with it", async () => {
  const { id } = await begin()
  const stopped = await ask<ExperimentShown>("POST", `/v1/experiments/${id}/stop`)
  expect(stopped.status).toBe("stopped")
  expect(stopped.compared).toBeUndefined()
  const done = await begin()
  await over(done.id)
  const trial = (await rowsOf(done.id))[0]?.trials[0]?.run ?? ""
  expect((await call("GET", `/v1/runs/${trial}`)).status).toBe(200)
  expect((await call("DELETE", `/v1/experiments/${done.id}`)).status).toBe(204)
  expect((await call("GET", `/v1/experiments/${done.id}`)).status).toBe(404)
  await expect.poll(async () => (await call("GET", `/v1/runs/${trial}`)).status, { timeout: 20_000 }).toBe(404)
}, 60_000)
