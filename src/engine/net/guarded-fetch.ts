// guardedFetch: the only way out of the Worker for addresses from tenants and models [T21]. Redirects are followed here, not by the platform:
// each hop is judged like the first address, https never falls back to http, a body goes only to the host it was sent to,
// and headers that may hold a credential go only to the first origin. HTTP tools, MCP servers and callbacks use it too.

import { defined } from "../../core/defined.ts"
import type { Zones } from "../../core/tool/policy/closed-hosts.ts"
import { overridesByQuery } from "../../core/tool/method-override.ts"
import { allowedPrivateHosts, judgeAddress, withWayOut, zonesOf } from "./address-guard.ts"

export interface GuardedRequest {
  readonly url: string
  /** Default GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Headers with secrets: sent only to the first origin. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Default 5. */
  readonly redirects?: number
  readonly signal?: AbortSignal
}

export interface NetworkRules {
  readonly allowedPrivateHosts: readonly string[]
  /** The operator is who calls: a refusal says how this server allows the address. */
  readonly isLocal?: boolean
  /** The instance's own zone, which is closed, and what the operator opens. */
  readonly zones?: Zones
  /** A stricter rule for each address, including redirects: why it may not be requested, or undefined. */
  readonly permits?: (url: URL) => string | undefined
  /** Resolves when a large body may be read: memory is bounded, and many answers may come at once. */
  readonly large?: (signal: AbortSignal) => Promise<void>
  /** Default: the platform's fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type WayEnv = Parameters<typeof allowedPrivateHosts>[0] & Parameters<typeof zonesOf>[0]

/** `here`: the address under which the caller reached this instance, if known. */
export const wayOf = (env: WayEnv, here = ""): NetworkRules => ({
  allowedPrivateHosts: allowedPrivateHosts(env),
  isLocal: env.ENVIRONMENT === "local",
  zones: zonesOf(env, here),
})

/** Judges an address by its host and port. */
export const permitting =
  (permits: (host: string, port: number) => string | undefined) =>
  (url: URL): string | undefined =>
    permits(url.hostname, Number(url.port) || (url.protocol === "http:" ? 80 : 443))

/** The response, its body unread. Throws an Error; if its message starts with `address refused`, the guard refused and nothing was sent there. */
export async function guardedFetch(request: GuardedRequest, way: NetworkRules): Promise<Response> {
  return (await follow(request, way)).response
}

/** `url`: the final address, after redirects. */
export async function follow(request: GuardedRequest, way: NetworkRules): Promise<{ readonly response: Response; readonly url: string }> {
  const send = way.fetch ?? ((url, init) => fetch(url, init))
  const most = request.redirects ?? 5
  const first = admitted(request.url, way)
  let url = first
  let hop: Hop = {
    method: (request.method ?? "GET").toUpperCase(),
    headers: headersOf(request.headers, request.secretHeaders),
    ...defined({ body: request.body }),
  }
  for (let count = 0; ; count++) {
    const response = await sent(send, url, hop, request.signal)
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null) return { response, url: url.href }
    await response.body?.cancel()
    if (count === most) throw new Error(`too many redirects: ${most} were followed, and ${url.href} redirects again`)
    const next = admitted(URL.canParse(location, url) ? new URL(location, url).href : location, way)
    if (url.protocol === "https:" && next.protocol !== "https:") throw refused(`${url.host} redirects from https to http`)
    hop = redirected(hop, response.status, url, next)
    url = next
  }
}

interface Hop {
  readonly method: string
  readonly headers: Headers
  readonly body?: string | Uint8Array
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers of the connection or the host: the caller's values are dropped. */
const DROPPED = /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/

/** The only headers sent to another origin; any other header may hold a key under an unknown name. */
const HARMLESS: ReadonlySet<string> = new Set(["accept", "accept-language", "content-type", "user-agent"])

/** Follows fetch's rules for methods; stricter than fetch on bodies and headers. */
function redirected(hop: Hop, status: number, from: URL, to: URL): Hop {
  const toGet = (status === 303 && hop.method !== "HEAD") || ((status === 301 || status === 302) && hop.method === "POST")
  const goesAlong = from.origin === to.origin ? [...hop.headers] : [...hop.headers].filter(([name]) => HARMLESS.has(name))
  const headers = new Headers(goesAlong)
  // [G11] The guard judged a look, or a write to another address.
  if (overridesByQuery(to.href) && !(from.hostname === to.hostname && overridesByQuery(from.href)))
    throw refused(`${from.host} redirects to an address that replaces the method, ${to.host}${to.pathname}`)
  if (toGet) {
    headers.delete("content-type")
    return { method: "GET", headers }
  }
  const isLooking = hop.method === "GET" || hop.method === "HEAD"
  if (!isLooking && from.hostname !== to.hostname) throw refused(`${from.host} redirects a ${hop.method} to another host, ${to.host}`)
  return { ...hop, headers }
}

function headersOf(open: Readonly<Record<string, string>> = {}, secret: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries({ ...open, ...secret })) {
    if (DROPPED.test(name.toLowerCase())) continue
    try {
      headers.set(name, value)
    } catch {
      // The platform's own message would show the value.
      throw new Error(`the header ${JSON.stringify(name)} has a name or value that cannot be sent`)
    }
  }
  return headers
}

async function sent(send: NonNullable<NetworkRules["fetch"]>, url: URL, hop: Hop, signal: AbortSignal | undefined): Promise<Response> {
  const { method, headers, body } = hop
  try {
    return await send(url.href, { method, headers, redirect: "manual", ...defined({ body, signal }) })
  } catch (e) {
    signal?.throwIfAborted()
    throw new Error(`${url.origin} did not answer: ${e instanceof Error ? reasonOf(e) : String(e)}`, { cause: e })
  }
}

/** Node puts the reason in the cause. */
const reasonOf = (e: Error): string => (e.cause instanceof Error && e.cause.message !== "" ? e.cause.message : e.message)

function admitted(url: string, way: NetworkRules): URL {
  const why = addressJudge(way)(url)
  if (why !== undefined) throw refused(why)
  return new URL(url)
}

/** The same check of an address, for requests outside guardedFetch: why it may not be requested, or undefined. */
export const addressJudge =
  (way: NetworkRules) =>
  (url: string): string | undefined => {
    const judged = judgeAddress(url, { allowPrivate: way.allowedPrivateHosts, ...way.zones })
    return judged.ok ? way.permits?.(judged.value) : withWayOut(url, judged.error, way.isLocal === true)
  }

const refused = (why: string): Error => new Error(`address refused: ${why}`)
