// Admits the calls that a step makes itself, without an agent [F26]: the guard judges each like a call of a reply. Changes nothing.

import { runsCode } from "../../flow/flow.ts"
import { ok } from "../../result.ts"
import { handlerFinished } from "../../steps/handler.ts"
import type { Fact } from "../event.ts"
import { newest, newRules, refuse, verdictOn, type Admitted } from "../session/admit-session.ts"
import type { OwnCallsSignal } from "../signal.ts"
import { stepState, type Run } from "../state.ts"

const MAX_OWN_CALLS = 50 // limit: calls of tools of a handler, in a pass → the step fails: `code_error`

/** In the order of the calls, by the tenant's rules of now. */
export function ownCalls(run: Run, { key, calls, rules, at, digests }: OwnCallsSignal): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  const s = u && stepState(run, u.step)
  const step = u && run.plan.steps.get(u.step)
  if (!u || !step || (u.kind !== "calls" && u.kind !== "code") || !s?.session?.own) return refuse("stale")
  if (runsCode(step) && s.session.own.made + calls.length > MAX_OWN_CALLS) {
    const message = `the handler made more than ${MAX_OWN_CALLS} calls of tools`
    return ok([handlerFinished(run, step, { ok: false, source: "code_error", message, logs: [] })])
  }
  const called: Fact = { type: "step.called", step: u.step, pass: s.pass, turn: s.session.turn, key, toolCalls: [...calls] }
  const desk = { run, id: u.step, rules: newest(run, rules), at, digests, plans: {} }
  const verdicts: Fact[] = []
  let asked = run.asked
  for (const call of calls) {
    const said = verdictOn(desk, call, asked)
    if (said?.type === "interaction.asked") asked += 1
    if (said) verdicts.push(said)
  }
  return ok([...newRules(run, rules), called, ...verdicts])
}
