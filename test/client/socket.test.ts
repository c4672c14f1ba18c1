// Following a run over a WebSocket, from a server that closes it at any time [E4].

import { describe, expect, test } from "vitest"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { Sluice } from "../../src/client/sluice.ts"

type Act = { readonly say: object } | { readonly close: number }
const skipped = (seq: number): Act => ({ say: { seq, at: seq, v: 1, prev: "0", type: "step.skipped", step: `s${seq}`, pass: 1 } })
const ended = (seq: number): Act => ({ say: { seq, at: seq, v: 1, prev: "0", type: "run.ended", status: "succeeded" } })
const delta: Act = { say: { type: "model.delta", step: "s", turn: 1, text: "he" } }

/** `connections`: the messages of each connection, by the event that it continues after. */
function clientOf(connection: (after: number, nth: number) => readonly Act[], token?: () => Response) {
  const asked: string[] = []
  const closed: number[] = []
  class FakeSocket extends EventTarget {
    constructor(url: string) {
      super()
      asked.push(url)
      const acts = connection(Number(new URL(url).searchParams.get("after")), asked.length)
      void (async () => {
        for (const act of acts) {
          await new Promise((r) => setTimeout(r, 0))
          if ("say" in act) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(act.say) }))
          else this.dispatchEvent(Object.assign(new Event("close"), { code: act.close }))
        }
      })()
    }
    close(code: number): void {
      closed.push(code)
    }
  }
  let tokens = 0
  const client = new Sluice({
    url: "https://sluice.test/base/",
    key: "k",
    fetch: async () => token?.() ?? Response.json({ token: `t${++tokens}` }, { status: 201 }),
    WebSocket: FakeSocket as unknown as new (url: string) => WebSocket,
  })
  return { client, asked, closed }
}

async function read(frames: AsyncIterable<{ readonly type: string }>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const frame of frames) seen.push("seq" in frame ? frame.seq : frame.type)
  return seen
}

describe("following a run over a socket", () => {
  test("[E4] a dropped socket is reopened after the last event, with a new token", async () => {
    const { client, asked, closed } = clientOf((_, nth) =>
      nth === 1 ? [skipped(1), delta, skipped(2), { close: 1006 }] : [skipped(2), skipped(3), ended(4), skipped(5)],
    )
    expect(await read(client.runs.socket("run_x"))).toEqual([1, 2, 3, 4])
    expect(asked).toEqual([
      "wss://sluice.test/base/v1/runs/run_x/events?after=0&token=t1",
      "wss://sluice.test/base/v1/runs/run_x/events?after=2&token=t2",
    ])
    expect(closed).toEqual([1000, 1000])
  })

  test("[E2] frames that are not stored arrive only on request", async () => {
    const { client } = clientOf(() => [skipped(1), delta, ended(2)])
    expect(await read(client.runs.socket("run_x", { transient: true }))).toEqual([1, "model.delta", 2])
  })

  test("[E4] after the end of a run no events follow and the client does not reconnect", async () => {
    const { client, asked } = clientOf(() => [{ close: 1000 }])
    expect(await read(client.runs.socket("run_x", { after: 9 }))).toEqual([])
    expect(asked).toHaveLength(1)
  })

  test("[H2] a run that does not exist is an error at once", async () => {
    const { client } = clientOf(
      () => [],
      () => Response.json({ code: "not_found", detail: "nothing" }, { status: 404 }),
    )
    await expect(read(client.runs.socket("run_x"))).rejects.toThrow(SluiceError)
  })

  test("[E4] a reader that stops or aborts closes the socket", async () => {
    const { client, closed } = clientOf(() => [skipped(1), skipped(2)])
    for await (const _ of client.runs.socket("run_x")) break
    const stop = new AbortController()
    const reading = async (): Promise<void> => {
      let received = 0
      for await (const _ of client.runs.socket("run_y", { signal: stop.signal }))
        // Both have arrived and no more follow, so the abort must end the wait for the next one.
        if (++received === 2) setTimeout(() => stop.abort(new Error("enough")), 0)
    }
    await expect(reading()).rejects.toThrow("enough")
    expect(closed).toEqual([1000, 1000])
  })
})
