// The routes of datasets [V28–V31]: what a request may say, the scopes that it needs, and its answers.

import { expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"

const RUN = runId("a")
const made = async () => {
  const world = setUp()
  world.acme.catalog.flow({ id: "triage" })
  await world.acme.catalog.writeFlow("flows/triage.yaml", "name: triage\n")
  const put = await world.ask("PUT", "/v1/datasets/one", { body: { flow: "triage" } })
  expect([put.status, put.body]).toMatchObject([200, { name: "one", flow: "triage", rows: 0 }])
  return world
}

test("[V28] a dataset is for a flow of the catalog, has a plain name, and keeps its flow", async () => {
  const { ask } = await made()
  expect((await ask("PUT", "/v1/datasets/two", { body: { flow: "none" } })).body).toMatchObject({ errors: [{ pointer: "/flow" }] })
  expect((await ask("PUT", "/v1/datasets/.two", { body: { flow: "triage" } })).status).toBe(422)
  expect((await ask("GET", "/v1/datasets")).body).toMatchObject({ data: [{ name: "one" }] })
  expect((await ask("GET", "/v1/datasets/none")).status).toBe(404)
  expect((await ask("POST", "/v1/datasets/none/rows", { body: { rows: [{ task: "x" }] } })).status).toBe(404)
  expect((await ask("DELETE", "/v1/datasets/one")).status).toBe(204)
  expect((await ask("DELETE", "/v1/datasets/one")).status).toBe(404)
})

test("[V28] rows come as JSON or as JSON Lines, and are read back as they were added", async () => {
  const { ask } = await made()
  const rows = [{ task: "a", criteria: "short" }, { task: "b" }]
  expect((await ask("POST", "/v1/datasets/one/rows", { body: { rows } })).body).toEqual({ added: 2, known: 0, left_out: [] })
  const headers = { "content-type": "application/jsonl" }
  const lines = `${JSON.stringify({ criteria: "short", task: "a" })}\n\n{"task": "c"}\n`
  expect((await ask("POST", "/v1/datasets/one/rows", { body: lines, headers })).body).toEqual({ added: 1, known: 1, left_out: [] })
  const bad = await ask("POST", "/v1/datasets/one/rows", { body: '{"task": "d"}\n{"tusk": 1}\n', headers })
  expect(bad.body).toMatchObject({ errors: [{ pointer: "/rows/1/tusk", line: 2 }] })
  const whole = await ask("GET", "/v1/datasets/one/rows", { headers: { accept: "application/jsonl" } })
  const back = whole.text.trim().split("\n")
  expect(back.map((line) => (JSON.parse(line) as { task: string }).task).sort()).toEqual(["a", "b", "c"])
  const first = await ask("GET", "/v1/datasets/one/rows?limit=2")
  expect(first.body["data"]).toHaveLength(2)
  const rest = await ask("GET", `/v1/datasets/one/rows?limit=2&cursor=${String(first.body["next_cursor"])}`)
  expect(rest.body).toMatchObject({ data: [{}], next_cursor: null })
  expect((await ask("GET", "/v1/datasets/one/rows?cursor=x")).status).toBe(422)
})

test("[V29] a fault of one row is 422 at its place, and none is added", async () => {
  const { ask } = await made()
  const rows = [{ task: "fine" }, { task: "x", expect: { stats: 1 } }, { task: "x".repeat(262_145) }]
  const { status, body } = await ask("POST", "/v1/datasets/one/rows", { body: { rows } })
  expect([status, body]).toMatchObject([422, { errors: [{ pointer: "/rows/1/expect" }, { pointer: "/rows/2" }] }])
  expect((await ask("GET", "/v1/datasets/one")).body).toMatchObject({ rows: 0 })
})

test("[V28, V30] rows of runs also need runs:read, and say which runs are left out", async () => {
  const { ask } = await made()
  const body = { from: { runs: [RUN] } }
  expect((await ask("POST", "/v1/datasets/one/rows", { body, key: "key-b" })).status).not.toBe(200)
  expect((await ask("POST", "/v1/datasets/one/rows", { body })).body).toMatchObject({ added: 0, left_out: [{ run: RUN }] })
  expect((await ask("POST", "/v1/datasets/one/rows", { body: { from: { runs: ["x"] } } })).body).toMatchObject({
    errors: [{ pointer: "/from/runs/0" }],
  })
  for (const wrong of [
    {},
    { from: {} },
    { from: { last: 5, runs: [RUN] } },
    { from: { last: 5, at_most: 0.5 } },
    { rows: [], from: { last: 1 } },
  ])
    expect((await ask("POST", "/v1/datasets/one/rows", { body: wrong })).status).toBe(422)
})
