// Runs through the whole Worker inside workerd: HTTP, Durable Objects, SQLite, alarms; and evictions, which change nothing.

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { InteractionView, RunView } from "../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { ended, until } from "../../support/worker/house.ts"
import { until as untilIt } from "../../support/worker/service-client.ts"

const KEY = { authorization: "Bearer sl_local_dev" }
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, {
    method,
    headers: {
      ...KEY,
      ...(typeof body === "string" ? { "content-type": "text/plain" } : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
const ask = async <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> => {
  const r = await call(method, path, body, headers)
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

const agent = (name: string, head = "", model = "rehearsal/default"): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: ${model}\ntools: write, read\n${head}---\nDo it. \${{task}}\n`
const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n${steps}`
const line = "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: a, blockedBy: a }\n"
const SLOW = [{ tool: "finish", args: { status: "complete", summary: "slow a" } }]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a"), "slow.md": agent("slow", "", "held/m") },
    flows: {
      "line.yaml": flow("line", line),
      "slow.yaml": flow("slow", line.replace("agent: a }", "agent: slow }")),
      "down.yaml": flow("down", "  - { id: a, type: agent, agent: a }\n"),
      "down.rehearsal.yaml":
        "steps:\n  a:\n    - error: { status: 503, message: busy, retry_after: 60 }\n    - finish: { status: complete, summary: up again }\n",
      "ask.yaml": flow(
        "ask",
        '  - { id: how, type: fork, question: "How?", options: [x, y], branches: { x: a, y: b } }\n' + line.replace(", blockedBy: a", ""),
        "autonomous: false\n",
      ),
    },
  })
})

const start = async (name: string, body: object = {}): Promise<string> =>
  (await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go", ...body })).id
const runOf = (id: string): Promise<RunView> => ask<RunView>("GET", `/v1/runs/${id}`)
const stub = (id: string) => env.RUN.get(env.RUN.idFromName(`local/${id}`))
const eventsOf = async (id: string): Promise<RunEvent[]> => (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events`)).data

describe("a run in its object", () => {
  test("[J14] [H9] a run completes by itself and survives an eviction", async () => {
    const run = await ask<RunView>("POST", "/v1/flows/line/runs", { task: "go" }, { prefer: "wait=50" })
    expect([run.status, run.rehearsed, run.steps["b"]?.summary]).toEqual(["succeeded", true, expect.stringContaining("b")])
    const before = await eventsOf(run.id)
    await evictDurableObject(stub(run.id))
    expect(await runOf(run.id)).toEqual(run)
    expect(await eventsOf(run.id)).toEqual(before)
  })

  test("[J10] [J11] a run whose object is evicted during a model call continues: the lost call is made again", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow")
    await untilIt(async () => model.asked > 0, "the call of the model")
    await abortAllDurableObjects()
    model.held = false
    const run = await until(id, ended)
    expect([run.status, run.steps["a"]?.summary]).toEqual(["succeeded", "slow a"])
    const types = (await eventsOf(id)).map((e) => e.type)
    expect(types.filter((t) => t === "action.lost")).toHaveLength(1)
    expect(types.filter((t) => t === "run.ended")).toHaveLength(1)
  })

  test("[J12] the alarm alone wakes a run, without any request", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow")
    await untilIt(async () => model.asked > 0, "the call of the model")
    await abortAllDurableObjects()
    expect(await runDurableObjectAlarm(stub(id))).toBe(true)
    const kinds = await runInDurableObject(stub(id), (_, ctx) =>
      ctx.storage.sql
        .exec<{ events: string }>("SELECT events FROM entry")
        .toArray()
        .map((r) => r.events)
        .join(),
    )
    expect(kinds).toContain("action.lost")
    model.held = false
    expect((await until(id, ended)).status).toBe("succeeded")
  })

  test("[F33] [J13] a retry is a durable alarm at the time the provider asked for, and nothing else", async () => {
    const id = await start("down")
    const waiting = await until(id, (r) => r.status === "waiting")
    expect(waiting.waiting).toEqual({ reason: "retry" })
    const failed = (await eventsOf(id)).find((e) => e.type === "model.failed")
    const at = failed?.type === "model.failed" ? failed.retryAt : undefined
    expect((at ?? 0) - (failed?.at ?? 0)).toBeGreaterThanOrEqual(59_000)
    expect(await runInDurableObject(stub(id), (_, ctx) => ctx.storage.getAlarm())).toBeLessThanOrEqual(at ?? 0)
    await evictDurableObject(stub(id))
    expect((await runOf(id)).status).toBe("waiting")
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test("[Q1] [Q2] a question survives an eviction, is answered once, and the first answer counts", async () => {
    const id = await start("ask")
    await until(id, (r) => r.status === "waiting")
    await evictDurableObject(stub(id))
    const [question] = (await ask<{ data: InteractionView[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)).data
    expect(question?.payload["question"]).toBe("How?")
    const path = `/v1/runs/${id}/interactions/${question?.id}`
    expect((await call("POST", path, { answer: "z" })).status).toBe(422)
    expect((await call("POST", path, { answer: "y", notes: "n" })).status).toBe(200)
    expect((await call("POST", path, { answer: "x" })).status).toBe(409)
    const run = await until(id, ended)
    expect([run.steps["how"]?.branch, run.steps["a"]?.status, run.steps["b"]?.status]).toEqual(["y", "skipped", "complete"])
  })

  test("[F34] a canceled run has one terminal event, and canceling it again changes nothing", async () => {
    heldModel(SLOW)
    const id = await start("slow")
    const first = await ask<RunView>("POST", `/v1/runs/${id}/cancel`, {})
    expect([first.status, first.steps["a"]?.status]).toEqual(["canceled", "canceled"])
    expect(await ask<RunView>("POST", `/v1/runs/${id}/cancel`, {})).toEqual(first)
    expect((await eventsOf(id)).filter((e) => e.type === "run.ended")).toHaveLength(1)
  })

  test("[E4] two readers of a live run, one late, both read exactly the journal; past its end it is 204", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow")
    let readers = 0
    const read = async (after: number): Promise<string[]> => {
      const r = await call("GET", `/v1/runs/${id}/events?after=${after}`, undefined, { accept: "text/event-stream" })
      if (++readers === 2) model.held = false
      return [...(await r.text()).matchAll(/^id: (\d+)$/gm)].map((m) => m[1] ?? "")
    }
    const [all, late] = await Promise.all([read(0), read(2)])
    const seqs = (await eventsOf(id)).map((e) => String(e.seq))
    expect(all).toEqual(seqs)
    expect(late).toEqual(seqs.slice(2))
    expect(
      (await call("GET", `/v1/runs/${id}/events`, undefined, { accept: "text/event-stream", "last-event-id": seqs.at(-1) ?? "" })).status,
    ).toBe(204)
  })

  test("[E4] a cursor beyond the journal of a run that goes on is 204, so that no reader waits in silence", async () => {
    const model = heldModel(SLOW)
    const id = await start("slow")
    const { seq } = await untilIt(async () => {
      const run = await ask<RunView>("GET", `/v1/runs/${id}`)
      return run.steps["a"]?.status === "running" ? run : undefined
    }, "the step")
    const read = (last: string, query = "") =>
      call("GET", `/v1/runs/${id}/events${query}`, undefined, {
        accept: "text/event-stream",
        ...(last === "" ? {} : { "last-event-id": last }),
      })
    for (const answer of [
      await read(String(seq + 1)),
      await read("900719925474099"),
      await read("", `?after=${seq + 40}`),
      await read(String(seq + 2), "?after=0&snapshot=1&format=pi-flows"),
    ])
      expect([answer.status, await answer.text()]).toEqual([204, ""])
    // At its end it waits for what comes.
    const live = await read(String(seq))
    expect(live.status).toBe(200)
    model.held = false
    expect(await live.text()).toContain("event: run.ended")
    await until(id, ended)
  })

  test("[J14] [H4] repeats of a start make only one run", async () => {
    const key = { "idempotency-key": "worker-test-1" }
    const first = await ask<{ id: string }>("POST", "/v1/flows/line/runs", { task: "go" }, key)
    await evictDurableObject(stub(first.id))
    const again = await call("POST", "/v1/flows/line/runs", { task: "go" }, key)
    expect([((await again.json()) as { id: string }).id, again.headers.get("idempotent-replayed")]).toEqual([first.id, "true"])
    expect((await call("POST", "/v1/flows/line/runs", { task: "other" }, key)).status).toBe(422)
    await until(first.id, ended)
  })

  test("[H5] the tenant's list shows the run and how it ended", async () => {
    const id = await start("line")
    await until(id, ended)
    const row = await untilIt(async () => {
      const { data } = await ask<{ data: { id: string; status: string; ended?: string }[] }>("GET", "/v1/runs?flow=line&limit=50")
      return data.find((r) => r.id === id && r.ended !== undefined)
    }, "the end in the list")
    expect(row.status).toBe("succeeded")
  })
})
