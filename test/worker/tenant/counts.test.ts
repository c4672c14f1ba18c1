// How many of each thing a tenant may have [H6]: up to the number all are made, the next is refused with a code of its own, and when one is
// gone there is room again.

import { runInDurableObject } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import { PLAN_KINDS, REFERENCE_KINDS } from "../../../src/api/references.ts"
import { MOST_CALLBACKS } from "../../../src/ports/tenant/callbacks.ts"
import { MOST_HOOKS } from "../../../src/ports/tenant/hooks.ts"
import { MOST_SCHEDULES } from "../../../src/ports/tenant/schedules.ts"
import { MOST_SCOPES } from "../../../src/ports/secrets.ts"
import { amount } from "../../support/amount.ts"
import { CATALOG, tenant, tenantObject, type Tenant } from "../../support/worker/service-client.ts"

/** The statuses of `count` requests, a few at a time. */
async function all(count: number, send: (n: number) => Promise<Response>): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let from = 0; from < count; from += 25) {
    const size = Math.min(25, count - from)
    const answers = await Promise.all(Array.from({ length: size }, (_, i) => send(from + i)))
    for (const answer of answers) seen.add((await answer.body?.cancel(), answer.status))
  }
  return seen
}

/** Adds rows like the first one, in place of so many requests. */
async function addRows(id: string, table: string, count: number): Promise<void> {
  await runInDurableObject(tenantObject(id), (_, { storage }) => {
    const { id: first, ...rest } = storage.sql.exec(`SELECT * FROM ${table} LIMIT 1`).one()
    const others = Object.keys(rest).join(", ")
    for (let n = 0; n < count; n++)
      storage.sql.exec(
        `INSERT INTO ${table} (id, ${others}) SELECT ?, ${others} FROM ${table} WHERE id = ?`,
        `${String(first).slice(0, -4)}${String(n).padStart(4, "0")}`,
        first,
      )
  })
}

const codeOf = async (answer: Response): Promise<unknown> => [answer.status, (await answer.json<{ code?: string }>()).code]

describe("a tenant has at most so many", () => {
  test.each([
    ["kinds of references", REFERENCE_KINDS.most, "too_many_kinds", "/v1/references/k", { schema: { type: "object" } }],
    [
      "kinds of plans",
      PLAN_KINDS.most,
      "too_many_kinds",
      "/v1/plans/p",
      { schema: { type: "object" }, dispatcher: { binding: "DISPATCH_SHOP" } },
    ],
    ["scopes of the vault", MOST_SCOPES, "invalid", "/v1/secrets/s", { value: "long enough" }],
  ] as const)("[H6] %s: %d", async (name, most, code, path, body) => {
    const t = await tenant(`n-${name.replaceAll(/[^a-z]+/g, "-").slice(0, 25)}`)
    const put = (n: number) => t.raw("PUT", `${path}${n}`, body)
    expect([...(await all(most, put))].filter((status) => status >= 300)).toEqual([])
    expect(await codeOf(await put(most))).toEqual([code === "invalid" ? 422 : 409, code])
    expect((await put(0)).ok).toBe(true)
    expect((await t.raw("DELETE", `${path}0`)).status).toBe(204)
    expect((await put(most)).ok).toBe(true)
  })

  test.each([
    ["hooks", MOST_HOOKS, "too_many_hooks", "/v1/hooks", { flow: "quick", kind: "github", secret: "s" }],
    ["schedules", MOST_SCHEDULES, "too_many_schedules", "/v1/schedules", { flow: "quick", cron: "0 0 1 1 *" }],
    ["callbacks", MOST_CALLBACKS, "too_many_callbacks", "/v1/callbacks", { url: "https://receiver.example.com/in", secret: "s" }],
  ] as const)("[H6] %s: %d", async (name, most, code, path, body) => {
    const t = await withFlow(`n-${name}`)
    const post = () => t.raw("POST", path, body)
    const sent = amount(most, 50)
    expect(await all(sent - 10, post)).toEqual(new Set([201]))
    await addRows(t.id, name.slice(0, -1), most - sent)
    expect(await all(10, post)).toEqual(new Set([201]))
    expect(await codeOf(await post())).toEqual([409, code])
    const { data } = await t.ask<{ data: { id: string }[] }>("GET", `${path}?limit=1`)
    expect((await t.raw("DELETE", `${path}/${data[0]?.id ?? ""}`)).status).toBe(204)
    expect((await post()).status).toBe(201)
  })
})

async function withFlow(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await t.ask("PUT", "/v1/secrets/s", { value: `whsec_${btoa("a key of twenty-four by")}` })
  return t
}
