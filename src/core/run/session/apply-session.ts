// Applies the events of a session: replies, results, questions. Part of `apply`: makes no decisions.

import { defined } from "../../defined.ts"
import { canonical, isObject, type JsonObject } from "../../json.ts"
import { tidy } from "../../money/tidy.ts"
import type { Usage } from "../../money/usage.ts"
import { batchedGone, openCallOf } from "../batch/open-call.ts"
import type { EventOf } from "../event.ts"
import { finishNameOf } from "./finish.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import { originsOf } from "../../flow/origin.ts"
import { picturesLeft, shownAt } from "./files/attaching.ts"
import { tokensIn } from "./files/attachment.ts"
import { unpaced } from "./paced.ts"
import { countResults } from "./repetition.ts"
import { afterWrites } from "./files/step-files.ts"
import { become, type Interaction, type OpenCall, type Run, type StepState, stepState } from "../state.ts"
import { asksNothing } from "../steps/child-questions.ts"
import { sessionOf, touch, withdrawOne } from "../steps/touch.ts"
import { listCalled } from "./tool-search.ts"
import { compactModel } from "./compaction.ts"
import { modelLost } from "../usage/lost.ts"
import { modelTallied, OTHER, toolErrorTallied, toolTimed } from "../usage/tally.ts"
import { compactKey, isCallKey, toolKey } from "../key.ts"
import { keysOf } from "../step-keys.ts"

export function replied(run: Run, e: EventOf<"model.replied">): void {
  const s = touch(run, e.step)
  const since = openCallOf(run, e.key)?.since
  delete run.underway[e.key]
  delete run.begun[e.key]
  batchedGone(run, e.key)
  s.usage.input += e.usage.input
  s.usage.output += e.usage.output
  run.usage.input += e.usage.input
  run.usage.output += e.usage.output
  estimatedToo(run, e.usage)
  if (e.cost !== null) run.usage.usd = tidy((run.usage.usd ?? 0) + e.cost)
  const session = s.session
  // What a person said in a model's place was no call [K12].
  if (e.by === undefined) modelTallied(run, e.step, e.model ?? session?.model ?? OTHER, { usage: e.usage, cost: e.cost, since })
  if (!session) return
  // An estimate is made from the bytes: it says nothing about the rate of tokens to bytes.
  if (!e.usage.estimated)
    session.seen = {
      tokens: e.usage.input,
      bytes: e.requestBytes ?? requestBytes(run, e.step),
      ...(session.pictures === undefined ? {} : { pictures: tokensIn(session.pictures) }),
    }
  session.turn = e.turn + 1
  session.seqs.push(e.seq)
  session.turnFailures = 0
  delete session.firstFailure
  delete session.retryAt
  unpaced(session)
  delete session.called
  session.open = e.toolCalls.map((call) => ({ call }))
  session.results = e.toolCalls.map(({ id, name }) => ({ id, tool: name }))
  if (e.text.trim() !== "") session.text = e.text
}

/** [B3] */
function estimatedToo(run: Run, { input, output, estimated }: Usage): void {
  if (estimated) run.usage.estimated = (run.usage.estimated ?? 0) + input + output
}

export function returned(run: Run, e: EventOf<"tool.returned">): void {
  const session = sessionOf(run, e.step)
  if (e.isError) toolErrorTallied(run, e.step, e.tool)
  toolTimed(run, e.tool, sinceOf(run, e.step, e.callId))
  const result = session?.results.find((r) => r.id === e.callId)
  if (result && e.digest !== undefined) result.digest = e.digest
  // [T42] The call failed before the run that it started had ended, and no step waits for that run.
  if (session && e.child && !e.child.usage) run.orphans.push(toolKey(e.step, stepState(run, e.step).pass, session.turn - 1, e.callId))
  answered(run, e.step, e.callId, e.seq)
  if (session && e.tainted) {
    session.tainted = true
    // A tool of the workspace brings what a file of the run has; in such a run that is what came with the message.
    if (run.origins?.includes("attachments") === true && run.plan.tools.get(e.tool)?.untrusted !== true)
      session.origins = originsOf([...(session.origins ?? []), "attachments"])
  }
  if (session && e.private) session.private = true
  if (session) shownAt(session, e)
  if (session && e.wrote) session.wrote = afterWrites(session.wrote ?? [], e.wrote)
  if (e.truncated !== undefined && e.tainted && !run.taintedHandles.includes(e.truncated.handle))
    run.taintedHandles.push(e.truncated.handle)
  if (e.truncated !== undefined && e.private && !run.privateHandles?.includes(e.truncated.handle))
    run.privateHandles = [...(run.privateHandles ?? []), e.truncated.handle]
  // [T5] From its first cut result on, the session may read the rest.
  if (e.truncated !== undefined && !run.handles.includes(e.truncated.handle)) run.handles.push(e.truncated.handle)
  if (e.child) called(run, e.child)
  const s = stepState(run, e.step)
  if (e.tools !== undefined) s.tools = [...e.tools]
  listCalled(s, e.tool)
}

/** [T42] The usage of a called run counts for this run too. */
function called(run: Run, { run: child, usage }: NonNullable<EventOf<"tool.returned">["child"]>): void {
  asksNothing(run, { child })
  run.children = [...run.children.slice(-99), child]
  if (!usage) return
  const { tokens, usd, tool_calls, steps } = usage
  run.usage.children += tokens
  run.usage.tool_calls += tool_calls
  run.usage.steps += steps
  if (usd !== null) run.usage.usd = tidy((run.usage.usd ?? 0) + usd)
}

/** Stores the answer to a call of the current turn. */
export function answered(run: Run, step: string, callId: string, seq: number): void {
  const s = touch(run, step)
  leaveCall(run, step, callId)
  if (!s.session) return
  const { open } = s.session
  const at = open.findIndex((o) => o.call.id === callId)
  const [gone] = at < 0 ? [] : open.splice(at, 1)
  for (const id of gone?.elicited ?? []) withdrawOne(run, id)
  s.session.seqs.push(seq)
  countResults(s.session, finishNameOf(run.plan.agents[s.session.agent]))
}

export function asked(run: Run, e: EventOf<"interaction.asked">): void {
  const s = touch(run, e.step)
  run.asked += 1
  run.pending.push(e.id)
  run.interactions[e.id] = {
    id: e.id,
    kind: e.kind,
    step: e.step,
    pass: s.pass,
    status: "pending",
    payload: e.payload,
    schema: e.schema,
    created: e.at,
    ...defined({ callId: e.callId, risk: e.risk, expires: e.expires, default: e.default }),
  }
  if (e.kind === "fork") {
    s.asked = e.id
    if (s.session) become(s, { decider: s.session })
  }
  const open = s.session?.open.find((o) => o.call.id === e.callId)
  if (open) open.asked = e.id
  // [K9] In a fork, a call that was approved in the history asks again: it is as if it had never begun.
  if (open && (e.kind === "approval.tool" || e.kind === "approval.plan")) {
    delete open.approved
    delete open.args
  }
  if (e.kind === "elicitation" && open) {
    open.elicited = [...(open.elicited ?? []), e.id]
    leaveCall(run, e.step, open.call.id)
  }
}

const keysOfCall = (run: Run, step: string, callId: string): readonly string[] =>
  [...keysOf(run, step)].filter((key) => run.underway[key]?.step === step && isCallKey(key, callId))

/** When the call began that is under way. */
const sinceOf = (run: Run, step: string, callId: string): number | undefined =>
  keysOfCall(run, step, callId)
    .map((key) => run.underway[key]?.since)
    .find((since) => since !== undefined)

/** The call is not under way any more, and what it has begun so far does not count. */
function leaveCall(run: Run, step: string, callId: string): void {
  for (const key of keysOfCall(run, step, callId)) {
    delete run.underway[key]
    delete run.begun[key]
  }
}

/** [T27] Closes a server's question. The call begins again when none of its questions is open. */
export function elicited(run: Run, i: Interaction): void {
  const open = sessionOf(run, i.step)?.open.find((o) => o.elicited?.includes(i.id))
  if (open) waitsFor(run, open)
}

/** A call waits for its approval, and for what its server asks, whichever is answered first [K9]. */
function waitsFor(run: Run, open: OpenCall): void {
  const isOpen = (id: string | undefined): id is string => id !== undefined && run.interactions[id]?.status === "pending"
  const { asked: last, elicited: all = [] } = open
  const left = isOpen(last) && !all.includes(last) ? last : all.find(isOpen)
  if (left === undefined) delete open.asked
  else open.asked = left
}

/** [J23] Removes the entries that the summary covers from the conversation. */
export function shortened(run: Run, e: EventOf<"context.compacted">): void {
  const s = touch(run, e.step)
  const { session } = s
  if (!session) return
  const key = compactKey(e.step, s.pass, session.turn)
  if (e.lost) modelLost(run, { key, step: e.step }, "compact")
  const since = run.underway[key]?.since
  delete run.underway[key]
  delete run.begun[key]
  delete session.overflow
  session.compact = { turn: session.turn, times: session.compact?.turn === session.turn ? session.compact.times + 1 : 1 }
  if (e.kind === "summary" && e.summary !== undefined) {
    session.summary = e.summary
    session.seqs = session.seqs.filter((seq) => seq > e.upTo)
    if (session.sticky) session.sticky.chunks = []
  } else if (e.upTo > 0 && e.kind !== "pictures") session.glimpsedTo = e.upTo
  picturesLeft(session, e.upTo)
  if (!e.usage) return
  run.usage.input += e.usage.input
  run.usage.output += e.usage.output
  s.usage.input += e.usage.input
  s.usage.output += e.usage.output
  estimatedToo(run, e.usage)
  if (typeof e.cost === "number") run.usage.usd = (run.usage.usd ?? 0) + e.cost
  modelTallied(run, e.step, compactModel(run, session), { usage: e.usage, cost: e.cost ?? null, since })
}

/** [Q3] Lets the call run, as shown or as edited. The next fact refuses a rejected call. */
export function approved(run: Run, i: Interaction, e: EventOf<"interaction.answered">): void {
  const open = sessionOf(run, i.step)?.open.find((o) => o.call.id === i.callId)
  if (!open) return
  waitsFor(run, open)
  // A plan to be revised does not run: the next fact answers the call.
  const args =
    e.decision === "edit" ? (i.kind === "approval.plan" ? undefined : e.args) : e.decision === "approve" ? i.payload["args"] : undefined
  if (!isObject(args)) return
  open.approved = args as JsonObject
  if (!e.told && !open.person) return
  const isOther = open.person?.args !== undefined || (e.decision === "edit" && canonical(args) !== canonical(i.payload["args"] ?? null))
  const feedback = (e.feedback ?? "") === "" ? open.person?.feedback : e.feedback
  if (isOther || feedback !== undefined)
    open.person = { ...(isOther ? { args: open.approved } : {}), ...(feedback === undefined ? {} : { feedback }) }
}

/** Hands the fork to its agent on a person's behalf. The session was prepared when the fork was opened. */
export function handOver(s: StepState, id: string, custom?: string): void {
  if (!s.decider) throw new Error(`fork "${id}" has no decider to hand the choice to`)
  const { decider } = s
  const task = custom === undefined ? decider.task : `${decider.task}\n\nNone of these as they stand. In the person's own words:\n${custom}`
  become(s, { session: { ...decider, task } })
}
