// [K21] The last result of each case, by revision.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import type { TestCases } from "../../../../src/api/doc/tests.doc.ts"
import { TestResultStore } from "../../../../src/cloudflare/tenant/tests/test-result-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { agent, ask, call, flow } from "../../../support/worker/house.ts"

const STEPS = "  - { id: a, type: agent, agent: a }\n"
const file = (expected: string): string =>
  `cases:\n  - { name: works, expect: { status: succeeded } }\n  - name: ends as it should\n    expect: { status: ${expected} }\n`
const cases = (query = ""): Promise<TestCases> => ask("GET", `/v1/flows/kept/test${query}`)
const shown = ({ cases: all }: TestCases): unknown[] => all.map(({ name, line, last }) => [name, line, last?.passed])
const write = (expected: string): Promise<{ revision: number }> =>
  ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: { "kept.yaml": flow("kept", STEPS), "kept.test.yaml": file(expected) },
  })

test("[K21] a case has its last result, with the revision it was run on; what is only proposed leaves none", async () => {
  const { revision } = await write("failed")
  expect(shown(await cases())).toEqual([
    ["works", 2, undefined],
    ["ends as it should", 3, undefined],
  ])
  await ask("POST", "/v1/flows/kept/test", { definitions: { "flows/kept.test.yaml": file("failed") } })
  expect((await cases()).cases.some(({ last }) => last)).toBe(false)
  await ask("POST", "/v1/flows/kept/test", {})
  const first = await cases()
  expect(first).toMatchObject({
    flow: "kept",
    path: "flows/kept.test.yaml",
    tier: "local",
    cases: [
      { last: { revision, passed: true, failures: [] } },
      { last: { revision, passed: false, failures: [{ at: "/status", expected: "failed", found: "succeeded" }] } },
    ],
  })
  const { revision: mended } = await write("succeeded")
  await ask("POST", "/v1/flows/kept/test", { case: "ends as it should" })
  expect((await cases()).cases.map(({ last }) => [last?.revision, last?.passed])).toEqual([
    [revision, true],
    [mended, true],
  ])
  expect(shown(await cases(`?revision=${revision}`))).toEqual([
    ["works", 2, true],
    ["ends as it should", 3, false],
  ])
  expect((await call("GET", "/v1/flows/kept/test?revision=x")).status).toBe(422)
  expect((await call("GET", "/v1/flows/nowhere/test")).status).toBe(404)
})

test("[K21] a flow without tests has no cases", async () => {
  await ask("PUT", "/v1/catalog", { agents: { "a.md": agent("a") }, flows: { "bare.yaml": flow("bare", STEPS) } })
  expect(await ask("GET", "/v1/flows/bare/test")).toEqual({ flow: "bare", cases: [] })
})

test("[K21] a case keeps its newest ten revisions, a tenant its newest rows, and a row the failures that fit", async () => {
  const stub = env.TENANT.get(env.TENANT.idFromName("results-bound"))
  await runInDurableObject(stub, (_, state) => {
    let now = 0
    const store = new TestResultStore(new TenantSql(state.storage), () => ++now)
    const one = (name: string) => ({ name, passed: true, run: null, ms: 1, failures: [] })
    for (let revision = 1; revision <= 14; revision++) store.keep("f", revision, [one("c")])
    expect([store.newest("f", 4), store.newest("f", 5).map(({ revision }) => revision)]).toEqual([[], [5]])
    const failures = Array.from({ length: 64 }, (_, i) => ({ at: `/output/${i}`, expected: "x".repeat(1_000), found: null }))
    store.keep("f", 15, [{ ...one("c"), passed: false, failures }])
    expect(store.newest("f")).toMatchObject([{ revision: 15, passed: false }])
    expect(store.newest("f")[0]?.failures).toHaveLength(8)
    for (let n = 0; n < 52; n++)
      store.keep(
        `g${n}`,
        1,
        Array.from({ length: 100 }, (_, i) => one(`c${i}`)),
      )
    const [row] = state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM test_result").toArray()
    expect(row?.n).toBeLessThanOrEqual(5_000)
    expect([store.newest("f"), store.newest("g51")].map((rows) => rows.length)).toEqual([0, 100])
  })
})
