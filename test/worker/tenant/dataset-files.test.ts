// Datasets as files of the catalog [V31]: the file owns its rows, and what is wrong with one is a diagnostic at its line.

import { beforeAll, expect, test } from "vitest"
import { agent, ask, call, flow } from "../../support/worker/house.ts"

interface Rows {
  readonly data: readonly { readonly id: string; readonly task?: string; readonly created: string }[]
}

const file = (rows: string, of = "filed"): string => `flow: ${of}\ndescription: What went wrong once.\nrows:\n${rows}`

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: { "filed.yaml": flow("filed", "  - { id: a, agent: a }\n", "inputs: { order: { type: number } }\n") },
    datasets: { "regression.yaml": file("  - { task: Where is it? }\n  - { task: And now?, criteria: Names the day. }\n") },
  })
})

test("[V31] a file makes a dataset, a change of it changes the rows, and nothing else may", async () => {
  expect(await ask("GET", "/v1/datasets/regression")).toMatchObject({
    flow: "filed",
    rows: 2,
    description: "What went wrong once.",
    file: "datasets/regression.yaml",
  })
  const before = (await ask<Rows>("GET", "/v1/datasets/regression/rows")).data
  for (const [method, path, body] of [
    ["PUT", "/v1/datasets/regression", { flow: "filed" }],
    ["POST", "/v1/datasets/regression/rows", { rows: [{ task: "more" }] }],
    ["DELETE", `/v1/datasets/regression/rows/${before[0]?.id ?? ""}`, undefined],
    ["DELETE", "/v1/datasets/regression", undefined],
  ] as const) {
    const answer = await call(method, path, body)
    expect([path, answer.status, await answer.json()]).toMatchObject([path, 409, { code: "owned_by_file" }])
  }
  await ask("PATCH", "/v1/catalog", { datasets: { "regression.yaml": file("  - { task: Where is it? }\n  - { task: A third }\n") } })
  const after = (await ask<Rows>("GET", "/v1/datasets/regression/rows")).data
  expect(after.map(({ task }) => String(task)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["A third", "Where is it?"])
  // A row that stays is as old as it was.
  const kept = before.find(({ task }) => task === "Where is it?")
  expect(after.find(({ id }) => id === kept?.id)?.created).toBe(kept?.created)
})

test("[V31] a wrong row, one that the inputs refuse, and too many are told, and nothing is written", async () => {
  const written = async (rows: string, of = "filed"): Promise<unknown> => {
    const answer = await call("PATCH", "/v1/catalog", { datasets: { "bad.yaml": file(rows, of) } })
    return [answer.status, await answer.text()]
  }
  expect(await written("  - { tusk: x }\n")).toEqual([422, expect.stringContaining("EV-ROW")])
  expect(await written("  - { task: x, inputs: { order: many } }\n")).toEqual([422, expect.stringContaining("EV-ROW")])
  expect(await written("  - { task: x, expect: { stats: 1 } }\n")).toEqual([422, expect.stringContaining("EV-ROW")])
  expect(await written("  - { task: x }\n", "none")).toEqual([422, expect.stringContaining("PV-FLOW")])
  expect(await written("  - { task: x }\n".repeat(101))).toEqual([422, expect.stringContaining("PV-VALUE")])
  expect((await call("GET", "/v1/datasets/bad")).status).toBe(404)
})

test("[V31] without its file a dataset is gone", async () => {
  await ask("PATCH", "/v1/catalog", { delete: ["datasets/regression.yaml"] })
  expect((await call("GET", "/v1/datasets/regression")).status).toBe(404)
})

test("[V40] a dataset's file that the gate relies on is changed by an admin alone", async () => {
  const put = (rows: string, key?: string): Promise<Response> =>
    call("PATCH", "/v1/catalog", { datasets: { "gated.yaml": file(rows) } }, {}, ...(key === undefined ? [] : ([key] as const)))
  expect((await put("  - { task: one }\n")).status).toBe(200)
  await ask("PUT", "/v1/settings/gate", {
    flows: [{ match: "filed", tests: false, score: { dataset: "gated", scorers: { succeeded: 0.5 } } }],
  })
  const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: "writer", scopes: ["catalog:read", "catalog:write"] })
  expect((await put("  - { task: two }\n", key)).status).toBe(403)
  expect(await ask("GET", "/v1/datasets/gated/rows")).toMatchObject({ data: [{ task: "one" }] })
  expect((await put("  - { task: two }\n")).status).toBe(200)
  await ask("PUT", "/v1/settings/gate", {})
})
