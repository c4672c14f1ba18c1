// What a run owes to other objects, and they to it, while one of them is slow or dies: each interleaving ends, and nothing is lost [J12, J14].

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { MemoryObject } from "../../../src/cloudflare/memory/memory-object.ts"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { cancelAll, childId } from "../../../src/cloudflare/run/family/run-family.ts"
import { RunReading } from "../../../src/cloudflare/run/run-reading.ts"
import { RunStart } from "../../../src/cloudflare/run/run-start.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { RunRpc } from "../../../src/ports/objects.ts"
import type { StartRequest } from "../../../src/ports/run.ts"
import { ahead, alarmOf, between, die } from "../../support/worker/between.ts"
import { withFullDisk } from "../../support/worker/full-disk.ts"
import { nameOf } from "../../support/worker/object-calls.ts"
import { admin, CATALOG, ended, runObject, start, tenant, until, type Tenant } from "../../support/worker/service-client.ts"

const T = "between-objects"
const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n${steps}`
const fork = (id: string, to: string): string =>
  `  - { id: ${id}, type: fork, question: "which?", options: [one, two], branches: { one: ${to}, two: x } }\n`
const FLOWS = {
  ...CATALOG.flows,
  "asker.yaml": flow("asker", `${fork("f", "x")}  - { id: x, type: agent, agent: a }\n`),
  "twice.yaml": flow("twice", `${fork("f", "g")}${fork("g", "x")}  - { id: x, type: agent, agent: a }\n`),
  "many.yaml": flow(
    "many",
    '  - { id: m, type: map, over: "${{flow.input.list}}", do: asker, max_concurrent: 22, task: "${{item}}" }\n',
    "autonomous: false\ninputs: { list: { type: array, required: true } }\n",
  ),
  "patient.yaml": flow("patient", "  - { id: w, type: wait, signal: go }\n"),
  "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: patient }\n"),
  "note.yaml": flow("note", "  - { id: a, type: agent, agent: m }\n"),
  "note.rehearsal.yaml":
    "steps:\n  a:\n    - calls: [{ tool: memory.write, args: { namespace: n, content: one } }]\n    - finish: { status: complete, summary: done }\n",
  "family.yaml": flow("family", "  - { id: r, type: flow-ref, flow: note, task: sub }\n"),
}
const AGENTS = { ...CATALOG.agents, "m.md": "---\nname: m\ndescription: m\nmodel: rehearsal/default\ntools: memory.write\n---\nDo it.\n" }

let t: Tenant
const runOf = (id: string): Promise<RunView> => t.ask<RunView>("GET", `/v1/runs/${id}`)
const status = async (id: string): Promise<string> => (await runOf(id)).status
const waits = (id: string): Promise<unknown> => until(async () => (await status(id)) === "waiting", `the waiting of ${id}`)
const typesOf = async (id: string, of: Tenant = t): Promise<string[]> =>
  (await of.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data.map(({ type }) => type)
interface Listed {
  readonly status: string
  readonly now?: { readonly asks?: { readonly id: string } }
}
const listed = async (id: string): Promise<Listed | undefined> =>
  (await t.ask<{ data: (Listed & { id: string })[] }>("GET", "/v1/runs?limit=100")).data.find((row) => row.id === id)

beforeAll(async () => {
  t = await tenant(T)
  await t.ask("PUT", "/v1/catalog", { agents: AGENTS, flows: FLOWS })
})
afterEach(() => void vi.restoreAllMocks())

describe("a message on its way", () => {
  test("[J12] [J14] of the end keeps an alarm, however often that rings, and arrives after the object has died", async () => {
    const slow = between(TenantObject, T, ["runs", "note"], () => new Promise(() => {}))
    const id = await start(t, "quick")
    await ended(t, id)
    for (const ms of [10_000, 21_000])
      await ahead(ms, async () => {
        await runDurableObjectAlarm(runObject(T, id))
        expect(await alarmOf(T, id)).not.toBeNull()
      })
    await die(T, id)
    slow.mockRestore()
    await runDurableObjectAlarm(runObject(T, id))
    await until(async () => (await listed(id))?.status === "succeeded", "the end in the list")
  })

  test("[F23d] [J14] of a child's end reaches its parent after the child's object has died", async () => {
    const slow = between(RunObject, T, ["signals", "childEnded"], () => new Promise(() => {}))
    const id = await start(t, "parent")
    const [child = ""] = await until(
      async () => ((await runOf(id)).children.length > 0 ? (await runOf(id)).children : undefined),
      "the child",
    )
    await t.ask("POST", `/v1/runs/${child}/signals/go`, {})
    await ended(t, child)
    await ahead(10_000, async () => {
      await runDurableObjectAlarm(runObject(T, child))
      expect(await alarmOf(T, child)).not.toBeNull()
    })
    await die(T, child)
    slow.mockRestore()
    await runDurableObjectAlarm(runObject(T, child))
    expect((await ended(t, id)).status).toBe("succeeded")
  })
})

describe("a question", () => {
  test("[W6] right after another one is a notice of its own, and the list shows it", async () => {
    const id = await start(t, "twice")
    await waits(id)
    const notices = (): Promise<number> =>
      runInDurableObject(runObject(T, id), async (object) => (await typesIn(object)).filter((type) => type === "run.waiting").length)
    const typesIn = async (object: unknown): Promise<string[]> =>
      ((await (object as RunRpc).ask("reading", "events", [0, 1_000])) as { data: { type: string }[] }).data.map(({ type }) => type)
    expect(await notices()).toBe(1)
    await t.ask("POST", `/v1/runs/${id}/interactions/i1`, { answer: "one" })
    expect(await notices()).toBe(2)
    await until(async () => (await listed(id))?.now?.asks?.id === "i2", "the second question in the list")
  })

  test("[P5] of a child beyond the twentieth is asked as soon as the parent has room for it", async () => {
    const list = Array.from({ length: 22 }, (_, i) => `i${i}`)
    const { id } = await t.ask<RunView>("POST", "/v1/flows/many/runs", { task: "go", inputs: { list } })
    const asks = await until(async () => {
      const run = await runOf(id)
      return run.asks?.length === 20 && run.status === "waiting" ? run.asks : undefined
    }, "twenty questions")
    const { children } = await runOf(id)
    const shown = new Set(asks.map(({ run }) => run))
    const others = children.filter((child) => !shown.has(child))
    expect([children.length, others.length]).toEqual([22, 2])
    for (const child of others)
      await until(async () => (await alarmOf(T, child)) !== null && (await status(child)) === "waiting", "its alarm")
    for (const { run, id: question } of asks.slice(0, 3)) await t.ask("POST", `/v1/runs/${run}/interactions/${question}`, { answer: "one" })
    await until(async () => (await runOf(id)).asks?.length === 17, "seventeen questions")
    for (const child of others) expect(await alarmOf(T, child)).toBeLessThan(Date.now() + 11_000)
    for (const child of others) await runDurableObjectAlarm(runObject(T, child))
    await until(async () => (await runOf(id)).asks?.length === 19, "the two that were not told")
  })
})

describe("a parent", () => {
  test("[F23d] that ends while a child's start is under way has no child at work, though its object dies", async () => {
    const gate = Promise.withResolvers<void>()
    let child = ""
    const { start: begin } = RunStart.prototype
    vi.spyOn(RunStart.prototype, "start").mockImplementation(async function (this: RunStart, ...call) {
      if (call[0].tenant === T && call[0].parent) {
        child = call[0].run
        await gate.promise
      }
      return Reflect.apply(begin, this, call)
    })
    const id = await start(t, "parent")
    await until(async () => child !== "", "the start of the child")
    await t.ask("POST", `/v1/runs/${id}/cancel`, {})
    await ended(t, id)
    await until(async () => ((await alarmOf(T, id)) ?? 0) > Date.now() + 3_600_000, "the rest of the parent")
    await die(T, id)
    gate.resolve()
    await until(async () => (await t.raw("GET", `/v1/runs/${child}`)).status === 200, "the child")
    expect(await status(child)).toBe("canceled")
    expect(await typesOf(child)).toEqual(["run.started", "run.ended"])
  })

  test("[F23d] whose child's start never arrives leaves a mark there for a day, and nothing else", async () => {
    const child = `run_${"c".repeat(26)}`
    const orphaned = (object: unknown): Promise<unknown> => (object as RunRpc).ask("signals", "orphaned", ["parent p", true])
    await runInDurableObject(runObject(T, child), orphaned)
    expect((await t.raw("GET", `/v1/runs/${child}`)).status).toBe(404)
    const day = 24 * 3_600_000
    expect(await alarmOf(T, child)).toBeGreaterThan(Date.now() + day - 60_000)
    await ahead(day + 1_000, async () => {
      await runDurableObjectAlarm(runObject(T, child))
    })
    expect(await runInDurableObject(runObject(T, child), (_, { storage }) => [...storage.kv.list()].length)).toBe(0)
  })

  test("[B4] whose child's start got a slice of the day, and failed, gives the slice back", async () => {
    const day = portOf(env, T, "dayBudget")
    await day.put({ tokens: 3_200_000 })
    const held = async (): Promise<number | undefined> => (await day.today()).held.tokens
    const before = (await held()) ?? 0
    const [parent, key] = [`run_${"p".repeat(26)}`, "r/1/0/child"]
    await day.lease(await childId(env, T, parent, key), "child", {})
    expect(await held()).toBe(before + 100_000)
    await cancelAll(env, T, parent, [key])
    expect(await held()).toBe(before)
    await day.put({})
  })

  test("[K32] ends when a child is deleted while it carries out an effect", async () => {
    const gate = Promise.withResolvers<void>()
    let writing = 0
    const { add } = MemoryObject.prototype
    vi.spyOn(MemoryObject.prototype, "add").mockImplementation(async function (this: MemoryObject, ...call) {
      if (nameOf(this) === T) {
        writing++
        await gate.promise
      }
      return Reflect.apply(add, this, call)
    })
    const { id } = await t.ask<RunView>("POST", "/v1/flows/family/runs", { task: "go", effects: "staged" })
    const [question] = await until(async () => {
      const { data } = await t.ask<{ data: { id: string }[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)
      return data.length > 0 && data
    }, "the question")
    const [child = ""] = (await runOf(id)).children
    await t.ask("POST", `/v1/runs/${id}/interactions/${question?.id ?? ""}`, { answer: { commit: "all" } })
    await until(async () => writing > 0, "the effect")
    expect((await t.raw("DELETE", `/v1/runs/${child}`)).status).toBe(204)
    await ended(t, id)
    gate.resolve()
    expect((await t.raw("GET", `/v1/runs/${child}`)).status).toBe(404)
  })
})

describe("a run that begins", () => {
  test("[J14] is not seen before it is stored, and a cancel that comes meanwhile is heard", async () => {
    const gate = Promise.withResolvers<void>()
    let id = ""
    await t.ask("PUT", "/v1/settings/budget", { steps: 64 })
    between(TenantObject, T, ["dayBudget", "lease"], async (go, call) => {
      id = String(call[2][0])
      await gate.promise
      return go()
    })
    const started = start(t, "long")
    await until(async () => id !== "", "the first slice")
    const seen = [t.raw("GET", `/v1/runs/${id}`), t.raw("POST", `/v1/runs/${id}/cancel`, {})]
    gate.resolve()
    const [view, canceled] = await Promise.all((await Promise.all(seen)).map((r) => r.json<RunView>()))
    expect([view?.id, canceled?.id, await started]).toEqual([id, id, id])
    expect(await status(id)).toBe("canceled")
    await t.ask("PUT", "/v1/settings/budget", {})
  })

  test("[J14] and is not stored because another request's commit fails is not told to its caller", async () => {
    const id = `run_${"k".repeat(26)}`
    const request = await requestOf(T, id, "quick")
    await runInDurableObject(runObject(T, id), async (object, { storage }) => {
      const run = object as unknown as RunRpc & { start(asked: StartRequest, vault: undefined, wait: number): Promise<RunView> }
      const gate = Promise.withResolvers<void>()
      vi.spyOn(RunReading.prototype, "change").mockImplementation(() => gate.promise)
      const said = await withFullDisk(storage, async () => {
        const started = run.start(request, undefined, 10_000)
        started.catch(() => undefined)
        // The start waits for the commit of what follows; other requests would store it first, and cannot.
        for (let n = 0; n < 300; n++) {
          const seen = await (run.ask("reading", "view", []) as Promise<RunView | undefined>).catch(() => undefined)
          expect(seen).toBe(undefined)
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
        gate.resolve()
        return started
      })
      expect(said).toMatch(/disk full|could not be stored/)
    })
    expect((await t.raw("GET", `/v1/runs/${id}`)).status).toBe(404)
  })
})

describe("a queued run", () => {
  const Q = "between-queued"
  let q: Tenant
  const queued = async (name: string): Promise<string> => {
    const id = `run_${[...crypto.getRandomValues(new Uint8Array(26))].map((n) => "abcdefgh"[n % 8]).join("")}`
    const request = await requestOf(Q, id, name)
    await runInDurableObject(runObject(Q, id), (object) => (object as unknown as RunRpc).start({ ...request, held: true }))
    return id
  }
  const statusOf = async (id: string): Promise<string> => (await q.ask<RunView>("GET", `/v1/runs/${id}`)).status

  /** The only place for a run is taken. */
  beforeAll(async () => {
    q = await tenant(Q)
    await q.ask("PUT", "/v1/catalog", { agents: AGENTS, flows: FLOWS })
    await start(q, "long")
    await admin.ask("PUT", `/v1/tenants/${Q}/quotas`, { concurrent_runs: 1 })
  })

  test("[F23i] keeps a signal, and has it when it begins", async () => {
    const id = await queued("patient")
    const said = await q.raw("POST", `/v1/runs/${id}/signals/go`, { n: 1 })
    expect([said.status, await statusOf(id)]).toEqual([202, "queued"])
    await runInDurableObject(runObject(Q, id), (object) => (object as unknown as RunRpc).release())
    expect((await ended(q, id)).status).toBe("succeeded")
    expect((await q.ask<RunView>("GET", `/v1/runs/${id}`)).steps["w"]?.outputs).toEqual({ payload: { n: 1 } })
  })

  test("[F23i] refuses a signal that no step of its flow waits for, and one that runs says which it waits for", async () => {
    const id = await queued("patient")
    const said = await q.raw("POST", `/v1/runs/${id}/signals/gO`, { n: 1 })
    const [fault] = (await said.json<{ errors: { suggestion?: string }[] }>()).errors
    expect([said.status, fault?.suggestion]).toEqual([422, "go"])
    await runInDurableObject(runObject(Q, id), (object) => (object as unknown as RunRpc).release())
    await until(async () => (await statusOf(id)) === "waiting", "the wait")
    expect((await q.ask<RunView>("GET", `/v1/runs/${id}`)).waiting).toEqual({ reason: "signal", signal: "go" })
    await q.ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test("[J24] takes no steer, and says why", async () => {
    const id = await queued("quick")
    const said = await q.raw("POST", `/v1/runs/${id}/steps/a/steer`, { message: "left" })
    expect([said.status, (await said.json<{ code: string; detail: string }>()).code]).toEqual([409, "not_running"])
    await q.raw("DELETE", `/v1/runs/${id}`)
  })

  test("[H6] that is canceled begins and ends in one decision, and does nothing", async () => {
    const id = await queued("quick")
    await q.ask("POST", `/v1/runs/${id}/cancel`, {})
    expect([await statusOf(id), await typesOf(id, q)]).toEqual(["canceled", ["run.started", "run.ended"]])
  })

  test("[H6] [J12] looks after itself: its alarm reports it again", async () => {
    const id = await queued("quick")
    expect(await alarmOf(Q, id)).not.toBeNull()
    let told = 0
    between(TenantObject, Q, ["runs", "note"], (go) => {
      told++
      return go()
    })
    await runDurableObjectAlarm(runObject(Q, id))
    expect([told > 0, await alarmOf(Q, id)]).toEqual([true, expect.any(Number)])
    await q.raw("DELETE", `/v1/runs/${id}`)
  })
})

test("[H1] a socket that is opened while its run is deleted is not left open", async () => {
  const id = await start(t, "patient")
  await waits(id)
  const gate = Promise.withResolvers<void>()
  let asked = 0
  between(TenantObject, T, ["keys", "watch"], async (go) => {
    asked++
    await gate.promise
    return go()
  })
  const opened = t.raw("GET", `/v1/runs/${id}/events`, undefined, { upgrade: "websocket" })
  await until(async () => asked > 0, "the question about the key")
  expect((await t.raw("DELETE", `/v1/runs/${id}`)).status).toBe(204)
  gate.resolve()
  expect((await opened).status).toBe(404)
})

async function requestOf(of: string, run: string, name: string): Promise<StartRequest> {
  const found = await portOf(env, of, "starts").pin({ flow: name }, { rehearse: false })
  if (!found.ok) throw new Error(JSON.stringify(found))
  const said = { task: "go", inputs: {}, autonomous: true, rehearsed: false, trigger: { kind: "api" as const } }
  return { ...said, tenant: of, run, flow: name, pins: found.pins }
}
