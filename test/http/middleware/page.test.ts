// Pages of lists that are read whole [H5], with hooks as the example.

import { describe, expect, test } from "vitest"
import type { HookRow } from "../../../src/ports/tenant/hooks.ts"
import { setUp } from "../../support/http/ask.ts"

const row = (n: number): HookRow => ({
  id: `hook-${String(n).padStart(20, "0")}`,
  // Two rows have the same time.
  created: 1_000 * Math.floor(n / 2),
  flow: "f",
  kind: "hmac",
  secret: "hs",
  mapping: {},
  autonomous: true,
  enabled: true,
})

function ready(count: number) {
  const { ask, acme } = setUp()
  const { stored } = acme.hooks
  const put = (n: number): void => void stored.set(row(n).id, row(n))
  for (let n = 0; n < count; n++) put(n)
  // Newest first, like the store.
  acme.hooks.list = async () => [...stored.values()].toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
  const page = async (query: string) => {
    const { status, body } = await ask("GET", `/v1/hooks${query}`)
    const data = (body["data"] ?? []) as { id: string }[]
    return { status, body, ids: data.map(({ id }) => Number(id.slice(5))), next: body["next_cursor"] as string | null }
  }
  return { ask, acme, stored, put, page }
}

describe("a list that is read whole", () => {
  test("[H5] is complete without parameters, and in pages with a limit", async () => {
    const { page } = ready(5)
    expect(await page("")).toMatchObject({ ids: [4, 3, 2, 1, 0], next: null })
    const one = await page("?limit=2")
    const two = await page(`?limit=2&cursor=${one.next}`)
    const three = await page(`?limit=2&cursor=${two.next}`)
    expect([one.ids, two.ids, three.ids, three.next]).toEqual([[4, 3], [2, 1], [0], null])
    expect((await page("?limit=5")).next).toBeNull()
  })

  test("[H5] rows that appear or disappear between pages, even the cursor's row, lose and repeat nothing", async () => {
    const { page, stored, put } = ready(8)
    const one = await page("?limit=3")
    stored.delete(row(5).id)
    put(9)
    stored.delete(row(2).id)
    const two = await page(`?cursor=${one.next}`)
    expect([one.ids, two.ids]).toEqual([
      [7, 6, 5],
      [4, 3, 1, 0],
    ])
    for (const id of stored.keys()) stored.delete(id)
    expect(await page(`?cursor=${one.next}`)).toMatchObject({ status: 200, ids: [], next: null })
  })

  test("[H5] in another order, continues after the place of the cursor's row even if that row is gone", async () => {
    const { acme, page, stored } = ready(3)
    acme.hooks.list = async () => [1, 0, 2].flatMap((n) => stored.get(row(n).id) ?? [])
    const one = await page("?limit=2")
    const next = async () => (await page(`?cursor=${one.next}`)).ids
    expect([one.ids, await next()]).toEqual([[1, 0], [2]])
    stored.delete(row(0).id)
    expect(await next()).toEqual([2])
  })

  test("[H5] a bad limit, a bad cursor, and a cursor of another list or tenant are 422", async () => {
    const { ask, page } = ready(3)
    const { next } = await page("?limit=1")
    for (const query of ["?limit=0", "?limit=201", "?limit=x", "?limit=", "?cursor=", "?cursor=x", "?cursor=e30"])
      expect(await page(query), query).toMatchObject({ status: 422, body: { code: "invalid" } })
    expect((await ask("GET", `/v1/schedules?cursor=${next}`)).status).toBe(422)
    expect((await ask("GET", `/v1/hooks?cursor=${next}`, { key: "key-b" })).status).toBe(422)
  })

  test("[H5] continues by name if the list is ordered by name", async () => {
    const { ask, acme } = setUp()
    for (const scope of ["a", "b", "c"]) await acme.secrets.put(scope, ["a-long-secret"])
    const one = await ask("GET", "/v1/secrets?limit=1")
    await acme.secrets.remove("a")
    const two = await ask("GET", `/v1/secrets?limit=1&cursor=${String(one.body["next_cursor"])}`)
    const scopes = [one, two].map(({ body }) => (body["data"] as { scope: string }[]).map(({ scope }) => scope))
    expect(scopes).toEqual([["a"], ["b"]])
  })
})
