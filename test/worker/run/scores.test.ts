// Scores over HTTP [V11–V21]: by request, by sample and by people, what they leave in the journal, and that a run without a rule pays nothing.

import { beforeAll, expect, test } from "vitest"
import type { RunScores, ScorerTrust, ScoresAsked } from "../../../src/api/doc/quality.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/scored", {
    kind: "scripted",
    turns: { work: [{ finish: { status: "complete", summary: "Done." } }] },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "worker.md": agent("worker").replace("rehearsal/default", "scored/work") },
    flows: {
      "scored.yaml": flow("scored", "  - { id: work, agent: worker }\n"),
      "free.yaml": flow("free", "  - { id: work, agent: worker }\n"),
    },
    scorers: {
      "fits.yaml": "name: fits\ndescription: It succeeds.\nexpect: { status: succeeded }\n",
      "strict.yaml": "name: strict\ndescription: Never.\nexpect: { turns: 99 }\n",
      "judged.yaml": "name: judged\ndescription: It helps.\njudge: { rubric: Does it help?, model: rehearsal/default }\n",
    },
  })
})

const done = async (name: string): Promise<RunView> => until(await start(name), ended)
const scoresOf = (id: string): Promise<RunScores> => ask<RunScores>("GET", `/v1/runs/${id}/scores`)
async function scored(id: string, count: number): Promise<RunScores["scores"]> {
  await expect.poll(async () => (await scoresOf(id)).scores.length).toBeGreaterThanOrEqual(count)
  return (await scoresOf(id)).scores
}

test("[V12] a run is scored once by a version unless it is asked again, and the journal up to its end stays as it was", async () => {
  const { id } = await done("scored")
  const before = await eventsOf(id)
  const wish = { scorers: ["fits", "strict", "tools-worked"] }
  const asked = await ask<ScoresAsked>("POST", `/v1/runs/${id}/scores`, wish)
  expect(asked.data.map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"])
  const rows = await scored(id, 3)
  expect(Object.fromEntries(rows.map(({ scorer, score }) => [scorer, score]))).toEqual({ fits: 1, strict: 0, "tools-worked": 1 })
  expect(rows.every(({ current }) => current)).toBe(true)
  expect((await eventsOf(id)).slice(0, before.length)).toEqual(before)
  expect((await ask<Replayed>("GET", `/v1/runs/${id}/replay`)).identical).toBe(true)
  const again = await ask<ScoresAsked>("POST", `/v1/runs/${id}/scores`, wish)
  expect(again.data.map(({ state }) => state)).toEqual(["done", "done", "done"])
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["fits"], again: true })
  expect(await scored(id, 4)).toHaveLength(4)
  const list = await ask<{ data: { id: string; scores?: object }[] }>("GET", "/v1/runs?flow=scored")
  expect(list.data.find((row) => row.id === id)?.scores).toEqual({ fits: 1, strict: 0, "tools-worked": 1 })
})

test("[V15] a judge's run has a journal of its own, is found by trigger=score alone, and goes with the run that it judged", async () => {
  const { id } = await done("scored")
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["judged"] })
  const [row] = await scored(id, 1)
  expect(row).toMatchObject({ scorer: "judged", score: 1, level: "yes" })
  const judge = row?.judge ?? ""
  expect(await ask<RunView>("GET", `/v1/runs/${judge}`)).toMatchObject({ flow: "@judge/judged", status: "succeeded" })
  const all = await ask<{ data: { id: string }[] }>("GET", "/v1/runs?limit=100")
  expect(all.data.some((one) => one.id === judge)).toBe(false)
  const judges = await ask<{ data: { id: string }[] }>("GET", "/v1/runs?trigger=score")
  expect(judges.data.map((one) => one.id)).toContain(judge)
})

test("[V13] the runs of a rule's sample are scored, and others are not", async () => {
  await ask("PUT", "/v1/settings/scoring", { flows: [{ match: "scored", scorers: ["fits"], sample: 1 }] })
  const one = await done("scored")
  const other = await done("free")
  expect(await scored(one.id, 1)).toMatchObject([{ scorer: "fits", score: 1, by: "sample" }])
  expect((await scoresOf(other.id)).scores).toEqual([])
  await ask("PUT", "/v1/settings/scoring", {})
})

test("[V19] [V21] of one giver the newest counts, `none` takes it back, and a grade is one of the judge's levels", async () => {
  const { id } = await done("scored")
  const say = (body: object): Promise<unknown> => ask("POST", `/v1/runs/${id}/feedback`, body)
  const shown = async () => (await ask<RunView>("GET", `/v1/runs/${id}`)).feedback
  await say({ thumb: "down", user: "u1", comment: "no" })
  await say({ thumb: "up", user: "u2" })
  expect(await shown()).toEqual({ up: 1, down: 1 })
  await say({ thumb: "up", user: "u1" })
  expect(await shown()).toEqual({ up: 2, down: 0 })
  await say({ thumb: "none", user: "u1" })
  expect(await shown()).toEqual({ up: 1, down: 0 })
  // The tenant's object may not have heard of the end yet.
  const added = async () => (await ask<{ added: number }>("POST", "/v1/grading", { scorer: "judged", runs: [id] })).added
  await expect.poll(added).toBe(1)
  const waiting = await ask<{ data: { run: string; rubric?: string }[] }>("GET", "/v1/grading?scorer=judged")
  expect(waiting.data).toMatchObject([{ run: id, rubric: "Does it help?" }])
  await say({ scorer: "judged", score: 1 })
  expect((await ask<{ data: object[] }>("GET", "/v1/grading")).data).toEqual([])
  expect(await shown()).toEqual({ up: 1, down: 0 })
})

test("[V10] [V22] a probe tells that a judge ignores its input, no run gets its scores, and grades are compared with the judge's own", async () => {
  const runs = await Promise.all(Array.from({ length: 5 }, async () => (await done("scored")).id))
  const wish = { dataset: { runs }, most: 5 }
  // A probe takes the runs whose ends the tenant's object has heard of.
  const listed = async (): Promise<readonly string[]> =>
    (await ask<{ data: { id: string }[] }>("GET", "/v1/runs?flow=scored&status=succeeded&limit=100")).data.map(({ id }) => id)
  await expect.poll(listed).toEqual(expect.arrayContaining(runs))
  const begun = async () => (await call("POST", "/v1/scorers/judged/probe", wish)).status
  await expect.poll(begun).toBe(202)
  const trust = () => ask<ScorerTrust>("GET", "/v1/scorers/judged/trust")
  await expect
    .poll(async () => (await trust()).probe, { timeout: 20_000 })
    .toMatchObject({ status: "done", runs: 5, plain: 1, empty: 1, urged: 1 })
  expect((await trust()).flags).toEqual(["few_grades", "ignores_input"])
  const [id = ""] = runs
  expect((await scoresOf(id)).scores).toEqual([])
  const before = (await trust()).versions[0]?.pairs ?? 0
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["judged"] })
  await scored(id, 1)
  await ask("POST", `/v1/runs/${id}/feedback`, { scorer: "judged", score: 0 })
  const [now] = (await trust()).versions
  expect(now).toMatchObject({ pairs: before + 1 })
  expect(now?.table[1]?.[0]).toBe(1)
  expect((await call("POST", "/v1/scorers/fits/probe", wish)).status).toBe(422)
  expect((await call("POST", "/v1/scorers/nobody/probe", wish)).status).toBe(404)
  expect((await call("GET", "/v1/scorers/nobody/trust")).status).toBe(404)
})

test("[V17] scores are in lists by their bounds, in a comparison, and in sums by flow and scorer, where people are `feedback`", async () => {
  const [good, bad] = [await done("free"), await done("free")]
  for (const { id } of [good, bad]) {
    await ask("POST", `/v1/runs/${id}/scores`, { scorers: id === good.id ? ["fits"] : ["fits", "strict"] })
    await scored(id, id === good.id ? 1 : 2)
  }
  await ask("POST", `/v1/runs/${good.id}/feedback`, { thumb: "up" })
  await ask("POST", `/v1/runs/${bad.id}/feedback`, { thumb: "up", user: "u" })
  await ask("POST", `/v1/runs/${bad.id}/feedback`, { thumb: "down", user: "u" })
  const found = async (query: string) =>
    (await ask<{ data: { id: string }[] }>("GET", `/v1/runs?flow=free&${query}`)).data
      .map(({ id }) => id)
      .filter((id) => id === good.id || id === bad.id)
  await expect.poll(() => found("scorer=strict")).toEqual([bad.id])
  await expect.poll(async () => (await found("scorer=fits&at_least=1")).length).toBe(2)
  expect(await found("scorer=fits&at_most=0.5")).toEqual([])
  expect(await found("scorer=feedback&at_most=0.2")).toEqual([bad.id])
  expect((await call("GET", "/v1/runs?at_most=0.2")).status).toBe(422)
  expect((await call("GET", "/v1/runs?scorer=fits&at_most=2")).status).toBe(422)
  const compared = await ask<{ scores: object[] }>("GET", `/v1/runs/${good.id}/compare/${bad.id}`)
  expect(compared.scores).toEqual([
    { scorer: "fits", a: 1, b: 1 },
    { scorer: "strict", a: null, b: 0 },
  ])
  const usage = await ask<{ data: { key: string }[] }>("GET", "/v1/usage?by=scorer")
  expect(usage.data.find(({ key }) => key === "free/strict")).toMatchObject({ scored: 1, mean: 0 })
  expect(usage.data.find(({ key }) => key === "free/feedback")).toMatchObject({ scored: 2, mean: 0.5 })
})

test("[V13] [V18] a sampled run with a low score is among the failures, and waits for people's grades as its rule says", async () => {
  const rule = { match: "scored", scorers: ["strict", "judged"], sample: 1, grade: 1, low: 0.5 }
  await ask("PUT", "/v1/settings/scoring", { flows: [rule], budget: { usd: 1 } })
  const { id } = await done("scored")
  await scored(id, 2)
  await ask("PUT", "/v1/settings/scoring", {})
  type Groups = { data: { key: string; scorer?: string; source: string; flow: string; status: string; last: { run: string } }[] }
  const low = async () => (await ask<Groups>("GET", "/v1/failures?low=1&rehearsed=0")).data
  await expect.poll(low).toMatchObject([{ source: "score", scorer: "strict", flow: "scored", status: "open", last: { run: id } }])
  const [group] = await low()
  await ask("POST", `/v1/failures/${group?.key ?? ""}`, { status: "muted" })
  expect((await low())[0]?.status).toBe("muted")
  const waiting = await ask<{ data: { run: string; scorer: string }[] }>("GET", "/v1/grading")
  expect(waiting.data.filter(({ run }) => run === id)).toMatchObject([{ scorer: "judged" }])
})
