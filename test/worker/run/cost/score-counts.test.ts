// What a score and what feedback cost [V16, V19]: calls between objects, and rows of the run's object and the tenant's. A run that no rule scores
// pays nothing: its counts are those of start-counts.

import { expect, test } from "vitest"
import { objectCalls } from "../../../support/worker/object-calls.ts"
import { alarmsSetBy, counting, rowsWrittenBy } from "../../../support/worker/run-counts.ts"
import { CATALOG, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

interface Cost {
  readonly calls: readonly string[]
  readonly rows: number
}

/** A rehearsed run is in no sample. */
async function ready(t: Tenant): Promise<void> {
  const turns = { work: [{ finish: { status: "complete", summary: "Done." } }] }
  await t.ask("PUT", "/v1/settings/providers/counted", { kind: "scripted", turns })
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, agents: { "a.md": CATALOG.agents["a.md"].replace("rehearsal/default", "counted/work") } })
}

const run = (t: Tenant): Promise<{ id: string }> => t.ask("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=30" })

async function costOf(t: Tenant, id: string | undefined, work: () => Promise<string>): Promise<Cost> {
  const { calls, stop } = objectCalls(t.id)
  try {
    return await counting(async (countsOf) => {
      const of = await work()
      const { rowsWritten, alarms } = await countsOf(id ?? of, t.id)
      const [written, set] = [await rowsWrittenBy(tenantObject(t.id)), await alarmsSetBy(tenantObject(t.id))]
      return { calls: [...calls], rows: rowsWritten - alarms + written - set }
    })
  } finally {
    stop()
  }
}

/** A run, until the tenant's object has counted its end, and its score if there is a rule. */
const ran = (t: Tenant, isScored: boolean) => async (): Promise<string> => {
  const { id } = await run(t)
  await until(async () => {
    const { data } = await t.ask<{ data: { id: string; ended: string | null; scores?: object }[] }>("GET", `/v1/runs?status=succeeded`)
    const row = data.find((one) => one.id === id)
    return row !== undefined && row.ended !== null && (!isScored || row.scores !== undefined)
  }, "the end in the list")
  return id
}

const isOurs = (call: string): boolean => !call.includes("list") && !call.includes("note")

test("[V16] a score adds at most 2 calls between objects and 6 rows; a run outside the sample costs what it costs without a rule", async () => {
  const t = await tenant("score-counts")
  await ready(t)
  await ran(t, false)()
  const bare = await costOf(t, undefined, ran(t, false))
  await t.ask("PUT", "/v1/settings/scoring", { flows: [{ match: "quick", scorers: ["succeeded"], sample: 1 }] })
  await ran(t, true)()
  const scored = await costOf(t, undefined, ran(t, true))
  const reports = (calls: readonly string[]): number => calls.filter((call) => call === "tenant runs.note").length
  // On a busy machine there is one more report of a run, of 11 rows.
  const more = scored.rows - 11 * reports(scored.calls) - (bare.rows - 11 * reports(bare.calls))
  expect(scored.calls.filter(isOurs).length - bare.calls.filter(isOurs).length, scored.calls.join()).toBeLessThanOrEqual(2)
  expect(more).toBeLessThanOrEqual(6)
  await t.ask("PUT", "/v1/settings/scoring", { flows: [{ match: "other", scorers: ["succeeded"], sample: 1 }] })
  await ran(t, false)()
  const outside = await costOf(t, undefined, ran(t, false))
  expect(outside.rows - 11 * reports(outside.calls)).toBeLessThanOrEqual(bare.rows - 11 * reports(bare.calls))
  expect(outside.calls.filter(isOurs).length).toBeLessThanOrEqual(bare.calls.filter(isOurs).length)
})

test("[V19] feedback is at most 2 calls that write, and 4 rows", async () => {
  const t = await tenant("feedback-counts")
  await ready(t)
  const say = (id: string, thumb: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/feedback`, { thumb, user: "u" })
  await say(await ran(t, false)(), "up")
  const id = await ran(t, false)()
  const cost = await costOf(t, id, async () => {
    await say(id, "down")
    return id
  })
  expect(cost.calls.filter((call) => !call.endsWith(".view")).length, cost.calls.join()).toBeLessThanOrEqual(2)
  expect(cost.rows).toBeLessThanOrEqual(4)
})
