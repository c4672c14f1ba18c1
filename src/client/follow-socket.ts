// Follows a run's events over a WebSocket [E4], for clients that cannot keep a stream open: each journal event once and in order, however
// often the connection drops.
//
// The platform's WebSocket cannot send headers, so each connection gets a short-lived token of this run, created with the key.

import { frameOf, isFinal, MAX_FAILURES, type Follow } from "./follow.ts"
import type { Frame } from "./frame.ts"
import { SluiceError } from "./transport/sluice-error.ts"
import { backoff, part, pause, type Transport } from "./transport/transport.ts"

const NORMAL = 1000

export async function* followSocket(transport: Transport, run: string, options: Follow = {}): AsyncGenerator<Frame> {
  const { transient = false, signal } = options
  let after = options.after ?? 0
  for (let failures = 0; ; failures++) {
    try {
      const path = `/v1/runs/${part(run)}`
      const token =
        transport.token ??
        (await transport.json<{ token: string }>("POST", `${path}/token`, { body: {}, ...(signal ? { signal } : {}) })).token
      const messages = listen(transport.socket(`${path}/events`, { after, token }), signal)
      for await (const data of messages) {
        const frame = frameOf(data)
        if (frame === undefined) continue
        if ("seq" in frame) {
          if (frame.seq <= after) continue
          after = frame.seq
          failures = 0
        } else if (!transient) continue
        yield frame
        if (frame.type === "run.ended") return
      }
      // The server closed the socket normally: the run had already ended.
      return
    } catch (error) {
      if (signal?.aborted === true || isFinal(error) || failures >= MAX_FAILURES) throw error
    }
    await pause(backoff(failures), signal)
  }
}

/** The messages of a socket until it closes; any close other than a normal one is an error. */
async function* listen(socket: WebSocket, signal?: AbortSignal): AsyncGenerator<string> {
  const waiting: string[] = []
  let end: { readonly fault?: unknown } | undefined
  let wake = (): void => {}
  const over = (how: { readonly fault?: unknown }): void => {
    end ??= how
    wake()
  }
  const stop = (): void => over({ fault: signal?.reason })
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") waiting.push(data)
    wake()
  })
  socket.addEventListener("close", ({ code }) => over(code === NORMAL ? {} : { fault: lost(`the socket was closed with ${code}`) }))
  socket.addEventListener("error", () => over({ fault: lost("the socket failed") }))
  signal?.addEventListener("abort", stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    for (;;) {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) yield text
      if (end !== undefined) {
        if ("fault" in end) throw end.fault
        return
      }
      await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal?.removeEventListener("abort", stop)
    socket.close(NORMAL)
  }
}

const lost = (message: string): SluiceError => new SluiceError({ status: 0, code: "network", message })
