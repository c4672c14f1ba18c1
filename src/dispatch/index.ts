// The dispatcher [N2]: hands a request to the instance it is for, and knows nothing else. It holds no key and no store, and neither the
// instances nor it share a binding: it reaches them by service bindings (INSTANCE_NAME) or by a Workers-for-Platforms namespace.

import { bindingOf, workerOf } from "../core/instance-name.ts"
import { routeOf, type Route } from "./route.ts"

interface Env {
  /** `example.com`: then `acme.example.com` is the instance acme. */
  readonly DOMAIN?: string
  readonly INSTANCES?: DispatchNamespace
}

interface Instance {
  fetch(request: Request): Promise<Response>
}

export default {
  async fetch(request, env): Promise<Response> {
    const url = new URL(request.url)
    const route = routeOf(url.hostname, url.pathname, env.DOMAIN)
    const instance = route && instanceOf(env, route.instance)
    if (!route || !instance)
      return url.pathname === "/healthz" && !route ? Response.json({ status: "ok" }) : problem(404, "not_found", url, NOBODY)
    const isBare = url.pathname === route.prefix
    url.pathname = route.path
    let answer: Response
    try {
      answer = await instance.fetch(new Request(url, request))
    } catch (e) {
      const unknown = e instanceof Error && e.message.startsWith("Worker not found")
      const asked = new URL(request.url)
      return unknown ? problem(404, "not_found", asked, NOBODY) : problem(502, "no_instance", asked, "The instance does not answer.")
    }
    // The relative links of the instance's first page lead below /t/NAME only from /t/NAME/.
    if (isBare && answer.ok) return new Response(null, { status: 308, headers: { location: `${route.prefix}/${url.search}` } })
    return placed(answer, route)
  },
} satisfies ExportedHandler<Env>

/** One that is not there and a name that none can have look the same [H2]. */
const NOBODY = "There is no instance at this address."

function instanceOf(env: Env, name: string): Instance | undefined {
  const bound: unknown = Reflect.get(env, bindingOf(name))
  if (isInstance(bound)) return bound
  return env.INSTANCES?.get(workerOf(name))
}

const isInstance = (value: unknown): value is Instance => typeof value === "object" && value !== null && "fetch" in value

/** An address that the instance gives by path alone is one below its own root. */
function placed(answer: Response, { prefix }: Route): Response {
  const location = answer.headers.get("location")
  if (prefix === "" || location === null || !location.startsWith("/") || location.startsWith("//")) return answer
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
