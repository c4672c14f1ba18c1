// The dispatcher [N2] only forwards each request to its instance. It has no keys and no storage, and the
// instances share no bindings with it: it reaches them by service bindings (INSTANCE_NAME) or by a Workers for Platforms namespace.

import { ADDRESS_HEADER, bindingOf, workerOf } from "../core/instance-name.ts"
import { withoutOtherSessions } from "../core/session-cookie.ts"
import { routeOf, type InstanceRoute } from "./route.ts"

interface Env {
  /** With `example.com`, `acme.example.com` is the instance acme. */
  readonly DOMAIN?: string
  readonly INSTANCES?: DispatchNamespace
}

interface Instance {
  fetch(request: Request): Promise<Response>
}

export default {
  async fetch(request, env): Promise<Response> {
    const url = new URL(request.url)
    const route = routeOf(url, env.DOMAIN)
    const instance = route && instanceOf(env, route.instance)
    if (!route || !instance)
      return url.pathname === "/healthz" && !route ? Response.json({ status: "ok" }) : problem(404, "not_found", url, NOBODY)
    const isBare = url.pathname === route.prefix
    url.pathname = route.path
    let answer: Response
    try {
      const forwarded = new Request(url, request)
      // Replaces what a client may have written there.
      forwarded.headers.set(ADDRESS_HEADER, route.address)
      // [H13] Instances below /t/ share the browser's cookies of this host.
      const cookies = forwarded.headers.get("cookie")
      if (cookies !== null) forwarded.headers.set("cookie", withoutOtherSessions(cookies, route.prefix))
      answer = await instance.fetch(forwarded)
    } catch (e) {
      const unknown = e instanceof Error && e.message.startsWith("Worker not found")
      const asked = new URL(request.url)
      return unknown ? problem(404, "not_found", asked, NOBODY) : problem(502, "no_instance", asked, "The instance does not respond.")
    }
    // The relative links of the instance's start page work below /t/NAME only with a trailing slash.
    if (isBare && answer.ok) return new Response(null, { status: 308, headers: { location: `${route.prefix}/${url.search}` } })
    return placed(answer, route)
  },
} satisfies ExportedHandler<Env>

/** A missing instance and an invalid name get the same answer [H2]. */
const NOBODY = "There is no instance at this address."

function instanceOf(env: Env, name: string): Instance | undefined {
  const bound: unknown = Reflect.get(env, bindingOf(name))
  if (isInstance(bound)) return bound
  return env.INSTANCES?.get(workerOf(name))
}

const isInstance = (value: unknown): value is Instance => typeof value === "object" && value !== null && "fetch" in value

/** An instance puts the prefix into its locations; one of an older version does not. */
function placed(answer: Response, { prefix }: InstanceRoute): Response {
  const location = answer.headers.get("location")
  if (prefix === "" || location === null || !location.startsWith("/") || location.startsWith("//")) return answer
  if (location.startsWith(`${prefix}/`)) return answer
  const moved = new Response(answer.body, answer)
  moved.headers.set("location", prefix + location)
  return moved
}

function problem(status: number, code: string, url: URL, detail: string): Response {
  const title = status === 404 ? "Not found" : "Bad gateway"
  const document = { type: `urn:sluice:problem:${code}`, title, status, detail, instance: url.pathname, code }
  const id = `req_${crypto.randomUUID().replaceAll("-", "")}`
  const headers = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": id,
  }
  return new Response(JSON.stringify(document), { status, headers })
}
