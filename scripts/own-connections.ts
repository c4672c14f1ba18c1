// Gives each request of the judge and of Prism its own connection; loaded before them with `--import`.
//
// workerd closes a connection that was idle for 5 s, and checks its clock before its input: on a machine where it gets
// no CPU for two seconds, a request on a connection that was idle for three is closed unread, and fetch reports "fetch failed". That is a
// fault of the machine, which a client on the same machine cannot tell from a server fault.

import http from "node:http"

const original = globalThis.fetch
globalThis.fetch = (input: string | URL | Request, init: RequestInit = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set("connection", "close")
  return original(input, { ...init, headers })
}
http.globalAgent = new http.Agent({ keepAlive: false })
