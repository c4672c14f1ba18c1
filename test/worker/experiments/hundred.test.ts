// Compares two revisions on a hundred ended runs [V32–V37]: intervals, no model asked for the step that stayed, and nothing asked for equal ones.

import { beforeAll, expect, test } from "vitest"
import type { ExperimentBegunShown, ExperimentRowShown, ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import { amount } from "../../support/amount.ts"
import { agent, ask, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const ROWS = amount(100, 30)
const worker = (name: string, model: string): string => agent(name).replace("rehearsal/default", model)
const finish = (summary: string) => [{ finish: { status: "complete", summary } }]
const bundle = (writer: string): object => ({
  agents: { "reader.md": worker("reader", "hundred/read"), "writer.md": worker("writer", writer) },
  flows: { "hundred.yaml": flow("hundred", "  - { id: read, agent: reader }\n  - { id: write, agent: writer, blockedBy: [read] }\n") },
})
const revision = async (): Promise<number> =>
  (await ask<{ data: { revision: number }[] }>("GET", "/v1/catalog/history?limit=1")).data[0]?.revision ?? 0

const revisions: number[] = []
const runs: string[] = []

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/hundred", {
    kind: "scripted",
    turns: { read: finish("Read."), good: finish("Written."), bad: finish("No.") },
  })
  const scorers = { "says.yaml": "name: says\ndescription: It says so.\nexpect: { answer: { matches: Written } }\n" }
  await ask("PUT", "/v1/catalog", { ...bundle("hundred/good"), scorers })
  revisions.push(await revision())
  for (let i = 0; i < ROWS; i += 10) {
    const begun = await Promise.all(Array.from({ length: 10 }, (_, k) => start("hundred", { task: `go ${i + k}` })))
    await Promise.all(begun.map((id) => until(id, ended)))
    runs.push(...begun)
  }
  await ask("PATCH", "/v1/catalog", bundle("hundred/bad"))
  revisions.push(await revision())
}, 300_000)

async function experiment(variants: readonly object[]): Promise<ExperimentShown> {
  const { id, rows } = await ask<ExperimentBegunShown>("POST", "/v1/experiments", {
    flow: "hundred",
    dataset: { runs },
    scorers: ["says"],
    variants,
  })
  expect(rows).toBe(ROWS)
  for (let i = 0; i < 3_600; i++) {
    const seen = await ask<ExperimentShown>("GET", `/v1/experiments/${id}`)
    if (seen.status !== "running") return seen
    await new Promise((r) => setTimeout(r, 100))
  }
  throw new Error(`${id} does not end`)
}

const rowsOf = async (id: string): Promise<ExperimentRowShown[]> =>
  (await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows?limit=200`)).data

test("[V33] [V37] a hundred rows and two revisions give intervals, and no model is asked for the first of two steps", async () => {
  const [before, after] = revisions
  const seen = await experiment([
    { name: "before", revision: before },
    { name: "after", revision: after },
  ])
  expect(seen).toMatchObject({ status: "done", rows: ROWS, same: 0, left_out: [], flags: [] })
  const says = seen.compared?.[0]?.scores["says"]
  expect(says).toMatchObject({ n: ROWS, difference: -1, better: 0, worse: ROWS })
  const [lower, upper] = says?.interval ?? [0, 0]
  expect(lower).toBeGreaterThanOrEqual(-1)
  expect(lower).toBeLessThan(-0.99)
  expect(upper).toBeLessThan(-1 + 10 / ROWS)
  expect(seen.variants).toMatchObject([
    { trials: ROWS, stopped: 0, scores: { says: { n: ROWS, mean: 1 } } },
    { trials: ROWS, stopped: 0, scores: { says: { n: ROWS, mean: 0 } } },
  ])
  const rows = await rowsOf(seen.id)
  expect(rows.map(({ cut }) => cut)).toEqual(rows.map(() => ({ step: "write", pass: 1 })))
  const trials = rows.flatMap((row) => row.trials.map(({ run }) => run ?? ""))
  expect(new Set(trials).size).toBe(2 * ROWS)
  const asked = await Promise.all(
    trials.map(async (trial) => {
      const events = await eventsOf(trial)
      return events
        .slice(events.findIndex(({ type }) => type === "run.forked"))
        .flatMap((e) => (e.type === "model.replied" ? [e.step] : []))
    }),
  )
  expect(asked).toEqual(trials.map(() => ["write"]))
}, 400_000)

test("[V33] a hundred rows and two equal revisions are the same in each row, and no model is asked", async () => {
  await ask("PATCH", "/v1/catalog", { agents: { "unused.md": agent("unused") } })
  const seen = await experiment([{ name: "after", revision: revisions[1] }, { name: "equal" }])
  expect(seen).toMatchObject({ status: "done", rows: ROWS, same: ROWS, left_out: [], usage: { tokens: 0 } })
  expect(seen.compared?.[0]?.scores["says"]).toMatchObject({ n: ROWS, difference: 0, better: 0, worse: 0 })
  const rows = await rowsOf(seen.id)
  expect([rows.length, rows.every(({ same, trials }) => same && trials.length === 0)]).toEqual([ROWS, true])
}, 60_000)
