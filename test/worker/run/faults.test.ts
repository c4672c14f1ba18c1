// What a run's object does when something below it fails: its store, its definitions, a platform limit, a child that is still starting.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { EventStream } from "../../../src/cloudflare/run/streams/event-stream.ts"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { cancelAll } from "../../../src/cloudflare/run/family/run-family.ts"
import { catalogPort } from "../../../src/cloudflare/authoring/catalog.ts"
import { childPins } from "../../../src/engine/run/begin/child-pins.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { compile } from "../../../src/core/run/plan.ts"
import { takeSnapshot } from "../../../src/core/run/snapshot.ts"
import { newRun } from "../../../src/core/run/state.ts"
import type { RunRpc } from "../../../src/ports/objects.ts"
import { until } from "../../support/worker/service-client.ts"
import { withFullDisk } from "../../support/worker/full-disk.ts"
import { childKey } from "../../../src/core/run/key.ts"
import { runIdOf } from "../../../src/cloudflare/platform/run-id.ts"

const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const flow = (name: string, steps: string): string => `name: ${name}\ndescription: d\nsteps:\n${steps}`
const stub = (id: string) => env.RUN.get(env.RUN.idFromName(`local/${id}`))
const start = async (name: string): Promise<string> =>
  ((await (await call("POST", `/v1/flows/${name}/runs`, {})).json()) as { id: string }).id
const statusOf = async (id: string): Promise<string> => ((await (await call("GET", `/v1/runs/${id}`)).json()) as { status: string }).status

beforeAll(async () => {
  const put = await call("PUT", "/v1/catalog", {
    flows: {
      "far.yaml": flow("far", '  - { id: w, type: wait, until: "9999-01-01T00:00:00Z" }\n'),
      "still.yaml": flow("still", "  - { id: w, type: wait, signal: go }\n"),
      "above.yaml": flow("above", "  - { id: r, type: flow-ref, flow: still }\n"),
    },
  })
  expect(put.status).toBe(200)
})

describe("rows", () => {
  test("[J20] an event and a snapshot larger than a row are read back whole, and no row is too large", async () => {
    const long = `${"x".repeat(499_998)}😀${"é€".repeat(400_000)}`
    const event: RunEvent = { seq: 1, at: 1, v: 1, prev: "0".repeat(64), type: "warning", code: "x", message: long }
    const plan = compile({
      flow: { id: "f", name: "f", description: "", steps: [], inputs: {}, max_concurrent: 4, autonomous: true, config: {} } as never,
      agents: {},
      skills: {},
      tools: [],
    })
    const run = Object.assign(newRun(plan), { seq: 1, task: long })
    await runInDurableObject(env.RUN.get(env.RUN.idFromName("rows/long")), (_, { storage }) => {
      new SqlJournal(storage).commit({ events: [event, { ...event, seq: 2, message: "short" }], after: 0, snapshot: takeSnapshot(run) })
      const again = new SqlJournal(storage)
      expect(again.read(0, 10).map((e) => e.type === "warning" && e.message === (e.seq === 1 ? long : "short"))).toEqual([true, true])
      expect(again.pick([1])).toEqual([event])
      expect(again.snapshot()?.head.task === long).toBe(true)
      for (const [table, column] of [
        ["entry", "events"],
        ["part", "body"],
        ["piece", "body"],
      ])
        expect(storage.sql.exec<{ n: number }>(`SELECT MAX(LENGTH(CAST(${column} AS BLOB))) AS n FROM ${table}`).one().n).toBeLessThan(
          2_000_000,
        )
    })
  })
})

describe("alarms", () => {
  test("[J12] a run whose definitions do not load is tried again at growing intervals", async () => {
    const id = `run_${"z".repeat(26)}`
    const pinned = { revision: 1, flow: { id: "x", hash: "a".repeat(64) }, agents: {}, skills: {}, models: {} }
    const started = {
      type: "run.started",
      tenant: "local",
      run: id,
      flow: "x",
      task: "",
      inputs: {},
      autonomous: true,
      rehearsed: false,
      trigger: { kind: "api" },
      pinned,
    }
    await runInDurableObject(stub(id), async (_, { storage }) => {
      new SqlJournal(storage).commit({ after: 0, events: [{ seq: 1, at: 1, v: 1, prev: "0".repeat(64), ...started } as RunEvent] })
      storage.kv.put("alarm_failures", 5)
      await storage.setAlarm(Date.now() + 60_000)
    })
    await evictDurableObject(stub(id))
    const before = Date.now()
    expect(await runDurableObjectAlarm(stub(id))).toBe(true)
    const alarm = (await runInDurableObject(stub(id), (_, { storage }) => storage.getAlarm())) ?? 0
    // 2^6 s later.
    expect([alarm >= before + 64_000, alarm <= Date.now() + 64_000]).toEqual([true, true])
  })

  test("[J12] a wait beyond the platform's latest alarm time still has an alarm", async () => {
    const id = await start("far")
    // The watchdog of its start rings first, and once more if the tenant has not heard of the start by then.
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stub(id))
      const alarm = await runInDurableObject(stub(id), (_, { storage }) => storage.getAlarm())
      expect((alarm ?? 0) - Date.now()).toBeGreaterThan(86_400_000)
    })
    expect(await statusOf(id)).toBe("waiting")
    await call("POST", `/v1/runs/${id}/cancel`, {})
  })
})

describe("starts", () => {
  test("[J14] a start that could not be written leaves no run, and a later start works", async () => {
    const id = `run_${"y".repeat(26)}`
    const found = await catalogPort(env, "local").pin({ flow: "still" }, { rehearse: false })
    if (!found.ok) throw new Error(JSON.stringify(found))
    const request = {
      tenant: "local",
      run: id,
      flow: "still",
      task: "",
      inputs: {},
      autonomous: true,
      rehearsed: false,
      pins: found.pins,
      trigger: { kind: "api" as const },
    }
    const startIn = (object: unknown): Promise<unknown> => (object as RunRpc).start(request)
    const message = await runInDurableObject(stub(id), (object, { storage }) => withFullDisk(storage, () => startIn(object)))
    expect(message).toBe("disk full")
    expect((await call("GET", `/v1/runs/${id}`)).status).toBe(404)
    await runInDurableObject(stub(id), startIn)
    expect(await statusOf(id)).toBe("waiting")
  })
})

describe("streams", () => {
  test("[E4] a journal larger than the answer limit is read in pages and streamed whole", async () => {
    const id = runIdOf(env, "local", "w".repeat(26))
    const found = await catalogPort(env, "local").pin({ flow: "still" }, { rehearse: false })
    if (!found.ok) throw new Error(JSON.stringify(found))
    await runInDurableObject(stub(id), (_, { storage }) => {
      const journal = new SqlJournal(storage)
      const started = {
        type: "run.started",
        tenant: "local",
        run: id,
        flow: "still",
        task: "",
        inputs: {},
        autonomous: true,
        rehearsed: false,
        trigger: { kind: "api" },
        pinned: found.pins,
      }
      const head = { at: 1, v: 1, prev: "0".repeat(64) }
      journal.commit({ after: 0, events: [{ seq: 1, ...head, ...started } as RunEvent] })
      for (let seq = 2; seq <= 60; seq++)
        journal.commit({ after: seq - 1, events: [{ seq, ...head, type: "warning", code: "x", message: "m".repeat(600_000) } as RunEvent] })
    })
    await evictDurableObject(stub(id))
    await call("POST", `/v1/runs/${id}/cancel`, {})
    const seqs: number[] = []
    for (let cursor: string | null = "0"; cursor !== null;) {
      const page: Response = await call("GET", `/v1/runs/${id}/events?limit=1000&after=${cursor}`)
      expect(page.status).toBe(200)
      const { data, next_cursor } = (await page.json()) as { data: RunEvent[]; next_cursor: string | null }
      seqs.push(...data.map((e) => e.seq))
      cursor = next_cursor
    }
    const all = seqs.map((_, i) => i + 1)
    expect([seqs, seqs.length > 60]).toEqual([all, true])
    const r = await SELF.fetch(`http://sluice/v1/runs/${id}/events`, {
      headers: { authorization: "Bearer sl_local_dev", accept: "text/event-stream" },
    })
    expect([...(await r.text()).matchAll(/^id: (\d+)$/gm)].map((m) => Number(m[1]))).toEqual(all)
  })

  test("[E4] a stream whose journal cannot be read breaks, so that the reader reconnects instead of waiting forever", async () => {
    const closed: EventStream[] = []
    const source = {
      read: (): RunEvent[] => {
        throw new Error("no storage")
      },
      over: () => false,
    }
    const stream = new EventStream({ source, after: 0, closed: (s) => closed.push(s) })
    await expect(stream.response.text()).rejects.toThrow()
    expect(closed).toEqual([stream])
  })
})

describe("children", () => {
  test("[F23d] a child whose start was never confirmed is canceled by its key", async () => {
    const parent = await start("above")
    const child = await until(async () => {
      const { children } = (await (await call("GET", `/v1/runs/${parent}`)).json()) as { children: string[] }
      return children[0]
    }, "the child")
    await until(async () => (await statusOf(child)) === "waiting", "the child at its wait")
    await cancelAll(env, "local", parent, [childKey("r", 1, 0)])
    expect(await statusOf(child)).toBe("canceled")
  })

  test("[F52] a child's step uses the model of its own flow, not of the parent's step with the same name", () => {
    const models = { a: "p/agents", "a@x": "p/parent", "a@kid/y": "p/kid", "a@deep/x": "p/deep" }
    const pins = { revision: 1, flow: { id: "f", hash: "h" }, flows: { kid: "k" }, agents: {}, skills: {}, models }
    expect(childPins(pins, "kid")?.models).toEqual({ a: "p/agents", "a@y": "p/kid", "a@kid/y": "p/kid", "a@deep/x": "p/deep" })
    expect(childPins(pins, "other")).toBeUndefined()
  })
})
