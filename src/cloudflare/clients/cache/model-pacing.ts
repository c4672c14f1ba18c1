// Lets the model calls of a tenant leave this isolate in their turn [R26–R29]. What it asks and tells goes with the question for the
// provider's settings, which an isolate asks anyway; near a limit it asks once a second, for all calls that wait.

import { ALLOWANCE_MS } from "../../../core/pacing/gauge.ts"
import type { Turn } from "../../../core/pacing/pacer.ts"
import { Allowance } from "../../../core/pacing/allowance.ts"
import { counted, estimated, ReplyLengths } from "../../../core/pacing/call-cost.ts"
import { parseModelRef } from "../../../core/flow/model-ref.ts"
import { MOST_RETRY_AFTER_MS } from "../../../core/run/session/retry.ts"
import { perIsolate } from "../../../ports/isolate.ts"
import type { ModelGate, PacedCall, PacedSettings, Question } from "../../../ports/tenant/pacing.ts"
import type { ProviderSettings } from "../../../ports/tenant/providers.ts"
import { pause } from "../../../ports/timers.ts"
import { cachedProvider, forgetProvider } from "./provider-cache.ts"

/** A model of a tenant in this isolate. */
interface Paced {
  readonly allowance: Allowance
  readonly replies: ReplyLengths
  /** What waiting calls were told. */
  readonly turns: Map<string, "now" | Turn>
  /** When a question left whose answer has not come. Its object may be gone, and then nobody hears the answer: it counts for a moment. */
  askedAt: number | undefined
  stoppedUntil: number
  spills: boolean
  /** Calls wait for it: what was estimated too high lets the next ones go. */
  isNear: boolean
  used: number
}

const isAsked = ({ askedAt }: Paced, now: number): boolean => askedAt !== undefined && now >= askedAt && now - askedAt < UNTOLD_MS

interface OfProvider {
  readonly models: Map<string, Paced>
  /** Until then nothing bounds other models than these. */
  bound: { readonly names: PacedSettings["bound"]; readonly until: number }
}

const MOST_PROVIDERS = 500
/** A model that was not asked for so long is not asked about. */
const IDLE_MS = 60_000
/** The first look for a turn that others of this isolate ask for. */
const FIRST_LOOK_MS = 20
const LOOK_MS = 500
/** A person waits: nobody who looks less often is faster. */
const ATTENDED_LOOK_MS = 100
/** Nobody answers: the caller hears it as a wait, and the next one asks. */
const UNTOLD_MS = 5_000

const providers = perIsolate(() => new Map<string, OfProvider>())
const isolate = perIsolate(() => crypto.randomUUID())

interface Deps {
  readonly tenant: string
  ask(provider: string, questions: readonly Question[]): Promise<PacedSettings>
  now(): number
}

export class ModelPacing {
  readonly #deps: Deps
  readonly #settings: (name: string) => Promise<ProviderSettings | undefined>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#settings = cachedProvider(deps.tenant, (name) => this.#ask(name), deps.now)
  }

  /** The settings of a provider, at most 5 s old. */
  provider(name: string): Promise<ProviderSettings | undefined> {
    return this.#settings(name)
  }

  /** A model will be asked: what bounds it is asked for with its provider's settings. */
  expect(ref: string): void {
    const parsed = parseModelRef(ref)
    if (parsed.kind === "provider") this.#model(parsed.provider, parsed.id)
  }

  /** undefined: no provider is asked. */
  gate(settings: ProviderSettings, provider: string, id: string): ((call: PacedCall) => ModelGate) | undefined {
    if (settings.kind === "scripted") return undefined
    return (call) => this.#gateFor(() => this.#model(provider, id), call, { provider, freeCache: settings.kind === "anthropic" })
  }

  /** `model`: others may drop what is idle, such as the model of a call that a pause held up, and a question is of those that are known. */
  #gateFor(
    model: () => Paced,
    asked: PacedCall,
    { provider, freeCache }: { readonly provider: string; readonly freeCache: boolean },
  ): ModelGate {
    const { now } = this.#deps
    const { key, family, rank } = asked
    let one = model()
    const cost = estimated(asked, one.replies)
    const call = { key, family, rank, cost }
    const left = (): void => {
      one.allowance.leave(key)
      one.turns.delete(key)
    }
    return {
      pass: async (patience, stop) => {
        const began = now()
        for (let look = FIRST_LOOK_MS; ; look = Math.min(look * 2, rank === "attended" ? ATTENDED_LOOK_MS : LOOK_MS)) {
          const at = now()
          one = model()
          one.used = at
          const { allowance, turns } = one
          const turn = turns.get(key)
          if (turn === "now" || allowance.lets(call, at)) {
            left()
            return "now"
          }
          if (!isAsked(one, at) && allowance.isDue(at)) {
            await this.#refresh(provider)
            continue
          }
          const isLate = turn ? turn.until > began + patience || at - began >= patience : at - began >= patience + UNTOLD_MS
          if (stop.aborted || isLate) {
            left()
            const isStopped = one.stoppedUntil - at > MOST_RETRY_AFTER_MS
            return { until: Math.max(turn?.until ?? 0, at + FIRST_LOOK_MS), ahead: turn?.ahead ?? 0, other: isStopped || one.spills }
          }
          await pause(look)
        }
      },
      done: async (final) => {
        const { usage, error, rates = [] } = final ?? {}
        const status = error?.status ?? 0
        one = model()
        const { allowance, replies } = one
        if (usage) {
          replies.take(usage.output)
          allowance.answered(cost, counted(usage, freeCache), rates)
        } else if (status < 400) allowance.answered(cost, cost, rates)
        else allowance.refused(status, error?.retryAfter, rates)
        // [R31] The other isolates hear of a stop within 5 s.
        const isTold = one.isNear || error?.retryAfter !== undefined
        if (isTold && !isAsked(one, now()) && allowance.mayAsk(now())) await this.#refresh(provider).catch(() => undefined)
      },
    }
  }

  async #refresh(provider: string): Promise<void> {
    forgetProvider(this.#deps.tenant, provider)
    await this.#settings(provider)
  }

  async #ask(provider: string): Promise<ProviderSettings | undefined> {
    const of = this.#of(provider)
    const now = this.#deps.now()
    for (const [id, { used }] of of.models) if (now - used > IDLE_MS) of.models.delete(id)
    const asked = [...of.models].filter(([, one]) => !isAsked(one, now) && one.allowance.mayAsk(now))
    for (const [, one] of asked) one.askedAt = now
    try {
      const { settings, answers, bound } = await this.#deps.ask(
        provider,
        asked.map(([, one]) => one.allowance.question(now)),
      )
      const at = this.#deps.now()
      of.bound = { names: bound, until: at + ALLOWANCE_MS }
      for (const [id, one] of asked) {
        const answer = answers[`${provider}/${id}`]
        if (!answer) continue
        one.stoppedUntil = answer.stoppedUntil ?? 0
        one.spills = answer.spill === true
        one.isNear = answer.free !== true && answer.allowance === undefined
        for (const [key, turn] of one.allowance.told(answer, at)) one.turns.set(key, turn)
      }
      return settings
    } finally {
      for (const [, one] of asked) if (one.askedAt === now) one.askedAt = undefined
    }
  }

  #of(provider: string): OfProvider {
    const name = `${this.#deps.tenant}/${provider}`
    const known = providers()
    const before = known.get(name)
    if (before) return before
    if (known.size >= MOST_PROVIDERS) known.clear()
    const made: OfProvider = { models: new Map(), bound: { names: "all", until: 0 } }
    known.set(name, made)
    return made
  }

  #model(provider: string, id: string): Paced {
    const { models, bound } = this.#of(provider)
    const before = models.get(id)
    if (before) return before
    const model = `${provider}/${id}`
    const made: Paced = {
      allowance: new Allowance(isolate(), model),
      replies: new ReplyLengths(),
      turns: new Map(),
      askedAt: undefined,
      stoppedUntil: 0,
      spills: false,
      isNear: false,
      used: this.#deps.now(),
    }
    if (bound.names !== "all" && !bound.names.includes(model)) made.allowance.free(bound.until)
    models.set(id, made)
    return made
  }
}
