// Who makes a tool call, read of the run before anything is waited for: what the powers of a call are made of [T41, T42].

import type { Access } from "../../core/policy/access.ts"
import type { Amount } from "../../core/money/amount.ts"
import type { Agent } from "../../core/flow/agent.ts"
import { canonical } from "../../core/json.ts"
import type { Rules } from "../../core/policy/policy.ts"
import { calledKey } from "../../core/run/budget/budget-settle.ts"
import type { Pins } from "../../core/run/event.ts"
import { holderOf } from "../../core/run/session/grant.ts"
import type { CalledRun } from "../../core/run/signal.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import type { Trace } from "../../core/trace.ts"

export interface Calling {
  readonly run: string
  /** The run that no other one started: plans and conversations of a team are its. */
  readonly root: string
  readonly depth: number
  readonly step: string
  readonly pass: number
  /** The call's action key [J1]. */
  readonly key: string
  /** The globs of the caller's agent and of its skills [G7], as one text: who may see and change the same files has the same. */
  readonly fence: string
  readonly autonomous: boolean
  readonly rehearsed: boolean
  readonly rules: Rules
  readonly prices: Run["prices"]
  readonly trace?: Trace
  readonly pins?: Pins
  /** The tenant limits its day [B4]. */
  readonly daily: boolean
  /** What was held back for the run that this call starts [B5]. */
  readonly budget?: Amount
  readonly tainted: boolean
  readonly private: boolean
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
    run: run.id,
    root: rootOf(run),
    depth: run.parent?.depth ?? 0,
    step,
    pass,
    key,
    fence: canonical(agent && session ? fencesOf(run.plan, agent, session.model) : []),
    autonomous: run.autonomous,
    rehearsed: run.rehearsed,
    rules: run.rules,
    prices: run.prices,
    ...(run.trace ? { trace: run.trace } : {}),
    ...(run.pins ? { pins: run.pins } : {}),
    daily: run.budget.lease !== undefined,
    ...(held ? { budget: held.amount } : {}),
    tainted: run.tainted || session?.tainted === true,
    private: run.private === true || session?.private === true,
    routes: (agent?.routes ?? []).flatMap((name) => run.plan.agents[name] ?? []),
    started,
  }
}

/** What an agent may read and write [G7]: its own globs, and those of each of its skills that has any. */
export const fencesOf = (plan: Run["plan"], agent: Agent, model: string): readonly Access[] => [
  agent.access,
  ...(holderOf(plan, agent, model).skills ?? []).flatMap((skill) => (skill.permissions ? [skill.permissions.fs] : [])),
]

/** A run from before roots were told has its parent for one. */
export const rootOf = ({ id, parent }: Pick<Run, "id" | "parent">): string => parent?.root ?? parent?.run ?? id
