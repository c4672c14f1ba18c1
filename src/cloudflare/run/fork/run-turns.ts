// Reads a recorded turn of this run with its request [K19]. Folded from the journal for each request; the cost is linear in the events up to it.

import { defined } from "../../../core/defined.ts"
import { parseModelRef } from "../../../core/flow/model-ref.ts"
import { bareModel } from "../../../core/money/prices.ts"
import { requestBytes } from "../../../core/run/budget/budget-bytes.ts"
import { Fold, type Era } from "../../../core/run/fork/fold.ts"
import { TurnFinder, type FoundTurn } from "../../../core/run/fork/turns.ts"
import type { Turn } from "../../../core/run/session/conversation.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { bodyWith } from "../../../core/run/session/open-session.ts"
import { DefinitionsLost } from "../../../engine/catalog/definitions.ts"
import { requestFor } from "../../../engine/run/call/model-request.ts"
import { StrandedConductor } from "../../../engine/run/stranded-conductor.ts"
import type { Answers, RunRooms } from "../../../ports/objects.ts"
import type { DefinitionsGone } from "../../../ports/run.ts"
import type { TurnAsk, TurnRead, TurnSaid } from "../../../ports/turn.ts"
import type { AwakeRun } from "../awake-run.ts"
import { eventsOf } from "../journal/journal-pages.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"

export class RunTurns implements Answers<RunRooms["turns"]> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
  }

  /** undefined: there is no such run, or its flow has no such step. */
  async turn(ask: TurnAsk): Promise<TurnRead | DefinitionsGone | undefined> {
    const run = await this.#starts.run()
    if (!run) return undefined
    const conductor = await this.#self.awake()
    if (conductor instanceof StrandedConductor) return { ok: false, code: "definitions_lost", why: conductor.why }
    if (!run.plan.steps.has(ask.step)) return undefined
    const { journal } = this.#resources
    const finder = new TurnFinder(ask)
    for (const e of eventsOf(journal)) finder.take(e)
    const place = finder.find()
    if (!place.ok) return { ok: false, code: "no_turn", why: place.why }
    let eras: readonly [Era, ...Era[]]
    try {
      eras = await this.#self.eras()
    } catch (e) {
      if (e instanceof DefinitionsLost) return { ok: false, code: "definitions_lost", why: e.message }
      throw e
    }
    const { found } = place
    const then = this.#then(eras, found, ask)
    const session = stepState(then, ask.step).session
    if (!session) throw new Error(`step "${ask.step}" has no session at event ${found.begun}`)
    const { request, turns, ref } = requestFor({ journal }, then, found.key, ask.step)
    return {
      ok: true,
      pass: found.pass,
      turn: found.turn,
      ref,
      request,
      turns: turns.map((turn) => this.#carried(turn)),
      chunks: session.sticky?.chunks ?? [],
      input: requestBytes(then, ask.step),
      ...defined({ pins: then.pins }),
      recorded: saidIn(found, ref),
    }
  }

  /** The run as it was when the turn's call began, with the prompt of the wish. */
  #then(eras: readonly [Era, ...Era[]], { begun, pass }: FoundTurn, { step, prompt }: TurnAsk): Run {
    const fold = new Fold(eras)
    let other: ReturnType<typeof bodyWith> | undefined
    for (const e of eventsOf(this.#resources.journal)) {
      const opens = e.type === "step.opened" && e.step === step && e.pass === pass
      if (opens && prompt !== undefined) other = bodyWith(fold.run, e, prompt)
      fold.take(e)
      if (e.seq === begun) break
    }
    const { session } = stepState(fold.run, step)
    if (session && other !== undefined) Object.assign(session, other)
    return fold.run
  }

  /** A state leaves this object sealed. */
  #carried(turn: Turn): Turn {
    if (turn.role !== "assistant" || turn.state === undefined || !("row" in turn.state)) return turn
    const { state, ...rest } = turn
    const sealed = this.#resources.journal.state(state.row)
    return sealed === undefined ? rest : { ...rest, state: { model: state.model, sealed } }
  }
}

function saidIn({ reply, at }: FoundTurn, ref: string): TurnSaid | null {
  if (!reply) return null
  return {
    model: bareModel(ref),
    thinking: parseModelRef(ref).thinking ?? null,
    reply: { text: reply.text, toolCalls: reply.toolCalls.map(({ id, name, args }) => ({ id, name, args })) },
    stopReason: reply.stopReason,
    usage: reply.usage,
    cost: reply.cost,
    ms: reply.at - at,
    ...defined({ responseModel: reply.responseModel }),
  }
}
