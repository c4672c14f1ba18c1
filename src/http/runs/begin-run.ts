// Begins every run over HTTP: pins the definitions, checks task, inputs, budget and files, and starts. Afterward the run is durable [J14].

import type { JsonObject } from "../../core/json.ts"
import { canonical } from "../../core/json.ts"
import { isFlowId } from "../../core/text/names.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import type { Said, StartFile } from "../../core/run/event-parts.ts"
import { originsOf, type Origin } from "../../core/flow/origin.ts"
import type { GivenFiles } from "../../core/run/given-file.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { startableWith, type startable } from "../../engine/catalog/pin/startable.ts"
import { ownMoney } from "../../engine/catalog/pin/start-money.ts"
import { startOf } from "../../engine/run/begin/start.ts"
import { batchInto } from "../../core/language/resolve-start.ts"
import { gathered } from "../../core/start/batch-items.ts"
import { saidStart } from "../../core/start/said-start.ts"
import { isLined } from "../../core/start/start-block.ts"
import type { FlowPlace, Limits, PinResult } from "../../ports/tenant/catalog.ts"
import { DRAFT_NAME } from "../../ports/tenant/authoring/drafts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import type { z } from "zod"
import { isPlaced, addressOf } from "../middleware/address.ts"
import type { Call } from "../middleware/call.ts"
import { startKind } from "../middleware/inside.ts"
import { limitHeaders, noRoom } from "../middleware/limits.ts"
import { faultOf, NOT_FOUND, type Fault, type Refusal } from "../middleware/problem.ts"
import { wholeCallback } from "../../core/project/callback-body.ts"
import type { StartBody } from "../../api/run/runs.ts"
import { defined } from "../../core/defined.ts"
import { obeyed } from "../../engine/run/begin/obeyed.ts"
import { lineUp, notAllowed } from "./line-up.ts"
import { unstartable } from "./start-refusal.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

export type FlowTarget = FlowPlace

/**
 * [F72, F80] Parses `name@revision` (the flow, agents and skills of that revision) and `name@draft:NAME` (those of the draft). undefined:
 * no flow can have this name.
 */
export function flowAt(name: string): FlowTarget | undefined {
  const [, flow = name, at] = /^([^@]+)@(.+)$/s.exec(name) ?? []
  if (!isFlowId(flow)) return undefined
  if (at === undefined) return { flow }
  if (/^\d{1,15}$/.test(at)) return { flow, revision: Number(at) }
  const draft = at.startsWith(DRAFT_MARK) ? at.slice(DRAFT_MARK.length) : ""
  return DRAFT_NAME.test(draft) ? { flow, draft } : undefined
}

const DRAFT_MARK = "draft:"

export interface Begin {
  readonly target: FlowTarget
  readonly body: z.output<typeof StartBody>
  readonly id: string
  /** The id follows from a key of the caller: it may name a run that exists. */
  readonly isDerived: boolean
  /** What a message starts the run with [P2]; the body's task otherwise. */
  readonly message?: {
    readonly taskOf: (remembers: boolean) => string
    readonly conversation: readonly Said[]
    /** [G11] What of it comes from outside, unless the start, the flow or the token says that it is trusted. */
    readonly outside: readonly Origin[]
    /** The files of `body` that came with the message. */
    readonly attached: readonly string[]
  }
  /** [R16] The run of its thread that is at work: the start may only join its window, or wait for its key. */
  readonly beside?: RunView
  /** [H9] The caller waits so many milliseconds for the end or a question. */
  readonly wait?: number | undefined
  /** [R27] The caller gets the run as a stream. */
  readonly isStreamed?: boolean
}

/** `hasWaited`: the view was read after the wait. */
export interface Begun {
  readonly view: RunView
  readonly hasWaited: boolean
  /** [R9] The start joined this run's window. */
  readonly merged?: true
}

export async function beginRun(
  c: Call,
  { target, body, id, isDerived, message, wait, isStreamed, beside }: Begin,
): Promise<Result<Begun, Refusal | "no_flow">> {
  const { inputs = {}, autonomous, rehearse = false, effects, tags, thread, session, budget, callback, files: given = {} } = body
  const tenantServices = c.get("tenant")
  const { tenant, name, keyId } = c.get("caller")
  const trigger = { kind: startKind(c), key: name }
  const start = { run: id, kind: trigger.kind }
  const row = { trigger, tags, thread, session, effects }
  const said = body.start && saidStart(body.start)
  const lined = isLined(said) ? true : undefined
  const pinned = await tenantServices.catalog.pin(target, { rehearse, start, row, ...defined({ autonomous, lined }) })
  if (!pinned.ok) return err(pinned.code === "not_found" && pinned.message === undefined ? "no_flow" : whyNot(pinned))
  const trusted = originsOf([...(body.trusted ?? []), ...(pinned.flow.trusted ?? []), ...(c.get("caller").chat?.trusted ?? [])])
  const origins = (message?.outside ?? []).filter((origin) => !trusted.includes(origin))
  const task = message ? message.taskOf(pinned.flow.remembers === true) : (body.task ?? "")
  const files = trusted.includes("attachments") ? withoutMark(given, message?.attached) : given
  const wrong = notAllowed(pinned, said)
  const into = batchInto({ flow: pinned.flow, given: said })
  const ready = wrong ? err(wrong) : await readyOf(c, files, pinned, { task, inputs: gathered(inputs, into), budget })
  if (!ready.ok) {
    await tenantServices.account.giveBack(id)
    return ready
  }
  const { secrets } = tenantServices
  const obeys = { run: id, task, inputs: ready.value.inputs, session, thread, trigger }
  const block = await obeyed({ flow: pinned.flow, given: said }, obeys, () => secrets.redactor())
  if (beside && !isLined(block)) {
    await tenantServices.account.giveBack(id)
    return err(threadBusy(beside))
  }
  const asking = startOf(isLined(block) ? { ...pinned, queue: true } : pinned, {
    tenant,
    block,
    pace: message || wait !== undefined || isStreamed || trigger.kind === "mcp" ? { attended: true } : undefined,
    run: id,
    task,
    autonomous,
    effects,
    ...ready.value,
    trigger,
    tags,
    thread,
    session,
    callback: callback && wholeCallback(callback),
    ...(callback === undefined && !isPlaced(c) ? {} : addressOf(c)),
    trace: c.get("trace"),
    conversation: message && [...message.conversation],
    tainted: origins.some((origin) => origin !== "attachments"),
    origins,
    trusted,
    ...(isLined(block) ? { ...defined({ keyId }), ownMoney: ownMoney(pinned.money, budget) } : {}),
    asker: message === undefined || c.get("caller").chat !== undefined ? undefined : (keyId ?? name),
  })
  const lining = await lineUp(c, asking, nameOf(target), beside?.id)
  if (!lining.ok) return lining.error.code === "thread_busy" && beside ? err(threadBusy(beside)) : lining
  const { run, merged, number, limits = pinned.limits } = lining.value
  const request = { ...asking, run, ...defined({ number }) }
  showLimits(c, limits)
  if (merged) return ok({ view: merged, hasWaited: false, merged: true })
  const port = tenantServices.run(run)
  const ended = wait === undefined ? undefined : await port.startAndWait?.(request, wait)
  const view = ended ?? (await port.start(request))
  // A run outlives the record of its key: the key then names the old run, and this request may ask for another.
  const asked = { flow: pinned.flow.id, task, inputs: ready.value.inputs, files: ready.value.files }
  // A run of a window is given what its last start brought.
  if (isDerived && block?.debounce === undefined && block?.batch === undefined && !(await isOf(c, view, asked)))
    return err({ code: "idempotency_mismatch", detail: "This Idempotency-Key was used for another run; use a new key." })
  return ok({ view, hasWaited: ended !== undefined })
}

/** [P7] */
export const threadBusy = ({ id }: RunView): Refusal => ({
  code: "thread_busy",
  detail: `The run ${id} of this thread is still at work: wait until it ends or asks something, then send the message again.`,
  more: { run: id },
})

/** The flow's name as it was asked for. */
const nameOf = ({ flow, revision, draft }: FlowTarget): string =>
  draft !== undefined ? `${flow}@${DRAFT_MARK}${draft}` : revision !== undefined ? `${flow}@${revision}` : flow

function showLimits(c: Call, limits: Limits | undefined): void {
  if (limits) for (const [name, value] of Object.entries(limitHeaders(limits))) c.header(name, value)
}

/** [G11] What came with the message counts as the tenant's own. */
const withoutMark = (given: GivenFiles, attached: readonly string[] = []): GivenFiles =>
  Object.fromEntries(
    Object.entries(given).map(([path, file]) => {
      if (!attached.includes(path) || typeof file === "string" || !("untrusted" in file)) return [path, file]
      const { untrusted: _untrusted, ...own } = file
      return [path, own]
    }),
  )

/** [F55] Stores the files. */
async function readyOf(c: Call, given: GivenFiles, pinned: Extract<PinResult, { ok: true }>, start: Parameters<typeof startable>[1]) {
  const { givenFiles } = c.get("tenant")
  const ready = await startableWith(given, (files, pointer) => givenFiles.keep(files, pointer), pinned, start)
  if (!ready.ok) return err(unstartable(pinned, ready.error))
  const { files } = ready.value
  const full = files.length === 0 ? undefined : await givenFiles.tooMuch(files.reduce((sum, { size }) => sum + size, 0))
  return full === undefined ? ready : err<Refusal>({ code: "storage_full", detail: `No run was started: ${full}.` })
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
  sameFiles(view.files ?? [], asked.files) &&
  (same(view, asked) || same(view, await cleanJson(asked, await c.get("tenant").secrets.redactor())))

const same = (view: RunView, asked: Asked): boolean =>
  view.flow === asked.flow && view.task === asked.task && canonical(view.inputs) === canonical(asked.inputs)

/** A held run may have been sent more files since. */
const sameFiles = (has: readonly StartFile[], asked: readonly StartFile[]): boolean =>
  asked.every(({ path, hash }) => has.some((file) => file.path === path && file.hash === hash))

export function whyNot(pinned: Extract<PinResult, { ok: false }>): Refusal {
  if (pinned.code === "not_found") return pinned.message === undefined ? NOT_FOUND : { ...NOT_FOUND, detail: pinned.message }
  if (pinned.code === "quota") return noRoom(pinned)
  if (pinned.code === "storage_full") return { code: pinned.code, detail: `No run was started: ${pinned.message}.` }
  const { step, message, diagnostics } = pinned
  const place = step === undefined ? "" : `/steps${pointerStep(step)}`
  const grave = hasErrors(diagnostics) ? diagnostics.filter((d) => d.severity === "error") : diagnostics
  const errors: Fault[] = grave.length === 0 ? [{ pointer: place, message }] : grave.map((d) => ({ ...faultOf(d, place), code: d.code }))
  return { code: pinned.code, detail: message, errors, ...(step === undefined ? {} : { more: { step } }) }
}
