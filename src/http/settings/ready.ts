// GET /healthz and GET /readyz [N7]: report whether the Worker and the stores behind it answer. They are for load balancers, so they need
// no key and show nothing of any tenant.

import { routes, type Call } from "../middleware/call.ts"
import { STOPPING } from "../middleware/condition.ts"
import { refuse } from "../middleware/problem.ts"
import { instance } from "../../api/instance.ts"
import { lazy } from "../../core/lazy.ts"

const openapi = lazy(() => import("../openapi/serve.ts"))
const firstPage = lazy(() => import("../pages/first-page.ts"))

export async function ready(c: Call): Promise<Response> {
  const services = c.get("services")
  if (await services.isStopping()) return refuse(c, STOPPING)
  const checks = await services.ready()
  // Another VAULT_KEY closes what the old one sealed, and nothing else: the instance serves, and says so here.
  const silent = Object.keys(checks).filter((name) => checks[name] === false && name !== "vault")
  if (silent.length === 0) return c.json({ status: "ok", checks })
  const isFull = checks["disk"] === false
  return refuse(c, {
    code: "not_ready",
    detail: isFull ? "The disk of the server is full: free some room there." : `No answer in time from: ${silent.join(", ")}.`,
    more: { checks },
    headers: { "retry-after": "2" },
  })
}

export const INSTANCE_ROUTES = routes(instance, {
  getFirstPage: async (c) => (await firstPage()).firstPage(c),
  getHealth: (c) => c.json({ status: "ok", version: c.get("services").version }),
  getReadiness: ready,
  // Only this request needs the document, so it is loaded here.
  getOpenApi: async (c) => (await openapi()).serveDocument(c),
})
