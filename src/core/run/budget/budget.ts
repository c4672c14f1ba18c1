// Decides what a run can afford [B1, B2]: which actions fit into the rest of the budget, how many tokens a model may write, which actions
// wait, and when a person is asked. Pure; `begin` writes the reservations of effects that begin, in the same commit.
//
// A call that does not fit waits while anything is reserved or about to be: some of that may be refunded. Otherwise a person is asked once
// about that limit, and every other action that does not fit waits for the answer.
//
// Over 300 lines: one pass, whose parts share the same sums.

import { defined } from "../../defined.ts"
import { minus, only, plus, unitsOf, type Amount, type Unit } from "../../money/amount.ts"
import { tidy } from "../../money/tidy.ts"
import { CALL_AGENT } from "../../tool/toolkits.ts"
import { dearestInput, isFree, priceOf } from "../../money/prices.ts"
import { fail } from "../session/admit-session.ts"
import { MAX_QUESTIONS } from "../session/ask/interaction.ts"
import { turnPrice } from "../batch/factor.ts"
import { requestBytes } from "./budget-bytes.ts"
import { isLimited, ledgersOf, shown } from "./budget-ledger.ts"
import type { Ledger, BudgetScope } from "./budget-state.ts"
import { budgetQuestion } from "./budget-question.ts"
import type { Action } from "../action.ts"
import type { Pins } from "../event-parts.ts"
import type { Fact } from "../event.ts"
import { isOver, stepState, type Run } from "../state.ts"
import { calledKey, leaseKey } from "../key.ts"
import { MAX_OUTPUT_TOKENS, SUMMARY_PROMPT_BYTES, SUMMARY_TOKENS, worstCost } from "./worst-case.ts"

/** The output limit of a call is never lowered below this to make it fit. */
export const MIN_OUTPUT_TOKENS = 512

/** One limit, and how much of it earlier wishes of this pass have taken. */
interface Purse {
  readonly scope: BudgetScope
  readonly step: string
  readonly ledger: Ledger
  taken: Amount
}

/** The limits that apply to an effect, and the units that they count. */
interface Reach {
  readonly purses: readonly Purse[]
  readonly units: readonly Unit[]
}

export class Purses {
  readonly #run: Run
  readonly #purses = new Map<Ledger, Purse>()
  /** For every step without its own limit: looked up once, not once for each of 200 branches. Other steps are in `#own`. */
  #shared: Reach | undefined
  readonly #own = new Map<string, Reach>()
  /** When the current wish may begin (ms): a retry may be due on a later day. */
  at: number
  /** The lease to request from the tenant: for which step, how much, and when at the earliest. */
  wanted: { step: string; amount: Amount; notBefore?: number } | undefined
  readonly #short: { readonly purse: Purse; readonly step: string; readonly need: Amount; readonly units: readonly Unit[] }[] = []

  constructor(run: Run) {
    this.#run = run
    this.at = run.at
  }

  of(step: string, key?: string): readonly Purse[] {
    return this.#reach(step, key).purses
  }

  /** The units that the limits of a step count. */
  units(step: string, key?: string): readonly Unit[] {
    return this.#reach(step, key).units
  }

  #reach(step: string, key: string | undefined): Reach {
    if (key !== undefined) return this.#lookUp(step, key)
    if (!Object.hasOwn(this.#run.budget.steps, step)) return (this.#shared ??= this.#lookUp(step, key))
    const reach = this.#own.get(step) ?? this.#lookUp(step, key)
    this.#own.set(step, reach)
    return reach
  }

  #lookUp(step: string, key: string | undefined): Reach {
    const purses = ledgersOf(this.#run, step, key).map(({ scope, ledger }) => {
      const purse = this.#purses.get(ledger) ?? { scope, step, ledger, taken: {} }
      this.#purses.set(ledger, purse)
      return purse
    })
    return { purses, units: [...new Set(purses.flatMap(({ ledger }) => unitsOf(ledger.limit)))] }
  }

  /** Infinity where there is no limit. The slice of a day that is over is empty. */
  left(purse: Purse, unit: Unit): number {
    const limit = purse.ledger.limit[unit]
    if (limit === undefined) return Infinity
    const { lease } = this.#run.budget
    if (purse.ledger === lease && this.at >= lease.until) return 0
    const { spent, reserved } = purse.ledger
    return Math.max(0, tidy(limit - (spent[unit] ?? 0) - (reserved[unit] ?? 0) - (purse.taken[unit] ?? 0)))
  }

  least(step: string, unit: Unit, key?: string): number {
    return Math.min(...this.of(step, key).map((p) => this.left(p, unit)), Infinity)
  }

  take(step: string, amount: Amount, key?: string): void {
    for (const purse of this.of(step, key)) purse.taken = plus(purse.taken, only(amount, unitsOf(purse.ledger.limit)))
  }

  /** Does this amount fit under every limit? If not, notes the consequence: request a lease, ask a person, or wait. */
  fits(step: string, need: Amount, key?: string): boolean {
    let all = true
    for (const purse of this.of(step, key)) {
      const short = unitsOf(need).filter((u) => this.left(purse, u) < (need[u] ?? 0))
      if (short.length === 0) continue
      all = false
      if (purse.scope === "tenant" && !this.#askTenant(purse, step, need)) continue
      this.#short.push({ purse, step, need, units: short })
    }
    return all
  }

  /** The question for the first wish that cannot fit: nothing is reserved, or about to be, that could be refunded. */
  get question(): readonly Fact[] | undefined {
    for (const { purse, step, need, units } of this.#short) {
      const { scope, ledger, taken } = purse
      if (units.some((u) => (ledger.reserved[u] ?? 0) > 0 || (taken[u] ?? 0) > 0) || this.#isAsked(scope, step)) continue
      return budgetQuestion(this.#run, scope, step, shown(ledger), only(need, unitsOf(ledger.limit)))
    }
    return undefined
  }

  /** [B4] Notes a wish for more of the tenant's day; true: nothing more is available before tomorrow. */
  #askTenant(purse: Purse, step: string, need: Amount): boolean {
    const { lease } = this.#run.budget
    if (!lease) return false
    const later = this.at < lease.until ? lease.retry : this.#run.at < lease.until ? this.at : undefined
    this.wanted ??= { step, amount: this.#missing(purse, need), ...defined({ notBefore: later }) }
    return this.at < lease.until && later !== undefined && later >= lease.until
  }

  #isAsked(scope: BudgetScope, step: string): boolean {
    return this.#run.pending.some((id) => {
      const i = this.#run.interactions[id]
      return i?.kind === "budget" && i.payload["scope"] === scope && (scope !== "step" || i.step === step)
    })
  }

  /** A small slice does not shorten a call: more of the day is requested first. True: wait for it. */
  waits(step: string, amount: Amount): boolean {
    const { lease } = this.#run.budget
    if (!lease || (lease.retry !== undefined && this.at < lease.until)) return false
    const purse = this.of(step).find((p) => p.ledger === lease)
    const missing = purse ? this.#missing(purse, amount) : {}
    if (unitsOf(missing).length === 0) return false
    this.wanted ??= { step, amount: missing }
    return true
  }

  /** Requests the next slice before it is needed, so that the usual call does not wait. */
  ahead(step: string, amount: Amount): void {
    const { lease } = this.#run.budget
    if (!lease || lease.retry !== undefined || this.wanted) return
    const purse = this.of(step).find((p) => p.ledger === lease)
    const missing = purse ? this.#missing(purse, amount) : {}
    if (unitsOf(missing).length > 0) this.wanted = { step, amount: missing }
  }

  #missing(purse: Purse, need: Amount): Amount {
    const short = unitsOf(need).filter((u) => this.left(purse, u) < (need[u] ?? 0))
    return only(minus(need, Object.fromEntries(short.map((u) => [u, this.left(purse, u)]))), short)
  }
}

type Wish = Exclude<Action, { do: "record" }>

/** The actions that may begin now; all of them if there is no limit. */
export function afford(run: Run, wishes: Action[]): Action[] {
  if (wishes.length === 0 || !isLimited(run) || isOver(run) || wishes[0]?.do === "record") return wishes
  const purses = new Purses(run)
  const judged = new Map<Action, Wish | Fact | undefined>()
  // Wishes that are due later get the rest: a retry in an hour delays nothing now.
  const later = (a: Action): number => (a.do === "call-model" && (a.notBefore ?? 0) > run.at ? 1 : 0)
  const inTurn = wishes.some((w) => later(w) === 1) ? wishes.toSorted((a, b) => later(a) - later(b)) : wishes
  for (const wish of inTurn) {
    if (wish.do === "record") continue
    purses.at = Math.max(run.at, wish.do === "call-model" ? (wish.notBefore ?? 0) : 0)
    judged.set(wish, judge(run, purses, wish))
  }
  const broken = [...judged.values()].find((x) => x !== undefined && "type" in x)
  if (broken && "type" in broken) return [{ do: "record", facts: [broken] }]
  const { question } = purses
  if (question && mayAsk(run)) return [{ do: "record", facts: question }]
  // A step that waits to be entered may have asked for the next slice already: a run asks for one at a time [B4].
  const lease = wishes.some((w) => w.do === "lease") ? [] : leaseWish(run, purses)
  return [...lease, ...wishes.flatMap((w) => onlyWish(judged.get(w)))]
}

/** [Q1] While too many questions are open, a question about a budget waits, and what it is about waits with it. */
const mayAsk = (run: Run): boolean => run.pending.length < MAX_QUESTIONS

const onlyWish = (x: Wish | Fact | undefined): Wish[] => (x === undefined || "type" in x ? [] : [x])

function judge(run: Run, purses: Purses, wish: Wish): Wish | Fact | undefined {
  switch (wish.do) {
    case "call-model":
      return modelCall(run, purses, wish)
    case "run-tool": {
      const open = stepState(run, wish.step).session?.open.find((o) => o.call.id === wish.call.id)
      // It was called before it was lost, so it is already counted.
      if (open?.args !== undefined) return wish
      if (!purses.fits(wish.step, { tool_calls: 1 })) return undefined
      purses.take(wish.step, { tool_calls: 1 })
      purses.ahead(wish.step, { tool_calls: 1 })
      return wish.call.name === CALL_AGENT ? callStart(run, purses, wish) : wish
    }
    case "compact":
      return summary(run, purses, wish)
    case "start-child":
      return childStart(run, purses, wish)
    default:
      return wish
  }
}

/** The request and the shortest answer must fit; then the answer may be as long as the rest allows. */
function modelCall(run: Run, purses: Purses, wish: Extract<Wish, { do: "call-model" }>): Wish | Fact | undefined {
  const { step } = wish
  const s = stepState(run, step)
  const session = s.session
  if (!session) return wish
  const units = purses.units(step)
  const [inUsd, inTokens] = [units.includes("usd"), units.includes("tokens")]
  const price = turnPrice(run, session.model)
  if (inUsd && !price && !isFree(session.model))
    return fail(step, s, "budget", `dollars are limited, and the model ${session.model} has no price`, true)
  const most = run.plan.agents[session.agent]?.max_output_tokens ?? MAX_OUTPUT_TOKENS
  const floor = Math.min(MIN_OUTPUT_TOKENS, most)
  const input = requestBytes(run, step)
  const dollars = (output: number): number => (price ? (input * dearestInput(price) + output * price.output) / 1_000_000 : 0)
  // Written out for speed: this runs for every waiting branch after every event.
  const worst = (output: number): Amount => {
    const [usd, tokens] = [tidy(dollars(output)), input + output]
    return inUsd ? (inTokens ? { usd, tokens } : { usd }) : inTokens ? { tokens } : {}
  }
  if (!purses.fits(step, worst(floor)) || purses.waits(step, worst(most))) return undefined
  let output = Math.min(most, purses.least(step, "tokens") - input)
  const left = purses.least(step, "usd")
  if (price && price.output > 0 && left < dollars(output))
    output = Math.max(floor, Math.floor(((left - dollars(0)) * 1_000_000) / price.output))
  // Division may round up: one token less always fits.
  while (output > floor && left < (worst(output).usd ?? 0)) output -= 1
  const amount = worst(output)
  purses.take(step, amount)
  purses.ahead(step, worst(most))
  return { ...wish, maxOutput: output, ...(unitsOf(amount).length > 0 ? { amount } : {}) }
}

/** [J23] A summary is a model call that reads the whole conversation and writes little. */
function summary(run: Run, purses: Purses, wish: Extract<Wish, { do: "compact" }>): Wish | undefined {
  const price = priceOf(run.prices, wish.model)
  const input = requestBytes(run, wish.step) + SUMMARY_PROMPT_BYTES
  const usd = price ? worstCost(price, input, SUMMARY_TOKENS) : 0
  const amount = only({ usd, tokens: input + SUMMARY_TOKENS }, purses.units(wish.step).filter(isMoney))
  if (!purses.fits(wish.step, amount)) return undefined
  purses.take(wish.step, amount)
  return unitsOf(amount).length > 0 ? { ...wish, amount } : wish
}

const isMoney = (u: Unit): boolean => u === "usd" || u === "tokens"

/** [B5] A child gets its part before it starts: its flow's own budget, or a fair share of the rest. */
function childStart(run: Run, purses: Purses, wish: Extract<Wish, { do: "start-child" }>): Wish | Fact | undefined {
  const held = Object.hasOwn(run.budget.holds, wish.key) ? run.budget.holds[wish.key] : undefined
  // Its start was lost: if the child runs, it has the budget of that start.
  if (held) return { ...wish, budget: held.amount }
  const { key } = wish
  const units = purses.units(wish.step, key)
  if (units.length === 0) return wish
  if (wish.most) return judgeStart(run, purses, wish, wish.most)
  const own = ownBudget(run.pins, wish.flow)
  const sharers = sharersOf(run, wish.step, wish.index)
  const share: Amount = Object.fromEntries(
    units.map((u) => {
      const left = purses.least(wish.step, u, key)
      const part = left / sharers
      return [u, Math.min(left, own?.[u] ?? (u === "usd" ? part : Math.max(Math.min(1, left), Math.floor(part))))]
    }),
  )
  const least = only(
    { usd: Math.min(MIN_USD, own?.usd ?? MIN_USD), tokens: Math.min(MIN_OUTPUT_TOKENS, own?.tokens ?? MIN_OUTPUT_TOKENS), steps: 1 },
    units,
  )
  if (!purses.fits(wish.step, least, key)) return undefined
  const amount = only(share, units)
  purses.take(wish.step, amount, key)
  return { ...wish, amount, budget: amount }
}

/** [V27] A judge gets the most that it can cost, and no share of the rest. */
function judgeStart(run: Run, purses: Purses, wish: Extract<Wish, { do: "start-child" }>, most: Amount): Wish | Fact | undefined {
  const { step, key } = wish
  const units = purses.units(step, key)
  if (units.includes("usd") && most.usd === undefined)
    return fail(step, stepState(run, step), "budget", "dollars are limited, and a model of the judge has no price", true)
  const amount = only({ ...most, steps: 1 }, units)
  if (!purses.fits(step, amount, key)) return undefined
  purses.take(step, amount, key)
  return { ...wish, amount, budget: amount }
}

/** [T42] A run that a call starts is a child too: it gets the whole rest, and returns what it does not use. */
function callStart(run: Run, purses: Purses, wish: Extract<Wish, { do: "run-tool" }>): Wish | undefined {
  const key = calledKey(wish.key)
  const units = purses.units(wish.step, key)
  if (units.length === 0) return wish
  if (!purses.fits(wish.step, only({ usd: MIN_USD, tokens: MIN_OUTPUT_TOKENS, steps: 1 }, units), key)) return undefined
  const amount = only(Object.fromEntries(units.map((u) => [u, purses.least(wish.step, u, key)])), units)
  purses.take(wish.step, amount, key)
  return { ...wish, amount }
}

/** The budget that a child flow declares in its own file. */
export const ownBudget = (pins: Pins | undefined, flow: string): Amount | undefined =>
  pins?.budgets && Object.hasOwn(pins.budgets, flow) ? pins.budgets[flow] : undefined

/** With less, a child could not make a single call. */
const MIN_USD = 1e-6

/** How many children, including this one, may start before another one ends. */
function sharersOf(run: Run, step: string, index: number): number {
  const s = stepState(run, step)
  const spec = run.plan.steps.get(step)
  const c = s.children
  if (!c || spec?.type !== "map") return 1
  const running = Object.keys(c.open).length + c.starting.length
  const waiting = c.total - Math.max(index, c.next)
  // [R33] Children that wait for a batch give up their places: all that have not ended share.
  if (spec.batch_api) return Math.max(1, waiting)
  return Math.max(1, Math.min(spec.max_concurrent - running - Math.max(0, index - c.next), waiting))
}

function leaseWish(run: Run, { wanted }: Purses): Wish[] {
  const { lease } = run.budget
  const key = leaseKey((lease?.slices ?? 0) + 1)
  if (!lease || !wanted || Object.hasOwn(run.underway, key)) return []
  return [{ do: "lease", key, ...wanted }]
}

/** Counts steps before they are opened. Returns the facts up to the first step that does not fit, or what must happen before any step may open. */
export function gate(run: Run, facts: readonly Fact[]): Action[] {
  if (!isLimited(run)) return [{ do: "record", facts }]
  const purses = new Purses(run)
  for (const [i, fact] of facts.entries()) {
    if (fact.type !== "step.opened") continue
    if (!purses.fits(fact.step, ONE_STEP))
      return facts.slice(0, i).some((f) => f.type === "step.opened") ? [{ do: "record", facts: facts.slice(0, i) }] : instead(run, purses)
    purses.take(fact.step, ONE_STEP)
  }
  return [{ do: "record", facts }]
}

/** What must happen before this step may open; undefined: it may open now. */
export function beforeStep(run: Run, step: string): Action[] | undefined {
  if (!isLimited(run)) return undefined
  const purses = new Purses(run)
  return purses.fits(step, ONE_STEP) ? undefined : instead(run, purses)
}

const ONE_STEP: Amount = { steps: 1 }

function instead(run: Run, purses: Purses): Action[] {
  const { question } = purses
  return question && mayAsk(run) ? [{ do: "record", facts: question }] : leaseWish(run, purses)
}
