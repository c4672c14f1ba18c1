// Joins a reader's socket and the run object's socket in the Worker. If the object's socket were passed through directly, a hibernating object
// would keep the TCP connection open after both sides have closed it, until the object sleeps 10 s later (workerd 1.20260730, measured), and
// the reader would wait that long for the end. A socket made in the Worker closes immediately, and the object can still hibernate.

/** Close codes that are only reported locally and must not be sent. */
const LOCAL_CODES: ReadonlySet<number> = new Set([1005, 1006, 1015])
const NORMAL = 1000

/** The client's version of an object's answer to an upgrade request. */
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
  from.addEventListener("close", ({ code, reason }) => close(to, LOCAL_CODES.has(code) ? NORMAL : code, reason))
  // The other side is gone; 1011 makes this side reconnect.
  from.addEventListener("error", () => close(to, 1011, "the connection was lost"))
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason)
  } catch {
    // The socket is already closed, or the code may not be sent.
  }
}
