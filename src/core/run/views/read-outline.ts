// Reads a journal as an outline of its run: passes of steps with their turns, calls, questions and child runs, each with its times and costs.
//
// It is built event by event, so a client that follows a run never reads an event twice. The outline of a past moment is that of the
// journal up to then.

import { defined } from "../../defined.ts"
import type { RunEvent } from "../event.ts"
import { shownStatus } from "../shown-status.ts"
import {
  callsOf,
  type Call,
  type CallState,
  type StoryTurn,
  type Ask,
  type Pass,
  type StepOutline,
  type RunOutline,
  type Work,
} from "./outline.ts"

export const newOutline = (): RunOutline => ({
  seq: 0,
  began: 0,
  at: 0,
  status: "queued",
  steps: new Map(),
  asks: new Map(),
  marks: [],
  pauses: [],
  tokens: 0,
  usd: null,
  turns: 0,
  calls: 0,
  refused: 0,
})

export function outlineOf(events: readonly RunEvent[], upTo = Number.MAX_SAFE_INTEGER): RunOutline {
  const outline = newOutline()
  for (const event of events) {
    if (event.seq > upTo) break
    addEvent(outline, event)
  }
  return outline
}

/** Adds an event. Events of a later version are skipped. */
export function addEvent(outline: RunOutline, e: RunEvent): void {
  outline.seq = e.seq
  outline.at = e.at
  if (outline.began === 0) outline.began = e.at
  switch (e.type) {
    case "run.started":
    case "run.resumed":
    case "run.forked":
      if (e.type === "run.forked") [outline.forkedAt, outline.forkedTime] = [e.seq, e.at]
      unpaused(outline, e.at)
      outline.status = "running"
      delete outline.ended
      delete outline.error
      break
    case "run.waiting":
      outline.status = shownStatus({ status: "waiting", reason: e.reason })
      break
    case "run.paused":
      outline.status = "paused"
      outline.pauses.push({ from: e.at })
      break
    case "run.ended":
      outline.status = e.status
      outline.ended = e.at
      unpaused(outline, e.at)
      if (e.error) outline.error = e.error
      if (e.output !== undefined) outline.output = e.output
      // [F31] What had not ended when the run did is canceled, with what it asked.
      for (const step of outline.steps.values()) {
        if (step.passes.some(({ ended }) => ended === undefined)) step.status = "canceled"
        for (const one of step.passes) close(one, e, "canceled")
      }
      break
    default:
      if (outline.status === "waiting" || outline.status === "queued") outline.status = "running"
      if ("step" in e && e.step !== undefined) inStep(outline, e, e.step)
      else if (e.type === "interaction.answered" || e.type === "interaction.expired") answered(outline, e)
  }
}

function unpaused({ pauses }: RunOutline, at: number): void {
  const last = pauses.at(-1)
  if (last) last.to ??= at
}

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>

function inStep(outline: RunOutline, e: RunEvent, id: string): void {
  const step = stepOf(outline, id, e)
  if (e.type === "step.opened") return opened(step, e)
  if (e.type === "step.skipped") {
    step.status = "skipped"
    step.skips += 1
    return
  }
  if (e.type === "step.reopened") {
    step.status = "pending"
    return
  }
  if (e.type === "loop.iteration") outline.marks.push({ seq: e.seq, at: e.at, kind: "pass" })
  if (e.type === "model.replied") outline.turns += 1
  if (e.type === "tool.refused") outline.refused += 1
  const pass = step.passes.at(-1)
  if (pass) inPass(outline, step, pass, e)
}

function stepOf(outline: RunOutline, id: string, e: RunEvent): StepOutline {
  const known = outline.steps.get(id)
  if (known) return known
  const made: StepOutline = { id, type: e.type === "step.opened" ? e.stepType : "", status: "pending", passes: [], skips: 0 }
  outline.steps.set(id, made)
  return made
}

function opened(step: StepOutline, e: Of<"step.opened">): void {
  step.type ||= e.stepType
  step.status = "running"
  step.passes.push({
    step: e.step,
    pass: e.pass,
    seq: e.seq,
    begun: e.at,
    status: "running",
    agent: e.agent,
    model: e.model,
    task: e.task,
    body: e.body,
    preamble: e.preamble,
    inputs: e.values ?? e.inputs,
    tools: e.tools,
    turns: [],
    calls: [],
    total: e.total,
    works: e.stepType === "wait" ? [waitOf(e)] : [],
    asks: [],
    steers: [],
    tokens: 0,
    usd: null,
    compactions: [],
    logs: [],
    rejected: [],
  })
}

const waitOf = ({ seq, at, until }: Of<"step.opened">): Work => ({
  kind: "wait",
  label: until === undefined ? "waits for a signal" : "waits",
  seq,
  begun: at,
  until,
})

function inPass(outline: RunOutline, step: StepOutline, pass: Pass, e: RunEvent): void {
  switch (e.type) {
    case "step.finished":
      Object.assign(pass, { summary: e.summary, outputs: e.outputs })
      if (e.artifacts !== undefined) pass.artifacts = e.artifacts
      if (e.branch !== undefined) pass.branch = e.branch
      if (e.source !== undefined) pass.source = e.source
      close(pass, e, e.status)
      step.status = e.status
      if (e.status !== "complete") outline.marks.push({ seq: e.seq, at: e.at, kind: "bad" })
      break
    case "step.cached":
      pass.cached = e.run
      break
    case "step.scored": {
      const { round, score, enough, judge } = e
      pass.scored = { round, score, enough, ...defined({ why: e.error ?? e.reason ?? e.level, judge }) }
      break
    }
    case "model.paced":
      if (e.fallback === undefined) pass.paced = { model: e.model, until: e.until, ahead: e.ahead }
      break
    case "action.begun":
      delete pass.paced
      if (e.kind === "model") turnOf(pass, Number(e.key.split("/")[2] ?? 0), e)
      else if (e.kind === "code") pass.works.push({ kind: "code", label: "code", seq: e.seq, begun: e.at })
      break
    case "model.replied":
      replied(outline, pass, e)
      break
    case "step.called":
      pass.calls.push(...givenBy(e))
      break
    case "model.failed": {
      const { faults } = turnOf(pass, e.turn, e)
      // [F33] An outage is one mark.
      if (faults.length === 0) outline.marks.push({ seq: e.seq, at: e.at, kind: "bad" })
      faults.push({ seq: e.seq, at: e.at, message: e.message })
      break
    }
    case "child.started":
      childStarted(pass, e)
      break
    case "child.asked": {
      const work = childOf(pass, e.run)
      if (work) work.asks = e.open.length > 0
      break
    }
    case "child.ended": {
      const work = childOf(pass, e.run)
      const { tokens = 0, usd = null } = e.usage ?? {}
      if (work) {
        Object.assign(work, { ended: e.at, status: e.status, asks: false, tokens, usd })
        if (e.status !== "succeeded") work.message = e.summary
      }
      spend(outline, pass, tokens, usd)
      break
    }
    case "context.compacted":
      pass.compactions.push(e.seq)
      break
    case "code.logged":
      pass.logs.push(...e.messages)
      break
    case "context.read":
      pass.context = e.text
      break
    case "steer.queued":
      pass.steers.push({ id: e.id, message: e.message, by: e.by, at: e.at })
      break
    case "steer.delivered": {
      const steer = pass.steers.find(({ id }) => id === e.id)
      if (steer) steer.turn = e.turn
      break
    }
    case "finish.rejected":
      pass.rejected.push({ seq: e.seq, errors: e.errors.map(({ path, message }) => `${path} ${message}`.trim()) })
      settle(callOf(pass, e.callId), e, "error")
      break
    case "interaction.asked":
      asked(outline, step, pass, e)
      break
    default:
      called(outline, pass, e)
  }
}

/** Several begin at once, in no order of their own. */
function childStarted({ works }: Pass, { index, run, seq, at }: Of<"child.started">): void {
  const before = works.findLastIndex((one) => one.index === undefined || one.index < index)
  works.splice(before + 1, 0, { kind: "child", label: `child ${index + 1}`, run, index, seq, begun: at })
}

const childOf = ({ works }: Pass, id: string): Work | undefined => works.findLast(({ run }) => run === id)

function called(outline: RunOutline, pass: Pass, e: RunEvent): void {
  if (!("callId" in e) || e.callId === undefined) return
  const call = callOf(pass, e.callId)
  if (!call) return
  switch (e.type) {
    case "tool.called":
      Object.assign(call, { state: "running", begun: e.at, seq: e.seq, args: e.args })
      outline.calls += 1
      break
    case "tool.returned":
      call.result = e.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
      if (e.child) call.child = e.child.run
      settle(call, e, e.uncertain ? "uncertain" : e.staged ? "staged" : e.isError ? "error" : "done")
      break
    case "tool.refused":
      call.code = e.code
      call.why = e.reason
      settle(call, e, "refused")
      outline.marks.push({ seq: e.seq, at: e.at, kind: "bad" })
      break
    case "tool.uncertain":
      settle(call, e, "uncertain")
      break
    case "effect.settled":
      call.state = SETTLED[e.state] ?? "uncertain"
      if (e.reason !== undefined) call.why = e.reason
      break
    default:
  }
}

const SETTLED: Readonly<Record<string, CallState>> = { confirmed: "done", discarded: "refused", refused: "refused", failed: "error" }

function settle(call: Call | undefined, e: RunEvent, state: CallState): void {
  if (!call) return
  call.state = state
  call.ended = e.at
}

function replied(outline: RunOutline, pass: Pass, e: Of<"model.replied">): void {
  const turn = turnOf(pass, e.turn, e)
  const { input, output, cacheRead: cached = 0 } = e.usage
  Object.assign(turn, { text: e.text, ended: e.at, endSeq: e.seq, tokens: input + output, output, cached, usd: e.cost })
  if (e.by !== undefined) turn.by = e.by
  const model = e.model ?? e.responseModel
  if (model !== undefined) turn.model = model
  if (e.request !== undefined) turn.request = e.request
  turn.calls.push(...givenBy(e))
  spend(outline, pass, turn.tokens, e.cost)
}

const givenBy = ({ toolCalls, at, seq }: Of<"model.replied"> | Of<"step.called">): Call[] =>
  toolCalls.map(({ id, name, args, raw }) => ({ id, tool: name, args, raw, state: "given", begun: at, seq }))

function spend(outline: RunOutline, pass: Pass, tokens: number, usd: number | null): void {
  for (const one of [outline, pass]) {
    one.tokens += tokens
    if (usd !== null) one.usd = (one.usd ?? 0) + usd
  }
}

function turnOf(pass: Pass, no: number, e: RunEvent): StoryTurn {
  const known = pass.turns.at(-1)
  if (known?.turn === no) return known
  const made: StoryTurn = { turn: no, seq: e.seq, begun: e.at, text: "", tokens: 0, output: 0, cached: 0, usd: null, calls: [], faults: [] }
  pass.turns.push(made)
  return made
}

/** The newest call of this id. */
function callOf(pass: Pass, id: string): Call | undefined {
  for (const turn of pass.turns.toReversed()) {
    const found = turn.calls.find((call) => call.id === id)
    if (found) return found
  }
  return pass.calls.findLast((call) => call.id === id)
}

function asked(outline: RunOutline, step: StepOutline, pass: Pass, e: Of<"interaction.asked">): void {
  const ask: Ask = { id: e.id, kind: e.kind, step: e.step, callId: e.callId, payload: e.payload, schema: e.schema, seq: e.seq, begun: e.at }
  pass.asks.push(ask)
  outline.asks.set(e.id, ask)
  outline.marks.push({ seq: e.seq, at: e.at, kind: "ask" })
  step.status = "waiting"
  const call = e.callId === undefined ? undefined : callOf(pass, e.callId)
  if (call) Object.assign(call, { state: "asks", begun: e.at })
}

function answered(outline: RunOutline, e: Of<"interaction.answered"> | Of<"interaction.expired">): void {
  const ask = outline.asks.get(e.id)
  if (!ask) return
  ask.ended = e.at
  if (e.type === "interaction.expired") ask.outcome = "expired"
  else {
    ask.by = e.by
    ask.outcome = e.decision ?? (e.auto === true ? "left to the agent" : e.cancelled === true ? "declined" : "answered")
  }
  const step = outline.steps.get(ask.step)
  const pass = step?.passes.at(-1)
  if (!step || !pass) return
  const isOpen = pass.asks.some(({ ended }) => ended === undefined)
  if (step.status === "waiting" && !isOpen) step.status = "running"
  const call = ask.callId === undefined ? undefined : callOf(pass, ask.callId)
  if (call?.state === "asks") call.state = "running"
}

/** What is open in a pass ends with it. */
function close(pass: Pass, e: RunEvent, status: string): void {
  if (pass.ended !== undefined) return
  pass.status = status
  pass.ended = e.at
  pass.endSeq = e.seq
  for (const turn of pass.turns) turn.ended ??= e.at
  for (const call of callsOf(pass)) {
    if (call.state === "given" || call.state === "running" || call.state === "asks")
      call.state = e.type === "step.finished" ? "done" : call.state
    call.ended ??= e.at
  }
  for (const work of pass.works) work.ended ??= e.at
  for (const ask of pass.asks) ask.ended ??= e.at
}
