// DELETE of a run: it disappears from every store and route. A live run is canceled first; its children are deleted, its parent is told, and
// the answer stored for its Idempotency-Key stays.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { RunStart } from "../../../src/cloudflare/run/run-start.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, flow, runOf, socket, start, stub, until, LOCAL } from "../../support/worker/house.ts"
import { ended as over, start as begin, tenant, until as untilIt } from "../../support/worker/service-client.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "quick.yaml": flow("quick", "  - { id: a, type: agent, agent: a }\n"),
      "quick.rehearsal.yaml":
        "steps:\n  a:\n    - calls: [{ tool: write, args: { path: a.md, content: hello } }]\n    - finish: { status: complete, summary: done }\n",
      "patient.yaml": flow("patient", "  - { id: w, type: wait, signal: go }\n"),
      "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: patient, on_error: z }\n  - { id: z, type: agent, agent: a }\n"),
      "slow.yaml": flow("slow", "  - { id: a, type: agent, agent: a }\n"),
      "slow.rehearsal.yaml": "steps:\n  a:\n    - delay: 10m\n      finish: { status: complete, summary: done }\n",
    },
  })
})

const doors = ["", "/events", "/files", "/interactions", "/steps/a/messages", "/steps/a/tools"]
const remove = (id: string) => call("DELETE", `/v1/runs/${id}`)
const listed = async (id: string): Promise<boolean> =>
  (await ask<{ data: RunView[] }>("GET", "/v1/runs?limit=200")).data.some((r) => r.id === id)
const rowsOf = (id: string) =>
  runInDurableObject(stub(id), async (_, ctx) => ({
    tables: ctx.storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => [name, ctx.storage.sql.exec(`SELECT 1 FROM "${name}"`).toArray().length])
      .filter(([, rows]) => rows !== 0),
    keys: [...ctx.storage.kv.list()].map(([key]) => key),
    alarm: await ctx.storage.getAlarm(),
  }))
const indexed = (id: string) =>
  runInDurableObject(env.TENANT.get(env.TENANT.idFromName("local")), (_, ctx) =>
    ["run", "run_tag"].map((table) => ctx.storage.sql.exec(`SELECT 1 FROM ${table} WHERE id = ?`, id).toArray().length),
  )

/** As not wanted, and not begun. */
const isMarked = (id: string) => runInDurableObject(stub(id), (_, ctx) => ctx.storage.kv.get("unwanted") !== undefined)

const local = () => env.TENANT.get(env.TENANT.idFromName("local"))
/** The tenant's alarm at its times, from now on. */
async function alarms(hours: number): Promise<void> {
  const from = Date.now()
  vi.useFakeTimers({ toFake: ["Date"], now: from })
  try {
    for (let n = 1; n <= hours * 6; n++) {
      vi.setSystemTime(from + n * 600_000)
      await runDurableObjectAlarm(local())
    }
  } finally {
    vi.useRealTimers()
  }
}
const bodyOf = async (id: string, path: string): Promise<string> => {
  const { data } = await ask<{ data: { path: string; hash: string }[] }>("GET", `/v1/runs/${id}/files`)
  return `t/local/blob/${data.find((file) => file.path === path)?.hash}`
}

describe("a deleted run", () => {
  test("[H5] [F71] takes its files out of R2 and KV within a day, except those that another run has", async () => {
    const files = (own: string) => ({ "own.txt": `of ${own}`, "shared.txt": "of both" })
    const [gone, stays] = [await start("quick", { files: files("one") }), await start("quick", { files: files("two") })]
    for (const id of [gone, stays]) await until(id, ended)
    // The report of what a run owns is on its way for a moment, and the clock of this test goes fast.
    const owned = () =>
      runInDurableObject(local(), (_, ctx) => ctx.storage.sql.exec("SELECT 1 FROM body_owner WHERE owner = ?", stays).toArray().length)
    await untilIt(async () => (await owned()) >= 3, "the report of what the run owns")
    const [own, other, shared] = [await bodyOf(gone, "own.txt"), await bodyOf(stays, "own.txt"), await bodyOf(gone, "shared.txt")]
    await env.CACHE.put(own, "of one")
    const answer = await remove(gone)
    expect(answer.headers.get("sluice-erased-within")).toBe("86400")
    await alarms(1)
    expect([await env.CACHE.get(own), (await env.BLOBS.head(own)) !== null]).toEqual([null, true])
    await alarms(24)
    const there = await Promise.all([own, other, shared].map(async (key) => (await env.BLOBS.head(key)) !== null))
    expect(there).toEqual([false, true, true])
    expect(await (await call("GET", `/v1/runs/${stays}/files/shared.txt`)).text()).toBe("of both")
  })

  test("[H2] is 404 on every route, byte for byte like an unknown run, also when deleted again", async () => {
    const id = await start("quick", { tags: ["t1"] })
    await until(id, ended)
    await untilIt(async () => String(await indexed(id)) === "1,1", "the report of the end")
    const r = await remove(id)
    expect([r.status, await r.text()]).toEqual([204, ""])
    const unknown = `run_${"0".repeat(26)}`
    for (const door of doors) {
      const [gone, never] = await Promise.all([id, unknown].map((x) => call("GET", `/v1/runs/${x}${door}`)))
      expect([gone?.status, (await gone?.text())?.replaceAll(id, unknown)], door).toEqual([404, await never?.text()])
    }
    for (const word of ["cancel", "pause", "resume", "token"]) expect((await call("POST", `/v1/runs/${id}/${word}`)).status, word).toBe(404)
    expect((await remove(id)).status).toBe(404)
    expect(await listed(id)).toBe(false)
  })

  test("[H5] leaves nothing in its object or in the tenant's object", async () => {
    const id = await start("quick", { tags: ["t2"] })
    await until(id, ended)
    await remove(id)
    expect(await rowsOf(id)).toEqual({ tables: [], keys: [], alarm: null })
    expect(await indexed(id)).toEqual([0, 0])
    await evictDurableObject(stub(id))
    expect((await call("GET", `/v1/runs/${id}`)).status).toBe(404)
  })

  test("[F34] is canceled first if it is live: its readers get the end, and its work is aborted", async () => {
    const id = await start("slow")
    const reading = socket(`/v1/runs/${id}/events`, { authorization: `Bearer ${LOCAL}` })
    await until(id, (r) => r.steps["a"]?.status === "running")
    await runInDurableObject(stub(id), async (_, ctx) => {
      await untilIt(async () => ctx.getWebSockets().length > 0, "the socket")
    })
    expect((await remove(id)).status).toBe(204)
    const heard = await reading
    expect([heard.code, heard.messages.at(-1)]).toMatchObject([1000, { type: "run.ended", status: "canceled" }])
    expect(await rowsOf(id)).toEqual({ tables: [], keys: [], alarm: null })
  })

  test("[F23d] takes its children with it", async () => {
    const id = await start("parent")
    const { children } = await until(id, (r) => r.children.length > 0)
    expect((await remove(id)).status).toBe(204)
    for (const child of children) expect((await call("GET", `/v1/runs/${child}`)).status).toBe(404)
    expect(await indexed(children[0] ?? "")).toEqual([0, 0])
  })

  /** A parent whose child's start waits. */
  async function starting(): Promise<{ readonly id: string; readonly child: string; readonly begin: () => void }> {
    const gate = Promise.withResolvers<void>()
    let child = ""
    const { start: begin } = RunStart.prototype
    const starts = vi.spyOn(RunStart.prototype, "start").mockImplementation(async function (this: RunStart, request) {
      if (request.parent) {
        child = request.run
        await gate.promise
      }
      return Reflect.apply(begin, this, [request])
    })
    const id = await start("parent")
    await untilIt(async () => child !== "", "the start of the child")
    starts.mockRestore()
    return { id, child, begin: gate.resolve }
  }

  test("[N3] [F23d] takes a child along that no event names, because the run had ended before its start was answered", async () => {
    const { id, child, begin } = await starting()
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    begin()
    await untilIt(async () => String(await indexed(child)) === "1,0", "the child")
    expect((await remove(id)).status).toBe(204)
    expect([(await call("GET", `/v1/runs/${child}`)).status, await indexed(child)]).toEqual([404, [0, 0]])
  })

  test("[N3] a child whose start arrives after the deletion is gone when it first reports", async () => {
    const { id, child, begin } = await starting()
    expect((await remove(id)).status).toBe(204)
    begin()
    await untilIt(async () => (await rowsOf(child)).tables.length > 0 || !(await isMarked(child)), "its beginning")
    await untilIt(async () => (await rowsOf(child)).tables.length === 0, "its end")
    expect([(await call("GET", `/v1/runs/${child}`)).status, await indexed(child)]).toEqual([404, [0, 0]])
  })

  test("[F23d] that is a child counts as canceled for its parent, which continues", async () => {
    const id = await start("parent")
    const { children } = await until(id, (r) => r.children.length > 0)
    const [child = ""] = children
    await until(child, (r) => r.status === "waiting")
    expect((await remove(child)).status).toBe(204)
    const parent = await until(id, ended)
    expect([parent.steps["r"]?.status, parent.steps["z"]?.status]).toEqual(["error", "complete"])
  })

  test("[T42] that a call started counts as canceled for its caller, which continues", async () => {
    const t = await tenant("deletemate")
    const asks = { calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] }
    const calls = { calls: [{ tool: "call_agent", args: { agent: "mate", prompt: "ask" } }] }
    const done = { finish: { status: "complete", summary: "led" } }
    await t.ask("PUT", "/v1/settings/providers/sc", { kind: "scripted", turns: { mate: [asks, done], lead: [calls, done] } })
    const file = (name: string, more: string): string => `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\n${more}---\nDo it.\n`
    await t.ask("PUT", "/v1/catalog", {
      agents: { "mate.md": file("mate", "tools: ask_user\n"), "lead.md": file("lead", "role: coordinator\nroutes: [mate]\n") },
      flows: { "lead.yaml": flow("lead", "  - { id: a, type: agent, agent: lead }\n", "autonomous: false\n") },
    })
    const run = await begin(t, "lead")
    const mate = await untilIt(async () => {
      const { data } = await t.ask<{ data: { id: string; status: string }[] }>("GET", "/v1/runs?limit=50&children=1")
      return data.find(({ id, status }) => id !== run && status === "waiting")?.id
    }, "the mate's question")
    expect((await t.raw("DELETE", `/v1/runs/${mate}`)).status).toBe(204)
    expect(await over(t, run)).toMatchObject({ status: "succeeded" })
    const { data } = await t.ask<{ data: { type: string; isError?: boolean; child?: object }[] }>(
      "GET",
      `/v1/runs/${run}/events?limit=1000`,
    )
    expect(data.filter(({ type }) => type === "tool.returned")).toMatchObject([
      { isError: true, child: { run: mate, usage: { steps: 1 } } },
    ])
  })

  test("[H4] still answers its Idempotency-Key for a day, and starts nothing", async () => {
    const headers = { "idempotency-key": "delete-run" }
    const first = await ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    await until(first.id, ended)
    await remove(first.id)
    const again = await call("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    expect([again.status, again.headers.get("idempotent-replayed"), await again.json()]).toMatchObject([202, "true", { id: first.id }])
    expect((await call("GET", `/v1/runs/${first.id}`)).status).toBe(404)
    const { tables, alarm } = await rowsOf(first.id)
    expect(tables).toEqual([["answer", 1]])
    // The database is made anew: no page of it has held anything else.
    const pages = await runInDurableObject(stub(first.id), (_, ctx) => ctx.storage.sql.databaseSize / 4096)
    expect(pages).toBeLessThanOrEqual(4)
    expect((alarm ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  })

  test("[J10] is invisible from its first commit on, and the alarm finishes what a crash interrupts", async () => {
    const id = await start("patient")
    await until(id, (r) => r.status === "waiting")
    await runInDurableObject(stub(id), (_, ctx) => {
      ctx.storage.kv.put("leaving", 0)
      return ctx.storage.setAlarm(Date.now() + 60_000)
    })
    await evictDurableObject(stub(id))
    expect((await call("GET", `/v1/runs/${id}`)).status).toBe(404)
    expect(await runDurableObjectAlarm(stub(id))).toBe(true)
    expect([await rowsOf(id), await indexed(id)]).toEqual([{ tables: [], keys: [], alarm: null }, [0, 0]])
    await expect(runOf(id)).rejects.toThrow("404")
  })
})
