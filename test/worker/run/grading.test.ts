// The queue of grades [V21]: what is shown of a run, its pages, and trials of an experiment in it; and runs that somebody has corrected [V30].

import { beforeAll, expect, test } from "vitest"
import type { GradingEntry } from "../../../src/api/doc/quality.doc.ts"
import { agent, ask, call, ended, flow, start, until } from "../../support/worker/house.ts"

const RUNS = 3
let runs: readonly string[] = []

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/graded", {
    kind: "scripted",
    turns: {
      work: [
        { calls: [{ tool: "write", args: { path: "out.md", content: "It is in Bergen." } }] },
        { finish: { status: "complete", summary: "In Bergen." } },
      ],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "worker.md": agent("worker").replace("rehearsal/default", "graded/work") },
    flows: { "graded.yaml": flow("graded", "  - { id: work, agent: worker }\n") },
    scorers: {
      "marked.yaml":
        "name: marked\ndescription: It helps.\nfiles: [out.md, none.md]\njudge: { rubric: Does it help?, model: rehearsal/default }\n",
    },
  })
  runs = await Promise.all(Array.from({ length: RUNS }, async () => (await until(await start("graded", { task: "Where?" }), ended)).id))
})

interface Page {
  readonly data: readonly GradingEntry[]
  readonly next_cursor: string | null
}

test("[V21] the queue has pages, and each entry the account that its scorer sees, without a score", async () => {
  // The tenant's object may not have heard of an end yet.
  const listed = async () => (await ask<{ data: object[] }>("GET", "/v1/runs?flow=graded&status=succeeded")).data.length
  await expect.poll(listed).toBe(RUNS)
  expect(await ask("POST", "/v1/grading", { scorer: "marked", runs })).toEqual({ added: RUNS })
  const seen: GradingEntry[] = []
  let cursor: string | null = null
  do {
    const page: Page = await ask<Page>("GET", `/v1/grading?scorer=marked&limit=1${cursor === null ? "" : `&cursor=${cursor}`}`)
    expect(page.data).toHaveLength(1)
    seen.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && seen.length < 10)
  expect(seen.map(({ run }) => run).sort()).toEqual([...runs].sort())
  expect(seen[0]?.account).toMatchObject({
    flow: "graded",
    task: "Where?",
    answer: "In Bergen.",
    steps: { work: { called: ["write"], refused: [], failed: [] } },
    files: { "out.md": "It is in Bergen.", "none.md": null },
  })
  expect(seen[0]).not.toHaveProperty("files")
  const brief = await ask<Page>("GET", "/v1/grading?brief=1&scorer=marked")
  expect([brief.data.length, brief.data.some((one) => "account" in one)]).toEqual([RUNS, false])
  for (const wrong of ["cursor=x", "limit=101", "brief=2"]) expect((await call("GET", `/v1/grading?${wrong}`)).status).toBe(422)
})

test("[V21] trials of an experiment are added by its id, at most as many as are wanted", async () => {
  for (const run of runs) await call("DELETE", `/v1/grading/${run}/marked`)
  const wish = { flow: "graded", dataset: { runs }, variants: [{ recorded: true }], scorers: ["succeeded"] }
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", wish)
  await expect.poll(async () => (await ask<{ status: string }>("GET", `/v1/experiments/${id}`)).status, { timeout: 20_000 }).toBe("done")
  expect(await ask("POST", "/v1/grading", { scorer: "marked", experiment: id, most: 1 })).toEqual({ added: 1 })
  expect((await call("POST", "/v1/grading", { scorer: "marked", experiment: "exp_none" })).status).toBe(422)
  expect((await call("POST", "/v1/grading", { scorer: "marked" })).status).toBe(422)
  const [entry] = (await ask<Page>("GET", "/v1/grading?scorer=marked")).data
  expect(runs).toContain(entry?.run)
})

test("[V30] rows are made of runs that somebody corrected, with what the answer should have been, until it is taken back", async () => {
  const [first = "", second = ""] = runs
  await ask("PUT", "/v1/datasets/corrected", { flow: "graded" })
  const add = () =>
    ask<{ added: number; known: number }>("POST", "/v1/datasets/corrected/rows", { from: { last: 10, feedback: "corrected" } })
  expect(await add()).toMatchObject({ added: 0, known: 0 })
  await ask("POST", `/v1/runs/${first}/feedback`, { correction: "In Oslo.", user: "u1" })
  await ask("POST", `/v1/runs/${second}/feedback`, { correction: "In Rome.", user: "u1" })
  await ask("POST", `/v1/runs/${second}/feedback`, { thumb: "none", user: "u1" })
  expect(await add()).toMatchObject({ added: 1 })
  const { data } = await ask<{ data: { expect?: object }[] }>("GET", "/v1/datasets/corrected/rows")
  expect(data).toMatchObject([{ expect: { answer: "In Oslo." } }])
  // What was taken back is in no row of the run either.
  await ask("POST", "/v1/datasets/corrected/rows", { from: { runs: [second] } })
  const rows = await ask<{ data: { expect?: object }[] }>("GET", "/v1/datasets/corrected/rows")
  expect(rows.data.map((row) => row.expect)).toEqual(expect.arrayContaining([{ answer: "In Oslo." }, undefined]))
  // Somebody who only corrects says neither up nor down.
  expect(await ask<{ feedback?: object }>("GET", `/v1/runs/${first}`)).not.toHaveProperty("feedback")
})
