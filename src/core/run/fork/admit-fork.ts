// Admits a fork as one signal [K9]: everything in its first decision, in order. Each part sees the run as the parts before it leave it, so
// `admit` works on a copy; the caller applies the facts to the run itself.
//
// The run is the source's history up to the cut, under the fork's plan.

import { apply } from "../apply.ts"
import { decide } from "../decide.ts"
import type { Fact } from "../event.ts"
import { EVENT_VERSION } from "../event-version.ts"
import type { ForkSignal, Instead, Refusal, Signal } from "../signal.ts"
import { isOver, type Run, stepState } from "../state.ts"
import { err, ok, type Result } from "../../result.ts"
import { newRules } from "../session/admit-session.ts"
import { forbidden } from "../session/withdraw.ts"
import { askedAnew } from "./ask-anew.ts"
import { finishInstead } from "./instead-finish.ts"
import { replyInstead } from "./instead-reply.ts"
import { passedOver } from "./replan.ts"

type Admit = (run: Run, signal: Signal) => Result<Fact[], Refusal>

export function forkAdmitted(run: Run, signal: ForkSignal, admit: Admit): Result<Fact[], Refusal> {
  if (run.seq === 0) return err({ code: "not_found" })
  if (isOver(run)) return err({ code: "run_over" })
  const draft = new Draft(run, signal.at)
  draft.take([signal.forked])
  if (signal.lease) draft.take([{ type: "budget.leased", ...signal.lease }])
  draft.take(newRules(draft.run, signal.rules))
  const added = new Set(signal.added)
  draft.take(passedOver(draft.run, (id) => added.has(id)).map((step) => ({ type: "step.skipped", step, pass: 1 })))
  for (const key of Object.keys(draft.run.underway)) {
    const lost = admit(draft.run, { type: "lost", key })
    // A step that failed with the loss before it took this key along.
    if (lost.ok) draft.take(lost.value)
  }
  draft.take(forbidden(draft.run, draft.run.rules))
  draft.take(askedAnew(draft.run, signal.digests ?? {}, signal.at))
  const { instead } = signal
  if (!instead) return ok(draft.facts)
  const said = sayInstead(draft, instead, signal, admit)
  if (!said.ok) return said
  draft.take(said.value)
  return ok(draft.facts)
}

function sayInstead(draft: Draft, instead: Instead, { forked, at }: ForkSignal, admit: Admit): Result<Fact[], Refusal> {
  const { by } = forked
  if ("answer" in instead) return admit(draft.run, { ...instead, type: "answer", id: instead.interaction, body: instead.answer, by })
  const fault = draft.open(instead.step)
  if (fault !== undefined) return err({ code: "invalid", errors: [{ path: "", message: fault }] })
  return "finish" in instead
    ? finishInstead(draft.run, instead.step, instead.finish, by)
    : replyInstead(draft.run, instead.step, instead, { by, at })
}

/** A copy of the run, and the facts that were taken into it. */
class Draft {
  readonly run: Run
  readonly facts: Fact[] = []
  readonly #at: number

  constructor({ plan, touched, ...state }: Run, at: number) {
    // The state is JSON.
    this.run = { ...(JSON.parse(JSON.stringify(state)) as typeof state), plan, touched: new Set(touched) }
    this.#at = at
  }

  take(facts: readonly Fact[]): void {
    for (const fact of facts) {
      apply(this.run, { seq: this.run.seq + 1, at: this.#at, v: EVENT_VERSION, prev: "", ...fact })
      this.facts.push(fact)
    }
  }

  /** Records what the run wants until the step is open. A step that ends as it opens is left open. Returns why it does not open. */
  open(id: string): string | undefined {
    while (stepState(this.run, id).status !== "running") {
      const [first] = decide(this.run)
      if (first?.do !== "record") return `the step "${id}" does not open at this place: it ended, it is not reached, or a budget is used up`
      const { facts } = first
      const opened = facts.findIndex((fact) => fact.type === "step.opened" && fact.step === id)
      const ended = facts.findIndex((fact, i) => i > opened && fact.type === "step.finished" && fact.step === id)
      this.take(opened < 0 || ended < 0 ? facts : facts.slice(0, ended))
    }
    return undefined
  }
}
