// The tenant's stream with real objects [H15]: what a page hears, where it goes on, and when it ends.

import { evictDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import { CATALOG, client, tenant, tenantObject, type Client, type Tenant } from "../../support/worker/service-client.ts"

interface Heard {
  readonly id: string
  readonly type: string
  readonly run?: string
  readonly question?: string
  readonly revision?: number
  readonly status?: string
}

/** Reads until `stop` is true of all that was heard, or the stream ends. */
async function hear(
  from: Client,
  stop: (all: readonly Heard[]) => boolean,
  after?: string,
  begin?: () => Promise<unknown>,
): Promise<Heard[]> {
  const answer = await from.raw("GET", "/v1/stream", undefined, after === undefined ? {} : { "last-event-id": after })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const all: Heard[] = []
  let text = ""
  let begun = false
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return all
    text += value
    const blocks = text.split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) all.push(JSON.parse(data))
    }
    if (!begun && all.length > 0) {
      begun = true
      await begin?.()
    }
    if (stop(all)) {
      await reader?.cancel()
      return all
    }
  }
}
const has =
  (type: string, n = 1) =>
  (all: readonly Heard[]) =>
    all.filter((one) => one.type === type).length >= n

let t: Tenant
beforeAll(async () => {
  t = await tenant("feed")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

describe("the stream", () => {
  test("[H15] a run from its start to its end, and its deletion", async () => {
    let run = ""
    const all = await hear(t, has("run.deleted"), undefined, async () => {
      run = (await t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=60" })).id
      await t.raw("DELETE", `/v1/runs/${run}`)
    })
    expect(all[0]).toMatchObject({ type: "stream.began" })
    const own = all.filter((one) => one.run === run).map(({ type }) => type)
    expect(own[0]).toBe("run.began")
    expect(own.filter((type) => type !== "run.changed")).toEqual(["run.began", "run.ended", "run.deleted"])
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })

  test("[H15] questions outside a run, and revisions for who may read the catalog", async () => {
    const reader = await t.ask<{ key: string }>("POST", "/v1/keys", { name: "reader", scopes: ["runs:read"] })
    const change = async (): Promise<void> => {
      await t.ask("PUT", "/v1/catalog", {
        flows: { "other.yaml": "name: other\ndescription: d\nsteps:\n  - { id: a, type: wait, signal: go }\n" },
      })
      await t.ask("PUT", "/v1/catalog", CATALOG)
      const { interaction } = await t.ask<{ interaction: { id: string } }>("POST", "/v1/tools/ask_user", {
        question: "Which?",
        type: "input",
      })
      await t.ask("POST", `/v1/interactions/${interaction.id}`, { answer: "this" })
    }
    const all = await hear(t, has("question.answered"), undefined, change)
    expect(all.map(({ type }) => type)).toEqual([
      "stream.began",
      "revision.written",
      "revision.written",
      "question.asked",
      "question.answered",
    ])
    const less = await hear(client(reader.key), has("question.answered"), undefined, change)
    expect(less.map(({ type }) => type)).toEqual(["stream.began", "question.asked", "question.answered"])
  })

  test("[H15] goes on after the last id; after an id that it does not know there is a gap", async () => {
    const start = () => t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=60" })
    const all = await hear(t, has("run.ended"), undefined, start)
    const began = all.find(({ type }) => type === "run.began")
    const again = await hear(t, has("run.ended"), began?.id)
    expect(again).toEqual(all.slice(all.findIndex(({ id }) => id === began?.id) + 1))
    for (const id of ["nothing-1", "%00", "x".repeat(64)])
      expect(
        (await hear(t, (heard) => heard.length > 0, id)).map(({ type }) => type),
        id,
      ).toEqual(["stream.gap"])
  })

  test("[H15] an id of an earlier life of the tenant's object is a gap, although as much has happened since", async () => {
    const again = await tenant("feed-again")
    await again.ask("PUT", "/v1/catalog", CATALOG)
    const start = () => again.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=60" })
    const before = (await hear(again, has("run.began"), undefined, start)).at(-1)
    await evictDurableObject(tenantObject(again.id))
    for (let n = 0; n < 3; n++) await hear(again, has("run.ended"), undefined, start)
    const [first] = await hear(again, (heard) => heard.length > 0, before?.id)
    expect(first?.type).toBe("stream.gap")
  })

  test("[H15] [N1] has nothing of another tenant", async () => {
    const other = await tenant("feed-other")
    await other.ask("PUT", "/v1/catalog", CATALOG)
    const heard = await hear(other, has("run.ended"), undefined, async () => {
      await t.ask("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=60" })
      await other.ask("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=60" })
    })
    expect(new Set(heard.flatMap(({ run }) => (run === undefined ? [] : [run]))).size).toBe(1)
  })

  test("[H15] [S18] ends when its key is revoked", async () => {
    const key = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "k", scopes: ["runs:read"] })
    const heard = await hear(
      client(key.key),
      () => false,
      undefined,
      () => t.raw("DELETE", `/v1/keys/${key.id}`),
    )
    expect(heard.map(({ type }) => type)).toEqual(["stream.began"])
    expect((await client(key.key).raw("GET", "/v1/stream")).status).toBe(401)
  })

  test("[H15] without runs:read it is 403, and HEAD opens nothing", async () => {
    const key = await t.ask<{ key: string }>("POST", "/v1/keys", { name: "k", scopes: ["admin"] })
    expect((await client(key.key).raw("GET", "/v1/stream")).status).toBe(403)
    expect((await t.raw("HEAD", "/v1/stream")).status).toBe(200)
  })
})
