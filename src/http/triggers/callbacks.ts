// Serves outgoing callbacks [W6]: a tenant's receivers, the receiver that a start may name, and the log of messages, from which a dead
// message can be sent again.

import type { Callback, CallbackDelivery } from "../../api/doc/callbacks.doc.ts"
import type { Shown } from "../../api/rows.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { CallbackBody, wholeCallback } from "../../core/project/callback-body.ts"
import { MOST_CALLBACKS, type CallbackRow, type MessageRow } from "../../ports/tenant/callbacks.ts"
import { addressOf, pathAt } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { whole, words } from "../middleware/query.ts"
import { NoBody } from "../../api/route/route.ts"
import { callbackFaults } from "../runs/callback-faults.ts"
import { refuseIf } from "../runs/runs.ts"
import { callbacks, MESSAGE_STATUS } from "../../api/callbacks.ts"
import { defined } from "../../core/defined.ts"

const shown = ({ address: _address, ...row }: CallbackRow): Shown<typeof Callback> => isoTimes(row, "created")
const shownMessage = (row: MessageRow): Shown<typeof CallbackDelivery> => isoTimes(row, "created")

export async function createCallback(c: Call): Promise<Response> {
  const body = json(c, CallbackBody)
  if (!body.ok) return refuse(c, body.error)
  const faults = await callbackFaults(c, body.value)
  if (faults.length > 0) return refuse(c, invalid(faults))
  const row = await c.get("tenant").callbacks.create({ ...wholeCallback(body.value), ...addressOf(c) }, c.get("act"))
  if (row === "full")
    return refuse(c, {
      code: "too_many_callbacks",
      detail: `A tenant has at most ${MOST_CALLBACKS} callbacks; delete those that are not used.`,
    })
  return c.json(shown(row), 201, { location: pathAt(c, `/v1/callbacks/${row.id}`) })
}

export const listCallbacks = async (c: Call): Promise<Response> => page(c, (await c.get("tenant").callbacks.list()).map(shown))

export async function getCallback(c: Call): Promise<Response> {
  const row = await c.get("tenant").callbacks.find(param(c, "callback"))
  return row ? c.json(shown(row)) : refuse(c, NOT_FOUND)
}

export async function deleteCallback(c: Call): Promise<Response> {
  const gone = await c.get("tenant").callbacks.remove(param(c, "callback"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export async function listCallbackDeliveries(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const status = words("status", c.req.query("status"), MESSAGE_STATUS)
  if (!status.ok) return refuse(c, status.error)
  const [run, cursor] = [c.req.query("run"), c.req.query("cursor")]
  const found = await c.get("tenant").callbacks.messages({ limit: limit.value, ...defined({ run, cursor, status: status.value }) })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  return c.json({ data: found.data.map(shownMessage), next_cursor: found.next_cursor })
}

export async function redriveDelivery(c: Call): Promise<Response> {
  const { callbacks } = c.get("tenant")
  const id = param(c, "message")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, callbacks.message(id), body.error)
  const done = await callbacks.redrive(id)
  if (done === "not_found") return refuse(c, NOT_FOUND)
  if (done === "delivered") return refuse(c, { code: "already_delivered", detail: "The receiver has accepted this message." })
  return c.json({ id, status: "pending" }, 202)
}

export const CALLBACK_ROUTES = routes(callbacks, {
  createCallback,
  listCallbacks,
  getCallback,
  deleteCallback,
  listCallbackDeliveries,
  redriveCallbackDelivery: redriveDelivery,
})
