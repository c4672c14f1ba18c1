// Serves a tenant's hooks [W1]: checks them when written, lists, replaces and deletes them, and lists their deliveries [W3].

import { isFlowId } from "../../core/text/names.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { err, type Result } from "../../core/result.ts"
import type { HookSettings } from "../../core/webhook/hook.ts"
import { readHook } from "../../core/webhook/read-hook.ts"
import { hookFaults } from "../../engine/catalog/config/trigger-faults.ts"
import { finalFaults } from "../../engine/catalog/pin/start-faults.ts"
import { MOST_HOOKS, type DeliveryRow, type HookRow } from "../../ports/tenant/hooks.ts"
import { isScope } from "../../ports/secrets.ts"
import { addressAt } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { whole } from "../middleware/query.ts"
import { NoBody } from "../../api/route/route.ts"
import { refuseIf } from "../runs/runs.ts"
import { hooks } from "../../api/hooks.ts"
import { defined } from "../../core/defined.ts"
import { HookBody } from "../../core/webhook/hook-body.ts"

export async function createHook(c: Call): Promise<Response> {
  const settings = await settingsOf(c)
  if (!settings.ok) return refuse(c, settings.error)
  const made = await c.get("tenant").hooks.create(settings.value, c.get("act"))
  if (made !== "too_many") return c.json(shown(c, made), 201)
  return refuse(c, { code: "too_many_hooks", detail: `A tenant has at most ${MOST_HOOKS} hooks; delete those that are not used.` })
}

export async function listHooks(c: Call): Promise<Response> {
  const rows = await c.get("tenant").hooks.list()
  return page(
    c,
    rows.map((row) => shown(c, row)),
  )
}

export async function getHook(c: Call): Promise<Response> {
  const row = await c.get("tenant").hooks.find(param(c, "hook"))
  return row ? c.json(shown(c, row)) : refuse(c, NOT_FOUND)
}

/** Replaces all settings: fields that are left out get their defaults. */
export async function putHook(c: Call): Promise<Response> {
  const id = param(c, "hook")
  const port = c.get("tenant").hooks
  if (!(await port.find(id))) return refuse(c, NOT_FOUND)
  const settings = await settingsOf(c)
  if (!settings.ok) return refuse(c, settings.error)
  const row = await port.replace(id, settings.value)
  return row ? c.json(shown(c, row)) : refuse(c, NOT_FOUND)
}

export async function deleteHook(c: Call): Promise<Response> {
  return (await c.get("tenant").hooks.remove(param(c, "hook"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export async function listDeliveries(c: Call): Promise<Response> {
  const port = c.get("tenant").hooks
  const id = param(c, "hook")
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, (await port.find(id)) ? limit.error : NOT_FOUND)
  const cursor = c.req.query("cursor")
  const found = await port.deliveries(id, { limit: limit.value, ...defined({ cursor }) })
  if (!found) return refuse(c, NOT_FOUND)
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  // [T32] A reason may quote what the filter compared.
  const redactor = await c.get("tenant").secrets.redactor()
  const reasonOf = ({ reason }: DeliveryRow): string | null => (reason === null ? null : redactor.text(reason))
  return c.json({ ...found, data: found.data.map((row) => ({ ...isoTimes(row, "at"), reason: reasonOf(row) })) })
}

export async function redeliver(c: Call): Promise<Response> {
  const { hooks } = c.get("tenant")
  const [id, delivery] = [param(c, "hook"), param(c, "delivery")]
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, hooks.delivery(id, delivery), body.error)
  const again = await hooks.redeliver(id, delivery, c.get("act"))
  if (again === "not_found") return refuse(c, NOT_FOUND)
  if (again !== "refused") return c.json(again, 202)
  const detail =
    "This delivery cannot be redelivered: payloads are kept for accepted deliveries, for those whose run failed to start, and for the newest small ones that the filter rejected."
  return refuse(c, { code: "not_redeliverable", detail })
}

const shown = (c: Call, row: HookRow): Record<string, unknown> => ({
  ...isoTimes(row, "created"),
  url: addressAt(c, `/v1/hooks/${row.id}`),
})

async function settingsOf(c: Call): Promise<Result<HookSettings, Refusal>> {
  const body = json(c, HookBody)
  if (!body.ok) return body
  const read = readHook(body.value)
  const { flow, secret } = body.value
  const faults = [...(read.ok ? [] : read.error), ...(await referenceFaults(c, flow, secret, read.ok ? read.value : { mapping: {} }))]
  return read.ok && faults.length === 0 ? read : err(invalid(faults))
}

/** Refuses a hook that could never start a run. If the flow changes later, the deliveries show why no run starts. */
async function referenceFaults(c: Call, flow: string, secret: string, hook: Pick<HookSettings, "mapping" | "start">): Promise<Fault[]> {
  const { catalog, secrets } = c.get("tenant")
  const [known, pinned, scopes] = await Promise.all([
    isFlowId(flow) ? catalog.read("flow", flow) : undefined,
    isFlowId(flow) ? catalog.pin({ flow }, { rehearse: false }) : undefined,
    isScope(secret) ? secrets.list() : [],
  ])
  const faults: Fault[] = []
  if (!known) faults.push({ pointer: "/flow", message: "must be the id of an existing flow" })
  // A flow that cannot be started now may be fixed before anything is delivered.
  if (pinned?.ok) faults.push(...hookFaults(hook, pinned.flow), ...finalFaults(hook.start, pinned.flow))
  if (!scopes.some((row) => row.scope === secret))
    faults.push({ pointer: "/secret", message: "is not a scope of the vault: write it first with PUT /v1/secrets/{scope}" })
  return faults
}

export const HOOK_ROUTES = routes(hooks, { listHooks, createHook, getHook, putHook, deleteHook, listDeliveries, redeliver })
