// Who makes a tool call, read of the run before anything is waited for: the powers of a call are made of it [T41, T42].

import type { Access } from "../../core/policy/access.ts"
import type { Amount } from "../../core/money/amount.ts"
import type { Agent } from "../../core/flow/agent.ts"
import { canonical } from "../../core/json.ts"
import { calledKey } from "../../core/run/key.ts"
import { holderOf } from "../../core/run/session/grant.ts"
import type { CalledRun } from "../../core/run/signal.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import { heritageOf, type Heritage } from "./start.ts"

/** A run that the call starts inherits what any child does. */
export interface Calling extends Heritage {
  /** The call's action key [J1]. */
  readonly key: string
  /** The globs of the caller's agent and of its skills [G7] as one text: callers with the same text may see and change the same files. */
  readonly fence: string
  /** What was held back for the run that this call starts [B5]. */
  readonly budget?: Amount
  /** Agents that the caller may hand work to: those of its routes that this run has pinned. */
  readonly routes: readonly Agent[]
  /** Says which run the call started, and later what it used. */
  readonly started: (child: CalledRun, marks?: { readonly tainted?: true; readonly private?: true }) => void
}

export function callingOf(run: Run, step: string, key: string, started: Calling["started"] = () => {}): Calling {
  const { session, pass } = stepState(run, step)
  const agent = session && run.plan.agents[session.agent]
  const hold = calledKey(key)
  const held = Object.hasOwn(run.budget.holds, hold) ? run.budget.holds[hold] : undefined
  return {
    ...heritageOf(run, { step, pass, tainted: session?.tainted === true, private: session?.private === true }),
    key,
    fence: canonical(agent && session ? fencesOf(run.plan, agent, session.model) : []),
    ...(held ? { budget: held.amount } : {}),
    routes: (agent?.routes ?? []).flatMap((name) => run.plan.agents[name] ?? []),
    started,
  }
}

/** What an agent may read and write [G7]: its own globs, and those of each of its skills that has any. */
export const fencesOf = (plan: Run["plan"], agent: Agent, model: string): readonly Access[] => [
  agent.access,
  ...(holderOf(plan, agent, model).skills ?? []).flatMap((skill) => (skill.permissions ? [skill.permissions.fs] : [])),
]
