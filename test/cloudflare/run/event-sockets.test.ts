// How often the platform is asked for the sockets of a run [E4]: at every decision the run asks whether someone follows it.

import { afterEach, expect, test, vi } from "vitest"
import { EventSockets } from "../../../src/cloudflare/run/streams/event-sockets.ts"

afterEach(() => void vi.unstubAllGlobals())

function sockets(open: WebSocket[]) {
  let asked = 0
  const ctx = {
    acceptWebSocket: (socket: WebSocket) => void open.push(socket),
    getWebSockets: () => {
      asked += 1
      return open
    },
  }
  const source = { read: () => [], over: () => false }
  const readers = new EventSockets(
    ctx as unknown as Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">,
    source,
    () => undefined,
    () => [],
  )
  return { readers, asked: () => asked }
}

const socket = (): WebSocket => {
  let place: unknown = { after: 0, sent: 0 }
  return { serializeAttachment: (next: unknown) => void (place = next), deserializeAttachment: () => place } as unknown as WebSocket
}

test("[E4] while no one follows a run, the platform is asked once for its sockets", () => {
  const { readers, asked } = sockets([])
  for (let n = 0; n < 100; n++) {
    expect(readers.size).toBe(0)
    readers.wake()
    readers.show("model.delta", {})
    readers.drop("key")
  }
  expect(asked()).toBe(1)
})

test("[E4] sockets from before the object woke are found, and one that comes or goes is noticed at once", () => {
  const open = [socket()]
  const { readers, asked } = sockets(open)
  expect(readers.size).toBe(1)
  open.length = 0
  expect([readers.size, readers.size, asked()]).toEqual([0, 0, 2])
  vi.stubGlobal(
    "WebSocketPair",
    class {
      readonly 0 = socket()
      readonly 1 = socket()
    },
  )
  vi.stubGlobal("WebSocket", { OPEN: 1 })
  vi.stubGlobal("Response", class {})
  readers.accept({ after: 0 })
  expect(readers.size).toBe(1)
  open.length = 0
  expect(readers.size).toBe(0)
})
