// Ends a run with effects [K32, K35]: asks about the effects that a staged run kept, carries out those that a person chose, and takes back
// those of a failed run. This continues after the end when a parent or a person asks for it [K34].

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import { record, type Action } from "../action.ts"
import type { RunError } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { judge } from "../session/guard.ts"
import type { Run } from "../state.ts"
import { belowKey, shownKeys, undoKey, type CallingSession, type KeptCall } from "./outside.ts"

/** The actions before a run can succeed; undefined: nothing is left. */
export function closing(run: Run): Action[] | undefined {
  const { kept, question, commit } = run.outside
  // A live run keeps nothing, except a fork that took kept calls over [K10].
  if (kept.length === 0 || run.effects === "dry" || run.parent !== undefined) return undefined
  if (isBusy(run)) return []
  if (commit) return [nextKept(run, kept, commit)].flat()
  return question === undefined ? [record(ask(run, kept))] : []
}

/** The actions before a run can fail; undefined: nothing is left. */
export function failing(run: Run): Action[] | undefined {
  const { undo, open } = run.outside
  if (run.plan.flow.on_failure !== "undo") return undefined
  if (undo) return undo.keys.length > 0 ? nextUndo(run, undo.keys) : undefined
  // What is being sent may still be confirmed, and would stay.
  if (Object.values(open).some((effect) => effect.state === "sent" && Object.hasOwn(run.underway, effect.key))) return []
  const first = undoing(run)
  return first && [record(first)]
}

/** [K35] The action that takes back what a failing run did; undefined if nothing can be, or the flow does not ask for it. `error`: why it fails. */
export function undoing(run: Run, error?: RunError): FactOf<"undo.asked"> | undefined {
  const { undoable } = run.outside
  if (run.plan.flow.on_failure !== "undo" || undoable.length === 0) return undefined
  return { type: "undo.asked", keys: undoable.map((u) => u.key).toReversed(), by: "flow", ...defined({ error }) }
}

/** [K34] The actions after the run's end. */
export function afterEnd(run: Run): Action[] {
  const { commit, undo, kept } = run.outside
  if (isBusy(run)) return []
  const wanted = commit && kept.filter((k) => k.caller !== undefined && commit.keys.includes(belowKey(k)))
  if (commit && wanted && wanted.length > 0) return [nextKept(run, wanted, commit)].flat()
  return undo && undo.keys.length > 0 ? nextUndo(run, undo.keys) : []
}

const isBusy = (run: Run): boolean => Object.values(run.underway).some((u) => u.kind === "effect")

/** The effects in the order shown; what was not chosen, or comes after a failure, is discarded. */
function nextKept(run: Run, kept: readonly KeptCall[], commit: NonNullable<Run["outside"]["commit"]>): Action {
  const isChosen = (k: KeptCall): boolean => !commit.stopped && commit.keys.includes(belowKey(k))
  const out: Fact[] = []
  for (const k of kept) {
    if (isChosen(k)) break
    out.push(
      outcome(run, k, { state: "discarded", reason: commit.stopped ? "an effect before it was not carried out" : "it was not chosen" }),
    )
  }
  const [next] = kept.slice(out.length)
  if (out.length > 0 || !next) return record(...out)
  const action = { do: "carry-out", step: next.via, pass: next.pass, callId: next.callId, tool: next.tool, args: next.args } as const
  if (!next.caller) return { ...action, key: belowKey(next), below: { run: next.run, key: next.key, by: commit.by } }
  const why = forbidden(run, next, next.caller)
  if (why !== undefined) return record(outcome(run, next, { state: "refused", reason: why }))
  return { ...action, key: next.key, caller: next.caller }
}

function outcome(run: Run, k: KeptCall, end: { readonly state: "discarded" | "refused"; readonly reason: string }): Fact {
  const by = run.outside.commit?.by ?? ""
  return {
    type: "effect.settled",
    key: k.key,
    step: k.via,
    callId: k.callId,
    tool: k.tool,
    ...end,
    ...(k.run === run.id ? {} : { run: k.run }),
    ...(by === "" ? {} : { by }),
  }
}

/** [K32] Judges by the current rules. A person who chose the effect has approved it. */
export function forbidden(
  run: Run,
  { step, callId, tool, args }: Pick<KeptCall, "step" | "callId" | "tool" | "args">,
  caller: CallingSession,
): string | undefined {
  const verdict = judge(run, step, { id: callId, name: tool, args }, run.rules, undefined, caller)
  return verdict.allow ? undefined : `${verdict.code}: ${verdict.reason}`
}

function nextUndo(run: Run, [key]: readonly string[]): Action[] {
  if (isBusy(run)) return []
  const of = run.outside.undoable.find((u) => u.key === key)
  if (!of || key === undefined) return []
  const { step, pass, callId, tool, args, caller } = of
  const why = forbidden(run, of, caller)
  if (why === undefined) return [{ do: "carry-out", key: undoKey(key), step, pass, callId, tool, args, caller, undoes: of }]
  return [record({ type: "effect.settled", key: undoKey(key), step, callId, tool, state: "refused", reason: why, undoes: key })]
}

/** [K32] One question about all that the run and its children kept. */
function ask(run: Run, kept: readonly KeptCall[]): Fact {
  const keys = shownKeys(run.id, kept)
  const last = kept.at(-1)
  return {
    type: "interaction.asked",
    id: `i${run.asked + 1}`,
    kind: "effects",
    step: last?.via ?? "",
    payload: {
      effects: kept.map(({ run: maker, step, pass, tool, args }, i) => ({ key: keys[i] ?? "", run: maker, step, pass, tool, args })),
    },
    schema: { oneOf: [answerSchema(keys)] },
    risk: "medium",
    expires: run.at + run.rules.policy.approvals.expires,
    default: { commit: [] },
  }
}

const answerSchema = (keys: readonly string[]): JsonObject => ({
  type: "object",
  properties: {
    answer: {
      type: "object",
      properties: {
        commit: { oneOf: [{ const: "all" }, { type: "array", items: { enum: [...keys] }, uniqueItems: true }] },
        stop_on_failure: { type: "boolean" },
      },
      required: ["commit"],
      additionalProperties: false,
    },
    notes: { type: "string", maxLength: 10_000 },
  },
  required: ["answer"],
  additionalProperties: false,
})
