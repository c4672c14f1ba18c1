// Holds a run's open effects [K31]: calls that change something outside. A part of the run's state; the whole ledger is a fold of the
// journal (core/run/effects/ledger.ts). Effects that are refused or confirmed leave this state, so that it stays small in a long run.

import type { JsonObject } from "../../json.ts"
import type { KeptEffect } from "../event-parts.ts"
import type { Origin } from "../../flow/origin.ts"

/** The session that made a call, as the guard judges it: a commit comes when the session is over. */
export interface CallingSession {
  readonly agent: string
  readonly model: string
  readonly tainted: boolean
  readonly origins?: readonly Origin[] | undefined
  readonly private: boolean
}

interface Call {
  readonly key: string
  readonly step: string
  readonly pass: number
  readonly callId: string
  readonly tool: string
  readonly args: JsonObject
  readonly caller: CallingSession
}

/** `approved`: a person approved it, and it has not begun. */
export interface OpenEffect extends Call {
  state: "asked" | "approved" | "sent" | "uncertain"
  at: number
  hash?: string
  by?: string
  reason?: string
  /** [K35] It takes back this effect. */
  undoes?: string
}

/** [K32] `via`: the step of this run that made the call, or whose child did. A child's call has no caller here: the child judges it. */
export interface KeptCall extends KeptEffect {
  readonly via: string
  readonly at: number
  readonly caller?: CallingSession
  readonly by?: string
  readonly hash?: string
}

/** [K35] A confirmed effect whose tool can take it back. `result`: the event with its result, if there is one. */
export interface Undoable extends Call {
  readonly at: number
  readonly result?: number
}

/** An effect that is carried out outside any session: a kept call, or the call that takes a confirmed effect back. */
export interface CarryOut {
  readonly do: "carry-out"
  readonly key: string
  /** A step of this run. */
  readonly step: string
  readonly pass: number
  readonly callId: string
  readonly tool: string
  readonly args: JsonObject
  /** The session that made the call; absent: a child made it, and carries it out. */
  readonly caller?: CallingSession
  /** The child. */
  readonly below?: { readonly run: string; readonly key: string; readonly by: string }
  /** The effect that is taken back. */
  readonly undoes?: Undoable
}

export interface Outside {
  open: Record<string, OpenEffect>
  /** The run has had an open effect, so the tenant's list may have rows of it. */
  seen?: true
  /** In the order in which the calls were made. */
  kept: KeptCall[]
  /** Characters of the arguments of kept calls. */
  keptChars: number
  undoable: Undoable[]
  /** Child runs that kept effects, however deep: at the end they are told to discard what is left. */
  below: string[]
  /** [K32] The question at the end. */
  question?: string
  /** The answer to it, or a parent's. Each key is that of `belowKey`. */
  commit?: { readonly keys: readonly string[]; readonly stop: boolean; readonly by: string; stopped?: true }
  /** [K35] Keys that are still to be taken back, in order. */
  undo?: { keys: string[]; readonly by: string }
}

export const newOutside = (): Outside => ({ open: {}, kept: [], keptChars: 0, undoable: [], below: [] })

/** The names of kept effects in the question: their keys. Children of one flow have equal keys, so a child's run comes first in its names. */
export function shownKeys(run: string, kept: readonly KeptCall[]): string[] {
  const count = new Map<string, number>()
  for (const { key } of kept) count.set(key, (count.get(key) ?? 0) + 1)
  return kept.map((k) => (k.run !== run && (count.get(k.key) ?? 0) > 1 ? belowKey(k) : k.key))
}

/** Names a kept effect among those of all runs; the key of the action by which a run lets a child carry it out. */
export const belowKey = ({ run, key }: Pick<KeptCall, "run" | "key">): string => `${run}/${key}`
export const undoKey = (key: string): string => `${key}/undo`

/** A child that succeeds leaves the decision about its kept calls to its parent. */
export const isHandedUp = (run: { readonly effects?: "staged" | "dry"; readonly parent?: object }, status: string): boolean =>
  status === "succeeded" && run.effects === "staged" && run.parent !== undefined
