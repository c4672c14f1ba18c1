// Starts with a block over HTTP: what they may say [R2, R3], what they obey [R4], and what the line answers [R17].

import { expect, test } from "vitest"
import type { SaidStart } from "../../../src/core/start/start-block.ts"
import { setUp } from "../../support/http/ask.ts"

const INPUTS = { repo: { type: "string", required: false }, items: { type: "array", required: false } }

async function ready(start?: SaidStart) {
  const all = setUp()
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  all.acme.catalog.flow({ inputs: INPUTS, config: { team: "blue" }, ...(start ? { start } : {}) })
  return all
}

test.each([
  [{ concurency: {} }, "/start/concurency"],
  [{ concurrency: { pool: "crm" } }, "/start/concurrency/pool"],
  [{ throttle: { limit: 1 } }, "/start/throttle/period"],
  [{ delay: "2026-12-01T09:00:00" }, "/start/delay"],
  [{ delay: "2199-01-01T00:00:00Z" }, "/start/delay"],
  [{ batch: { size: 2, timeout: "1m", into: "repo" } }, "/start/batch/into"],
  [{ concurrency: { limit: 2 } }, "/start/concurrency"],
  [{ throttle: { limit: 2, period: "1m" } }, "/start/throttle"],
])("[R2] [R3] %j is 422 at %s, and nothing is started", async (start, pointer) => {
  const { ask, acme } = await ready({ concurrency: { key: "k" }, throttle: { limit: 1, period: 1_000 } })
  const r = await ask("POST", "/v1/flows/f/runs", { body: { start } })
  expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer }]])
  expect(acme.lined).toEqual([])
})

test("[R4] [R21] the flow's key is read with the inputs, and the start stands in line before its run's object hears of it", async () => {
  const { ask, acme } = await ready({ concurrency: { key: "${{flow.input.repo}}/${{config.team}}" } })
  const r = await ask("POST", "/v1/flows/f/runs", { body: { inputs: { repo: "shop" }, start: { priority: "high" } } })
  expect(r.status).toBe(202)
  const concurrency = { pool: "f", key: "shop/blue", limit: 1, overlap: "queue" }
  expect(acme.lined).toMatchObject([{ flow: "f", kind: "api", block: { concurrency, priority: "high", own: ["concurrency", "expires"] } }])
})

test("[R21] a block without a rule of the line takes no place in it", async () => {
  const { ask, acme } = await ready()
  expect((await ask("POST", "/v1/flows/f/runs", { body: { start: { priority: "low", expires: "1h" } } })).status).toBe(202)
  expect(acme.lined).toEqual([])
  expect(acme.catalog.pinned).toMatchObject([{ options: { start: { kind: "api" } } }])
  expect(acme.catalog.pinned).not.toMatchObject([{ options: { lined: true } }])
})

test("[R17] a start that is skipped is 409 key_busy with run, pool and key, and no Idempotency-Key keeps it", async () => {
  const { ask, acme } = await ready({ concurrency: { overlap: "skip" } })
  acme.arrived = { ok: false, code: "key_busy", run: "run_held", pool: "f", key: "" }
  const headers = { "idempotency-key": "k1" }
  const r = await ask("POST", "/v1/flows/f/runs", { body: {}, headers })
  expect([r.status, r.body]).toMatchObject([409, { code: "key_busy", run: "run_held", pool: "f", key: "" }])
  acme.arrived = { ok: true, do: "stands" }
  expect((await ask("POST", "/v1/flows/f/runs", { body: {}, headers })).status).toBe(202)
})

test("[R17] a line that is full is 429 quota with Retry-After", async () => {
  const { ask, acme } = await ready({ concurrency: {} })
  const limits = { concurrent: { quota: 9, left: 0 }, starts: { quota: 9, left: 0, reset: 1_000 } }
  acme.arrived = { ok: false, code: "quota", message: "1000 starts of this key wait", retry: 30_000, limits }
  const r = await ask("POST", "/v1/flows/f/runs", { body: {} })
  expect([r.status, r.body, r.headers.get("retry-after")]).toMatchObject([429, { code: "quota" }, "30"])
})

test("[R17] a start that joins a window is 202 with merged and the run it became", async () => {
  const { ask, acme } = await ready({ debounce: { period: 1_000 } })
  const first = await ask("POST", "/v1/flows/f/runs", { body: {} })
  acme.arrived = { ok: true, do: "joined", run: String(first.body["id"]), number: 2 }
  const r = await ask("POST", "/v1/flows/f/runs", { body: {} })
  expect([r.status, r.body]).toMatchObject([202, { id: first.body["id"], merged: true }])
})

test("[R10] what is given for a batch's input is checked as a list of its own", async () => {
  const { ask, acme } = await ready({ batch: { size: 2, timeout: 1_000, into: "items" } })
  expect((await ask("POST", "/v1/flows/f/runs", { body: { inputs: { items: { id: 1 } } } })).status).toBe(202)
  expect((await ask("POST", "/v1/flows/f/runs", { body: { inputs: { items: [1, 2] } } })).status).toBe(202)
  expect(acme.lined).toHaveLength(2)
})

test("[R11] a start whose run has begun without it is decided anew, five times at most", async () => {
  const { ask, acme } = await ready({ debounce: { period: 1_000 } })
  const first = await ask("POST", "/v1/flows/f/runs", { body: {} })
  const run = String(first.body["id"])
  acme.arrived = { ok: true, do: "joined", run, number: 2 }
  acme.run(run).refuses.push(true)
  const r = await ask("POST", "/v1/flows/f/runs", { body: {} })
  expect([r.status, r.body["code"]]).toEqual([409, "key_busy"])
  expect(acme.lined.slice(1).map(({ refused }) => refused)).toEqual([undefined, run, run, run, run])
})
