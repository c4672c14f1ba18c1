// Following a run over SSE, against a server that cuts the line.

import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { followRun, sseData, startRun } from "../../local/follow-run.ts"

const event = (seq: number, type: string, more: object): string =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, at: seq, v: 1, prev: "0", type, ...more })}\n\n`
const skipped = (seq: number): string => event(seq, "step.skipped", { step: `s${seq}`, pass: 1 })
const ended = (seq: number): string => event(seq, "run.ended", { status: "succeeded" })

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(
  answers: ((after: number) => { status: number; body: string; cut?: boolean })[],
): Promise<{ url: string; key: string; asked: number[] }> {
  const asked: number[] = []
  server = createServer((request, response) => {
    const after = Number(new URL(request.url ?? "/", "http://x").searchParams.get("after"))
    asked.push(after)
    const answer = answers.shift()?.(after) ?? { status: 500, body: "no more" }
    response.writeHead(answer.status, { "content-type": "text/event-stream" })
    response.write(answer.body, () => (answer.cut === true ? response.destroy() : response.end()))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`, key: "k", asked }
}

describe("following a run", () => {
  test("[E4] a stream that is cut off is taken up after the last event, without gap or repetition", async () => {
    const api = await serve([
      () => ({ status: 200, body: `: hello\n\n${skipped(1)}${skipped(2)}id: 3\ndata: {"seq":3,"half`, cut: true }),
      () => ({ status: 200, body: `${skipped(2)}${skipped(3)}${ended(4)}${skipped(5)}` }),
    ])
    const seen: unknown[] = []
    for await (const frame of followRun(api, "run_x")) seen.push("seq" in frame ? frame.seq : frame.type)
    expect(seen).toEqual([1, 2, 3, 4])
    expect(api.asked).toEqual([0, 2])
  })

  test("[E4] 204 means that there is nothing more", async () => {
    const api = await serve([() => ({ status: 204, body: "" })])
    for await (const frame of followRun(api, "run_x")) throw new Error(`unexpected ${frame.type}`)
    expect(api.asked).toEqual([0])
  })

  test("[H3] a flow that does not start is told with the server's words", async () => {
    const api = await serve([() => ({ status: 404, body: '{"code":"not_found"}' })])
    await expect(startRun(api, "triage", {})).rejects.toThrow('the flow "triage" does not start (404): {"code":"not_found"}')
  })

  test("[E4] messages are found however the bytes are cut, with either line end", async () => {
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
