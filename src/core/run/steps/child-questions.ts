// Passes questions of child runs up [P5]: a run knows the open questions of the runs below it, so that a client of the first run sees them,
// and sees that it waits. A question is answered in the run that asked it.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import type { ChildDecision, ChildQuestion, EventOf, Fact, FactOf } from "../event.ts"
import type { RunStatus } from "../event-parts.ts"
import type { ChildAsking, Run } from "../state.ts"
import { isAnyUnderway } from "../step-keys.ts"
import { MAX_CHILD_QUESTIONS } from "./child-question-bounds.ts"

/** Limit: characters of those questions together → the others are said again until some are answered; one that alone is too large is
 *  known without what it shows. */
const MAX_CHARS = 256 * 1024
/** Limit: characters of an answer in a child run that its parent is told → the parent learns only that it was answered. */
const MAX_ANSWER_CHARS = 4 * 1024

/** A run's open questions, as reported to its parent. */
export interface ChildAsks extends Readonly<Pick<FactOf<"child.asked">, "from" | "waits">> {
  readonly open: readonly ChildQuestion[]
  readonly decided: readonly ChildDecision[]
}

export type ChildAskSignal = ChildAsks & Pick<FactOf<"child.asked">, "step" | "run" | "index" | "pass">

/** undefined: neither this run nor a run below it has ever asked. */
export function asksOf(run: Run): ChildAsks | undefined {
  const all = Object.values(run.interactions)
  if (all.length === 0 && run.asks === undefined) return undefined
  const own = run.pending.flatMap((id): ChildQuestion[] => {
    const i = run.interactions[id]
    if (!i) return []
    const { kind, step, payload, schema, expires } = i
    return [{ run: run.id, id, kind, step, payload, schema, ...defined({ expires }) }]
  })
  const decided = all.flatMap(({ id, status, answer }): ChildDecision[] =>
    status === "pending" ? [] : [{ run: run.id, id, status, ...short(answer) }],
  )
  const below = Object.values(run.asks ?? {}).flatMap((child) => child.decided ?? [])
  return {
    from: run.seq,
    waits: waitsForPeople(run),
    open: fitting([...own, ...questionsBelow(run)], 0, 0),
    decided: [...decided, ...below].slice(-MAX_CHILD_QUESTIONS),
  }
}

/** [J16] The `waiting` reason of a run that cannot continue until a person answers a child run. */
export const CHILD_INTERACTION = "child_interaction"

/** [H9] Tells whether the run cannot continue until a person answers, here or in a run below. */
export const waitsForPeople = ({ status, reason }: { readonly status: RunStatus; readonly reason?: string | undefined }): boolean =>
  status === "waiting" && (reason === "interaction" || reason === CHILD_INTERACTION)

/** A text that changes only when the result of `asksOf` changes. */
export const asksWord = (run: Run): string =>
  `${waitsForPeople(run)} ${run.asked} ${run.pending.join()} ${Object.entries(run.asks ?? {})
    .map(([child, { from }]) => `${child}@${from}`)
    .join()}`

const short = (answer: JsonObject | undefined): { answer?: JsonObject } =>
  answer === undefined || JSON.stringify(answer).length > MAX_ANSWER_CHARS ? {} : { answer }

/** The facts for a child's current questions; undefined: stale. */
export function childAsked(run: Run, { from, waits, open, decided, ...child }: ChildAskSignal): Fact[] | undefined {
  const known = run.asks?.[child.run]
  const s = Object.hasOwn(run.steps, child.step) ? run.steps[child.step] : undefined
  const isStarting = s?.children?.starting.includes(child.index) === true
  const isOurs = s?.children === undefined ? s?.session !== undefined : isStarting || s.children.open[child.index] === child.run
  if (!s || !isOurs || s.pass !== child.pass || s.status !== "running" || (known !== undefined && known.from > from)) return undefined
  const others = Object.entries(run.asks ?? {}).flatMap(([id, asking]) => (id === child.run ? [] : asking.open))
  const fits = fitting(open, others.length, charsOf(others))
  const told = new Set((known?.open ?? []).map((question) => nameOf(question)))
  const ends = decided.filter((one) => told.has(nameOf(one)))
  const same = known !== undefined && known.waits === waits && nameAll(known.open) === nameAll(fits) && ends.length === 0
  if (same || (known === undefined && fits.length === 0 && !waits)) return []
  const asked: Fact = { type: "child.asked", ...child, from, waits, open: fits, ...(ends.length === 0 ? {} : { decided: ends }) }
  // A child may ask before the answer to its start is here.
  const { step, run: started, index, pass } = child
  return isStarting ? [{ type: "child.started", step, run: started, index, pass }, asked] : [asked]
}

/** Tells whether the run knows all of the child's questions; if not, the child reports them again later. */
export const knowsAll = (run: Run, { run: child, open }: Pick<ChildAskSignal, "run" | "open">): boolean =>
  (run.asks?.[child]?.open.length ?? 0) >= open.length

/** A question that alone is too large is known without what it shows: a person reads it at the run that asks. */
function fitting(open: readonly ChildQuestion[], count: number, chars: number): ChildQuestion[] {
  const fits: ChildQuestion[] = []
  let sum = chars
  for (const question of open.slice(0, Math.max(0, MAX_CHILD_QUESTIONS - count))) {
    const size = JSON.stringify(question).length
    const shown = size > MAX_CHARS / 2 ? { ...question, payload: { omitted: true, ...named(question.payload) }, schema: {} } : question
    sum += Math.min(size, JSON.stringify(shown).length)
    if (sum > MAX_CHARS) break
    fits.push(shown)
  }
  return fits
}

const named = ({ tool, hash }: JsonObject): JsonObject => ({
  ...(typeof tool === "string" ? { tool } : {}),
  ...(typeof hash === "string" ? { hash } : {}),
})

const charsOf = (questions: readonly ChildQuestion[]): number => questions.reduce<number>((sum, one) => sum + JSON.stringify(one).length, 0)
const nameOf = ({ run, id }: { readonly run: string; readonly id: string }): string => `${run}.${id}`
const nameAll = (questions: readonly ChildQuestion[]): string => questions.map((question) => nameOf(question)).join()

/** The open questions of the runs below, the oldest child first. */
export const questionsBelow = (run: Run): ChildQuestion[] => Object.values(run.asks ?? {}).flatMap(({ open }) => open)

/** Part of `apply`. */
export function knowAsked(run: Run, { step, pass, run: child, from, waits, open, decided }: EventOf<"child.asked">): void {
  const asking: ChildAsking = { step, pass, from, waits, open, ...defined({ decided }) }
  run.asks = { ...run.asks, [child]: asking }
  run.askedAnew = true
}

/** Removes the questions of a child, or of all children of a step. */
export function asksNothing(run: Run, { child, step }: { readonly child?: string | undefined; readonly step?: string }): void {
  if (run.asks === undefined) return
  for (const [id, asking] of Object.entries(run.asks)) if (id === child || asking.step === step) delete run.asks[id]
}

/** Tells whether a call is under way. A call whose run waits for a person does not count. */
export function isUnderway(run: Run): boolean {
  if (run.asks === undefined) return isAnyUnderway(run)
  const idle: Record<string, number> = {}
  for (const { step, waits } of Object.values(run.asks))
    if (waits && run.steps[step]?.session !== undefined) idle[step] = (idle[step] ?? 0) + 1
  for (const { kind, step } of Object.values(run.underway)) {
    const left = kind === "tool" ? (idle[step] ?? 0) : 0
    if (left === 0) return true
    idle[step] = left - 1
  }
  return false
}

/** Tells whether a person must answer a run below before this run can continue. `children`: the open child runs. */
export function waitsBelow(run: Run, children: readonly string[]): boolean {
  const asks = run.asks ?? {}
  return Object.values(asks).some(({ waits }) => waits) && children.every((child) => asks[child]?.waits === true)
}
