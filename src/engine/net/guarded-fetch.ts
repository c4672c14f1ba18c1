// guardedFetch: the one way out of the Worker for what a tenant or a model names [T21]. Redirects are followed here, not by the platform:
// each hop is judged as the first address was, https never falls back to http, a body goes to no other host than it was sent to,
// and whatever may hold a credential stays with the first origin. HTTP tools, MCP servers and callbacks go this way too.

import { allowedPrivateHosts, judgeAddress } from "./address-guard.ts"

export interface GuardedRequest {
  readonly url: string
  /** Default GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Hold a secret: they go to the first origin and to no other. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Default 5. */
  readonly redirects?: number
  readonly signal?: AbortSignal
}

export interface Way {
  readonly allowedPrivateHosts: readonly string[]
  /** A stricter word on each address, redirects too: why it may not be asked, or undefined. */
  readonly permits?: (url: URL) => string | undefined
  /** Default: the platform's. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export const wayOf = (env: { readonly ENVIRONMENT: string; readonly ALLOWED_PRIVATE_HOSTS?: string }): Way => ({
  allowedPrivateHosts: allowedPrivateHosts(env),
})

/** The answer with its body still to come. Throws an Error; one that begins `address refused` is the guard's, and that address was not asked. */
export async function guardedFetch(request: GuardedRequest, way: Way): Promise<Response> {
  return (await follow(request, way)).response
}

/** `url`: where the answer came from in the end. */
export async function follow(request: GuardedRequest, way: Way): Promise<{ readonly response: Response; readonly url: string }> {
  const send = way.fetch ?? ((url, init) => fetch(url, init))
  const most = request.redirects ?? 5
  const first = admitted(request.url, way)
  let url = first
  let hop: Hop = {
    method: (request.method ?? "GET").toUpperCase(),
    headers: headersOf(request.headers, request.secretHeaders),
    ...(request.body === undefined ? {} : { body: request.body }),
  }
  for (let count = 0; ; count++) {
    const response = await sent(send, url, hop, request.signal)
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null) return { response, url: url.href }
    await response.body?.cancel()
    if (count === most) throw new Error(`too many redirects: ${most} were followed, and ${url.href} leads on`)
    const next = admitted(URL.canParse(location, url) ? new URL(location, url).href : location, way)
    if (url.protocol === "https:" && next.protocol !== "https:") throw refused(`${url.host} leads from https to http`)
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

/** They belong to a connection or name the host: what a caller sets is not passed on. */
const DROPPED = /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/

/** All that another origin is told; anything else may be a key under a name that nobody foresaw. */
const HARMLESS: ReadonlySet<string> = new Set(["accept", "accept-language", "content-type", "user-agent"])

/** The rules of fetch for methods; stricter than fetch with bodies and headers. */
function redirected(hop: Hop, status: number, from: URL, to: URL): Hop {
  const toGet = (status === 303 && hop.method !== "HEAD") || ((status === 301 || status === 302) && hop.method === "POST")
  const goesAlong = from.origin === to.origin ? [...hop.headers] : [...hop.headers].filter(([name]) => HARMLESS.has(name))
  const headers = new Headers(goesAlong)
  if (toGet) {
    headers.delete("content-type")
    return { method: "GET", headers }
  }
  const isLooking = hop.method === "GET" || hop.method === "HEAD"
  if (!isLooking && from.hostname !== to.hostname) throw refused(`${from.host} leads a ${hop.method} on to another host, ${to.host}`)
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

async function sent(send: NonNullable<Way["fetch"]>, url: URL, hop: Hop, signal: AbortSignal | undefined): Promise<Response> {
  const { method, headers, body } = hop
  try {
    return await send(url.href, {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (e) {
    signal?.throwIfAborted()
    throw new Error(`${url.origin} did not answer: ${e instanceof Error ? reasonOf(e) : String(e)}`, { cause: e })
  }
}

/** Node tells the reason in the cause. */
const reasonOf = (e: Error): string => (e.cause instanceof Error && e.cause.message !== "" ? e.cause.message : e.message)

function admitted(url: string, way: Way): URL {
  const why = addressJudge(way)(url)
  if (why !== undefined) throw refused(why)
  return new URL(url)
}

/** The same word on one address, for who goes another way out: why it may not be asked, or undefined. */
export const addressJudge =
  (way: Way) =>
  (url: string): string | undefined => {
    const judged = judgeAddress(url, { allowPrivate: way.allowedPrivateHosts })
    return judged.ok ? way.permits?.(judged.value) : judged.error
  }

const refused = (why: string): Error => new Error(`address refused: ${why}`)
