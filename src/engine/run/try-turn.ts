// Calls a model with a turn's recorded request and another model, prompt or thinking level [K19]. No tool runs, nothing is stored, and the
// run is only read. The maximum cost is reserved from the tenant's daily budget first, and the rest is returned [B4].

import { defined } from "../../core/defined.ts"
import type { Thinking } from "../../core/flow/agent.ts"
import { parseModelRef } from "../../core/flow/model-ref.ts"
import { isNothing, minus, only, unitsOf, type Amount, type RunPrice } from "../../core/money/amount.ts"
import { tidy } from "../../core/money/tidy.ts"
import { bareModel, isFree } from "../../core/money/prices.ts"
import { billFor } from "../../core/run/budget/bill.ts"
import { worstCost } from "../../core/run/budget/worst-case.ts"
import { readCalls } from "../../core/run/session/calls.ts"
import { withinRoom } from "../../core/run/session/request-room.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Clock } from "../../ports/clock.ts"
import type { DayBudget } from "../../ports/day-budget.ts"
import type { FinalMessage, ModelMessage, Model, ModelError, Sealing } from "../../ports/model.ts"
import type { DefinitionsGone } from "../../ports/run.ts"
import type { TriedTurn } from "../../ports/tenant/usage.ts"
import type { TurnAsk, TurnContext, TurnRead, TurnRecord, TurnSaid, TurnTried, TurnWish } from "../../ports/turn.ts"
import { signalAfter } from "../../ports/timers.ts"
import { cleanReply } from "./arrival.ts"
import { withStates } from "./provider-state.ts"
import { readEarlier } from "./sticky-session.ts"

const PATIENCE_MS = 180_000 // limit: milliseconds of the answer of a turn that is tried → 502 `model_failed`
/** Limit: characters that are shown of a tried reply that is too large → the rest is cut; the turn ends as `length`. */
const MAX_START_CHARS = 2_000
const MAX_WHY_CHARS = 2_000 // limit: characters of why a turn cannot be tried → the rest is cut

export interface TryDeps {
  turn(ask: TurnAsk): Promise<TurnRead | DefinitionsGone | undefined>
  ground(recorded: string, wish: Pick<TurnWish, "model" | "thinking">): Promise<TurnContext>
  choose(
    ref: string,
    pins: Pins | undefined,
  ): Promise<{ readonly model: Model; readonly id: string; readonly thinking?: Thinking } | { readonly error: ModelError }>
  redactor(): Promise<Redactor>
  hash(text: string): string
  readonly blobs: Blobs
  readonly sealing: Sealing
  readonly dayBudget: Pick<DayBudget, "lease" | "close">
  /** What the turn has used, in the figures of its tenant. */
  used(turn: TriedTurn): Promise<void>
  readonly clock: Clock
}

type Refused = Extract<TurnTried, { ok: false }>
const not = (why: string): Refused => ({ ok: false, code: "not_triable", why: why.slice(0, MAX_WHY_CHARS) })

/** Tries a turn; undefined: there is no such run or step. */
export async function tryTurn(
  deps: TryDeps,
  { prompt, model, thinking, check, ...place }: TurnWish,
): Promise<TurnTried | DefinitionsGone | undefined> {
  // [T32] Before anything uses what a person sends.
  const redactor = await deps.redactor()
  const record = await deps.turn({ ...place, ...(prompt === undefined ? {} : { prompt: redactor.text(prompt) }) })
  if (!record?.ok) return record
  const ground = await deps.ground(record.ref, defined({ model, thinking }))
  if (!ground.model.ok) return not(ground.model.error)
  const ref = ground.model.value
  const { pass, turn, recorded, input, request } = record
  const where = { step: place.step, pass, turn, recorded }
  const call = { ref, input, output: request.maxOutputTokens, price: ground.price }
  const free = isFree(ref)
  const usd = free ? 0 : ground.price ? worstCost(ground.price, input, call.output) : null
  if (ground.daily.usd !== undefined && usd === null) return { ok: false, code: "no_price", model: bareModel(ref) }
  const chosen = await deps.choose(ref, record.pins)
  if ("error" in chosen) return not(redactor.text(chosen.error.message))
  const messages = await messagesOf(deps, record, ref)
  if ("why" in messages) return not(redactor.text(messages.why))
  const level = parseModelRef(ref).thinking ?? null
  if (check)
    return { ok: true, check: { ...where, model: bareModel(ref), thinking: level, most: { tokens: free ? 0 : input + call.output, usd } } }
  const held = await reserve(deps, call, free ? {} : ground.daily)
  if ("code" in held) return held
  const asked = await ask(deps, { ...request, ...messages, model: chosen.id, maxOutputTokens: held.output }, chosen, redactor)
  const done = billed(deps, asked, { ...call, output: held.output })
  await held.settle(done.amount)
  const { bill } = done
  const { flow, agent } = request.place
  if (bill) await deps.used({ at: deps.clock.now(), flow, agent, model: bareModel(ref), usage: bill.usage, cost: bill.cost })
  return done.said ? { ok: true, tried: { ...done.said, ...where } } : done.refused
}

/** The conversation for this model, with the bytes of its files. */
async function messagesOf(
  { blobs, sealing }: TryDeps,
  { chunks, turns }: TurnRecord,
  ref: string,
): Promise<
  | { readonly messages: readonly ModelMessage[]; readonly body: (hash: string) => Promise<Uint8Array | undefined> }
  | { readonly why: string }
> {
  try {
    const before = await readEarlier(blobs, chunks)
    const shown = withinRoom([...before, ...turns])
    for (const turn of shown)
      for (const file of turn.role === "assistant" ? [] : (turn.attached ?? []))
        if (!(await blobs.get(file.hash)))
          return { why: `the request showed the file "${file.path}", which is no longer stored: try another turn` }
    // A state that is carried here is never in a row.
    const messages = await withStates({ journal: { state: () => undefined }, sealing }, ref, shown)
    return { messages, body: (hash) => blobs.get(hash) }
  } catch (e) {
    return { why: messageOf(e, "an earlier conversation cannot be read") }
  }
}

export interface TriedCall {
  readonly ref: string
  /** The most tokens that it may read and write. */
  readonly input: number
  readonly output: number
  readonly price: RunPrice | undefined
}

interface Held {
  readonly output: number
  /** Gives back what the call did not use. */
  settle(spent: Amount): Promise<void>
}

/** [B4] Reserves the call's maximum cost from the tenant's daily budget. */
export async function reserve(
  { dayBudget, clock }: Pick<TryDeps, "dayBudget" | "clock">,
  { input, output, price }: Pick<TriedCall, "input" | "output" | "price">,
  daily: Amount,
): Promise<Held | Refused> {
  const units = unitsOf(daily).filter((u) => u === "usd" || u === "tokens")
  if (units.length === 0) return { output, settle: async () => undefined }
  const need = only({ usd: price ? worstCost(price, input, output) : 0, tokens: input + output }, units)
  const id = `try_${clock.id()}`
  const lease = await dayBudget.lease(id, "try", need)
  const settle = async (spent: Amount): Promise<void> => dayBudget.close(id, lease.until, only(spent, unitsOf(lease.granted)))
  if (isNothing(minus(need, only(lease.granted, units)))) return { output, settle }
  await settle({})
  return { ok: false, code: "quota", need, retry: lease.retry ?? lease.until }
}

interface Asked {
  readonly final: FinalMessage | undefined
  readonly ms: number
  readonly late: boolean
}

type Request = Omit<Parameters<Model["reply"]>[0], "thinking">

async function ask(
  { clock }: TryDeps,
  request: Request,
  { model, thinking }: { readonly model: Model; readonly thinking?: Thinking },
  redactor: Redactor,
): Promise<Asked> {
  const began = clock.now()
  const patience = signalAfter(PATIENCE_MS)
  let final: FinalMessage | undefined
  for await (const chunk of model.reply({ ...request, redactor, ...defined({ thinking }) }, patience))
    if (chunk.type === "final") final = await cleanReply(chunk, redactor)
  return { final, ms: clock.now() - began, late: patience.aborted }
}

/** `bill`: what a provider may bill; absent: nothing. */
type Done = { readonly amount: Amount; readonly bill: Pick<TriedTurn, "usage" | "cost"> | undefined } & (
  | { readonly said: TurnSaid; readonly refused?: never }
  | { readonly said?: never; readonly refused: Refused }
)

function billed({ hash }: TryDeps, { final, ms, late }: Asked, { ref, input, output, price }: TriedCall): Done {
  const tooLong = final?.error?.tooLong !== undefined
  const text = tooLong ? (final?.text.slice(0, MAX_START_CHARS) ?? "") : (final?.text ?? "")
  const toolCalls = readCalls(final?.toolCalls ?? [], { taken: text.length, hash })
  const said = text !== "" || toolCalls.length > 0 || final?.thinking === true
  const reported = final?.usage
  const bill = billFor({ key: "try", model: ref, input, output, said, reported, unbilled: final?.unbilled === true }, price)
  if (!final || (final.error && !tooLong)) {
    const error = final?.error
    // [B3] A provider may bill a reply that had begun.
    const isBilled = error?.begun === true || late || !final
    const spent = isBilled ? { amount: bill.amount, bill } : { amount: {}, bill: undefined }
    if (late) return { ...spent, refused: { ok: false, code: "model_failed", why: `no answer came within ${PATIENCE_MS / 1000} seconds` } }
    if (error?.retryable === false) return { ...spent, refused: not(refusedBy(ref, error)) }
    const why = (error?.message ?? "the model's stream ended without an answer").slice(0, MAX_WHY_CHARS)
    return { ...spent, refused: { ok: false, code: "model_failed", why } }
  }
  return {
    amount: bill.amount,
    bill,
    said: {
      model: bareModel(ref),
      thinking: parseModelRef(ref).thinking ?? null,
      reply: { text, toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, args })) },
      stopReason: tooLong ? "length" : final.stopReason,
      usage: bill.usage,
      cost: bill.cost === null ? null : tidy(bill.cost),
      ms,
      ...defined({ responseModel: final.model }),
    },
  }
}

const refusedBy = (ref: string, { message, status }: ModelError): string =>
  `the provider refuses the request to ${bareModel(ref)}${status === undefined ? "" : ` (status ${status})`}: ${message}`
