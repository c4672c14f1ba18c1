// Describes the caller of a tool call, read from the run before the first await. The powers of the call are built from it [T41, T42].

import { rankOf } from "../../../core/pacing/rank.ts"
import { defined } from "../../../core/defined.ts"
import type { Access } from "../../../core/tool/policy/access.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { Agent } from "../../../core/flow/agent.ts"
import { canonical } from "../../../core/json.ts"
import { calledKey } from "../../../core/run/key.ts"
import { holderOf } from "../../../core/run/session/grant.ts"
import type { CallingSession } from "../../../core/run/effects/outside.ts"
import type { CalledRun } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { inheritedBy, type Inherited } from "../begin/start.ts"

/** A run that the call starts inherits the same as any child run. */
export interface Calling extends Inherited {
  /** The call's action key [J1]. */
  readonly key: string
  /** The globs of the caller's agent and skills [G7] as one text. Callers with the same text may see and change the same files. */
  readonly fence: string
  /** The budget reserved for the run that this call starts [B5]. */
  readonly budget?: Amount
  /** Agents to which the caller may hand work: the agents of its routes that this run has pinned. */
  readonly routes: readonly Agent[]
  /** Reports the run that the call started, and later what that run used. */
  readonly started: (child: CalledRun, marks?: { readonly tainted?: true; readonly private?: true }) => void
}

/** `place`: a step with an open session, or the session that made the call and its pass, when they are over [K32]. */
export function callingOf(
  run: Run,
  place: string | { readonly step: string; readonly pass: number; readonly session: CallingSession },
  key: string,
  started: Calling["started"] = () => {},
): Calling {
  const step = typeof place === "string" ? place : place.step
  const { session, pass } = typeof place === "string" ? stepState(run, place) : place
  const agent = session && run.plan.agents[session.agent]
  const hold = calledKey(key)
  const held = Object.hasOwn(run.budget.holds, hold) ? run.budget.holds[hold] : undefined
  return {
    ...inheritedBy(run, { step, pass, ...marksOf(session), waited: rankOf(run, false, run.at) === "attended" }),
    // [R32] A call waits for the run that it starts: that one asks its model at once.
    batch: undefined,
    key,
    fence: canonical(agent && session ? fencesOf(run.plan, agent, session.model) : []),
    ...defined({ budget: held?.amount }),
    routes: (agent?.routes ?? []).flatMap((name) => run.plan.agents[name] ?? []),
    started,
  }
}

const marksOf = (session: CallingSession | undefined) => ({
  tainted: session?.tainted === true,
  ...defined({ origins: session?.origins }),
  private: session?.private === true,
})

/** The paths that an agent may read and write [G7]: its own globs, and the globs of its skills. */
export const fencesOf = (plan: Run["plan"], agent: Agent, model: string): readonly Access[] => [
  agent.access,
  ...(holderOf(plan, agent, model).skills ?? []).flatMap((skill) => (skill.permissions ? [skill.permissions.fs] : [])),
]
