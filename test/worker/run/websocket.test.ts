// Readers of a run [E4]: SSE with two real clients, and WebSockets, through disconnects, hibernation and revoked keys. Whatever
// happens to the connection, readers get exactly the journal.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { EventSource } from "eventsource"
import { createEventSource } from "eventsource-client"
import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, socket, start, stub, until } from "../../support/worker/house.ts"
import { until as untilIt } from "../../support/worker/service-client.ts"

const KEY = { authorization: `Bearer ${LOCAL}` }
const STEPS = 8

beforeAll(async () => {
  const steps = Array.from(
    { length: STEPS },
    (_, i) => `  - { id: s${i}, type: agent, agent: a${i === 0 ? "" : `, blockedBy: s${i - 1}`} }\n`,
  )
  const turns = Array.from(
    { length: STEPS },
    (_, i) => `  s${i}:\n    - delay: 120ms\n      finish: { status: complete, summary: done ${i} }\n`,
  )
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "long.yaml": flow("long", steps.join("")),
      "long.rehearsal.yaml": `steps:\n${turns.join("")}`,
      "wide.yaml": flow("wide", Array.from({ length: 6 }, (_, i) => `  - { id: s${i}, type: agent, agent: a }\n`).join("")),
      "patient.rehearsal.yaml":
        "steps:\n  a:\n    - text: a few words\n      delay: 300ms\n      finish: { status: complete, summary: done }\n",
      "patient.yaml": flow("patient", "  - { id: w, type: wait, signal: go }\n  - { id: a, type: agent, agent: a, blockedBy: w }\n"),
    },
  })
})

const journaled = (messages: readonly Record<string, unknown>[]): unknown[] => messages.filter((m) => typeof m["seq"] === "number")
/** Numbers in [0, 1), the same every time the test runs. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Waits until this many sockets are open. */
const open = (id: string, count: number): Promise<void> =>
  runInDurableObject(stub(id), async (_, ctx) => {
    await untilIt(async () => ctx.getWebSockets().length >= count, "the sockets")
    expect(ctx.getWebSockets()).toHaveLength(count)
  })

describe("WebSocket", () => {
  test("[E4] each event is a message, the same as in the journal, and run.ended closes with 1000", async () => {
    const id = await start("long")
    const heard = await socket(`/v1/runs/${id}/events`, KEY)
    expect([heard.code, journaled(heard.messages)]).toEqual([1000, await eventsOf(id)])
  })

  test("[E4] ?after resumes; past the end it closes at once", async () => {
    const id = await start("long")
    const all = (await until(id, ended), await eventsOf(id))
    expect(await socket(`/v1/runs/${id}/events?after=5`, KEY)).toEqual({ code: 1000, messages: all.slice(5) })
    expect(await socket(`/v1/runs/${id}/events?after=${all.length}`, KEY)).toEqual({ code: 1000, messages: [] })
  })

  test("[E4] a cursor beyond the journal of a run that goes on closes with a reason", async () => {
    const id = await start("patient")
    const { seq } = await until(id, (r) => r.status === "waiting")
    for (const after of [seq + 1, 900_719_925_474_099])
      expect(await socket(`/v1/runs/${id}/events?after=${after}`, KEY)).toEqual({ code: 4416, messages: [] })
    await ask("POST", `/v1/runs/${id}/signals/go`, {})
    await until(id, ended)
  })

  test("[E4] 20 disconnects at any moment: no gap, no duplicate", async () => {
    const id = await start("long")
    const roll = dice(7)
    const read: unknown[] = []
    for (let cuts = 0; ; cuts++) {
      const most = cuts < 20 ? 1 + Math.floor(roll() * 3) : Infinity
      const { messages, code } = await socket(`/v1/runs/${id}/events?after=${read.length}`, KEY, (n) => n >= most)
      read.push(...journaled(messages))
      if (code === 1000) break
    }
    expect(read).toEqual(await eventsOf(id))
  })

  test("[E4] sockets stay open while the object hibernates, and continue when it wakes", async () => {
    const id = await start("patient")
    await until(id, (r) => r.status === "waiting")
    const reading = socket(`/v1/runs/${id}/events`, KEY)
    await open(id, 1)
    await evictDurableObject(stub(id))
    await open(id, 1)
    await ask("POST", `/v1/runs/${id}/signals/go`, {})
    const heard = await reading
    expect([heard.code, journaled(heard.messages)]).toEqual([1000, await eventsOf(id)])
  })

  test("[E2] partial text goes to the socket too, without a seq", async () => {
    const id = await start("patient")
    await until(id, (r) => r.status === "waiting")
    const reading = socket(`/v1/runs/${id}/events?after=3`, KEY)
    await open(id, 1)
    await ask("POST", `/v1/runs/${id}/signals/go`, {})
    const { messages } = await reading
    expect(messages.filter((m) => m["seq"] === undefined)).toEqual([{ type: "model.delta", step: "a", turn: 0, text: "a few words" }])
    expect(journaled(messages)).toEqual((await eventsOf(id)).slice(3))
  })

  test("[E3] ?format=pi-flows gives the same frames as the list, across a hibernation", async () => {
    const id = await start("patient")
    await until(id, (r) => r.status === "waiting")
    const reading = socket(`/v1/runs/${id}/events?format=pi-flows`, KEY)
    await open(id, 1)
    await evictDurableObject(stub(id))
    await ask("POST", `/v1/runs/${id}/signals/go`, {})
    const { code, messages } = await reading
    await until(id, ended)
    const list = await ask<{ data: unknown[] }>("GET", `/v1/runs/${id}/events?format=pi-flows`)
    expect([code, messages]).toEqual([1000, list.data])
    expect(messages.at(-1)).toMatchObject({ event: "flow:complete", data: { status: "success" } })
  })

  test("[E4] a reader that never acknowledges gets one window, then a request to reconnect", async () => {
    const id = await start("wide", { task: "x".repeat(900_000) })
    await until(id, ended)
    const read: Record<string, unknown>[] = []
    const codes: number[] = []
    while (codes.at(-1) !== 1000) {
      const { messages, code } = await socket(`/v1/runs/${id}/events?after=${read.length}`, KEY)
      read.push(...messages)
      codes.push(code)
    }
    expect(codes.length).toBeGreaterThan(1)
    expect(codes.slice(0, -1)).toEqual(codes.slice(1).map(() => 1013))
    expect(read.map((m) => m["seq"])).toEqual((await runOf(id)).seq === read.length ? read.map((_, i) => i + 1) : [])
  })

  test("[E4] the object waits for a reader that acknowledges, which gets everything in one connection", async () => {
    const id = await start("wide", { task: "x".repeat(900_000) })
    await until(id, ended)
    const { messages, code } = await socket(`/v1/runs/${id}/events?ack=1`, KEY, undefined, "read")
    expect([code, messages.length]).toEqual([1000, (await runOf(id)).seq])
  })

  test("[H1] a wrong token fails the handshake with 401", async () => {
    const id = await start("long")
    expect((await call("GET", `/v1/runs/${id}/events?token=wrong`, undefined, { upgrade: "websocket" }, "")).status).toBe(401)
    await until(id, ended)
  })

  test("[H1] [S18] a socket closes when its key is revoked, even while its object hibernates", async () => {
    const key = await ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "reader", scopes: ["runs:read"] })
    const id = await start("patient")
    await until(id, (r) => r.status === "waiting")
    const { token } = await ask<{ token: string }>("POST", `/v1/runs/${id}/token`, {}, {}, key.key)
    const readings = [
      socket(`/v1/runs/${id}/events`, { authorization: `Bearer ${key.key}` }),
      socket(`/v1/runs/${id}/events?token=${token}`),
    ]
    const stays = socket(`/v1/runs/${id}/events`, KEY)
    await open(id, 3)
    await evictDurableObject(stub(id))
    expect((await call("DELETE", `/v1/keys/${key.id}`)).status).toBe(204)
    await runDurableObjectAlarm(env.TENANT.get(env.TENANT.idFromName("local")))
    expect((await Promise.all(readings)).map((r) => r.code)).toEqual([1008, 1008])
    expect((await call("GET", `/v1/runs/${id}/events?token=${token}`, undefined, {}, "")).status).toBe(401)
    await ask("POST", `/v1/runs/${id}/signals/go`, {})
    expect((await stays).code).toBe(1000)
  })
})

describe("SSE with third-party clients", () => {
  /** Cuts each connection after this many bytes, like a bad network. */
  const cutting = (cuts: number, roll: () => number) => {
    let left = cuts
    return async (url: string | URL, init?: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response> => {
      const r = await SELF.fetch(new URL(url), { headers: { ...init?.headers, ...KEY, accept: "text/event-stream" } })
      if (left-- <= 0 || !r.body) return r
      let room = 200 + Math.floor(roll() * 1_500)
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        start: (out) => out.enqueue(new TextEncoder().encode("retry: 10\n\n")),
        transform(chunk, out) {
          out.enqueue(chunk.subarray(0, Math.max(0, room)))
          room -= chunk.byteLength
          if (room <= 0) out.terminate()
        },
      })
      void r.body.pipeTo(cut.writable).catch(() => undefined)
      return new Response(cut.readable, { status: r.status, headers: r.headers })
    }
  }

  test("[E4] eventsource-client reads the journal through 20 disconnects", async () => {
    const id = await start("long")
    const client = createEventSource({
      url: `http://sluice/v1/runs/${id}/events`,
      fetch: cutting(20, dice(3)) as never,
      initialLastEventId: "0",
    })
    const read: unknown[] = []
    for await (const { data } of client) {
      const event: { seq?: number; type: string } = JSON.parse(data)
      if (event.seq !== undefined) read.push(event)
      if (event.type === "run.ended") break
    }
    client.close()
    expect(read).toEqual(await eventsOf(id))
  })

  test("[E4] eventsource reads the journal through 20 disconnects, and stops at the end", async () => {
    const id = await start("long")
    const read: unknown[] = []
    const source = new EventSource(`http://sluice/v1/runs/${id}/events`, { fetch: cutting(20, dice(5)) as never })
    await new Promise<void>((resolve) => {
      for (const type of ["run.started", "step.opened", "action.begun", "model.replied", "step.finished", "run.ended"])
        source.addEventListener(type, ({ data }) => {
          read.push(JSON.parse(String(data)))
          if (type === "run.ended") resolve()
        })
    })
    source.close()
    expect(read).toEqual(await eventsOf(id))
  })

  test("[E3] in pi-flows only the last frame of an event moves the cursor", async () => {
    const id = await start("long")
    await until(id, ended)
    const text = await (await call("GET", `/v1/runs/${id}/events?format=pi-flows`, undefined, { accept: "text/event-stream" })).text()
    const frames = text.split("\n\n").filter((f) => f !== "")
    const { data } = await ask<{ data: { seq: number; event: string }[] }>("GET", `/v1/runs/${id}/events?format=pi-flows`)
    expect(frames.map((f) => /^event: (.*)$/m.exec(f)?.[1])).toEqual(data.map((f) => f.event))
    expect(frames.map((f) => /^id: (.*)$/m.exec(f)?.[1])).toEqual(
      data.map((f, i) => (data[i + 1]?.seq === f.seq ? undefined : String(f.seq))),
    )
    const at = data[5]?.seq ?? 0
    const rest = await call("GET", `/v1/runs/${id}/events?format=pi-flows`, undefined, {
      accept: "text/event-stream",
      "last-event-id": String(at),
    })
    expect(await rest.text()).toBe(
      frames
        .slice(data.findLastIndex((f) => f.seq === at) + 1)
        .map((f) => `${f}\n\n`)
        .join(""),
    )
    expect((await runOf(id)).status).toBe("succeeded")
  })
})
