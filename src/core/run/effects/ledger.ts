// Builds the ledger of a run's effects [K31]: every call that changes something outside, or would, with its outcome. A fold of the journal,
// computed on request and not stored.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import { validateArgs } from "../../schema/validate-args.ts"
import { changesOutside, targetOf } from "../../tool/outside.ts"
import type { RequestShown } from "../../tool/tool-spec.ts"
import type { EffectEnd } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import { toolKey } from "../key.ts"
import type { Plan } from "../plan.ts"
import type { OpenEffect, Outside } from "./outside.ts"
import type { Run } from "../state.ts"

export const EFFECT_STATES = [
  "proposed",
  "asked",
  "approved",
  "rejected",
  "refused",
  "sent",
  "confirmed",
  "failed",
  "uncertain",
  "staged",
  "discarded",
  "undone",
] as const
export type EffectState = (typeof EFFECT_STATES)[number]

/** The states of effects that are not decided yet. The tenant's list has these rows. */
export const OPEN_STATES: ReadonlySet<EffectState> = new Set<EffectState>(["asked", "staged", "uncertain"])

export interface EffectRow {
  readonly key: string
  readonly run: string
  readonly step: string
  readonly pass: number
  readonly tool: string
  /** The host, or the family of the tool. */
  readonly target: string
  readonly args: JsonObject
  readonly request?: RequestShown
  /** [Q3] SHA-256 of the call that a person was shown. */
  readonly hash?: string
  readonly state: EffectState
  readonly reason?: string
  /** Milliseconds. */
  readonly at: number
  readonly by?: string
  readonly undoable: boolean
  /** [K35] The effect that this one takes back. */
  readonly undoes?: string
}

const GOES_ON: ReadonlySet<EffectState> = new Set<EffectState>(["proposed", "asked", "approved", "sent"])

type Draft = { -readonly [K in keyof EffectRow]: EffectRow[K] }

/** Characters of a reason; the whole is in the journal. */
const SHOWN_REASON = 500

export class Ledger {
  readonly #plan: Plan
  readonly #rows = new Map<string, Draft>()
  /** Step → the calls of its open turn. */
  readonly #turns = new Map<string, { readonly pass: number; readonly keys: ReadonlyMap<string, string> }>()
  /** Interaction → the row that it is about, and what was said. */
  readonly #asked = new Map<string, string>()
  readonly #said = new Map<string, { readonly by: string; readonly feedback?: string }>()
  #run = ""
  #mode: Run["effects"]
  #isChild = false

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** In the order in which the calls were made. */
  get rows(): readonly EffectRow[] {
    return [...this.#rows.values()]
  }

  /** Takes the journal's events in order. */
  take(e: RunEvent): void {
    switch (e.type) {
      case "run.started":
        this.#run = e.run
        this.#mode = e.effects
        this.#isChild = e.parent !== undefined
        return
      case "run.forked":
        return this.#forked(e)
      case "model.replied":
      case "step.called":
        return this.#made(e)
      case "interaction.asked":
        return this.#question(e)
      case "interaction.answered":
        return this.#answered(e)
      case "tool.refused":
        return this.#refused(e)
      case "tool.called":
        return this.#change(this.#at(e.step, e.callId, e), e.at, { args: e.args })
      case "action.begun":
        if (e.kind === "tool" || e.kind === "effect") this.#begun(e)
        return
      case "tool.uncertain":
        return this.#change(this.#rows.get(e.key), e.at, { state: "uncertain", reason: "the server stopped before the answer came" })
      case "tool.returned":
        return this.#returned(e)
      case "effect.settled":
        return this.#settled(e)
      case "step.finished":
      case "step.reopened":
        return this.#left(e.at, e.step)
      case "run.ended":
        return this.#ended(e)
      default:
        return
    }
  }

  /** A fork's ledger begins at its cut. Calls that are still open go on in the fork, and so do kept ones while it is asked about them. */
  #forked(e: EventOf<"run.forked">): void {
    this.#run = e.run
    this.#mode = e.effects === "live" ? undefined : e.effects
    this.#isChild = false
    for (const [key, row] of this.#rows)
      if (row.undoes === undefined && (GOES_ON.has(row.state) || (e.kept === true && row.state === "staged"))) row.run = e.run
      else this.#rows.delete(key)
  }

  #change(row: Draft | undefined, at: number, more: Partial<Draft>): void {
    if (row) Object.assign(row, { at, ...more })
  }

  #made({ step, pass, turn, toolCalls, at }: EventOf<"model.replied"> | EventOf<"step.called">): void {
    const keys = new Map(toolCalls.map(({ id }) => [id, toolKey(step, pass, turn, id)]))
    this.#turns.set(step, { pass, keys })
    for (const { id, name, args } of toolCalls)
      this.#enter(keys.get(id) ?? "", { step, pass, tool: name, args: this.#coerced(name, args), at })
  }

  #coerced(name: string, args: JsonObject): JsonObject {
    const tool = this.#plan.tools.get(name)
    const checked = tool && validateArgs(tool.parameters, args)
    return checked?.ok ? checked.value : args
  }

  #enter(key: string, { step, pass, tool: name, args, at }: Pick<EffectRow, "step" | "pass" | "tool" | "args" | "at">): Draft | undefined {
    const tool = this.#plan.tools.get(name)
    if (!changesOutside(name, tool, args)) return undefined
    const row: Draft = {
      key,
      run: this.#run,
      step,
      pass,
      tool: name,
      target: targetOf(name, tool, args),
      args,
      state: "proposed",
      at,
      undoable: tool?.undoable === true,
    }
    this.#rows.set(key, row)
    return row
  }

  /** The row of a call of the step's open turn. Arguments that a person edited may make an effect of a call that was none. */
  #at(step: string, callId: string, called?: EventOf<"tool.called">): Draft | undefined {
    const turn = this.#turns.get(step)
    const key = turn?.keys.get(callId)
    if (!turn || key === undefined) return undefined
    const row = this.#rows.get(key)
    return row ?? (called && this.#enter(key, { ...called, pass: turn.pass }))
  }

  #question(e: EventOf<"interaction.asked">): void {
    const row =
      (e.kind === "approval.tool" || e.kind === "approval.plan") && e.callId !== undefined ? this.#at(e.step, e.callId) : undefined
    if (!row) return
    this.#asked.set(e.id, row.key)
    delete row.by
    const { hash } = e.payload
    this.#change(row, e.at, { state: "asked", ...(typeof hash === "string" ? { hash } : {}) })
  }

  #answered(e: EventOf<"interaction.answered">): void {
    const row = this.#rows.get(this.#asked.get(e.id) ?? "")
    if (!row) return
    const feedback = e.feedback === undefined || e.feedback === "" ? {} : { feedback: e.feedback }
    this.#said.set(row.key, { by: e.by, ...feedback })
    // A rejected call is refused by the next event.
    this.#change(row, e.at, { state: "approved", by: e.by, ...defined({ args: e.args }) })
  }

  #refused(e: EventOf<"tool.refused">): void {
    const row = this.#at(e.step, e.callId)
    if (!row) return
    const said = this.#said.get(row.key)
    const isPerson = e.code === "approval_rejected" || (e.code === "tainted" && row.hash !== undefined)
    if (!isPerson && said === undefined) delete row.by
    this.#change(row, e.at, {
      state: isPerson ? "rejected" : "refused",
      reason: (isPerson && said?.feedback) || e.code,
      ...(isPerson && said ? { by: said.by } : {}),
    })
  }

  #begun({ key, at, kind, step }: EventOf<"action.begun">): void {
    const row = this.#rows.get(key)
    if (row || kind === "tool") return this.#change(row, at, { state: "sent" })
    const of = this.#rows.get(key.slice(0, -"/undo".length))
    if (!of || !key.endsWith("/undo")) return
    const { request: _request, hash: _hash, reason: _reason, by: _by, ...call } = of
    this.#rows.set(key, { ...call, key, step, state: "sent", at, undoable: false, undoes: of.key })
  }

  #returned(e: EventOf<"tool.returned">): void {
    const row = this.#at(e.step, e.callId)
    if (!row) return
    const said = e.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    // [M3] A rehearsal gave the result.
    const isGiven = row.state !== "sent" && !e.staged
    const state = e.staged ? "staged" : isGiven ? "discarded" : e.uncertain ? "uncertain" : e.isError ? "failed" : "confirmed"
    const reason = isGiven ? "its result was given, and nothing was sent" : e.isError ? said.slice(0, SHOWN_REASON) : undefined
    this.#change(row, e.at, { state, ...defined({ reason }) })
  }

  #settled(e: EventOf<"effect.settled">): void {
    // A child's effect is in the child's ledger.
    if (e.run !== undefined) return
    if (e.undoes !== undefined && !this.#rows.has(e.key)) this.#begun({ ...e, type: "action.begun", kind: "effect", attempt: 1 })
    const row = this.#rows.get(e.key)
    if (!row) return
    delete row.reason
    this.#change(row, e.at, { state: e.state, ...defined({ reason: e.reason, by: e.by }) })
    if (e.undoes !== undefined && e.state === "confirmed") this.#change(this.#rows.get(e.undoes), e.at, { state: "undone" })
  }

  /** The step, or every step, is over: what it had sent may have happened, what it asked for did not. */
  #left(at: number, step?: string): void {
    for (const row of this.#rows.values()) {
      if (step !== undefined && row.step !== step) continue
      if (row.state === "sent" && row.undoes === undefined)
        this.#change(row, at, { state: "uncertain", reason: "the step ended before the answer came" })
      else if (row.state === "proposed" || row.state === "asked" || row.state === "approved")
        this.#change(row, at, { state: "discarded", reason: "the step ended before the call began" })
    }
  }

  #ended(e: EventOf<"run.ended">): void {
    this.#left(e.at)
    const isHandedUp = e.status === "succeeded" && this.#mode === "staged" && this.#isChild
    for (const row of this.#rows.values()) {
      if (row.state === "sent") this.#change(row, e.at, { state: "uncertain", reason: "the run ended before the answer came" })
      if (row.state === "staged" && !isHandedUp) this.#change(row, e.at, { state: "discarded", reason: reasonOf(e.status, this.#mode) })
    }
  }
}

const reasonOf = (status: string, mode: Run["effects"]): string =>
  mode === "dry" ? "the run is dry" : `the run ${status === "failed" ? "failed" : `was ${status}`}`

/** The undecided rows of a run, from its state; the same as in its ledger. */
export function openRows(run: Run): EffectRow[] {
  const { open, kept }: Outside = run.outside
  const rows = [
    ...Object.values(open).flatMap((effect) => (OPEN_STATES.has(effect.state) ? [rowOf(run, effect)] : [])),
    ...kept.flatMap((k) => (k.run === run.id ? [rowOf(run, { ...k, state: "staged" })] : [])),
  ]
  return rows
}

function rowOf(
  run: Run,
  effect: Pick<OpenEffect, "key" | "step" | "pass" | "tool" | "args" | "at"> &
    Partial<Pick<OpenEffect, "hash" | "by" | "reason" | "undoes">> & { readonly state: EffectState | EffectEnd },
): EffectRow {
  const { key, step, pass, tool, args, state, at, hash, by, undoes } = effect
  const spec = run.plan.tools.get(tool)
  return {
    key,
    run: run.id,
    step,
    pass,
    tool,
    target: targetOf(tool, spec, args),
    args,
    ...defined({ hash }),
    state,
    at,
    ...defined({ by }),
    undoable: undoes === undefined && spec?.undoable === true,
    ...defined({ undoes }),
  }
}

/** Adds the request that the call makes. */
export function withRequest(plan: Plan, row: EffectRow): EffectRow {
  const request = row.undoes === undefined ? plan.tools.get(row.tool)?.preview?.(row.args) : undefined
  return request === undefined ? row : { ...row, request }
}
