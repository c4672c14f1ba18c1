// Admits the calls that a step makes itself, without an agent [F26]: the guard judges each like a call of a reply. Changes nothing.

import { ok } from "../../result.ts"
import type { Fact } from "../event.ts"
import { newest, newRules, refuse, verdictOn, type Admitted } from "../session/admit-session.ts"
import type { OwnCallsSignal } from "../signal.ts"
import { stepState, type Run } from "../state.ts"

/** In the order of the calls, by the tenant's rules of now. */
export function ownCalls(run: Run, { key, calls, rules, at, digests }: OwnCallsSignal): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  const s = u && stepState(run, u.step)
  if (!u || u.kind !== "calls" || !s?.session?.own) return refuse("stale")
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
