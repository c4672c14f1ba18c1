// Following a run over SSE, from a server that drops the connection [E4].

import { describe, expect, test } from "vitest"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { sseData } from "../../src/client/transport/sse.ts"

const event = (seq: number, type: string, more: object): string =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, at: seq, v: 1, prev: "0", type, ...more })}\n\n`
const skipped = (seq: number): string => event(seq, "step.skipped", { step: `s${seq}`, pass: 1 })
const ended = (seq: number): string => event(seq, "run.ended", { status: "succeeded" })
const delta = `event: model.delta\ndata: {"type":"model.delta","step":"s","turn":1,"text":"he"}\n\n`

const bytesOf = (text: string, cut = false): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (!cut) controller.close()
    },
    pull(controller) {
      if (cut) controller.error(new Error("cut"))
    },
  })

/** Streams the events after the last one that the client has. */
function clientOf(answer: (after: number, call: number) => Response) {
  const asked: number[] = []
  const client = new Sluice({
    url: "http://sluice.test/",
    key: "k",
    fetch: async (url, init) => {
      const after = Number(new Headers(init.headers).get("last-event-id") ?? new URL(url).searchParams.get("after"))
      asked.push(after)
      return answer(after, asked.length)
    },
  })
  return { client, asked }
}

async function read(frames: AsyncIterable<{ readonly type: string }>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const frame of frames) seen.push("seq" in frame ? frame.seq : frame.type)
  return seen
}

describe("following a run", () => {
  test("[E4] a dropped stream resumes after the last event, without gaps or repeats", async () => {
    const { client, asked } = clientOf((_, call) =>
      call === 1
        ? new Response(bytesOf(`: hello\n\n${skipped(1)}${skipped(2)}id: 3\ndata: {"seq":3,"half`, true))
        : new Response(bytesOf(`${skipped(2)}${skipped(3)}${ended(4)}${skipped(5)}`)),
    )
    expect(await read(client.runs.events("run_x"))).toEqual([1, 2, 3, 4])
    expect(asked).toEqual([0, 2])
  })

  test("[E4] a stream that is cut at any byte is still read completely", async () => {
    const journal = [...Array.from({ length: 6 }, (_, i) => skipped(i + 1)), ended(7)]
    const whole = journal.join("")
    const cuts = Array.from({ length: 12 }, (_, i) => Math.floor((whole.length * (i + 1)) / 13))
    for (const cut of cuts) {
      const { client } = clientOf((after, call) => {
        const rest = journal.slice(after).join("")
        return new Response(call === 1 ? bytesOf(rest.slice(0, cut), true) : bytesOf(rest))
      })
      expect(await read(client.runs.events("run_x")), String(cut)).toEqual([1, 2, 3, 4, 5, 6, 7])
    }
  })

  test("[E2] frames that are not stored arrive only on request", async () => {
    const serve = () => clientOf(() => new Response(bytesOf(`${skipped(1)}${delta}${ended(2)}`))).client
    expect(await read(serve().runs.events("run_x"))).toEqual([1, 2])
    expect(await read(serve().runs.events("run_x", { transient: true }))).toEqual([1, "model.delta", 2])
  })

  test("[E4] 204 means that no more events follow; reading starts at `after`", async () => {
    const { client, asked } = clientOf(() => new Response(null, { status: 204 }))
    expect(await read(client.runs.events("run_x", { after: 9 }))).toEqual([])
    expect(asked).toEqual([9])
  })

  test("[H2] a run that does not exist is an error and is not retried", async () => {
    const { client, asked } = clientOf(() => Response.json({ code: "not_found", detail: "none", status: 404 }, { status: 404 }))
    await expect(read(client.runs.events("run_x"))).rejects.toMatchObject({ name: "SluiceError", status: 404, code: "not_found" })
    expect(asked).toHaveLength(1)
  })

  test("[E4] a reader that stops closes the connection", async () => {
    let isClosed = false
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(skipped(1))),
      cancel: () => void (isClosed = true),
    })
    const { client } = clientOf(() => new Response(endless))
    for await (const _ of client.runs.events("run_x")) break
    expect(isClosed).toBe(true)
  })

  test("[E4] messages are found wherever the bytes are split, with either line ending", async () => {
    const bytes = new TextEncoder().encode("data: ä1\r\n\r\n: beat\r\n\r\nevent: x\r\ndata: 2\r\ndata: 3\r\n\r\n")
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const seen: string[] = []
    for await (const data of sseData(body)) seen.push(data)
    expect(seen).toEqual(["ä1", "2\n3"])
  })
})

describe("a run that is started and iterated at once", () => {
  test("[E4] `for await` reads its events; its id and result are available, too", async () => {
    const client = new Sluice({
      url: "http://sluice.test",
      fetch: async (url, init) => {
        const { pathname } = new URL(url)
        if (init.method === "POST") return Response.json({ id: "run_x", flow: "f", status: "running", urls: {} }, { status: 202 })
        return pathname.endsWith("/events")
          ? new Response(bytesOf(`${skipped(1)}${ended(2)}`))
          : Response.json({ id: "run_x", status: "succeeded", output: { a: 1 } })
      },
    })
    const run = client.flows.run("f", { task: "t" })
    expect(await read(run)).toEqual([1, 2])
    expect(await run.id).toBe("run_x")
    expect(await run.result()).toMatchObject({ status: "succeeded", output: { a: 1 } })
  })

  test("[H3] a refused start rejects both the result and the id", async () => {
    const refused = Response.json(
      { code: "task_required", detail: "say what", errors: [{ pointer: "/task", message: "is required" }] },
      { status: 422 },
    )
    const run = new Sluice({ url: "http://sluice.test", fetch: async () => refused }).flows.run("f")
    const error = await run.result().catch((e: unknown) => e)
    expect(error).toBeInstanceOf(SluiceError)
    expect(error).toMatchObject({
      status: 422,
      code: "task_required",
      message: "say what",
      errors: [{ pointer: "/task", message: "is required" }],
    })
    await expect(run.id).rejects.toBe(error)
  })
})

test("[E4] the reader is told when the line is lost, when it is tried again, and when it is back", async () => {
  const { client } = clientOf((after) => new Response(after === 0 ? bytesOf(skipped(1), true) : bytesOf(ended(2))))
  const lines: string[] = []
  for await (const _ of client.runs.events("r", {
    onLine: (line) => lines.push(line.state === "lost" ? `lost ${line.again > 0}` : "open"),
  }));
  expect(lines).toEqual(["open", "lost true", "open"])
})
