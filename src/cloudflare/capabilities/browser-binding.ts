// Implements BrowserHost over the Browser Rendering binding [T25]: the binding starts a browser, and its WebSocket is the DevTools
// connection. The local server implements the same few routes (local/browser.ts). docs/decisions/0019 says why no library is used.

import type { BrowserHost, BrowserLine } from "../../ports/browser.ts"
import { IDLE_MS } from "../../engine/browser/session-browsers.ts"

/** The binding reads only the path. */
const BASE = "https://browser/v1/devtools/browser"
/** The platform closes a browser that is idle for this long. Sessions close theirs earlier, so this only affects browsers of lost runs. */
const KEEP_ALIVE_MS = IDLE_MS + 60_000

export function browserBinding(binding: Fetcher): BrowserHost {
  return {
    async open(signal) {
      const taken = await binding.fetch(`${BASE}?keep_alive=${KEEP_ALIVE_MS}`, { method: "POST", signal })
      if (!taken.ok) throw new Error(`no browser is available: ${await said(taken)}`)
      const { sessionId } = await taken.json<{ sessionId?: unknown }>()
      if (typeof sessionId !== "string") throw new Error("no browser is available: the binding returned none")
      const end = async (): Promise<void> => {
        const ended = await binding.fetch(`${BASE}/${encodeURIComponent(sessionId)}`, { method: "DELETE" }).catch(() => undefined)
        await ended?.body?.cancel().catch(() => undefined)
      }
      // Without the signal of the call, because later calls use the same connection.
      const connected = await binding
        .fetch(`${BASE}/${encodeURIComponent(sessionId)}`, { headers: { upgrade: "websocket" } })
        .catch(() => undefined)
      const socket = connected?.webSocket
      if (!socket) {
        await end()
        throw new Error(`the browser does not answer: ${connected ? await said(connected) : "it went away"}`)
      }
      return lineOf(socket, end)
    },
  }
}

function lineOf(socket: WebSocket, end: () => Promise<void>): BrowserLine {
  return {
    send: (message) => socket.send(message),
    listen({ message, closed }) {
      socket.addEventListener("message", ({ data }) => message(typeof data === "string" ? data : new TextDecoder().decode(data)))
      socket.addEventListener("close", () => closed("its browser ended"))
      socket.addEventListener("error", () => closed("the connection to its browser broke"))
      socket.accept()
    },
    async close() {
      try {
        socket.close(1000)
      } catch {
        // The socket is already closed.
      }
      await end()
    },
  }
}

/** The text matters: for a 429 it says which limit of the account was reached. Whoever shows it takes secrets out first, and cuts it then. */
const said = async (answer: Response): Promise<string> => `${answer.status} ${await answer.text()}`.trim()
