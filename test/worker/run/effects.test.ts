// Effects across objects [K31–K35]: a family's one question, what a child says after its end, the tenant's list, and what goes with a run.

import { SELF, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import { LOCAL } from "../../support/worker/house.ts"
import { ended, runObject, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const agent = (name: string, tools: string): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: ${tools}\n---\nDo it. \${{task}}\n`
const done = "    - finish: { status: complete, summary: done }\n"
const writes = (...notes: string[]): string =>
  `    - calls: [${notes.map((note) => `{ tool: memory.write, args: { namespace: n, content: ${note} } }`).join(", ")}]\n`
const FLOWS = {
  "note.yaml": "name: note\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: m }\n",
  "note.rehearsal.yaml": `steps:\n  a:\n${writes("one", "two")}${done}`,
  "both.yaml":
    "name: both\ndescription: d\nsteps:\n  - { id: r, type: flow-ref, flow: note, task: sub }\n  - { id: a, type: agent, agent: m }\n",
  "both.rehearsal.yaml": `steps:\n  a:\n${writes("three")}${done}`,
  "many.yaml":
    'name: many\ndescription: d\ninputs:\n  items: { type: array }\nsteps:\n  - { id: m, type: map, do: note, over: "${{flow.input.items}}", task: sub }\n',
  "sad.yaml":
    "name: sad\ndescription: d\nsteps:\n  - { id: r, type: flow-ref, flow: note, task: sub }\n  - { id: a, type: agent, agent: m }\n",
  "sad.rehearsal.yaml": "steps:\n  a:\n    - finish: { status: error, summary: no }\n",
}

interface Row {
  readonly key: string
  readonly run: string
  readonly state: string
  readonly args: { readonly content?: string }
}
interface Asked {
  readonly id: string
  readonly kind: string
  readonly payload: {
    readonly effects: readonly { readonly key: string; readonly run: string; readonly args: { readonly content: string } }[]
  }
}

const ready = async (id: string): Promise<Tenant> => {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", { agents: { "m.md": agent("m", "memory.write, memory.search") }, flows: FLOWS })
  return t
}
const start = async (t: Tenant, flow: string, effects: string, more: object = {}): Promise<string> =>
  (await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go", effects, ...more })).id
const rows = async (t: Tenant, run: string): Promise<readonly Row[]> =>
  (await t.ask<{ data: Row[] }>("GET", `/v1/runs/${run}/effects`)).data
const states = async (t: Tenant, run: string): Promise<string[]> => (await rows(t, run)).map((row) => row.state)
const open = async (t: Tenant): Promise<string[]> =>
  (await t.ask<{ data: Row[] }>("GET", "/v1/effects")).data.map(({ run, state }) => `${run} ${state}`).toSorted()
const asked = (t: Tenant, run: string): Promise<Asked> =>
  until(async () => (await t.ask<{ data: Asked[] }>("GET", `/v1/runs/${run}/interactions?status=pending`)).data[0], "the question")
const commit = (t: Tenant, run: string, question: string, keys: "all" | readonly string[]) =>
  t.ask("POST", `/v1/runs/${run}/interactions/${question}`, { answer: { commit: keys } })
const children = async (t: Tenant, run: string): Promise<string[]> =>
  (await t.ask<{ children: string[] }>("GET", `/v1/runs/${run}`)).children
const memory = async (t: Tenant): Promise<string[]> => {
  const said = await t.ask<{ content: { text: string }[] }>("POST", "/v1/tools/memory.read", { namespace: "n" })
  return ["one", "two", "three"].filter((word) => said.content.some((part) => part.text.includes(word)))
}

describe("a staged family", () => {
  test("[K30] [K32] [K34] asks once; a child carries out its own after its end, and only its ledger shows it", async () => {
    const t = await ready("effects-1")
    const id = await start(t, "both", "staged")
    const { id: question, kind, payload } = await asked(t, id)
    const [child = ""] = await children(t, id)
    expect([kind, payload.effects.map((e) => [e.run, e.args.content])]).toEqual([
      "effects",
      [
        [child, "one"],
        [child, "two"],
        [id, "three"],
      ],
    ])
    expect(await memory(t)).toEqual([])
    await until(async () => (await open(t)).length === 3, "three rows in the tenant's list")
    const before = await t.ask<{ seq: number }>("GET", `/v1/runs/${child}`)
    await evictDurableObject(runObject(t.id, child))
    await commit(t, id, question, [payload.effects[1]?.key ?? "", payload.effects[2]?.key ?? ""])
    expect((await ended(t, id)).status).toBe("succeeded")
    expect((await memory(t)).toSorted()).toEqual(["three", "two"])
    expect(await states(t, id)).toEqual(["confirmed"])
    await until(async () => (await states(t, child)).join() === "discarded,confirmed", "the child's rows")
    await until(async () => (await open(t)).length === 0, "an empty list")
    // The postscript is in the journal, and nowhere else.
    const { data } = await t.ask<{ data: { type: string; seq: number }[] }>("GET", `/v1/runs/${child}/events?limit=1000`)
    expect([data.at(-1)?.type, data.at(-1)?.seq, (await t.ask<{ seq: number }>("GET", `/v1/runs/${child}`)).seq]).toEqual([
      "run.ended",
      before.seq,
      before.seq,
    ])
    const last = await runInDurableObject(
      runObject(t.id, child),
      (_, ctx) => ctx.storage.sql.exec<{ last: number }>("SELECT max(last) AS last FROM entry").one().last,
    )
    expect(last).toBeGreaterThan(before.seq)
    const stream = await t.raw("GET", `/v1/runs/${child}/events?after=${before.seq}`, undefined, { accept: "text/event-stream" })
    expect(stream.status).toBe(204)
    const whole = await (await t.raw("GET", `/v1/runs/${child}/events`, undefined, { accept: "text/event-stream" })).text()
    expect([whole.includes("run.ended"), whole.includes("effect.settled")]).toEqual([true, false])
    expect(await t.ask("GET", `/v1/runs/${child}/replay`)).toEqual({ events: last, identical: true })
  })

  test("[K34] [K40] has a receipt with its postscript, and one from before it still holds", async () => {
    const t = await ready("effects-receipt")
    const receipt = async (run: string): Promise<string> =>
      new TextDecoder().decode(await (await t.raw("GET", `/v1/runs/${run}/receipt`)).arrayBuffer())
    const check = async (text: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${LOCAL}`, "content-type": "text/plain" }
      return (await SELF.fetch("http://sluice/v1/receipts/verify", { method: "POST", headers, body: text })).json()
    }
    const id = await start(t, "both", "staged")
    const { id: question } = await asked(t, id)
    const [child = ""] = await children(t, id)
    const before = await receipt(child)
    await commit(t, id, question, "all")
    await ended(t, id)
    await until(async () => (await states(t, child)).join() === "confirmed,confirmed", "the child's rows")
    const after = await receipt(child)
    const types = (text: string): unknown[] => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).type]))
    expect([types(before).includes("effect.settled"), types(after).filter((type) => type === "effect.settled").length]).toEqual([false, 2])
    for (const text of [before, after, await receipt(id)])
      expect(await check(text)).toMatchObject({ valid: true, checks: { replay: true } })
  })

  test("[K32] children of a map have the same keys, and each is chosen by its own name", async () => {
    const t = await ready("effects-2")
    const id = await start(t, "many", "staged", { inputs: { items: [1, 2] } })
    const { id: question, payload } = await asked(t, id)
    const keys = payload.effects.map((e) => e.key)
    expect([keys.length, new Set(keys).size]).toEqual([4, 4])
    await commit(t, id, question, [keys[0] ?? "", keys[3] ?? ""])
    expect((await ended(t, id)).status).toBe("succeeded")
    const all = await Promise.all((await children(t, id)).map(async (child) => states(t, child)))
    await until(async () => (await open(t)).length === 0, "an empty list")
    expect(all.flat().filter((state) => state === "confirmed")).toHaveLength(2)
  })

  test("[K32] that fails or is canceled discards what its children kept, and a child that is canceled itself keeps it", async () => {
    const t = await ready("effects-3")
    const sad = await start(t, "sad", "staged")
    expect((await ended(t, sad)).status).toBe("failed")
    const [child = ""] = await children(t, sad)
    await until(async () => (await states(t, child)).join() === "discarded,discarded", "the discarded rows")
    const id = await start(t, "both", "staged")
    await asked(t, id)
    const [other = ""] = await children(t, id)
    await t.ask("POST", `/v1/runs/${other}/cancel`)
    expect(await states(t, other)).toEqual(["staged", "staged"])
    await t.ask("POST", `/v1/runs/${id}/cancel`)
    await until(async () => (await states(t, other)).join() === "discarded,discarded", "the discarded rows")
    expect(await memory(t)).toEqual([])
  })

  test("[K33] a dry one asks nothing and discards all", async () => {
    const t = await ready("effects-4")
    const id = await start(t, "both", "dry")
    expect((await ended(t, id)).status).toBe("succeeded")
    const [child = ""] = await children(t, id)
    expect([await states(t, id), await states(t, child), await memory(t)]).toEqual([["discarded"], ["discarded", "discarded"], []])
  })
})

describe("the end of a run with a postscript", () => {
  test("[H6] [K34] is found by its retention, and its rows leave the tenant's list with it", async () => {
    const t = await ready("effects-5")
    const id = await start(t, "both", "staged")
    const { id: question } = await asked(t, id)
    const [child = ""] = await children(t, id)
    await commit(t, id, question, "all")
    await ended(t, id)
    await until(async () => (await states(t, child)).join() === "confirmed,confirmed", "the child's rows")
    await t.ask("PUT", "/v1/settings/retention", { runs: "1s" })
    await until(async () => {
      await runDurableObjectAlarm(runObject(t.id, child))
      return (await t.raw("GET", `/v1/runs/${child}`)).status === 404
    }, "the deletion")
  })

  test("[H2] a deleted run takes its open effects out of the list", async () => {
    const t = await ready("effects-6")
    const id = await start(t, "note", "staged")
    await asked(t, id)
    await until(async () => (await open(t)).length === 2, "two rows")
    expect((await t.raw("DELETE", `/v1/runs/${id}`)).status).toBe(204)
    await until(async () => (await open(t)).length === 0, "an empty list")
    const left = await runInDurableObject(
      tenantObject(t.id),
      (_, ctx) => ctx.storage.sql.exec("SELECT run FROM effect_open UNION SELECT run FROM effect_report").toArray().length,
    )
    expect(left).toBe(0)
  })
})
