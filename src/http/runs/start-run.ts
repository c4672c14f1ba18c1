// POST /v1/flows/:flow/runs: pin the definitions, check task and inputs, start, answer. After the answer the run is durable [J14].
//
// Answers 202 with `Location` at once, 200 if the run ends or asks within `Prefer: wait=N` [H9], or a stream of events. The run continues
// even if the caller disconnects.

import type { JsonObject } from "../../core/json.ts"
import { canonical } from "../../core/json.ts"
import { isFlowId } from "../../core/flow/path-id.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { startOf } from "../../engine/run/start.ts"
import type { PinResult } from "../../ports/catalog.ts"
import { pathAt } from "../middleware/address.ts"
import type { StartFile } from "../../core/run/event.ts"
import type { GivenFiles } from "../../core/run/given-file.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { BODY_LIMIT, json, tooLarge } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { moneyOf } from "./start-budget.ts"
import { addressOf, callbackFaults, wholeCallback } from "../triggers/callbacks.ts"
import { asksForStream, live } from "./events.ts"
import { checkInputs } from "../../core/flow/flow-inputs.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { startKind } from "../middleware/inside.ts"
import { limitHeaders, noRoom } from "../middleware/limits.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { notFoundNear } from "../middleware/near.ts"
import { faultOf, invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { runs, StartBody } from "../../api/runs.ts"

const WAIT_LIMIT = 90

export async function startRun(c: Call): Promise<Response> {
  // [F72] `name@revision`: the flow, its agents and skills as they were.
  const [, flow = param(c, "flow"), at] = /^([^@]+)@(\d{1,15})$/.exec(param(c, "flow")) ?? []
  const revision = at === undefined ? {} : { revision: Number(at) }
  if (!isFlowId(flow)) return refuse(c, NOT_FOUND)

  const house = c.get("tenant")
  const body = json(c, StartBody)
  if (c.get("body").byteLength > BODY_LIMIT && !(body.ok && body.value.files)) return refuse(c, tooLarge(BODY_LIMIT))
  const faults = body.ok && body.value.callback ? await callbackFaults(c, body.value.callback, "/callback") : []
  if (!body.ok || faults.length > 0) {
    // [H10] A flow that does not exist is 404, no matter what the body says.
    const known = await house.catalog.read("flow", flow, revision.revision)
    return known ? refuse(c, body.ok ? invalid(faults) : body.error) : notFoundNear(c, "flow", flow)
  }
  const {
    task = "",
    inputs = {},
    autonomous,
    rehearse = false,
    effects,
    tags,
    thread,
    session,
    budget,
    callback,
    files: given = {},
  } = body.value

  const id = await house.runId(keyOf(c))
  const start = { run: id, kind: startKind(c) }
  const pinned = await house.catalog.pin({ flow, ...revision }, { rehearse, start, ...(autonomous === undefined ? {} : { autonomous }) })
  if (!pinned.ok) return pinned.code === "not_found" ? notFoundNear(c, "flow", flow) : refuse(c, whyNot(pinned))
  const checked = checkInputs(pinned.flow.inputs, inputs)
  const errors = checked.ok ? [] : checked.error
  if (pinned.flow.task_required && task.trim() === "") {
    await house.account.giveBack(id)
    const detail = pinned.flow.task_prompt ?? "This flow needs a task: send `task` and say what the run should do."
    return refuse(c, { code: "task_required", detail, errors: [{ pointer: "/task", message: "is required by the flow" }, ...errors] })
  }
  const money = moneyOf(pinned, budget)
  const cannot = checked.ok ? (money.ok ? undefined : money.error) : invalid(errors)
  if (cannot || !checked.ok || !money.ok) {
    await house.account.giveBack(id)
    return refuse(c, cannot ?? invalid(errors))
  }

  const files = await filesOf(c, given)
  if (!files.ok) {
    await house.account.giveBack(id)
    return refuse(c, files.error)
  }

  const port = house.run(id)
  const { tenant, name } = c.get("caller")
  const view = await port.start(
    startOf(pinned, {
      tenant,
      run: id,
      task,
      inputs: checked.value,
      autonomous,
      effects,
      ...money.value,
      trigger: { kind: start.kind, key: name },
      tags,
      thread,
      session,
      files: files.value,
      callback: callback && wholeCallback(callback),
      ...(callback === undefined ? {} : addressOf(c)),
      trace: c.get("trace"),
    }),
  )
  // A run outlives the record of its key: the key then names the old run, and this request may ask for another.
  if (keyOf(c) !== undefined && !(await isOf(c, view, { flow: pinned.flow.id, task, inputs: checked.value, files: files.value }))) {
    return refuse(c, { code: "idempotency_mismatch", detail: "This Idempotency-Key has started another run; use a new key." })
  }
  if (pinned.limits) for (const [name, value] of Object.entries(limitHeaders(pinned.limits))) c.header(name, value)
  return answer(c, view)
}

async function answer(c: Call, view: RunView): Promise<Response> {
  const self = pathAt(c, `/v1/runs/${view.id}`)
  const accepted = {
    id: view.id,
    flow: view.flow,
    status: view.status,
    ...(view.rehearsed ? { rehearsed: true } : {}),
    urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  }
  const headers = { location: self, "content-type": "application/json" }
  c.set("standIn", { status: 202, headers, body: JSON.stringify(accepted) })

  const port = c.get("tenant").run(view.id)
  if (asksForStream(c)) return live(c, await port.stream(0, { snapshot: c.req.query("snapshot") === "1" }), { location: self })

  const seconds = waitOf(c.req.header("prefer"))
  if (seconds === undefined) return c.json(accepted, 202, headers)
  const applied = { ...headers, "preference-applied": `wait=${seconds}` }
  // The run is durable, so the start succeeds even if its object goes away during the wait [J14].
  const seen = await port.wait(seconds * 1000).catch(() => undefined)
  if (seen && settled(seen)) return c.json(seen, 200, applied)
  return c.json({ ...accepted, status: seen?.status ?? view.status }, 202, applied)
}

/** The run has ended, or nothing continues until a person answers. */
const settled = (view: RunView): boolean => view.ended !== undefined || (view.status === "waiting" && view.pending > 0)

/** RFC 7240: a preference that is not understood is not an error; more than the limit is the limit. */
export function waitOf(prefer: string | undefined): number | undefined {
  const seconds = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[;,]|$)/i.exec(prefer ?? "")?.[1]
  return seconds === undefined ? undefined : Math.min(Number(seconds), WAIT_LIMIT)
}

interface Asked {
  readonly flow: string
  readonly task: string
  readonly inputs: JsonObject
  /** Stored without the tenant's secrets already. */
  readonly files: readonly StartFile[]
}

/** Whether it is the run that was asked for. It was started without the tenant's secrets [T32]. */
const isOf = async (c: Call, view: RunView, asked: Asked): Promise<boolean> =>
  sameFiles(view.files ?? [], asked.files) && (same(view, asked) || same(view, (await c.get("tenant").secrets.redactor()).json(asked)))

const same = (view: RunView, asked: Asked): boolean =>
  view.flow === asked.flow && view.task === asked.task && canonical(view.inputs) === canonical(asked.inputs)

/** A held run may have been sent more files since. */
const sameFiles = (has: readonly StartFile[], asked: readonly StartFile[]): boolean =>
  asked.every(({ path, hash }) => has.some((file) => file.path === path && file.hash === hash))

/** [F55] Stores the files. */
async function filesOf(c: Call, given: GivenFiles): Promise<Result<StartFile[], Refusal>> {
  const { givenFiles } = c.get("tenant")
  const kept = await givenFiles.keep(given, "/files")
  if (!kept.ok) return err(invalid(kept.error))
  const full = kept.value.length === 0 ? undefined : await givenFiles.tooMuch(kept.value.reduce((sum, { size }) => sum + size, 0))
  return full === undefined ? ok(kept.value) : err({ code: "storage_full", detail: `No run was started: ${full}.` })
}

export function whyNot(pinned: Extract<PinResult, { ok: false }>): Refusal {
  if (pinned.code === "not_found") return NOT_FOUND
  if (pinned.code === "quota") return noRoom(pinned)
  if (pinned.code === "storage_full") return { code: pinned.code, detail: `No run was started: ${pinned.message}.` }
  const { step, message, diagnostics } = pinned
  const place = step === undefined ? "" : `/steps${pointerStep(step)}`
  const grave = hasErrors(diagnostics) ? diagnostics.filter((d) => d.severity === "error") : diagnostics
  const errors: Fault[] = grave.length === 0 ? [{ pointer: place, message }] : grave.map((d) => ({ ...faultOf(d, place), code: d.code }))
  return { code: pinned.code, detail: message, errors, ...(step === undefined ? {} : { more: { step } }) }
}

export const START_ROUTES = routes(runs, { startRun })
