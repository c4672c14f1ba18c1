// A reader's socket and the run object's, joined in the Worker. Handed through as it is, a hibernating object's socket keeps its TCP
// connection after both sides have closed it, until the object sleeps 10 s later (workerd 1.20260730, measured): the reader would wait
// for the end that long. A socket of the Worker's own ends at once, and the object may sleep all the same.

/** Codes that are told, but may not be sent. */
const UNSAID: ReadonlySet<number> = new Set([1005, 1006, 1015])
const NORMAL = 1000

/** The answer of an object to an upgrade, as the client is to get it. */
export function relayed(answer: Response): Response {
  const inner = answer.webSocket
  if (!inner) return answer
  const { 0: client, 1: outer } = new WebSocketPair()
  join(inner, outer)
  join(outer, inner)
  outer.accept()
  inner.accept()
  return new Response(null, { status: 101, webSocket: client })
}

function join(from: WebSocket, to: WebSocket): void {
  from.addEventListener("message", ({ data }) => {
    if (to.readyState === WebSocket.OPEN) to.send(data)
  })
  from.addEventListener("close", ({ code, reason }) => close(to, UNSAID.has(code) ? NORMAL : code, reason))
  // The other one is gone: whoever is left comes back.
  from.addEventListener("error", () => close(to, 1011, "the connection was lost"))
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason)
  } catch {
    // It is closed already, or was told a code that nobody may send.
  }
}
