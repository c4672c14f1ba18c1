// What one short run costs from its start to its end, in calls between objects and in the tenant's rows [N4]. The caller waits for the end.

import { runInDurableObject } from "cloudflare:test"
import { expect, test } from "vitest"
import { counted, type Counted } from "../../../support/worker/counted-calls.ts"
import { objectCalls } from "../../../support/worker/object-calls.ts"
import { counting, rowsWrittenBy } from "../../../support/worker/run-counts.ts"
import { CATALOG, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const run = (t: Tenant, headers?: Record<string, string>): Promise<{ id: string; status: string }> =>
  t.ask("POST", "/v1/flows/quick/runs", { task: "go" }, headers)

const isListed = async (t: Tenant, id: string): Promise<boolean> => {
  const { data } = await t.ask<{ data: { id: string; ended: string | null }[] }>("GET", "/v1/runs")
  return data.some((row) => row.id === id && row.ended !== null)
}

const hasEnd = (t: Tenant, id: string): Promise<boolean> =>
  runInDurableObject(
    tenantObject(t.id),
    (_, { storage }) => storage.sql.exec("SELECT 1 FROM run WHERE id = ? AND ended IS NOT NULL", id).toArray().length > 0,
  )

/** One start with its wait, until the run's report has arrived. */
const oneRun = (t: Tenant): Promise<Counted> =>
  counted(t.id, async ({ calls }) => {
    expect((await run(t, { prefer: "wait=30" })).status).toBe("succeeded")
    await until(async () => calls.includes("tenant runs.note"), "the report of the end")
  })

test("[N4] a start that waits for its end is three calls between objects, and few statements and rows of its tenant", async () => {
  const t = await tenant("start-counts")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await run(t, { prefer: "wait=30" })
  const seen = await oneRun(t)
  expect(seen.calls).toEqual(["tenant starts.pin", "run start", "tenant runs.note"])
  expect(seen.statements.length, seen.statements.join("\n")).toBeLessThanOrEqual(8)
  expect(seen.rowsWritten()).toBeLessThanOrEqual(19)
})

test("[J15] ten steps are three calls between objects, fourteen rows in the tenant's, and a row for each commit in the run's", async () => {
  const t = await tenant("start-rows")
  const steps = Array.from(
    { length: 10 },
    (_, i) => `  - { id: s${i}, agent: a, task: part ${i}${i > 0 ? `, blockedBy: [s${i - 1}]` : ""} }\n`,
  )
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { "ten.yaml": `name: ten\ndescription: d\nsteps:\n${steps.join("")}` } })
  const ten = (): Promise<{ id: string; status: string }> => t.ask("POST", "/v1/flows/ten/runs", { task: "go" }, { prefer: "wait=30" })
  // The first start of a tenant finds what the next ones know.
  const before = objectCalls(t.id)
  await ten()
  await until(async () => before.calls.includes("tenant runs.note"), "the first report")
  before.stop()
  const { calls, stop } = objectCalls(t.id)
  try {
    const [ofRun, ofTenant] = await counting(async (countsOf) => {
      const { id, status } = await ten()
      expect(status).toBe("succeeded")
      // Whoever asks for the list moves the promise there, which is a row more.
      await until(() => hasEnd(t, id), "the report of the end")
      return [await countsOf(id, t.id), await rowsWrittenBy(tenantObject(t.id))]
    })
    // On a machine on which the run takes longer than a second there is one more report of it, and one more commit.
    const reports = calls.filter((call) => call === "tenant runs.note").length
    expect(calls.filter((call) => call.startsWith("run ") || call.startsWith("tenant starts"))).toHaveLength(2)
    // The run's table is two rows.
    expect(ofRun.rowsWritten).toBeLessThanOrEqual(2 + ofRun.commits + ofRun.alarms)
    expect(ofRun.alarms).toBeLessThanOrEqual(2)
    // In the tenant's object: the place (written over a spent one), the run with its six indexes and its count, its bytes, three sums of the day,
    // and two of the hour: the flow's and the tenant's.
    expect(ofTenant).toBeLessThanOrEqual(14 + 11 * (reports - 1))
  } finally {
    stop()
  }
})

test("[H5] a run is in the list from the answer to its start, with what its start gave", async () => {
  const t = await tenant("start-listed")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await t.ask("PUT", "/v1/secrets/own", { value: "hunter22hunter22" })
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/long/runs", {
    task: "go",
    tags: ["a", "hunter22hunter22"],
    thread: "t 1",
  })
  const pages = ["", "?tag=a", "?thread=t+1", "?trigger=api", "?flow=long", "?status=running,waiting"]
  for (const query of pages) {
    const { data } = await t.ask<{ data: { id: string; tags: string[] }[] }>("GET", `/v1/runs${query}`)
    expect(
      data.map((row) => row.id),
      query,
    ).toEqual([id])
    expect(JSON.stringify(data)).not.toContain("hunter22")
  }
})

test("[H5] a run's report replaces the row of its start: created, tags and status are the run's own", async () => {
  const t = await tenant("start-replaced")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go", tags: ["b"] })
  await until(() => isListed(t, id), "the report of the end")
  const { created } = await t.ask<{ created: string }>("GET", `/v1/runs/${id}`)
  const { data } = await t.ask<{ data: object[] }>("GET", `/v1/runs?tag=b&created_after=${created}`)
  expect(data).toMatchObject([{ id, created, status: "succeeded", tags: ["b"] }])
})

test("[R21] a start with a block is two calls to the object of its tenant more, and four writes of its row; one without a block is as before", async () => {
  const t = await tenant("start-line-counts")
  const keyed = "name: keyed\ndescription: d\nstart: { concurrency: { key: k } }\nsteps:\n  - { id: a, type: agent, agent: a }\n"
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "keyed.yaml": keyed } })
  await run(t, { prefer: "wait=30" })
  const keyedRun = (): Promise<Counted> =>
    counted(t.id, async ({ calls }) => {
      const { status } = await t.ask<{ status: string }>("POST", "/v1/flows/keyed/runs", { task: "go" }, { prefer: "wait=30" })
      expect(status).toBe("succeeded")
      await until(async () => calls.filter((call) => call === "tenant runs.note").length > 1, "the report of the end")
    })
  await keyedRun()
  const seen = await keyedRun()
  const ofTenant = seen.calls.filter((call) => call.startsWith("tenant "))
  expect(ofTenant.filter((call) => call !== "tenant secrets.open")).toEqual([
    "tenant starts.pin",
    "tenant starts.arrive",
    "tenant runs.note",
    "tenant runs.note",
  ])
  // Written when it arrives, comes into line, begins, and when the run is over.
  const lined = seen.statements.filter((statement) => /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) start_/.test(statement))
  expect(lined.length, lined.join("\n")).toBeLessThanOrEqual(4)
  // Another flow of the same tenant pays nothing.
  const plain = await oneRun(t)
  expect(plain.calls).toEqual(["tenant starts.pin", "run start", "tenant runs.note"])
  expect(plain.statements.filter((statement) => /start_(?:line|thing)/.test(statement))).toEqual([])
  expect(plain.rowsWritten()).toBeLessThanOrEqual(19)
})
