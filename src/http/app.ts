// All routes of the Worker and the checks in front of them [H1, H10]. src/api declares each route; the files beside this one handle them.
//
// Every request passes sign → logged → cors → limit → identify → admit (door.ts). A path without a route is 404.

import { PACING_ROUTES } from "./settings/pacing.ts"
import { beginNothing, conditionOf, keepRoom } from "./middleware/condition.ts"
import { Hono } from "hono"
import { takesSession, type Access, type Method, type RouteDoc, type Scope } from "../api/route/route.ts"
import { defined } from "../core/defined.ts"
import { lazy } from "../core/lazy.ts"
import { errorFields } from "../core/secrets/log-text.ts"
import { CatalogMoved, GateFailed, GatePending } from "../ports/tenant/authoring/gate.ts"
import type { InstanceServices } from "../ports/services.ts"
import { inOwnForm } from "../protocols/refusal-forms.ts"
import { PROTOCOL_ROUTES } from "../protocols/routes.ts"
import { ARCHITECT_ROUTES } from "./catalog/architect.ts"
import { DEFINITION_ROUTES } from "./catalog/catalog.ts"
import { APPLY_ROUTES } from "./catalog/apply.ts"
import { DRAFT_ROUTES } from "./catalog/drafts.ts"
import { CATALOG_ROUTES } from "./catalog/catalog-whole.ts"
import { BACKTEST_ROUTES } from "./catalog/backtests.ts"
import { gateFailed, gatePending } from "./catalog/past-gate.ts"
import { FLOW_SHAPE_ROUTES } from "./catalog/flow-shape.ts"
import { IMPORT_ROUTES } from "./catalog/import.ts"
import { TEST_ROUTES } from "./catalog/tests.ts"
import { REPAIR_ROUTES } from "./catalog/repair.ts"
import { PACKAGE_ROUTES } from "./catalog/packages.ts"
import { limit, type LargeBody } from "./middleware/body.ts"
import type { Call, CallEnv, Handler, HandledRoute } from "./middleware/call.ts"
import { cors, CORS_ROUTES } from "./middleware/cors.ts"
import { admit, identify, sign } from "./middleware/door.ts"
import { pathForm } from "./middleware/path-form.ts"
import { pathOf } from "./middleware/path-of.ts"
import { bounded } from "./middleware/parameter-bounds.ts"
import { NOT_FOUND, refuse } from "./middleware/problem.ts"
import { logged, routeOf } from "./middleware/request-log.ts"
import { JUDGE_ROUTES } from "./quality/judges.ts"
import { SCORE_ROUTES } from "./quality/scores.ts"
import { SCORER_ROUTES } from "./quality/scorers.ts"
import { FAILURE_ROUTES } from "./insight/failures.ts"
import { OVERVIEW_ROUTES } from "./insight/overview.ts"
import { USAGE_ROUTES } from "./insight/usage.ts"
import { ANSWER_LINK_ROUTES } from "./runs/answers/answer-link.ts"
import { EFFECT_ROUTES } from "./runs/effects.ts"
import { BULK_ROUTES } from "./runs/bulk.ts"
import { EVENT_ROUTES } from "./runs/events.ts"
import { FILES_DIFF_ROUTES } from "./runs/diff.ts"
import { PROMPT_ROUTES } from "./runs/prompt.ts"
import { FEED_ROUTES } from "./runs/feed.ts"
import { FILE_ROUTES } from "./runs/files.ts"
import { FORK_ROUTES } from "./runs/fork-run.ts"
import { INBOX_ROUTES } from "./runs/answers/inbox.ts"
import { INTERACTION_ROUTES } from "./runs/answers/interactions.ts"
import { RUN_TOKEN_ROUTES } from "./runs/run-token.ts"
import { DATASET_ROUTES } from "./quality/datasets.ts"
import { EXPERIMENT_ROUTES } from "./quality/experiments.ts"
import { RUN_ROUTES } from "./runs/runs.ts"
import { SESSION_ROUTES } from "./runs/sessions.ts"
import { SIGNAL_ROUTES } from "./runs/signals.ts"
import { STARTS_ROUTES } from "./runs/starts.ts"
import { START_ROUTES } from "./runs/start-run.ts"
import { TRY_ROUTES } from "./runs/try-turn.ts"
import { DAY_BUDGET_ROUTES } from "./settings/day-budget.ts"
import { KEY_ROUTES } from "./settings/keys.ts"
import { POLICY_ROUTES } from "./settings/policy.ts"
import { INSTANCE_ROUTES } from "./settings/ready.ts"
import { RETENTION_ROUTES } from "./settings/retention.ts"
import { SECRET_ROUTES } from "./settings/secrets.ts"
import { PROVIDER_ROUTES } from "./settings/providers.ts"
import { PROVIDER_TEST_ROUTES } from "./settings/test-provider.ts"
import { STORED_ROUTES } from "./settings/stored.ts"
import { SIGN_IN_ROUTES } from "./settings/sign-in.ts"
import { TENANT_ROUTES } from "./settings/tenants.ts"
import { mcp } from "./tools/mcp.ts"
import { MCP_SERVER_ROUTES } from "./tools/mcp-servers.ts"
import { OBJECT_ROUTES } from "./tools/objects.ts"
import { PLAN_ROUTES } from "./tools/plans.ts"
import { REFERENCE_ROUTES } from "./tools/references.ts"
import { REGISTERED_TOOL_ROUTES } from "./tools/registered-tools.ts"
import { TOOL_ROUTES } from "./tools/tools.ts"
import { COMPARE_ROUTES } from "./trust/compare.ts"
import { RECEIPT_ROUTES } from "./trust/receipts.ts"
import { REPLAY_ROUTES } from "./trust/replay.ts"
import { CALLBACK_ROUTES } from "./triggers/callbacks.ts"
import { HOOK_IN_ROUTES } from "./hooks/hook-in.ts"
import { HOOK_TEST_ROUTES } from "./hooks/hook-test.ts"
import { HOOK_ROUTES } from "./hooks/hooks.ts"
import { SCHEDULE_ROUTES } from "./triggers/schedules.ts"

const openapi = lazy(() => import("./openapi/serve.ts"))
const staticFiles = lazy(() => import("./pages/static-files.ts"))

export const ROUTES: readonly HandledRoute[] = [
  ...INSTANCE_ROUTES,
  ...START_ROUTES,
  ...RUN_ROUTES,
  ...FORK_ROUTES,
  ...BULK_ROUTES,
  ...STARTS_ROUTES,
  ...TRY_ROUTES,
  ...RUN_TOKEN_ROUTES,
  ...EVENT_ROUTES,
  ...FEED_ROUTES,
  ...SIGNAL_ROUTES,
  ...REPLAY_ROUTES,
  ...RECEIPT_ROUTES,
  ...COMPARE_ROUTES,
  ...FILE_ROUTES,
  ...FILES_DIFF_ROUTES,
  ...PROMPT_ROUTES,
  ...SESSION_ROUTES,
  ...INTERACTION_ROUTES,
  ...EFFECT_ROUTES,
  ...OVERVIEW_ROUTES,
  ...USAGE_ROUTES,
  ...FAILURE_ROUTES,
  ...INBOX_ROUTES,
  ...ANSWER_LINK_ROUTES,
  ...DEFINITION_ROUTES,
  ...FLOW_SHAPE_ROUTES,
  ...CATALOG_ROUTES,
  ...APPLY_ROUTES,
  ...DRAFT_ROUTES,
  ...IMPORT_ROUTES,
  ...PACKAGE_ROUTES,
  ...SCORER_ROUTES,
  ...SCORE_ROUTES,
  ...JUDGE_ROUTES,
  ...TEST_ROUTES,
  ...DATASET_ROUTES,
  ...EXPERIMENT_ROUTES,
  ...BACKTEST_ROUTES,
  ...ARCHITECT_ROUTES,
  ...REPAIR_ROUTES,
  ...TOOL_ROUTES,
  ...REGISTERED_TOOL_ROUTES,
  ...OBJECT_ROUTES,
  ...MCP_SERVER_ROUTES,
  ...REFERENCE_ROUTES,
  ...PLAN_ROUTES,
  ...HOOK_ROUTES,
  ...HOOK_IN_ROUTES,
  ...HOOK_TEST_ROUTES,
  ...CALLBACK_ROUTES,
  ...SCHEDULE_ROUTES,
  ...PROVIDER_ROUTES,
  ...PROVIDER_TEST_ROUTES,
  ...DAY_BUDGET_ROUTES,
  ...PACING_ROUTES,
  ...CORS_ROUTES,
  ...RETENTION_ROUTES,
  ...POLICY_ROUTES,
  ...STORED_ROUTES,
  ...SECRET_ROUTES,
  ...KEY_ROUTES,
  ...SIGN_IN_ROUTES,
  ...TENANT_ROUTES,
  ...PROTOCOL_ROUTES,

  // These are not in the document: pages for people with their files, and MCP, which has its own protocol.
  ["GET", "/docs", "open", async (c) => (await openapi()).servePage(c)],
  ["GET", "/sluice-chat.js", "open", async (c) => (await staticFiles()).serveChat(c)],
  ["GET", "/console", "open", async (c) => (await staticFiles()).serveConsole(c)],
  ["GET", "/console/:rest{.*}", "open", async (c) => (await staticFiles()).serveConsole(c)],
  ["POST", "/mcp", "any", mcp],
]

export function createApp(services: InstanceServices): Hono<CallEnv> {
  const app = new Hono<CallEnv>({ getPath: pathOf(NAMED) })
  const again = async (request: Request): Promise<Response> => app.fetch(request)
  app.use(
    sign(services, { again, inOwnForm }),
    logged(services),
    cors(services),
    beginNothing(services),
    limit(largeOf),
    identify(services, isOpen, takesCookie),
    keepRoom(services),
  )
  // The router takes the first path that fits, and a fixed path such as /v1/tools/import precedes one with a parameter.
  const paths = [...byPath(ROUTES)].sort(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")))
  for (const [path, methods] of paths) app.all(path, admit(methods))
  app.notFound((c) => refuse(c, NOT_FOUND))
  app.onError(fault)
  return app
}

/** Whether a request needs no key: an open route, or any method of a path that has only open routes. */
const isOpen = (method: string, path: string): boolean =>
  OPEN.some(({ form, methods, wholly }) => form.test(path) && (wholly || methods.includes(method === "HEAD" ? "GET" : method)))

const OPEN = [...byPath(ROUTES)].flatMap(([path, methods]) => {
  const open = [...methods].flatMap(([method, route]) => (route.scope === "open" ? [method as string] : []))
  const form = pathForm(path)
  return open.length === 0 ? [] : [{ form, methods: open, wholly: open.length === methods.size }]
})

/** [H13] Whether a session may open it. A path under /v1/ that does not exist is 404 for a person too. */
function takesCookie(sent: string, path: string): boolean {
  const method = sent === "HEAD" ? "GET" : sent
  const route = SESSION_RULES.find((rule) => rule.method === method && rule.form.test(path))
  return route?.takes ?? path.startsWith("/v1/")
}

/** Of the routes whose path does not say it. */
const SESSION_RULES = ROUTES.flatMap(([method, path, , , declared]) => {
  const takes = declared !== undefined && takesSession(declared)
  return takes === path.startsWith("/v1/") ? [] : [{ method: method as string, form: pathForm(path), takes }]
})

/** [H3] */
const largeOf = (method: string, path: string): LargeBody | undefined =>
  LARGE.find((large) => large.method === method && large.form.test(path))

const LARGE = ROUTES.flatMap(([method, path, , , declared]) => {
  if (declared?.bodyLimit === undefined) return []
  const form = pathForm(path)
  return [{ method: method as string, form, bytes: declared.bodyLimit, only: declared.largeWith }]
})

const NAMED = ROUTES.flatMap(([, path]) => (/:\w+(?:\{[^}]*\})?$/.test(path) ? [pathForm(path)] : []))

interface Served {
  readonly scope: Access
  readonly also?: readonly Scope[] | undefined
  readonly handler: Handler
  readonly ownRepeats?: true | undefined
  readonly plainBody: boolean
}

function byPath(routes: readonly HandledRoute[]): ReadonlyMap<string, ReadonlyMap<Method, Served>> {
  const paths = new Map<string, Map<Method, Served>>()
  for (const [method, path, scope, handler, declared] of routes) {
    const methods = paths.get(path) ?? new Map<Method, Served>()
    const served = declared === undefined ? handler : bounded(declared, handler)
    const { also, ownRepeats } = declared ?? {}
    paths.set(path, methods.set(method, { scope, also, handler: served, ownRepeats, plainBody: readsPlain(declared) }))
  }
  return paths
}

/** MCP, which is not declared, has a form of its own for the refusal. */
function readsPlain(declared: RouteDoc | undefined): boolean {
  return (declared?.body !== undefined || declared?.media !== undefined) && declared.readsEncoding !== true
}

const UNEXPECTED = "Something went wrong on this server. Report it with the x-request-id of this response."
/** [J12] An object of this instance has not answered. */
const TOO_LATE =
  "A part of this instance did not answer in time. The request may still take effect: check, and send it again with the same Idempotency-Key."

/** An unexpected error: the log says what happened, the caller gets an id to name. No path, query, headers or bodies are logged. */
async function fault(error: Error, c: Call): Promise<Response> {
  // [H6] A write of the catalog throws it. RPC keeps the name of an error, not its class.
  if (error.name === "QuotaError") return refuse(c, { code: "catalog_full", detail: error.message })
  // [F79] So do writes of what a file owns, and of files that configure the tenant.
  if (error.name === "OwnedError") return refuse(c, { code: "owned_by_file", detail: error.message })
  if (error.name === "NotAdminError") return refuse(c, { code: "forbidden", detail: error.message })
  const refusal = await conditionOf(error, () => c.get("services").hasRoom())
  if (refusal !== undefined) {
    c.get("services").fault({ request: c.get("requestId"), method: c.req.method, route: routeOf(c), ...errorFields(error) })
    return refuse(c, refusal)
  }
  if (error instanceof GateFailed) return gateFailed(c, error)
  if (error instanceof GatePending) return gatePending(c, error)
  if (error instanceof CatalogMoved) return refuse(c, { code: "catalog_moved", detail: `${error.message}.` })
  const trace = c.get("trace")?.id
  c.get("services").fault({
    request: c.get("requestId"),
    ...defined({ trace }),
    method: c.req.method,
    route: routeOf(c),
    ...errorFields(error),
  })
  return refuse(c, { code: "internal", detail: error.name === "OwnCallLate" ? TOO_LATE : UNEXPECTED })
}
