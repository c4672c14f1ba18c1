// The tenant's answered interactions [Q2]: who decided what and when, newest first, by flow and kind.

import { beforeAll, describe, expect, test } from "vitest"
import { tenant, until, type Tenant } from "../../support/worker/service-client.ts"

interface Row {
  readonly id: string
  readonly run: string | null
  readonly flow?: string
  readonly kind: string
  readonly status: string
  readonly by?: string
  readonly decided?: string
  readonly answer?: object
  readonly task?: string
  readonly tags?: readonly string[]
}
interface Listed {
  readonly data: Row[]
  readonly next_cursor: string | null
}

const asks = (name: string, option: string): string =>
  `name: ${name}\ndescription: asks\nsteps:\n  - { id: choose, type: fork, question: Which?, options: [${option}, right], branches: { ${option}: a, right: b } }\n  - { id: a, type: wait, for: 1s, blockedBy: choose }\n  - { id: b, type: wait, for: 1s, blockedBy: choose }\n`

let t: Tenant
const runs: string[] = []
const list = (query = ""): Promise<Listed> => t.ask<Listed>("GET", `/v1/interactions${query}`)

async function decide(flow: string, answer: string): Promise<string> {
  const { id } = await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { autonomous: false, task: "go" })
  const asked = await until(
    async () => (await t.ask<Listed>("GET", `/v1/runs/${id}/interactions?status=pending`)).data[0],
    `a question of ${flow}`,
  )
  await t.ask("POST", `/v1/runs/${id}/interactions/${asked?.id}`, { answer })
  return id
}

beforeAll(async () => {
  t = await tenant("answered")
  await t.ask("PUT", "/v1/catalog", { agents: {}, flows: { "one.yaml": asks("one", "left"), "two.yaml": asks("two", "up") } })
  for (const [flow, answer] of [
    ["one", "left"],
    ["two", "up"],
    ["one", "right"],
  ] as const)
    runs.push(await decide(flow, answer))
  const { interaction } = await t.ask<{ interaction: { id: string } }>("POST", "/v1/tools/ask_user", { question: "Which?", type: "input" })
  await t.ask("POST", `/v1/interactions/${interaction.id}`, { answer: "this" })
  await until(async () => (await list("?status=answered")).data.length === 4, "four answered")
})

describe("answered interactions", () => {
  test("[Q2] newest first, with who decided, when, and what", async () => {
    const { data, next_cursor } = await list("?status=answered")
    expect(data.map(({ run }) => run)).toEqual([null, runs[2], runs[1], runs[0]])
    expect(data.map(({ answer }) => answer)).toMatchObject([{ answer: "this" }, { answer: "right" }, { answer: "up" }, { answer: "left" }])
    expect(new Set(data.map(({ status, by }) => `${status} ${by}`))).toEqual(new Set(["answered all"]))
    const times = data.map(({ decided }) => decided ?? "")
    expect(times).toEqual(times.toSorted().toReversed())
    expect(next_cursor).toBeNull()
    const one = await t.ask<Row>("GET", `/v1/runs/${runs[0]}/interactions/${data[3]?.id}`)
    expect(one.decided).toBe(data[3]?.decided)
  })

  test("[Q2] [H5] in pages of any size, by flow and by kind", async () => {
    const whole = (await list("?status=answered")).data
    for (const limit of [1, 2, 3]) {
      const got: Row[] = []
      for (let cursor = ""; ;) {
        const page = await list(`?status=answered&limit=${limit}${cursor}`)
        expect(page.data.length).toBeLessThanOrEqual(limit)
        got.push(...page.data)
        if (page.next_cursor === null) break
        cursor = `&cursor=${page.next_cursor}`
      }
      expect(got).toEqual(whole)
    }
    expect((await list("?status=answered&flow=one")).data.map(({ run }) => run)).toEqual([runs[2], runs[0]])
    expect((await list("?status=answered&flow=one,two&kind=fork")).data.length).toBe(3)
    expect((await list("?status=answered&kind=ask_user")).data.map(({ run }) => run)).toEqual([null])
    expect((await list("?status=answered&flow=nothing")).data).toEqual([])
    expect((await list("?status=open")).data).toEqual([])
  })

  test("[Q2] open ones by flow and by kind", async () => {
    const ids: Record<string, string> = {}
    for (const flow of ["one", "two"])
      ids[flow] = (await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { autonomous: false, task: "go" })).id
    await t.ask("POST", "/v1/tools/ask_user", { question: "Which?", type: "input" })
    await until(async () => (await list()).data.length === 3, "three open")
    expect((await list("?flow=two")).data.map(({ run }) => run)).toEqual([ids["two"]])
    expect((await list("?kind=ask_user")).data.map(({ run }) => run)).toEqual([null])
    expect((await list("?kind=fork")).data.length).toBe(2)
    expect((await list("?kind=budget,effects")).data).toEqual([])
  })

  test("[H3] what is no status, kind or cursor of this list is 422", async () => {
    for (const query of ["status=pending", "status=open,answered", "kind=nothing", "status=answered&cursor=x", "limit=0"])
      expect((await t.raw("GET", `/v1/interactions?${query}`)).status, query).toBe(422)
    const { next_cursor } = await list("?status=answered&limit=1")
    expect((await t.raw("GET", `/v1/runs?cursor=${next_cursor}`)).status).toBe(422)
  })

  test("[Q2] those of a deleted run are gone", async () => {
    await t.raw("DELETE", `/v1/runs/${runs[1]}`)
    expect((await list("?status=answered")).data.map(({ run }) => run)).toEqual([null, runs[2], runs[0]])
  })
  test("[Q2] a row has the beginning of its run's task and its tags, open or answered", async () => {
    const task = `Refund order 7. ${"x".repeat(400)}`
    const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/one/runs", { autonomous: false, task, tags: ["us", "vip"] })
    const row = await until(async () => (await list()).data.find(({ run }) => run === id), "its question")
    expect([row?.task?.slice(0, 15), row?.tags]).toEqual(["Refund order 7.", ["us", "vip"]])
    expect(row?.task?.length).toBeLessThanOrEqual(201)
    await t.ask("POST", `/v1/runs/${id}/interactions/${row?.id}`, { answer: "left" })
    const decided = await until(async () => (await list("?status=answered")).data.find(({ run }) => run === id), "its answer")
    expect([decided?.task, decided?.tags]).toEqual([row?.task, row?.tags])
    expect((await list("?status=answered")).data.find(({ run }) => run === null)).not.toHaveProperty("task")
    await t.raw("DELETE", `/v1/runs/${id}`)
  })

  test("[Q2] a count says how many are open, and follows each answer", async () => {
    const count = () => t.ask<object>("GET", "/v1/interactions/count")
    const open = (await list()).data
    expect(open.length).toBeGreaterThan(1)
    expect(await count()).toEqual({ asks: open.length, effects: 0, complete: true })
    const outside = open.find(({ run }) => run === null)
    await t.ask("POST", `/v1/interactions/${outside?.id}`, { answer: "this" })
    expect(await count()).toEqual({ asks: open.length - 1, effects: 0, complete: true })
    const asked = open.find(({ flow }) => flow === "two")
    await t.ask("POST", `/v1/runs/${asked?.run}/interactions/${asked?.id}`, { answer: "up" })
    await until(
      async () => JSON.stringify(await count()) === JSON.stringify({ asks: open.length - 2, effects: 0, complete: true }),
      "one less",
    )
  })
})
