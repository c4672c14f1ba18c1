// Scoring and what is left of it [V4, V11, V31]: it changes nothing of the run but `scores` and `feedback`, and after the run's deletion a marker
// from it is in no row, queue, score or judge's run.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, start, stub, until } from "../../support/worker/house.ts"

/** Without a dash or a capital: an index of words keeps it as it is. */
const MARKER = "canarymarker"

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/marked", {
    kind: "scripted",
    turns: {
      work: [{ finish: { status: "complete", summary: "It is in Bergen." } }],
      judge: [{ finish: { status: "complete", reason: "Because of Bergen.", level: "yes" } }],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "worker.md": agent("worker").replace("rehearsal/default", "marked/work") },
    flows: { "marked.yaml": flow("marked", "  - { id: work, agent: worker }\n") },
    scorers: { "judged.yaml": "name: judged\ndescription: It helps.\njudge: { rubric: Does it help?, model: rehearsal/default }\n" },
  })
})

const listed = async (id: string): Promise<boolean> =>
  (await ask<{ data: { id: string }[] }>("GET", "/v1/runs?flow=marked&status=succeeded")).data.some((row) => row.id === id)
const judgeOf = async (id: string): Promise<string | undefined> =>
  (await ask<{ scores: { scorer: string; judge?: string }[] }>("GET", `/v1/runs/${id}/scores`)).scores.find(({ judge }) => judge)?.judge

/** Every text in the database of an object. */
const textsOf = (object: DurableObjectStub): Promise<string> =>
  runInDurableObject(object, (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
      )
      .toArray()
    return tables.map(({ name }) => `${name}: ${JSON.stringify(storage.sql.exec(`SELECT * FROM "${name}"`).toArray())}`).join("\n")
  })
const inTables = (texts: string): readonly string[] =>
  texts.split("\n").flatMap((line) => (line.includes(MARKER) ? [line.slice(0, line.indexOf(":"))] : []))

test("[V11] a scored run's events up to its end, its replay and its view are as before, but for scores and feedback", async () => {
  const { id } = await until(await start("marked", { task: "go" }), ended)
  const [events, view] = [await eventsOf(id), await ask<RunView>("GET", `/v1/runs/${id}`)]
  await expect.poll(() => listed(id)).toBe(true)
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["judged", "succeeded", "tools-worked"] })
  await ask("POST", `/v1/runs/${id}/feedback`, { thumb: "down", comment: "no" })
  const scores = async (): Promise<number> => (await ask<{ scores: object[] }>("GET", `/v1/runs/${id}/scores`)).scores.length
  await expect.poll(scores, { timeout: 20_000 }).toBe(3)
  expect((await eventsOf(id)).slice(0, events.length)).toEqual(events)
  expect((await ask<{ identical: boolean }>("GET", `/v1/runs/${id}/replay`)).identical).toBe(true)
  const { scores: said, feedback, seq: _seq, ...after } = (await ask("GET", `/v1/runs/${id}`)) as RunView & { seq?: number }
  const { seq: _before, ...before } = view as RunView & { seq?: number }
  expect([Object.keys(said ?? {}).sort(), feedback]).toEqual([["judged", "succeeded", "tools-worked"], { up: 0, down: 1 }])
  expect(after).toEqual(before)
})

test("[V31] after its deletion nothing of a run is in any row, queue, score or judge's run", async () => {
  const tenantObject = env.TENANT.get(env.TENANT.idFromName("local"))
  const { id } = await until(await start("marked", { task: `Find ${MARKER}.` }), ended)
  await expect.poll(() => listed(id)).toBe(true)
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["judged"] })
  await ask("POST", `/v1/runs/${id}/feedback`, { thumb: "down", comment: `It says ${MARKER}.`, correction: `Not ${MARKER}.`, user: MARKER })
  await ask("POST", "/v1/grading", { scorer: "judged", runs: [id] })
  await ask("PUT", "/v1/datasets/marked", { flow: "marked" })
  await ask("POST", "/v1/datasets/marked/rows", { from: { runs: [id], expect: "output" } })
  await expect.poll(() => judgeOf(id), { timeout: 20_000 }).toBeDefined()
  const judge = (await judgeOf(id)) ?? ""
  // It is there before.
  expect(inTables(await textsOf(tenantObject))).not.toEqual([])
  expect((await call("DELETE", `/v1/runs/${id}`)).status).toBeLessThan(300)
  const gone = async (of: string): Promise<number> => (await call("GET", `/v1/runs/${of}`)).status
  await expect.poll(() => gone(id), { timeout: 20_000 }).toBe(404)
  await expect.poll(() => gone(judge), { timeout: 20_000 }).toBe(404)
  await expect.poll(async () => inTables(await textsOf(tenantObject)), { timeout: 20_000 }).toEqual([])
  expect(inTables(await textsOf(stub(judge)))).toEqual([])
  expect(inTables(await textsOf(stub(id)))).toEqual([])
  expect((await ask<{ data: { run: string }[] }>("GET", "/v1/grading")).data.filter(({ run }) => run === id)).toEqual([])
  expect((await ask<{ data: object[] }>("GET", "/v1/datasets/marked/rows")).data).toEqual([])
})
