// Asks again for approvals in a fork [K9, S9], because an approval is for one call of one run. The approval was for the source's call; the
// fork makes another call, so it asks a new question. A call that has returned is not made again, and a call that the fork keeps [K32] is
// asked about at its end.
//
// A call that began and was lost asks again too: the fork would send it a second time, under a key of its own.

import { isObject, type JsonObject } from "../../json.ts"
import type { AskReason } from "../../tool/policy/policy.ts"
import { writes } from "../../tool/reach.ts"
import { isKept } from "../effects/keep.ts"
import type { Fact } from "../event.ts"
import { toolKey } from "../key.ts"
import { planOf } from "../session/ask/admit-approval.ts"
import { UNBOUND } from "../session/admit-session.ts"
import { withdrawn } from "../session/withdraw.ts"
import { judge } from "../session/guard.ts"
import { askApproval, askPlan, MAX_QUESTIONS, tooManyQuestions } from "../session/ask/interaction.ts"
import type { Interaction, OpenCall, Run } from "../state.ts"

/** A call that a person approved in the history, and that has no result yet. */
export interface Approved {
  readonly step: string
  readonly pass: number
  /** Of the reply that made the call. */
  readonly turn: number
  readonly open: OpenCall
  readonly args: JsonObject
  /** The question that was answered. */
  readonly question: Interaction
}

export const approvedCalls = (run: Run): Approved[] =>
  Object.entries(run.steps).flatMap(([step, { session, pass }]) =>
    (session?.open ?? []).flatMap((open): Approved[] => {
      const { approved: args, call } = open
      const question = Object.values(run.interactions).findLast(
        (i) => i.step === step && i.pass === pass && i.callId === call.id && (i.kind === "approval.tool" || i.kind === "approval.plan"),
      )
      return args && question ? [{ step, pass, turn: (session?.turn ?? 1) - 1, open, args, question }] : []
    }),
  )

/** Names an open call: a step has one open turn, and no two calls of a turn have one id. */
export const approvedName = (step: string, callId: string): string => `${step}/${callId}`

/** The identity that an approval of the call in the fork is bound to [Q3]. */
export function approvedPlace(run: string, { step, pass, turn, open: { call }, args, question }: Approved): unknown[] {
  const { body } = question.payload
  return [[run, step, pass, turn], call.id, call.name, args, ...(question.kind === "approval.plan" && isObject(body) ? [body] : [])]
}

/** The facts that ask for the approvals again. `digests`: by the call's name. Nothing is under way. */
export function askedAnew(run: Run, digests: Readonly<Record<string, string>>, at: number): Fact[] {
  let asked = 0
  return approvedCalls(run).flatMap((one): Fact[] => {
    const { step, pass, turn, open, args, question } = one
    const { call } = open
    if (isKept(run, call.name, run.plan.tools.get(call.name), args)) return []
    const plan = question.kind === "approval.plan" ? planOf(question) : undefined
    const verdict = judge(run, step, { ...call, args }, run.rules, plan)
    const key = toolKey(step, pass, turn, call.id)
    if (!verdict.allow) return withdrawn(run, step, open, key, verdict)
    const name = approvedName(step, call.id)
    const hash = Object.hasOwn(digests, name) ? digests[name] : undefined
    if (hash === undefined) return withdrawn(run, step, open, key, { code: "policy", reason: `${call.name} ${UNBOUND}` })
    if (run.pending.length + asked >= MAX_QUESTIONS)
      return withdrawn(run, step, open, key, { code: "too_many", reason: tooManyQuestions(call.name) })
    asked += 1
    const shown = {
      reason: verdict.ask ?? reasonIn(question),
      effect: writes(verdict.tool, args) ? "write" : verdict.tool.effect,
      hash,
      expires: at + run.rules.policy.approvals.expires,
    } as const
    const id = `i${run.asked + asked}`
    return [plan ? askPlan(id, step, call, args, plan, shown) : askApproval(id, step, call, args, shown)]
  })
}

/** Why the source asked: its rules may have asked where those of now would not. */
function reasonIn({ payload: { reason } }: Interaction): AskReason {
  return REASONS.find((one) => one === reason) ?? "policy"
}

const REASONS: readonly AskReason[] = ["policy", "hook", "autonomy", "tainted"]
