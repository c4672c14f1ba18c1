// Everything the Worker answers, on one screen: method, path, the scope a key needs, who answers [H1, H10].
//
// Every request passes sign → logged → cors → limit → identify → admit (door.ts); what is not here is 404.

import { Hono } from "hono"
import type { House } from "../ports/house.ts"
import { acceptWork, discardSession, getSession, listSessions, openSession, reviseWork } from "./catalog/architect.ts"
import { limit } from "./middleware/body.ts"
import type { Access, Call, Env, Handler, Method, Route } from "./middleware/call.ts"
import {
  createCallback,
  deleteCallback,
  getCallback,
  listCallbackDeliveries,
  listCallbacks,
  redriveDelivery,
} from "./triggers/callbacks.ts"
import * as catalog from "./catalog/catalog.ts"
import { exportCatalog, getCatalog, getDiff, getHistory, replaceCatalog, rollBack } from "./catalog/catalog-whole.ts"
import { cors, getCors, putCors } from "./middleware/cors.ts"
import { getDayBudget, putDayBudget } from "./settings/day-budget.ts"
import { admit, identify, sign } from "./middleware/door.ts"
import { runEvents } from "./runs/events.ts"
import { getFile, getOutput, listFiles } from "./runs/files.ts"
import { getCheck, getGraph, getScaffold, getSchema } from "./catalog/flow-shape.ts"
import { answerQuestion, getQuestion, listInbox } from "./runs/inbox.ts"
import { answerLink, makeLink, showLink } from "./runs/answer-link.ts"
import { receive } from "./triggers/hook-in.ts"
import { createHook, deleteHook, getHook, listDeliveries, listHooks, putHook, redeliver } from "./triggers/hooks.ts"
import { importCatalog } from "./catalog/import.ts"
import { answerInteraction, getInteraction, listInteractions } from "./runs/interactions.ts"
import { createKey, listKeys, revokeKey } from "./settings/keys.ts"
import { mcp } from "./tools/mcp.ts"
import { approveMcpServer, deleteMcpServer, getMcpServer, listMcpServers, putMcpServer, refreshMcpServer } from "./tools/mcp-servers.ts"
import { deleteObject, listObjects, openLink, putObject } from "./tools/objects.ts"
import { deleteTool, importTools, putTool } from "./tools/registered-tools.ts"
import { deletePlanSpec, getPlanSpec, listPlanSpecs, listRunPlans, putPlanSpec } from "./tools/plans.ts"
import { createReference, deleteKind, getKind, getReference, listKinds, putKind } from "./tools/references.ts"
import { deletePackage, getPackage, listPackages, putPackage } from "./catalog/packages.ts"
import { agentTools, getPolicy, putPolicy } from "./settings/policy.ts"
import { NOT_FOUND, refuse } from "./middleware/problem.ts"
import { ready } from "./settings/ready.ts"
import { logged, routeOf } from "./middleware/request-log.ts"
import { getRetention, putRetention } from "./settings/retention.ts"
import { makeRunToken } from "./runs/run-token.ts"
import { cancelRun, deleteRun, getRun, listRuns, pauseRun, resumeRun, steerStep, stepMessages, stepTools } from "./runs/runs.ts"
import {
  createSchedule,
  deleteSchedule,
  fireSchedule,
  getSchedule,
  listSchedules,
  previewSchedule,
  putSchedule,
} from "./triggers/schedules.ts"
import { deleteSecret, listSecrets, putSecret } from "./settings/secrets.ts"
import { deleteProvider, getProvider, getRoles, listProviders, putProvider, putRoles, getPrices, putPrices } from "./settings/settings.ts"
import { deleteSticky, listSticky } from "./runs/sessions.ts"
import { getServices, putServices } from "./settings/services.ts"
import { signalRun } from "./runs/signals.ts"
import { startRun } from "./runs/start-run.ts"
import {
  createTenant,
  createTenantKey,
  deleteTenant,
  getQuotas,
  getTenant,
  listTenantKeys,
  listTenants,
  putQuotas,
  revokeTenantKey,
} from "./settings/tenants.ts"
import { callTool, listTools } from "./tools/tools.ts"

const { AGENTS, FLOWS, HANDLERS, REHEARSALS, SKILLS, listOf, read, remove, write } = catalog

export const ROUTES: readonly Route[] = [
  ["GET", "/", "open", async (c) => (await import("./first-page.ts")).firstPage(c)],
  ["GET", "/healthz", "open", (c) => c.json({ status: "ok", version: c.get("house").version })],
  ["GET", "/readyz", "open", ready],

  ["GET", "/openapi.json", "open", async (c) => (await import("./openapi/serve.ts")).serveDocument(c, ROUTES)],
  ["GET", "/docs", "open", async (c) => (await import("./openapi/serve.ts")).servePage(c, ROUTES)],

  ["GET", "/d/:token", "open", openLink],

  ["POST", "/v1/flows/:flow/runs", "runs:write", startRun],
  ["GET", "/v1/runs", "runs:read", listRuns],
  ["GET", "/v1/runs/:run", "runs:read", getRun],
  ["DELETE", "/v1/runs/:run", "runs:write", deleteRun],
  ["POST", "/v1/runs/:run/cancel", "runs:write", cancelRun],
  ["POST", "/v1/runs/:run/pause", "runs:write", pauseRun],
  ["POST", "/v1/runs/:run/resume", "runs:write", resumeRun],
  ["POST", "/v1/runs/:run/token", "runs:read", makeRunToken],
  ["GET", "/v1/runs/:run/events", "runs:read", runEvents],
  ["GET", "/v1/runs/:run/interactions", "runs:read", listInteractions],
  ["GET", "/v1/runs/:run/interactions/:interaction", "runs:read", getInteraction],
  ["POST", "/v1/runs/:run/interactions/:interaction", "interactions:answer", answerInteraction],
  ["GET", "/v1/interactions", "runs:read", listInbox],
  ["GET", "/v1/interactions/:question", "runs:read", getQuestion],
  ["POST", "/v1/interactions/:question", "interactions:answer", answerQuestion],
  ["POST", "/v1/runs/:run/interactions/:interaction/link", "interactions:answer", makeLink],
  ["GET", "/i/:token", "open", showLink],
  ["POST", "/i/:token", "open", answerLink],
  ["POST", "/v1/runs/:run/signals/:signal", "runs:write", signalRun],
  ["POST", "/v1/runs/:run/steps/:step/steer", "runs:write", steerStep],
  ["GET", "/v1/runs/:run/steps/:step/tools", "runs:read", stepTools],
  ["GET", "/v1/runs/:run/steps/:step/messages", "runs:read", stepMessages],
  ["GET", "/v1/runs/:run/files", "runs:read", listFiles],
  ["GET", "/v1/runs/:run/files/:path{.+}", "runs:read", getFile],
  ["GET", "/v1/runs/:run/outputs/:handle", "runs:read", getOutput],

  ["GET", "/v1/flows", "catalog:read", listOf(FLOWS)],
  ["GET", "/v1/flows/:flow", "catalog:read", read(FLOWS)],
  ["PUT", "/v1/flows/:flow", "catalog:write", write(FLOWS)],
  ["DELETE", "/v1/flows/:flow", "catalog:write", remove(FLOWS)],
  ["GET", "/v1/flows/:flow/graph", "catalog:read", getGraph],
  ["GET", "/v1/flows/:flow/check", "catalog:read", getCheck],
  ["GET", "/v1/flows/:flow/rehearsal", "catalog:read", read(REHEARSALS)],
  ["PUT", "/v1/flows/:flow/rehearsal", "catalog:write", write(REHEARSALS)],
  ["DELETE", "/v1/flows/:flow/rehearsal", "catalog:write", remove(REHEARSALS)],
  ["GET", "/v1/agents", "catalog:read", listOf(AGENTS)],
  ["GET", "/v1/agents/:agent", "catalog:read", read(AGENTS)],
  ["GET", "/v1/agents/:agent/tools", "catalog:read", agentTools],
  ["PUT", "/v1/agents/:agent", "catalog:write", write(AGENTS)],
  ["DELETE", "/v1/agents/:agent", "catalog:write", remove(AGENTS)],
  ["GET", "/v1/skills", "catalog:read", listOf(SKILLS)],
  ["GET", "/v1/skills/:skill/:file{.+}", "catalog:read", read(SKILLS)],
  ["PUT", "/v1/skills/:skill/:file{.+}", "catalog:write", write(SKILLS)],
  ["DELETE", "/v1/skills/:skill/:file{.+}", "catalog:write", remove(SKILLS)],
  ["GET", "/v1/code/:flow/:step", "catalog:read", read(HANDLERS)],
  ["PUT", "/v1/code/:flow/:step", "catalog:write", write(HANDLERS)],
  ["DELETE", "/v1/code/:flow/:step", "catalog:write", remove(HANDLERS)],
  ["GET", "/v1/code/:flow/:step/scaffold", "catalog:read", getScaffold],
  ["GET", "/v1/catalog", "catalog:read", getCatalog],
  ["PUT", "/v1/catalog", "catalog:write", replaceCatalog],
  ["POST", "/v1/import", "catalog:write", importCatalog],
  ["GET", "/v1/catalog/export", "catalog:read", exportCatalog],
  ["GET", "/v1/catalog/history", "catalog:read", getHistory],
  ["GET", "/v1/catalog/diff", "catalog:read", getDiff],
  ["POST", "/v1/catalog/rollback", "catalog:write", rollBack],
  ["GET", "/v1/packages", "catalog:read", listPackages],
  ["GET", "/v1/packages/:package", "catalog:read", getPackage],
  ["PUT", "/v1/packages/:package", "catalog:write", putPackage],
  ["DELETE", "/v1/packages/:package", "catalog:write", deletePackage],
  ["GET", "/v1/schemas/:schema", "catalog:read", getSchema],
  ["POST", "/v1/validate", "catalog:read", catalog.validate],

  ["POST", "/v1/architect", "catalog:write", openSession],
  ["GET", "/v1/architect", "catalog:read", listSessions],
  ["GET", "/v1/architect/:session", "catalog:read", getSession],
  ["DELETE", "/v1/architect/:session", "catalog:write", discardSession],
  ["POST", "/v1/architect/:session/accept", "catalog:write", acceptWork],
  ["POST", "/v1/architect/:session/revise", "catalog:write", reviseWork],

  ["GET", "/v1/sessions", "runs:read", listSticky],
  ["DELETE", "/v1/sessions/:agent/:session", "runs:write", deleteSticky],

  ["GET", "/v1/tools", "tools:call", listTools],
  ["GET", "/v1/settings/services", "admin", getServices],
  ["PUT", "/v1/settings/services", "admin", putServices],
  ["POST", "/v1/tools/import", "admin", importTools],
  ["POST", "/v1/tools/:tool", "tools:call", callTool],
  ["PUT", "/v1/tools/:tool", "admin", putTool],
  ["DELETE", "/v1/tools/:tool", "admin", deleteTool],
  ["GET", "/v1/objects", "tools:call", listObjects],
  ["PUT", "/v1/objects/:key{.+}", "tools:call", putObject],
  ["DELETE", "/v1/objects/:key{.+}", "tools:call", deleteObject],

  ["POST", "/mcp", "any", mcp],
  ["GET", "/v1/references", "tools:call", listKinds],
  ["GET", "/v1/references/:kind", "tools:call", getKind],
  ["PUT", "/v1/references/:kind", "admin", putKind],
  ["DELETE", "/v1/references/:kind", "admin", deleteKind],
  ["POST", "/v1/references/:kind", "tools:call", createReference],
  ["GET", "/v1/references/:kind/:id", "tools:call", getReference],

  ["GET", "/v1/plans", "admin", listPlanSpecs],
  ["GET", "/v1/plans/:plan", "admin", getPlanSpec],
  ["PUT", "/v1/plans/:plan", "admin", putPlanSpec],
  ["DELETE", "/v1/plans/:plan", "admin", deletePlanSpec],
  ["GET", "/v1/runs/:run/plans", "runs:read", listRunPlans],

  ["GET", "/v1/mcp-servers", "admin", listMcpServers],
  ["GET", "/v1/mcp-servers/:server", "admin", getMcpServer],
  ["PUT", "/v1/mcp-servers/:server", "admin", putMcpServer],
  ["DELETE", "/v1/mcp-servers/:server", "admin", deleteMcpServer],
  ["POST", "/v1/mcp-servers/:server/refresh", "admin", refreshMcpServer],
  ["POST", "/v1/mcp-servers/:server/approve", "admin", approveMcpServer],

  ["GET", "/v1/hooks", "admin", listHooks],
  ["POST", "/v1/hooks", "admin", createHook],
  ["GET", "/v1/hooks/:hook", "admin", getHook],
  ["PUT", "/v1/hooks/:hook", "admin", putHook],
  ["DELETE", "/v1/hooks/:hook", "admin", deleteHook],
  ["POST", "/v1/hooks/:hook", "open", receive],
  ["GET", "/v1/hooks/:hook/deliveries", "admin", listDeliveries],
  ["POST", "/v1/hooks/:hook/deliveries/:delivery/redeliver", "admin", redeliver],

  ["POST", "/v1/callbacks", "admin", createCallback],
  ["GET", "/v1/callbacks", "admin", listCallbacks],
  ["GET", "/v1/callbacks/:callback", "admin", getCallback],
  ["DELETE", "/v1/callbacks/:callback", "admin", deleteCallback],
  ["GET", "/v1/callback-deliveries", "admin", listCallbackDeliveries],
  ["POST", "/v1/callback-deliveries/:message/redrive", "admin", redriveDelivery],

  ["POST", "/v1/schedules", "admin", createSchedule],
  ["GET", "/v1/schedules", "admin", listSchedules],
  ["POST", "/v1/schedules/preview", "admin", previewSchedule],
  ["GET", "/v1/schedules/:schedule", "admin", getSchedule],
  ["PUT", "/v1/schedules/:schedule", "admin", putSchedule],
  ["DELETE", "/v1/schedules/:schedule", "admin", deleteSchedule],
  ["POST", "/v1/schedules/:schedule/fire", "admin", fireSchedule],

  ["GET", "/v1/secrets", "admin", listSecrets],
  ["PUT", "/v1/secrets/:scope", "admin", putSecret],
  ["DELETE", "/v1/secrets/:scope", "admin", deleteSecret],

  ["POST", "/v1/keys", "admin", createKey],
  ["GET", "/v1/keys", "admin", listKeys],
  ["DELETE", "/v1/keys/:key", "admin", revokeKey],

  ["POST", "/v1/tenants", "instance", createTenant],
  ["GET", "/v1/tenants", "instance", listTenants],
  ["GET", "/v1/tenants/:tenant", "instance", getTenant],
  ["DELETE", "/v1/tenants/:tenant", "instance", deleteTenant],
  ["GET", "/v1/tenants/:tenant/quotas", "instance", getQuotas],
  ["PUT", "/v1/tenants/:tenant/quotas", "instance", putQuotas],
  ["POST", "/v1/tenants/:tenant/keys", "instance", createTenantKey],
  ["GET", "/v1/tenants/:tenant/keys", "instance", listTenantKeys],
  ["DELETE", "/v1/tenants/:tenant/keys/:key", "instance", revokeTenantKey],

  ["GET", "/v1/settings/providers", "admin", listProviders],
  ["GET", "/v1/settings/providers/:provider", "admin", getProvider],
  ["PUT", "/v1/settings/providers/:provider", "admin", putProvider],
  ["DELETE", "/v1/settings/providers/:provider", "admin", deleteProvider],
  ["GET", "/v1/settings/budget", "admin", getDayBudget],
  ["PUT", "/v1/settings/budget", "admin", putDayBudget],
  ["GET", "/v1/settings/cors", "admin", getCors],
  ["PUT", "/v1/settings/cors", "admin", putCors],
  ["GET", "/v1/settings/retention", "admin", getRetention],
  ["PUT", "/v1/settings/retention", "admin", putRetention],
  ["GET", "/v1/settings/policy", "admin", getPolicy],
  ["PUT", "/v1/settings/policy", "admin", putPolicy],
  ["GET", "/v1/settings/prices", "admin", getPrices],
  ["PUT", "/v1/settings/prices", "admin", putPrices],
  ["GET", "/v1/settings/roles", "admin", getRoles],
  ["PUT", "/v1/settings/roles", "admin", putRoles],
]

export function createApp(house: House): Hono<Env> {
  // The path as it was sent: a parameter is decoded once, by the router, and `%2F` is never a slash before that.
  const app = new Hono<Env>({ getPath: (request) => URL.parse(request.url)?.pathname ?? "/" })
  const again = async (request: Request): Promise<Response> => app.fetch(request)
  app.use(sign(house, again), logged(house), cors(house), limit, identify(house, isOpen))
  for (const [path, methods] of byPath(ROUTES)) app.all(path, admit(methods))
  app.notFound((c) => refuse(c, NOT_FOUND))
  app.onError(fault)
  return app
}

/** Needs no key: the route itself, or whatever method of a path that has open routes only. */
const isOpen = (method: string, path: string): boolean =>
  OPEN.some(({ form, methods, wholly }) => form.test(path) && (wholly || methods.includes(method === "HEAD" ? "GET" : method)))

const OPEN = [...byPath(ROUTES)].flatMap(([path, methods]) => {
  const open = [...methods].flatMap(([method, route]) => (route.scope === "open" ? [method as string] : []))
  const form = new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`)
  return open.length === 0 ? [] : [{ form, methods: open, wholly: open.length === methods.size }]
})

function byPath(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<Method, { scope: Access; handler: Handler }>> {
  const paths = new Map<string, Map<Method, { scope: Access; handler: Handler }>>()
  for (const [method, path, scope, handler] of routes) {
    const methods = paths.get(path) ?? new Map<Method, { scope: Access; handler: Handler }>()
    paths.set(path, methods.set(method, { scope, handler }))
  }
  return paths
}

/** A bug of ours: the log gets what happened, the caller gets the id to ask about it. No path, bodies, query or headers are logged. */
function fault(error: Error, c: Call): Response {
  // [H6] Deep in a write of the catalog; the class does not survive RPC, its name does.
  if (error.name === "QuotaError") return refuse(c, { code: "catalog_full", detail: error.message })
  const trace = c.get("trace")?.id
  const entry = {
    level: "error",
    event: "http.fault",
    request: c.get("requestId"),
    ...(trace === undefined ? {} : { trace }),
    method: c.req.method,
    route: routeOf(c),
    error: error.name,
    message: error.message,
    stack: error.stack,
  }
  console.error(JSON.stringify(entry))
  return refuse(c, { code: "internal", detail: "Something went wrong here, and it is logged under the x-request-id of this answer." })
}
