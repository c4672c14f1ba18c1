// Admits the questions of an MCP server [T27, Q1]. A call whose server asks is stopped, and made again once each of its questions has an
// answer or has expired. Nothing is under way in the meantime, so the run may wait for days [J13].

import { defined } from "../../../defined.ts"
import type { Rules } from "../../../tool/policy/policy.ts"
import { ok } from "../../../result.ts"
import { elicitationAnswers, type ServerQuestion } from "../../../tool/elicitation.ts"
import { hostOf } from "../../../text/web-address.ts"
import type { Fact, FactOf } from "../../event.ts"
import { isCallKey } from "../../key.ts"
import type { Signal } from "../../signal.ts"
import { stepState, type Interaction, type OpenCall, type Run } from "../../state.ts"
import { refuse, refused, type Admitted } from "../admit-session.ts"
import { toolResult } from "../admit-result.ts"
import { roundsOf } from "./elicited.ts"
import { judge } from "../guard.ts"
import { MAX_QUESTIONS, tooManyQuestions } from "./interaction.ts"
import type { ApprovalAnswer } from "./admit-approval.ts"
import { confided, strange } from "../taint.ts"

/** A call may be given up this often to ask. */
const MAX_ROUNDS = 10 // limit: times that the server of one call asks a person → the tool fails

export function toolAsks(run: Run, { key, questions, at }: Extract<Signal, { type: "tool.asks" }>): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  const open = u?.kind === "tool" ? stepState(run, u.step).session?.open.find((o) => isCallKey(key, o.call.id)) : undefined
  if (!u || !open) return refuse("stale")
  const { name } = open.call
  const round = roundsOf(run, open) + 1
  const failed = (text: string): Admitted =>
    toolResult(run, { type: "tool.result", key, result: { isError: true, content: [{ type: "text", text }] } })
  if (round > MAX_ROUNDS) return failed(`${name} was given up: its server asked a person ${MAX_ROUNDS} times and still gave no answer.`)
  if (run.pending.length + questions.length > MAX_QUESTIONS) return failed(tooManyQuestions(name))
  return ok(questions.map((question, i): Fact => asking(run, u.step, open, { id: `i${run.asked + 1 + i}`, question, round, at })))
}

interface Put {
  readonly id: string
  readonly question: ServerQuestion
  readonly round: number
  readonly at: number
}

function asking(run: Run, step: string, { call }: OpenCall, { id, question: { key, asked }, round, at }: Put): FactOf<"interaction.asked"> {
  const tool = run.plan.tools.get(call.name)
  const host = tool?.reach?.to && "host" in tool.reach.to ? tool.reach.to.host : undefined
  return {
    type: "interaction.asked",
    id,
    kind: "elicitation",
    step,
    callId: call.id,
    payload: {
      question: asked.message,
      mode: asked.mode,
      ...(asked.mode === "form" ? { form: asked.requested } : { url: asked.url, opens: hostOf(asked.url)?.host ?? "" }),
      tool: call.name,
      ...defined({ host }),
      key,
      round,
    },
    schema: elicitationAnswers(asked),
    // Nobody looks after a run that decides alone, so nobody may come.
    ...(run.autonomous ? { expires: at + run.rules.policy.approvals.expires, default: "cancel" } : {}),
  }
}

/** Admits a person's answer. If the rules have changed and now forbid the call, it does not begin again. */
export function elicitationAnswered(run: Run, i: Interaction, { body, by, outside: isStrange }: ApprovalAnswer, rules: Rules): Admitted {
  const open = callOf(run, i)
  if (!open) return refuse("already_answered")
  const { answer, decision, cancelled } = body
  const outside = answer !== undefined && run.plan.tools.get(open.call.name)?.untrusted === true
  const answered: Fact = {
    type: "interaction.answered",
    id: i.id,
    by,
    ...defined({ answer, decision, cancelled }),
    ...strange(run, isStrange, body),
    // [G11] A question from outside: what the person says is between them and the server.
    ...(outside ? { private: true } : confided(stepState(run, i.step), body)),
  }
  const verdict = judge(run, i.step, { ...open.call, args: open.args ?? open.call.args }, rules)
  return ok(verdict.allow ? [answered] : [answered, refused(i.step, open.call, verdict.code, verdict.reason)])
}

const callOf = (run: Run, i: Interaction): OpenCall | undefined =>
  stepState(run, i.step).session?.open.find((o) => o.elicited?.includes(i.id))
