// Following the tenant from a server that drops, refuses or forgets the stream [H15].

import { afterEach, describe, expect, test, vi } from "vitest"
import { listen, type FeedLine } from "../../src/client/feed.ts"
import { Transport } from "../../src/client/transport/transport.ts"

const event = (id: string, type = "run.changed"): string => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at: "" })}\n\n`

/** A stream that says this and then nothing; `isOver`: and then ends. */
const said = (text: string, isOver = true, onCancel?: () => void): Response =>
  new Response(
    new ReadableStream({
      start(to) {
        to.enqueue(new TextEncoder().encode(text))
        if (isOver) to.close()
      },
      cancel: () => onCancel?.(),
    }),
  )
const refusal = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ status, code: "quota", detail: "No." }, { status, headers })

function played(...answers: readonly (() => Response)[]) {
  const asked: (string | null)[] = []
  const lines: FeedLine[] = []
  const stop = new AbortController()
  const transport = new Transport({
    url: "http://sluice.test",
    fetch: async (_, { headers }) => {
      asked.push(new Headers(headers).get("last-event-id"))
      const answer = answers[asked.length - 1]
      if (answer === undefined) throw new Error("no more answers")
      return answer()
    },
  })
  const events = listen(transport, { signal: stop.signal, onLine: (line) => lines.push(line) })
  const next = async (): Promise<string | undefined> => (await events.next()).value?.id
  return { asked, lines, next, stop, events }
}

afterEach(() => vi.useRealTimers())

describe("following the tenant", () => {
  test("[H15] a stream that ends goes on after the last event, and the reader is told when it is lost and there again", async () => {
    vi.useFakeTimers()
    const { asked, lines, next, events } = played(
      () => said(event("a-1") + event("a-2") + 'id: a-3\ndata: {"id":"a-'),
      () => said(event("a-3")),
    )
    expect([await next(), await next()]).toEqual(["a-1", "a-2"])
    const third = next()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await third).toBe("a-3")
    expect(asked).toEqual([null, "a-2"])
    expect(lines.map(({ state }) => state)).toEqual(["open", "lost", "open"])
    await events.return(undefined)
  })

  test("[H15] a tenant with too many streams is asked again when the server says so, and not before", async () => {
    vi.useFakeTimers()
    const { asked, lines, next, events } = played(
      () => refusal(429, { "retry-after": "30" }),
      () => said(event("a-1"), false),
    )
    const first = next()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(asked).toHaveLength(1)
    expect(lines).toEqual([{ state: "lost", again: 30_000, isFull: true }])
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await first).toBe("a-1")
    await events.return(undefined)
  })

  test.each([401, 403, 404])("[H15] a refusal with %i is final", async (status) => {
    const { next, lines } = played(() => refusal(status))
    await expect(next()).rejects.toMatchObject({ status })
    expect(lines).toEqual([])
  })

  test("[H15] a stream that is silent for 45 seconds is opened again; one that says it is alive is not", async () => {
    vi.useFakeTimers()
    let alive: ReadableStreamDefaultController<Uint8Array> | undefined
    let closed = 0
    const body = new ReadableStream<Uint8Array>({
      start(to) {
        alive = to
        to.enqueue(new TextEncoder().encode(event("a-1")))
      },
      cancel: () => void (closed += 1),
    })
    const { asked, next, events } = played(
      () => new Response(body),
      () => said(event("a-2"), false),
    )
    expect(await next()).toBe("a-1")
    const second = next()
    for (let n = 0; n < 4; n += 1) {
      await vi.advanceTimersByTimeAsync(30_000)
      alive?.enqueue(new TextEncoder().encode(": alive\n\n"))
    }
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(47_000)
    expect(await second).toBe("a-2")
    expect(asked).toEqual([null, "a-1"])
    expect(closed).toBe(1)
    await events.return(undefined)
  })

  test("[H15] a reader that leaves closes the stream, and leaves no timer", async () => {
    vi.useFakeTimers()
    let closed = 0
    const { next, events } = played(() => said(event("a-1"), false, () => (closed += 1)))
    expect(await next()).toBe("a-1")
    await events.return(undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(closed).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
