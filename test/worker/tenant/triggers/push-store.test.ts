// What a tenant's object keeps for A2A: push configurations [P17], and the list of tasks [P16].

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { Vault } from "../../../../src/cloudflare/platform/vault.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { taskList } from "../../../../src/protocols/a2a/task-list.ts"
import { SealedValues } from "../../../../src/cloudflare/tenant/secrets/sealed-values.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { PushStore } from "../../../../src/protocols/a2a/push-store.ts"

async function within<T>(act: (sql: TenantSql) => Promise<T>): Promise<T> {
  const stub = env.TENANT.get(env.TENANT.idFromName(crypto.randomUUID()))
  return runInDurableObject(stub, async (_, { storage }) => act(new TenantSql(storage)))
}

test("[P17] secrets are sealed, an eleventh is refused, and another run's are not seen", async () => {
  await within(async (sql) => {
    const store = new PushStore(sql, new SealedValues(new Vault({ ENVIRONMENT: "local" }), "push", "acme"))
    const config = { url: "https://a.example/x", scheme: "Bearer", credentials: "cred-SECRET", token: "tok" }
    for (let n = 0; n < 10; n++) expect(await store.add("run_a", { id: `c${n}`, ...config })).toBe("ok")
    expect(await store.add("run_a", { id: "c10", ...config })).toBe("full")
    expect(await store.add("run_a", { id: "c9", ...config })).toBe("ok")
    expect(JSON.stringify(store.of("run_a"))).not.toMatch(/SECRET|tok/)
    expect(await store.headers("run_a", "push:c3")).toMatchObject({
      authorization: "Bearer cred-SECRET",
      "x-a2a-notification-token": "tok",
    })
    store.remove("run_a", "c3")
    expect(await store.headers("run_a", "push:c3")).toBeUndefined()
    expect(store.of("run_b")).toEqual([])
  })
})

test("[P16] tasks come by their latest status, in pages that lose nothing", async () => {
  await within(async (sql) => {
    const runs = new RunIndex(sql, "acme")
    const row = (n: number, status: string, since: number) =>
      runs.note({
        id: `run_${n}`,
        flow: "f",
        status,
        created: n,
        view: { id: `run_${n}`, flow: "f", status, seq: 1, pending: 0, since: new Date(since).toISOString() },
      })
    for (const n of [1, 2, 3, 4]) row(n, n === 4 ? "running" : "succeeded", 10_000 - n)
    const first = taskList(sql, "acme", { flow: "f", limit: 3 })
    if ("badCursor" in first) throw new Error("no page")
    expect([first.total, first.data.map(({ id }) => id)]).toEqual([4, ["run_1", "run_2", "run_3"]])
    const second = taskList(sql, "acme", { flow: "f", limit: 3, cursor: first.next_cursor ?? "" })
    expect(second).toMatchObject({ total: 4, next_cursor: null, data: [{ id: "run_4" }] })
    expect(taskList(sql, "acme", { flow: "f", limit: 500, state: "working" })).toMatchObject({ total: 1 })
    expect(taskList(sql, "acme", { flow: "g", limit: 3, cursor: first.next_cursor ?? "" })).toEqual({ badCursor: true })
  })
})
