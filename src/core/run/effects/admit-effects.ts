// Admits signals about effects [K32, K34, K35]: outcomes, and the decisions of people and parent runs, even after the run has ended. Part
// of `admit`: changes nothing.

import { defined } from "../../defined.ts"
import { ok } from "../../result.ts"
import type { Fact } from "../event.ts"
import { newRules, refuse, type Admitted } from "../session/admit-session.ts"
import type { Signal } from "../signal.ts"
import { isOver, type Run, type Underway } from "../state.ts"
import { belowKey, undoKey, type OpenEffect } from "./outside.ts"

type Said<T extends Signal["type"]> = Extract<Signal, { type: T }>

/** The call that an action of the kind `effect` carries out or takes back. */
function effectOf(run: Run, key: string): { of: Pick<OpenEffect, "key" | "callId" | "tool">; below?: string; undoes?: string } | undefined {
  const { kept, undoable } = run.outside
  const own = kept.find((k) => k.run === run.id && k.key === key)
  if (own) return { of: own }
  const below = kept.find((k) => k.run !== run.id && belowKey(k) === key)
  if (below) return { of: below, below: below.run }
  const taken = undoable.find((u) => undoKey(u.key) === key)
  return taken && { of: { ...taken, key }, undoes: taken.key }
}

export function effectResult(run: Run, { key, result, rules }: Said<"effect.result">): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  const found = u?.kind === "effect" ? effectOf(run, key) : undefined
  if (!u || !found) return refuse("stale")
  return ok([...newRules(run, rules), settled(run, u.step, found, result)])
}

function settled(
  run: Run,
  step: string,
  { of, below, undoes }: NonNullable<ReturnType<typeof effectOf>>,
  result: Said<"effect.result">["result"],
): Fact {
  const by = (undoes === undefined ? run.outside.commit : run.outside.undo)?.by ?? ""
  return {
    type: "effect.settled",
    key: of.key,
    step,
    callId: of.callId,
    tool: of.tool,
    state: result.state,
    ...defined({ reason: result.reason, content: result.content && [...result.content], run: below, undoes }),
    ...(by === "" ? {} : { by }),
  }
}

/** [J11] Handles a lost effect. A child is asked again: it knows how far it got. An effect of this run is sent again only if it is idempotent. */
export function effectLost(run: Run, key: string, u: Underway, most: number): Fact[] {
  const lost: Fact = { type: "action.lost", key, kind: u.kind, step: u.step, attempt: u.attempt }
  const found = effectOf(run, key)
  if (!found) return [lost]
  const again = found.below !== undefined || (found.undoes === undefined && run.plan.tools.get(found.of.tool)?.idempotent === true)
  if (again && u.attempt < most) return [lost]
  return [lost, settled(run, u.step, found, { state: "uncertain", reason: "the server stopped before the answer came" })]
}

/** Commits the kept effects that a person chose in a parent run. */
export function commit(run: Run, { keys, by, rules }: Said<"commit">): Admitted {
  if (!isOver(run)) return refuse("not_running")
  const chosen = run.outside.commit?.keys ?? []
  const fresh = run.outside.kept.filter((k) => k.run === run.id && keys.includes(k.key) && !chosen.includes(belowKey(k))).map((k) => k.key)
  return ok(fresh.length === 0 ? [] : [...newRules(run, rules), { type: "commit.asked", keys: fresh, by }])
}

/** Discards kept effects that nobody will choose. Chosen effects that are not carried out yet stay. */
export function discard(run: Run, { reason }: Said<"discard">): Admitted {
  if (!isOver(run)) return ok([])
  const chosen = run.outside.commit?.keys ?? []
  return ok(
    run.outside.kept
      .filter((k) => k.run === run.id && !chosen.includes(belowKey(k)))
      .map((k): Fact => ({ type: "effect.settled", key: k.key, step: k.via, callId: k.callId, tool: k.tool, state: "discarded", reason })),
  )
}

/** [K34] Records a person's word on what happened to a request that got no answer. */
export function resolve(run: Run, { key, happened, by }: Said<"resolve">): Admitted {
  const effect = Object.hasOwn(run.outside.open, key) ? run.outside.open[key] : undefined
  if (effect?.state !== "uncertain") return refuse("not_found")
  const { step, callId, tool, undoes } = effect
  const state = happened ? "confirmed" : "failed"
  return ok([{ type: "effect.settled", key, step, callId, tool, state, by, ...defined({ undoes }) }])
}

/** [K35] Takes effects back, newest first. An effect that is already being taken back is skipped. */
export function undo(run: Run, { keys, by, rules }: Said<"undo">): Admitted {
  if (!isOver(run)) return refuse("not_running")
  const { undoable, undo: begun } = run.outside
  const fresh = undoable.map((u) => u.key).filter((key) => (keys?.includes(key) ?? true) && !begun?.keys.includes(key))
  return ok(fresh.length === 0 ? [] : [...newRules(run, rules), { type: "undo.asked", keys: fresh.toReversed(), by }])
}
