// An object's connections [J16]: which call leaves from where, and that a carried call is like any other to its caller.

import { afterEach, describe, expect, test, vi } from "vitest"
import { Connections, largeAnswer, outgoing } from "../../../src/cloudflare/outgoing/connections.ts"
import type { NotSent, Parcel } from "../../../src/cloudflare/outgoing/parcel.ts"

const URL_OF_ALL = "https://model.example.com/v1"

interface Sent {
  readonly from: string
  readonly parcel?: Parcel
  readonly answer: (response: Response | NotSent) => void
  readonly fail: (error: Error) => void
}

/** Every call waits until the test answers it. */
class World {
  readonly sent: Sent[] = []
  readonly dropped: string[] = []
  readonly disposed: string[] = []
  hires = 0
  spent = 0
  canHire = true

  readonly connections = new Connections(
    {
      Couriers: {
        hire: async () => {
          if (!this.canHire) throw new Error("no more invocations")
          const name = `courier ${++this.hires}`
          return {
            send: (_call: number, parcel: Parcel) => this.#call(name, parcel),
            drop: async (call: number) => void this.dropped.push(`${name} ${call}`),
            [Symbol.dispose]: () => void this.disposed.push(name),
          }
        },
      },
    },
    () => this.spent++,
  )

  constructor() {
    vi.stubGlobal("fetch", () => this.#call("object"))
  }

  call(init: RequestInit = {}, url: string | URL = URL_OF_ALL): Promise<Response> {
    const answer = this.connections.fetch(url, { redirect: "manual", ...init })
    answer.catch(() => {})
    return answer
  }

  /** Calls that leave from the object fill its own places. */
  async busy(): Promise<void> {
    for (let i = 0; i < 4; i++) void this.call()
    await settled()
  }

  from(): string[] {
    return this.sent.map(({ from }) => from)
  }

  last(): Sent {
    const last = this.sent.at(-1)
    if (!last) throw new Error("nothing was sent")
    return last
  }

  #call(from: string, parcel?: Parcel): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.sent.push({ from, ...(parcel ? { parcel } : {}), answer: (r) => resolve(r as Response), fail: reject })
    })
  }
}

const settled = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

afterEach(() => vi.unstubAllGlobals())

describe("[J16] where a call leaves from", () => {
  test("[J16] four wait in the object, the next six in one courier, and so on", async () => {
    const world = new World()
    for (let i = 0; i < 50; i++) void world.call()
    await settled()
    const counts = Map.groupBy(world.from(), (from) => from)
    expect([...counts.values()].map((list) => list.length)).toEqual([4, 6, 6, 6, 6, 6, 6, 6, 4])
    expect(counts.get("object")).toHaveLength(4)
  })

  test("[J16] a place of the object is free again once the head of an answer is there", async () => {
    const world = new World()
    await world.busy()
    world.sent[0]?.answer(new Response("still streaming"))
    await settled()
    void world.call()
    await settled()
    expect(world.from()).toEqual(Array(5).fill("object"))
  })

  test("[J16] one call after the other never needs a courier until the object has sent its share", async () => {
    const world = new World()
    for (let i = 0; i < 35; i++) {
      const call = world.call()
      await settled()
      world.last().answer(new Response("ok"))
      expect(await (await call).text()).toBe("ok")
    }
    expect(world.from().slice(0, 30)).toEqual(Array(30).fill("object"))
    expect(world.spent).toBe(1)
    expect(world.from().slice(30)).not.toContain("object")
    world.connections.renew()
    void world.call()
    await settled()
    expect(world.last().from).toBe("object")
  })

  test("[J16] a courier makes 40 calls at most, and is let go when nothing is under way", async () => {
    const world = new World()
    await world.busy()
    void world.call()
    for (let i = 0; i < 45; i++) {
      const call = world.call()
      await settled()
      world.last().answer(new Response("ok"))
      await (await call).text()
    }
    // The first one still carries a call.
    expect(world.from().filter((from) => from === "courier 1")).toHaveLength(40)
    expect(world.from().filter((from) => from === "courier 2")).toHaveLength(6)
    expect(world.disposed).toEqual([])
    world.sent.find(({ from }) => from === "courier 1")?.answer(new Response(null, { status: 204 }))
    await settled()
    expect(world.disposed.toSorted()).toEqual(["courier 1", "courier 2"])
  })

  test("[J16] after 24 couriers an invocation says that it is spent, and a new one hires again", async () => {
    const world = new World()
    for (let i = 0; i < 4 + 24 * 6 + 1; i++) void world.call()
    await settled()
    expect(world.hires).toBe(24)
    expect(world.spent).toBe(1)
    expect(world.from().filter((from) => from === "object")).toHaveLength(5)
    for (const one of world.sent) one.answer(new Response(null))
    await settled()
    expect(world.disposed).toHaveLength(24)
    world.connections.renew()
    for (let i = 0; i < 5; i++) void world.call()
    await settled()
    expect(world.last().from).toBe("courier 25")
  })

  test.each<[string, RequestInit | Request]>([
    ["follows redirects", { redirect: "follow" }],
    ["has a form", { body: new FormData() }],
    ["has a body that is too large", { body: "x".repeat(6 * 1024 * 1024) }],
    ["is a Request", new Request(URL_OF_ALL)],
  ])("[J16] a call that %s leaves from the object", async (_, init) => {
    const world = new World()
    await world.busy()
    void (init instanceof Request ? world.connections.fetch(init) : world.call(init)).catch(() => {})
    await settled()
    expect(world.from()).toEqual(Array(5).fill("object"))
  })

  test("[J16] without couriers, or when none comes, every call leaves from the object", async () => {
    const world = new World()
    world.canHire = false
    for (let i = 0; i < 12; i++) void world.call()
    await settled()
    expect(world.from()).toEqual(Array(12).fill("object"))
    const alone = new Connections({}, () => {})
    for (let i = 0; i < 12; i++) void alone.fetch(URL_OF_ALL, { redirect: "manual" }).catch(() => {})
    await settled()
    expect(world.from()).toEqual(Array(24).fill("object"))
  })
})

test("[J16] the one `outgoing` is a call of the object whose work it is in", async () => {
  const world = new World()
  await world.connections.around(async () => {
    await settled()
    for (let i = 0; i < 6; i++) void outgoing(URL_OF_ALL, { redirect: "manual" })
  })
  await settled()
  expect(world.from()).toEqual([...Array<string>(4).fill("object"), "courier 1", "courier 1"])
  void outgoing(URL_OF_ALL, { redirect: "manual" })
  expect(world.last().from).toBe("object")
})

test("[J16] six effects hold a large answer until they end; the next ones wait in order, and one that is aborted leaves", async () => {
  const { connections } = new World()
  const { signal } = new AbortController()
  const reading: number[] = []
  const ends: (() => void)[] = []
  const effect = (n: number, stop = signal): Promise<void> =>
    connections.around(async () => {
      await largeAnswer(stop)
      // A second answer of the same effect.
      await largeAnswer(stop)
      reading.push(n)
      await new Promise<void>((end) => (ends[n] = end))
    })
  const all = [0, 1, 2, 3, 4, 5].map((n) => effect(n))
  await settled()
  const leaving = new AbortController()
  const gone = effect(6, leaving.signal)
  const late = effect(7)
  await settled()
  expect(reading).toEqual([0, 1, 2, 3, 4, 5])
  leaving.abort(new Error("canceled"))
  await expect(gone).rejects.toThrow("canceled")
  ends[3]?.()
  await settled()
  expect(reading).toEqual([0, 1, 2, 3, 4, 5, 7])
  for (const end of ends) end?.()
  await Promise.all([...all, late])
  // Outside of any effect nothing waits.
  await largeAnswer(signal)
})

test("[J16] requests of 16 MiB are on their way at once; the next ones wait in order until an answer begins", async () => {
  const world = new World()
  const body = "x".repeat(5 * 1024 * 1024)
  for (let i = 0; i < 5; i++) void world.call({ method: "POST", body })
  await settled()
  expect(world.sent).toHaveLength(3)
  // A small one never waits.
  void world.call({ method: "POST", body: "x".repeat(64 * 1024) })
  await settled()
  expect(world.sent).toHaveLength(4)
  world.sent[0]?.answer(new Response("begins"))
  await settled()
  expect(world.sent).toHaveLength(5)
  const leaving = new AbortController()
  const gone = world.call({ method: "POST", body, signal: leaving.signal })
  leaving.abort(new Error("canceled"))
  await expect(gone).rejects.toThrow("canceled")
})

describe("[J16] a carried call", () => {
  const carried = async (init: RequestInit = {}, url?: string | URL): Promise<{ world: World; answer: Promise<Response> }> => {
    const world = new World()
    await world.busy()
    const answer = world.call(init, url)
    await settled()
    expect(world.last().from).toBe("courier 1")
    return { world, answer }
  }

  test("[J16] it has the method, the headers and the body that fetch would send", async () => {
    const body = new TextEncoder().encode("..bytes..").subarray(2, 7)
    const { world } = await carried({ method: "PUT", headers: { Authorization: "Bearer k" }, body }, new URL("/x?y=1", URL_OF_ALL))
    const { parcel } = world.last()
    expect(parcel).toEqual({
      url: "https://model.example.com/x?y=1",
      method: "PUT",
      headers: [["authorization", "Bearer k"]],
      body: new TextEncoder().encode("bytes"),
    })
    expect(parcel?.body instanceof Uint8Array && parcel.body.buffer.byteLength).toBe(5)
    void world.call({ method: "POST", body: "text" })
    await settled()
    expect(world.last().parcel?.headers).toEqual([["content-type", "text/plain;charset=UTF-8"]])
  })

  test("[J16] its answer streams: each part is there before the next", async () => {
    const { world, answer } = await carried()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    world.last().answer(new Response(readable, { status: 203, headers: { "x-a": "b" } }))
    const response = await answer
    expect([response.status, response.headers.get("x-a")]).toEqual([203, "b"])
    const reader = response.body?.getReader()
    const writer = writable.getWriter()
    for (const part of ["one", "two"]) {
      const [, got] = await Promise.all([writer.write(new TextEncoder().encode(part)), reader?.read()])
      expect(new TextDecoder().decode(got?.value)).toBe(part)
    }
    expect(world.disposed).toEqual([])
    void writer.close()
    expect((await reader?.read())?.done).toBe(true)
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
  })

  test("[J16] an abort before the answer rejects with its reason, and the courier drops the call", async () => {
    const ending = new AbortController()
    const { world, answer } = await carried({ signal: ending.signal })
    ending.abort(new Error("the run was canceled"))
    await expect(answer).rejects.toThrow("the run was canceled")
    expect(world.dropped).toEqual(["courier 1 1"])
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
    let isCanceled = false
    world.last().answer(new Response(new ReadableStream({ cancel: () => void (isCanceled = true) })))
    await settled()
    expect(isCanceled).toBe(true)
  })

  test("[J16] an abort in the middle of the answer fails the read with its reason", async () => {
    const ending = new AbortController()
    const { world, answer } = await carried({ signal: ending.signal })
    world.last().answer(new Response(new TransformStream<Uint8Array, Uint8Array>().readable))
    const text = (await answer).text()
    const failed = expect(text).rejects.toThrow("too late")
    ending.abort(new Error("too late"))
    await failed
    expect(world.dropped).toEqual(["courier 1 1"])
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
  })

  test("[J16] a reader that stops ends the call", async () => {
    const { world, answer } = await carried()
    world.last().answer(new Response(new TransformStream<Uint8Array, Uint8Array>().readable))
    await (await answer).body?.cancel()
    expect(world.dropped).toEqual(["courier 1 1"])
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
  })

  test("[J16] an answer that breaks off fails the read, and its courier is let go", async () => {
    const { world, answer } = await carried()
    world.last().answer(new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) })))
    await expect((await answer).text()).rejects.toThrow("cut")
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
  })

  test("[J16] what fetch says in the courier is what the caller hears", async () => {
    const { world, answer } = await carried()
    world.last().answer({ fault: "Network connection lost." })
    await expect(answer).rejects.toThrow("Network connection lost.")
  })

  test("[J16] a courier that is gone fails its calls, and the next call hires another one", async () => {
    const { world, answer } = await carried()
    world.last().fail(new Error("The connection was lost."))
    await expect(answer).rejects.toThrow("The connection was lost.")
    await settled()
    expect(world.disposed).toEqual(["courier 1"])
    void world.call()
    await settled()
    expect(world.last().from).toBe("courier 2")
  })

  test("[J16] a call whose signal is already aborted is not sent", async () => {
    const world = new World()
    await world.busy()
    await expect(world.call({ signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over")
    const ending = new AbortController()
    const answer = world.call({ signal: ending.signal })
    ending.abort(new Error("over before the courier came"))
    await expect(answer).rejects.toThrow("over before the courier came")
    expect(world.from()).toEqual(Array(4).fill("object"))
  })
})
