// BrowserHost over the Browser Rendering binding [T25]: a browser is taken, and the binding's WebSocket is its DevTools connection. The
// local server speaks the same to the same few routes (local/browser.ts). docs/decisions/0019 says why there is no library in between.

import type { BrowserHost, BrowserLine } from "../../ports/browser.ts"
import { IDLE_MS } from "../../engine/browser/session-browsers.ts"

/** The binding looks at the path only. */
const BASE = "https://browser/v1/devtools/browser"
/** Ended by the platform when nothing was said for so long: after our own end for it, so that only a browser whose run was lost meets it. */
const KEEP_ALIVE_MS = IDLE_MS + 60_000

export function browserBinding(binding: Fetcher): BrowserHost {
  return {
    async open(signal) {
      const taken = await binding.fetch(`${BASE}?keep_alive=${KEEP_ALIVE_MS}`, { method: "POST", signal })
      if (!taken.ok) throw new Error(`no browser is to be had: ${await said(taken)}`)
      const { sessionId } = await taken.json<{ sessionId?: unknown }>()
      if (typeof sessionId !== "string") throw new Error("no browser is to be had: the binding gave none")
      const end = async (): Promise<void> => {
        const ended = await binding.fetch(`${BASE}/${encodeURIComponent(sessionId)}`, { method: "DELETE" }).catch(() => undefined)
        await ended?.body?.cancel().catch(() => undefined)
      }
      // Not with the signal of the call: the line stays for those after it.
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
      socket.addEventListener("close", () => closed("its browser went away"))
      socket.addEventListener("error", () => closed("the connection to its browser broke"))
      socket.accept()
    },
    async close() {
      try {
        socket.close(1000)
      } catch {
        // It is closed already.
      }
      await end()
    },
  }
}

/** 429 is the account's limit, and its words say which one. */
const said = async (answer: Response): Promise<string> => `${answer.status} ${(await answer.text()).slice(0, 300)}`.trim()
