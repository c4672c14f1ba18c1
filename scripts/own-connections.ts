// Loaded before the judge and before Prism (`--import`): each of their requests has a connection of its own.
//
// workerd closes a connection that was idle for 5 s, and looks at its clock before it looks at what has come: on a machine where it gets
// no turn for two seconds, a request on a connection that had rested for three is closed unread, and fetch says "fetch failed". That is a
// fault of the machine, and who shares it with the server cannot tell it from one of the server's.

import http from "node:http"

const kept = globalThis.fetch
globalThis.fetch = (input: string | URL | Request, init: RequestInit = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set("connection", "close")
  return kept(input, { ...init, headers })
}
http.globalAgent = new http.Agent({ keepAlive: false })
