// Plans the trials of a row by its recording [V33]: each variant goes over it as in a backtest, and where the first differs is the cut of all.

import { rowPlan } from "../../core/experiment/row-plan.ts"
import type { RecordedRun } from "../../core/case/recorded-case.ts"
import { defined } from "../../core/defined.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { From } from "../../core/run/fork/cut.ts"
import type { Spending } from "../../engine/backtest/live.ts"
import { readRecorded } from "../../engine/trial/record-case.ts"
import { modeKey, type FixedPins, type RowAnswer, type RowAsk, type RowPlanned } from "../../ports/tenant/quality/experiments.ts"
import { runPort, runRooms } from "../clients/run-port.ts"
import type { Env } from "../platform/env.ts"
import { BacktestWork } from "./backtest-work.ts"
import { trialDeps } from "./trial-deps.ts"

/** Child runs of a recording that are read; with more the trials of its row begin at the start. */
const CHILDREN = 500

interface About {
  readonly tenant: string
  readonly run: string
  readonly flow: string
}

export async function rowPlanOf(env: Env, { tenant, run, flow }: About, asked: RowAsk): Promise<RowAnswer | undefined> {
  const recorded = await readRecorded(trialDeps(env, tenant, asked.by), run, flow, { left: CHILDREN })
  const [first] = recorded.events
  if (first?.type !== "run.started") return undefined
  const mode = { rehearse: first.rehearsed, autonomous: first.autonomous }
  const pinned = asked.variants.map((one) => one[modeKey(mode)])
  const planned = pinned.includes(undefined)
    ? ({ do: "start", why: "a variant cannot be started as the recorded run was" } as const)
    : await plannedBy(env, { tenant, run, flow }, { asked, recorded, pinned: pinned.flatMap((one) => one ?? []) })
  return { planned, mode, ...defined({ thread: first.thread }) }
}

interface Tried {
  readonly asked: RowAsk
  readonly recorded: RecordedRun
  readonly pinned: readonly FixedPins[]
}

async function plannedBy(env: Env, { tenant, run }: About, { asked, recorded, pinned }: Tried): Promise<RowPlanned> {
  const work = new BacktestWork(env, tenant, asked.by)
  const spending: Spending = { budget: {}, tokens: 0, usd: null, tool_calls: 0 }
  const verdicts = []
  for (const { pins } of pinned)
    verdicts.push(await work.against(recorded, { pins, rules: asked.rules }, { change: {}, match: "exact", beyond: "stop" }, spending))
  const plan = rowPlan(verdicts, recorded.events, (id) => flowIn(recorded.children.get(id)))
  if (plan.do !== "fork") return plan
  const { events } = recorded
  const ended = events.find((e) => e.type === "run.ended")
  const from: From = plan.before === "end" ? { seq: ended?.seq ?? events.length } : plan.before
  const offer = await runRooms(env, tenant, run).source.offer(from)
  const seq = offer?.ok ? offer.cut : lastCutOf(offer)
  if (seq === undefined) return { do: "start", why: "the recorded run has no cut there" }
  for (const { pins } of pinned) {
    const fork = await runPort(env, tenant, asked.probe).fork({
      tenant,
      run: asked.probe,
      source: run,
      by: asked.by,
      from: { seq },
      check: true,
      trial: { of: { experiment: "", row: "", variant: "", repeat: 1 }, pins },
    })
    if (!fork.ok) return { do: "start", why: `the recorded run cannot be forked there: ${fork.code}` }
  }
  return { do: "fork", cut: plan.before, from: { seq }, after: usedAfter(events, seq) }
}

const flowIn = (child: RecordedRun | undefined): string | undefined => {
  const first = child?.events[0]
  return first?.type === "run.started" ? first.flow : undefined
}

/** Before the run's end. */
function lastCutOf(offer: Awaited<ReturnType<ReturnType<typeof runRooms>["source"]["offer"]>>): number | undefined {
  if (offer === undefined || offer.ok || offer.code !== "not_forkable" || !offer.why || !("before" in offer.why)) return undefined
  return offer.why.before ?? undefined
}

function usedAfter(events: readonly RunEvent[], seq: number): Extract<RowPlanned, { do: "fork" }>["after"] {
  let [tokens, usd, isUnpriced] = [0, 0, false]
  for (const e of events) {
    if (e.seq <= seq) continue
    if (e.type === "model.replied") {
      tokens += e.usage.input + e.usage.output
      if (e.cost === null) isUnpriced = true
      else usd += e.cost
    }
  }
  const began = events[seq - 1]?.at ?? 0
  const ended = events.find((e) => e.type === "run.ended")?.at ?? began
  return { tokens, usd: isUnpriced ? null : usd, ms: ended - began }
}
