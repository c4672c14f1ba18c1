// What a tenant lets one run use [B6], over the whole Worker: starts, forks and the file of the setting.

import { expect, test } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { CATALOG, ended, tenant, type Tenant } from "../../../support/worker/service-client.ts"

const PATH = "/v1/settings/budget"
const limitOf = async (t: Tenant, id: string): Promise<object | undefined> => (await t.ask<RunView>("GET", `/v1/runs/${id}`)).budget?.limit
const start = async (t: Tenant, body: object = {}): Promise<string> =>
  (await t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go", ...body })).id

test("[B6] a start has the default, is cut to the ceiling, and a run that began keeps what it had", async () => {
  const t = await tenant("run-budget")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const free = await start(t)
  expect(await limitOf(t, free)).toEqual({})
  await t.ask("PUT", PATH, { run: { default: { tokens: 90_000 }, most: { tokens: 100_000, steps: 50 } } })
  expect(await limitOf(t, await start(t))).toEqual({ tokens: 90_000, steps: 50 })
  const asked = await start(t, { budget: { tokens: 200_000, steps: 20 } })
  expect(await limitOf(t, asked)).toEqual({ tokens: 100_000, steps: 20 })
  await t.ask("PUT", PATH, { run: { most: { steps: 10 } } })
  expect(await limitOf(t, asked)).toEqual({ tokens: 100_000, steps: 20 })
  expect(await limitOf(t, free)).toEqual({})
  await t.ask("PUT", PATH, {})
  expect(await limitOf(t, await start(t))).toEqual({})
})

test("[B6] [K11] a fork is bounded by what the tenant allows now, whether it names a budget or not", async () => {
  const t = await tenant("run-budget-fork")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const source = await start(t)
  await ended(t, source)
  await t.ask("PUT", PATH, { run: { default: { tokens: 90_000 }, most: { steps: 50 } } })
  const fork = async (body: object): Promise<object | undefined> =>
    limitOf(t, (await t.ask<{ id: string }>("POST", `/v1/runs/${source}/fork`, { from: { seq: 1 }, ...body })).id)
  expect(await fork({})).toEqual({ tokens: 90_000, steps: 50 })
  expect(await fork({ budget: { tokens: 5_000, steps: 60 } })).toEqual({ tokens: 5_000, steps: 50 })
  const again = await t.ask<{ id: string }>("POST", `/v1/runs/${source}/again`, {})
  expect(await limitOf(t, again.id)).toEqual({ tokens: 90_000, steps: 50 })
})

test("[B6] [F79] budget.yaml sets it, and a default above its ceiling is an error at its line", async () => {
  const t = await tenant("run-budget-file")
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, settings: { "budget.yaml": "run:\n  most:\n    steps: 7\n" } })
  expect(await t.ask("GET", PATH)).toEqual({ run: { most: { steps: 7 } } })
  expect(await limitOf(t, await start(t))).toEqual({ steps: 7 })
  const refused = await t.raw("PATCH", "/v1/catalog", {
    settings: { "budget.yaml": "run:\n  most:\n    steps: 7\n  default:\n    steps: 8\n" },
  })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(await refused.json())).toMatch(/"line":5.*must be at most 7/)
})
