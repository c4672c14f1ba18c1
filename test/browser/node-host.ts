// BrowserHost from Node over the local routes: the same calls that the Worker's binding makes.

import { SECRET_HEADER, type LocalBrowsers } from "../../local/browser.ts"
import type { BrowserHost } from "../../src/ports/browser.ts"

export function nodeHost({ address, secret }: LocalBrowsers): BrowserHost {
  const headers = { [SECRET_HEADER]: secret }
  return {
    async open() {
      const taken = await fetch(`http://${address}/v1/devtools/browser?keep_alive=60000`, { method: "POST", headers })
      if (!taken.ok) throw new Error(`no browser is available: ${taken.status} ${await taken.text()}`)
      const { sessionId } = (await taken.json()) as { sessionId: string }
      const route = `${address}/v1/devtools/browser/${sessionId}`
      // Node's own WebSocket takes headers; the types speak of a browser's.
      const socket: WebSocket = Reflect.construct(WebSocket, [`ws://${route}`, { headers }])
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve, { once: true })
        socket.addEventListener("error", () => reject(new Error("the browser does not answer")), { once: true })
      })
      return {
        send: (message) => socket.send(message),
        listen({ message, closed }) {
          socket.addEventListener("message", ({ data }) => message(String(data)))
          socket.addEventListener("close", () => closed("its browser ended"))
        },
        async close() {
          socket.close()
          await fetch(`http://${route}`, { method: "DELETE", headers }).catch(() => undefined)
        },
      }
    },
  }
}
