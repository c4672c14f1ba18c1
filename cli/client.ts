// Makes the client of a command: through the proxy that the environment names, as curl and npm do, and with a time limit where a command
// only asks whether a server is there.

import { Sluice } from "../src/client/sluice.ts"
import type { Options } from "../src/client/transport/transport.ts"
import { defined } from "../src/core/defined.ts"
import { isLoopback, proxyOf, type EnvVariables } from "./proxy.ts"

interface Wish extends Pick<Options, "url" | "retries" | "waits"> {
  /** "": for routes that need none. */
  readonly key: string
  /** A server that says nothing for so long, in milliseconds, is one that does not answer. */
  readonly withinMs?: number
}

export async function clientOf(env: EnvVariables, { url, key, retries, waits, withinMs }: Wish): Promise<Sluice> {
  const send = isLoopback(url) || proxyOf(env, url) === undefined ? fetch : await proxiedFetch(env)
  return new Sluice({
    url,
    ...(key === "" ? {} : { key }),
    ...defined({ retries, waits }),
    fetch: (address, init) => send(address, withinMs === undefined ? init : { ...init, signal: AbortSignal.timeout(withinMs) }),
  })
}

/** Node 20 has no proxy of its own. Its `fetch` takes no dispatcher of another version, so the library's is used as a whole. */
async function proxiedFetch(env: EnvVariables): Promise<NonNullable<Options["fetch"]>> {
  const { EnvHttpProxyAgent, fetch: send } = await import("undici")
  const httpProxy = env["http_proxy"] || env["HTTP_PROXY"] || undefined
  const httpsProxy = env["https_proxy"] || env["HTTPS_PROXY"] || undefined
  const dispatcher = new EnvHttpProxyAgent({ ...defined({ httpProxy, httpsProxy }), noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "" })
  type Send = (url: string, init: object) => Promise<Response>
  return (url, init) => (send as unknown as Send)(url, { ...init, dispatcher })
}
