// [J12] A run whose pinned definitions are lost: it can be read, canceled and deleted; messages about its end arrive; and when
// the definitions are found again, it continues.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { AwakeRun } from "../../../src/cloudflare/run/awake-run.ts"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { runResources } from "../../../src/cloudflare/run/run-resources.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { InteractionView, RunView } from "../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, flow, runOf, start, stub, until } from "../../support/worker/house.ts"

/** Makes the journal name a missing body instead of the flow's, and wakes the object again. Returns a function that undoes this. */
async function lose(id: string): Promise<() => Promise<void>> {
  const { hash } = (await runOf(id)).pinned["flow"] as { hash: string }
  const put = async (from: string, to: string): Promise<void> => {
    await runInDurableObject(
      stub(id),
      (_, ctx) => void ctx.storage.sql.exec("UPDATE entry SET events = replace(events, ?, ?) WHERE first = 1", from, to),
    )
    await evictDurableObject(stub(id))
  }
  await put(hash, "f".repeat(64))
  return () => put("f".repeat(64), hash)
}

const FLOWS = {
  "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: line, on_error: z }\n  - { id: z, type: agent, agent: a }\n"),
  "line.yaml": flow("line", "  - { id: w, type: wait, signal: go }\n"),
  "asks.yaml": flow(
    "asks",
    "  - { id: f, type: fork, question: Go on?, options: [yes, no], branches: { yes: a, no: a } }\n  - { id: a, type: agent, agent: a }\n",
  ).replace("description: d\n", "description: d\nautonomous: false\n"),
  "waits.yaml": flow("waits", "  - { id: a, type: agent, agent: a }\n  - { id: w, type: wait, signal: go, blockedBy: a }\n"),
}

async function lost(name = "waits"): Promise<{ id: string; find: () => Promise<void> }> {
  const id = await start(name)
  await until(id, (r) => r.status === "waiting" || r.children.length > 0)
  return { id, find: await lose(id) }
}

beforeAll(() => ask("PUT", "/v1/catalog", { agents: { "a.md": agent("a") }, flows: FLOWS }))

describe("[J12] a run whose flow is lost", () => {
  test("[J12] says so, and shows the content of its journal", async () => {
    const { id } = await lost()
    const run = await runOf(id)
    expect([run.status, run.error?.source, run.error?.message]).toEqual(["waiting", "engine", expect.stringContaining("cannot be loaded")])
    expect([run.steps["a"]?.status, run.steps["w"]?.status]).toEqual(["complete", "waiting"])
    for (const door of ["/events", "/files", "/interactions", "/steps/a/messages"])
      expect((await call("GET", `/v1/runs/${id}${door}`)).status, door).toBe(200)
  })

  test("[J12] refuses messages for that reason, and accepts them when the flow is found again", async () => {
    const { id, find } = await lost("asks")
    const [question] = (await ask<{ data: InteractionView[] }>("GET", `/v1/runs/${id}/interactions`)).data
    const { url } = await ask<{ url: string }>("POST", `/v1/runs/${id}/interactions/${question?.id}/link`)
    const yes = { answer: "yes" }
    const doors: [path: string, body: object][] = [
      [`/v1/runs/${id}/interactions/${question?.id}`, yes],
      [new URL(url).pathname, yes],
      [`/v1/runs/${id}/signals/go`, {}],
      [`/v1/runs/${id}/steps/f/steer`, { message: "hurry" }],
    ]
    for (const [path, body] of doors) {
      const refused = await call("POST", path, body)
      expect([refused.status, await refused.json()], path).toEqual([
        409,
        expect.objectContaining({ code: "definitions_lost", detail: expect.stringContaining("cannot be loaded") }),
      ])
    }
    await find()
    expect((await ask<InteractionView>("POST", doors[0]?.[0] ?? "", yes)).status).toBe("answered")
    expect((await until(id, ended)).status).toBe("succeeded")
  })

  test("[J8] is read one page at a time, even with a long journal", async () => {
    const { id } = await lost()
    await runInDurableObject(stub(id), async (_, ctx) => {
      const read = vi.spyOn(SqlJournal.prototype, "read")
      const self = new AwakeRun(runResources(ctx, env))
      expect([...self.strand("waits", "lost").run.plan.steps.keys()]).toEqual(["a", "w"])
      expect(Math.max(...read.mock.calls.map(([, limit]) => limit))).toBeLessThan(1_000)
      read.mockRestore()
    })
  })

  test("[F34] can be canceled, once", async () => {
    const { id } = await lost()
    const run = await ask<RunView>("POST", `/v1/runs/${id}/cancel`, {})
    expect([run.status, run.steps["w"]?.status]).toEqual(["canceled", "canceled"])
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    const events = (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events`)).data
    expect(events.filter((e) => e.type === "run.ended")).toHaveLength(1)
    const listed = (await ask<{ data: RunView[] }>("GET", "/v1/runs?limit=200")).data.find((r) => r.id === id)
    expect(listed?.status).toBe("canceled")
  })

  test("[H5] can be deleted, and its children with it", async () => {
    const { id } = await lost("parent")
    const { children } = await runOf(id)
    expect((await call("DELETE", `/v1/runs/${id}`)).status).toBe(204)
    for (const run of [id, ...children]) expect((await call("GET", `/v1/runs/${run}`)).status).toBe(404)
    expect(children).toHaveLength(1)
  })

  test("[F23d] that is a child tells its parent that it was canceled", async () => {
    const parent = await start("parent")
    const { children } = await until(parent, (r) => r.children.length > 0)
    const [child = ""] = children
    await until(child, (r) => r.status === "waiting")
    await lose(child)
    expect((await ask<RunView>("POST", `/v1/runs/${child}/cancel`, {})).status).toBe("canceled")
    expect((await until(parent, ended)).steps["r"]?.status).toBe("error")
  })

  test("[F23d] that is being deleted tells its parent first, even if its definitions do not load", async () => {
    const parent = await start("parent")
    const [child = ""] = (await until(parent, (r) => r.children.length > 0)).children
    await until(child, (r) => r.status === "waiting")
    // Its deletion had begun, and the object was evicted before the parent got the message.
    await runInDurableObject(stub(child), (_, ctx) => ctx.storage.kv.put("leaving", 0))
    await evictDurableObject(stub(child))
    const real = AwakeRun.prototype.wake
    let failed = 0
    const wake = vi.spyOn(AwakeRun.prototype, "wake").mockImplementation(async function (this: AwakeRun) {
      if (this.identity()?.run === child && ++failed === 1) throw new Error("the store does not answer")
      return Reflect.apply(real, this, [])
    })
    await runInDurableObject(stub(child), (_, ctx) => ctx.storage.setAlarm(Date.now() + 60_000))
    for (let n = 0; n < 2; n++) await runDurableObjectAlarm(stub(child))
    expect(failed).toBeGreaterThan(0)
    wake.mockRestore()
    expect((await until(parent, ended)).steps["r"]?.status).toBe("error")
    expect((await call("GET", `/v1/runs/${child}`)).status).toBe(404)
  })

  test("[J12] continues when its flow is found again", async () => {
    const { id, find } = await lost()
    expect((await runOf(id)).error).toBeDefined()
    await find()
    expect((await runOf(id)).error).toBeUndefined()
    expect((await call("POST", `/v1/runs/${id}/signals/go`, {})).status).toBe(202)
    expect((await until(id, ended)).status).toBe("succeeded")
  })

  test("[J12] ends by itself if its flow is not found after a dozen tries", async () => {
    const { id } = await lost()
    await runOf(id)
    await runInDurableObject(stub(id), (_, ctx) => {
      ctx.storage.kv.put("alarm_failures", 11)
      return ctx.storage.setAlarm(Date.now() + 60_000)
    })
    await runDurableObjectAlarm(stub(id))
    const run = await runOf(id)
    expect([run.status, run.error?.source, run.error?.message]).toEqual(["failed", "engine", expect.stringContaining("cannot be loaded")])
  })
})
