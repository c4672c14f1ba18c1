// A backtest whose recorded run or whose tenant's object dies while it is asked [K23]: each run has its one result, and it is the right one.

import { afterAll, beforeAll, expect, test } from "vitest"
import { Aborts } from "../../support/worker/aborted-calls.ts"
import { CATALOG, tenant, until, type Tenant } from "../../support/worker/service-client.ts"

const T = "aborts-backtests"
let t: Tenant
let aborts: Aborts
let id = ""

beforeAll(async () => {
  aborts = new Aborts(T)
  t = await tenant(T)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  id = (await t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" })).id
  await aborts.calm(async () => (await aborts.events(id)).some((e) => e.type === "run.ended"))
})
afterAll(() => aborts.restore())

const CALLS = ["reading.events", "starts.propose", "backtests.keep"]
test.each(CALLS.flatMap((call) => (["broken", "unsaid"] as const).map((moment) => [call, moment] as const)))(
  "[K23] %s %s",
  async (name, moment) => {
    let kept = 0
    aborts.arm(moment, (call) => call.name === name && (name !== "backtests.keep" || ++kept === 2))
    const begin = (): Promise<{ id: string }> => t.ask("POST", "/v1/flows/quick/backtest", { against: { runs: [id] } })
    const made = await begin().catch(begin)
    await aborts.met()
    const done = await until(async () => {
      const found = await t.ask<{ status: string; runs: { run: string; result: string }[] }>("GET", `/v1/backtests/${made.id}`)
      // A backtest without news has lost its worker.
      if (found.status !== "done") aborts.pass(1_000)
      return found.status === "done" && found
    }, "the end of the backtest")
    const [row] = done.runs
    expect(done.runs).toHaveLength(1)
    // A run that could not be read says so: it is not taken for another one.
    expect(row).toEqual(
      row?.result === "failed" ? { run: id, result: "failed", message: "killed by the test" } : { run: id, result: "same" },
    )
  },
)
