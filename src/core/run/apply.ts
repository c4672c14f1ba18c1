// apply: it happened. One event changes the run; nothing is judged, looked up or refused here.
//
// Total on every admitted history, constant in the length of the history before it [J8]. Changes `run` in place and gives
// it back: see state.ts. What an event means is decided here and nowhere else, so a history folds alike everywhere [J6].

import type { Step } from "../flow/flow.ts"
import { childKey } from "./children.ts"
import type { EventOf, RunEvent } from "./event.ts"
import { isBackward, labelsOf, targetOf, type Plan } from "./plan.ts"
import { countResults } from "./repetition.ts"
import {
  backTaken,
  isDone,
  newRun,
  newStep,
  stepState,
  type Children,
  type ForkChoice,
  type PendingRoute,
  type Run,
  type Session,
  type StepState,
} from "./state.ts"

export function apply(run: Run, event: RunEvent): Run {
  run.seq = event.seq
  run.at = event.at
  change(run, event)
  return run
}

export const fold = (plan: Plan, history: Iterable<RunEvent>): Run => {
  let run = newRun(plan)
  for (const event of history) run = apply(run, event)
  return run
}

function touch(run: Run, id: string): StepState {
  run.touched.add(id)
  return stepState(run, id)
}

function change(run: Run, e: RunEvent): void {
  switch (e.type) {
    case "run.started":
      return started(run, e)
    case "run.waiting":
    case "run.paused":
      run.status = e.type === "run.waiting" ? "waiting" : "paused"
      run.reason = e.reason
      return
    case "run.resumed":
      run.status = "running"
      delete run.reason
      return
    case "run.ended":
      return ended(run, e)
    case "step.opened":
      return opened(run, e)
    case "step.finished":
      return finished(run, e)
    case "step.skipped": {
      const s = touch(run, e.step)
      s.status = "skipped"
      s.ended = e.at
      s.result = { status: "skipped", summary: "", files: [], outputs: {} }
      delete s.session
      delete s.preamble
      return
    }
    case "step.reopened":
      return reopened(run, e)
    case "action.begun": {
      const s = touch(run, e.step)
      run.underway[e.key] = { kind: e.kind, step: e.step, attempt: e.attempt, since: e.at }
      run.begun[e.key] = e.attempt
      if (e.kind === "model") s.attempts += 1
      if (e.kind === "child" && s.children) {
        const index = Number(e.key.split("/")[2])
        if (!s.children.starting.includes(index)) s.children.starting.push(index)
        s.children.next = Math.max(s.children.next, index + 1)
      }
      if (s.session) delete s.session.retryAt
      return
    }
    case "action.lost":
      delete run.underway[e.key]
      return
    case "model.replied":
      return replied(run, e)
    case "model.failed": {
      const session = sessionOf(run, e.step)
      delete run.underway[e.key]
      if (!session) return
      session.failures += 1
      session.turnFailures += 1
      session.firstFailure ??= e.at
      if (e.retryAt !== undefined) session.retryAt = e.retryAt
      return
    }
    case "tool.called": {
      run.usage.tool_calls += 1
      const open = sessionOf(run, e.step)?.open.find((o) => o.call.id === e.callId)
      if (open) open.args = e.args
      return
    }
    case "tool.returned":
      return returned(run, e)
    case "tool.refused":
    case "tool.uncertain":
      return answered(run, e.step, e.callId, e.seq)
    case "finish.rejected": {
      const session = sessionOf(run, e.step)
      if (session) session.tries += 1
      return answered(run, e.step, e.callId, e.seq)
    }
    case "reminder.sent": {
      const session = sessionOf(run, e.step)
      session?.seqs.push(e.seq)
      if (session) session.tries += 1
      return
    }
    case "branch.taken":
      return taken(run, e)
    case "loop.iteration": {
      const s = touch(run, e.step)
      if (run.plan.steps.get(e.step)?.type === "agent-loop-decision") s.entered = e.iteration
      return
    }
    case "loop.exhausted":
      run.routes = run.routes.filter((r) => r.step !== e.step)
      return
    case "code.logged":
    case "warning":
      return
    case "child.started":
      return childStarted(run, e)
    case "child.ended":
      return childEnded(run, e)
    case "signal.received":
      if (e.step === undefined) run.signals.push({ name: e.name, payload: e.payload })
      return
    case "signal.taken":
      run.signals.splice(
        run.signals.findIndex((x) => x.name === e.name),
        1,
      )
      return
    case "interaction.asked":
      return asked(run, e)
    case "interaction.answered": {
      const i = run.interactions[e.id]
      if (!i) return
      const { answer, notes, decision, custom, auto, cancelled } = e
      i.status = "answered"
      i.by = e.by
      i.answer = {
        ...(answer === undefined ? {} : { answer }),
        ...(notes === undefined ? {} : { notes }),
        ...(decision === undefined ? {} : { decision }),
        ...(custom === undefined ? {} : { custom }),
        ...(auto === undefined ? {} : { auto }),
        ...(cancelled === undefined ? {} : { cancelled }),
      }
      closed(run, e.id)
      const s = touch(run, i.step)
      s.status = "running"
      if (i.kind === "fork" && (auto || custom !== undefined) && s.session === undefined) handOver(s, i.step, custom)
      return
    }
    case "interaction.expired": {
      const i = run.interactions[e.id]
      if (i) i.status = "expired"
      closed(run, e.id)
      return
    }
    case "steer.queued":
      sessionOf(run, e.step)?.steers.push({ id: e.id, seq: e.seq })
      return
    case "steer.delivered": {
      const session = sessionOf(run, e.step)
      const steer = session?.steers.shift()
      if (session && steer) session.seqs.push(steer.seq)
      return
    }
  }
}

function started(run: Run, e: EventOf<"run.started">): void {
  Object.assign(run, {
    id: e.run,
    status: "running",
    flow: e.flow,
    task: e.task,
    inputs: e.inputs,
    autonomous: e.autonomous,
    rehearsed: e.rehearsed,
    pins: e.pinned,
    trigger: e.trigger,
    tags: e.tags ?? [],
    started: e.at,
    ...(e.parent ? { parent: e.parent } : {}),
  })
  for (const id of run.plan.stepIds) {
    run.steps[id] = newStep()
    run.touched.add(id)
  }
}

/** [F31], [F34] Whatever was unfinished is canceled, whatever was asked is withdrawn, nothing is under way. */
function ended(run: Run, e: EventOf<"run.ended">): void {
  run.status = e.status
  run.ended = e.at
  delete run.reason
  if (e.output !== undefined) run.output = e.output
  if (e.error !== undefined) run.error = e.error
  for (const [id, s] of Object.entries(run.steps)) {
    if (isDone(s)) continue
    touch(run, id)
    if (s.opened !== undefined) s.ended = e.at
    s.status = "canceled"
    leaveWork(run, id, s)
    delete s.session
  }
  withdraw(run)
  run.underway = {}
  run.begun = {}
}

function opened(run: Run, e: EventOf<"step.opened">): void {
  const s = touch(run, e.step)
  const step = run.plan.steps.get(e.step)
  const segment = run.plan.graph.segmentOf[run.plan.graph.order.get(e.step) ?? 0] ?? 0
  if (segment !== run.segment) run.routes = []
  run.segment = segment
  s.status = "running"
  s.opened = e.at
  s.attempts = 0
  s.tools = e.tools
  delete s.ended
  delete s.notBefore
  delete s.preamble
  delete s.routed
  if (e.question !== undefined) s.question = e.question
  if (e.values !== undefined) s.values = e.values
  if (e.until !== undefined) s.until = e.until
  if (e.total !== undefined) s.children = newChildren(e)
  if (step && (step.type === "agent-decision" || step.type === "code-decision" || step.type === "fork" || step.type === "conditional"))
    delete run.exclusions[e.step]
  if (e.agent !== undefined) s.session = newSession(e)
}

const newSession = (e: EventOf<"step.opened">): Session => ({
  agent: e.agent ?? "",
  model: e.model ?? "",
  task: e.task ?? "",
  body: e.body ?? "",
  ...(e.preamble === undefined ? {} : { preamble: e.preamble }),
  ...(e.iteration === undefined ? {} : { iteration: e.iteration }),
  turn: 0,
  seqs: [],
  open: [],
  failures: 0,
  turnFailures: 0,
  tries: 0,
  results: [],
  repeat: { digest: "", count: 0 },
  steers: [],
})

const newChildren = (e: EventOf<"step.opened">): Children => ({
  total: e.total ?? 0,
  next: 0,
  starting: [],
  open: {},
  ended: 0,
  failed: 0,
  ...(e.task === undefined ? {} : { task: e.task }),
  ...(e.values === undefined ? {} : { values: e.values }),
})

/** A fork that a person handed to the agent: its session was described when the fork was opened. */
function handOver(s: StepState, id: string, custom?: string): void {
  if (!s.decider) throw new Error(`fork "${id}" has no decider to hand the choice to`)
  s.session =
    custom === undefined
      ? s.decider
      : { ...s.decider, task: `${s.decider.task}\n\nNone of these as they stand. In the person's own words:\n${custom}` }
  delete s.decider
}

const sessionOf = (run: Run, step: string): Session | undefined => touch(run, step).session

function finished(run: Run, e: EventOf<"step.finished">): void {
  const s = touch(run, e.step)
  const step = run.plan.steps.get(e.step)
  s.status = e.status
  s.ended = e.at
  s.result = {
    status: e.status,
    summary: e.summary,
    files: e.files,
    outputs: e.outputs,
    ...(e.artifacts === undefined ? {} : { artifacts: e.artifacts }),
    ...(e.branch === undefined ? {} : { branch: e.branch }),
    ...(e.source === undefined ? {} : { source: e.source }),
    ...(e.text === undefined ? {} : { text: e.text }),
  }
  const preamble = s.session?.preamble
  const decider = s.session?.agent
  delete s.session
  delete s.decider
  leaveWork(run, e.step, s)
  forget(run, e.step)
  if (step === undefined) return
  if (e.status === "complete") {
    s.retries = 0
    const route = e.branch === undefined ? undefined : targetOf(step, e.branch)
    if (step.type === "fork" && e.branch !== undefined) {
      const i = s.asked === undefined ? undefined : run.interactions[s.asked]
      const notes = i?.answer?.["notes"]
      const byPerson = i?.status === "answered" && i.answer?.["auto"] === undefined && i.answer?.["custom"] === undefined
      run.forks[e.step] = {
        question: s.question ?? "",
        answer: e.branches?.join(", ") ?? e.branch,
        by: byPerson ? "person" : "agent",
        ...(byPerson || decider === undefined ? {} : { agent: decider }),
        ...(typeof notes === "string" ? { notes } : {}),
      }
    }
    if (route !== undefined && e.branch !== undefined)
      run.routes.push({ step: e.step, target: route, label: e.branch, by: chooser(run, step, e), ...alsoTaken(step, e) })
    else if (step.on_complete !== undefined)
      run.routes.push({ step: e.step, target: step.on_complete, label: "on_complete", by: "complete" })
    return
  }
  const retry = step.retry
  if (!e.hard && e.status === "error" && retry && s.retries < retry.max) {
    s.retry = { notBefore: e.at + retry.backoff * 2 ** s.retries }
    // What a fork told the step is told again: the retry is the same entering [F35].
    if (preamble !== undefined) s.preamble = preamble
    return
  }
  if (!e.hard && step.on_error !== undefined) {
    run.routes.push({ step: e.step, target: step.on_error, label: "on_error", by: "error" })
    return
  }
  run.failure ??= { step: e.step, source: e.source ?? "agent_finish_error", message: e.summary }
}

function chooser(run: Run, step: { type: string }, e: EventOf<"step.finished">): PendingRoute["by"] {
  if (step.type === "conditional" || step.type === "wait") return "check"
  if (step.type === "code-decision") return "code"
  if (step.type === "fork") return run.forks[e.step]?.by === "person" ? "person" : "agent"
  const s = stepState(run, e.step)
  return step.type === "agent-loop-decision" && s.attempts === 0 && s.tools.length === 0 ? "cap" : "agent"
}

/** The further branches of a multi-select [F21]. */
function alsoTaken(step: Step, e: EventOf<"step.finished">): { also?: { label: string; target: string }[] } {
  const also = (e.branches ?? []).flatMap((label) => {
    const target = label === e.branch ? undefined : targetOf(step, label)
    return target === undefined ? [] : [{ label, target }]
  })
  return also.length > 0 ? { also } : {}
}

/** Children that are still open when their step ends are nobody's: the shell cancels them [F23]. One whose start was begun may
 *  run without our knowing its id: it stands there by its key. */
function leaveWork(run: Run, step: string, s: StepState): void {
  if (s.children) {
    const { open, starting } = s.children
    for (const child of Object.values(open)) run.orphans.push(child)
    for (const index of starting) run.orphans.push(childKey(step, s.pass, index))
  }
  delete s.children
  delete s.values
  delete s.until
}

/** What was under way for a step is nobody's business any more: a late reply is stale [J3, J4]. */
function forget(run: Run, step: string): void {
  for (const [key, u] of Object.entries(run.underway)) if (u.step === step) delete run.underway[key]
  const prefix = `${step}/`
  for (const key of Object.keys(run.begun)) if (key.startsWith(prefix)) delete run.begun[key]
  withdraw(run, step)
}

/** Open questions, of one step or of all, are nobody's to answer any more. */
function withdraw(run: Run, step?: string): void {
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (!i || (step !== undefined && i.step !== step)) continue
    i.status = "withdrawn"
    closed(run, id)
  }
}

function closed(run: Run, id: string): void {
  run.pending = run.pending.filter((p) => p !== id)
}

function reopened(run: Run, e: EventOf<"step.reopened">): void {
  const s = touch(run, e.step)
  leaveWork(run, e.step, s)
  s.status = "pending"
  s.pass = e.pass
  delete s.session
  delete s.decider
  delete s.opened
  delete s.ended
  delete s.retry
  delete s.asked
  forget(run, e.step)
  delete run.exclusions[e.step]
  if (e.by === undefined) {
    // It was entered, so it is entered again, even if only an `on_error` leads here.
    s.routed = true
    s.retries += 1
    if (e.notBefore !== undefined) s.notBefore = e.notBefore
    return
  }
  delete s.preamble
  delete s.routed
  s.retries = 0
  if (e.by !== e.step) {
    s.entered = 0
    s.taken = {}
  }
}

function replied(run: Run, e: EventOf<"model.replied">): void {
  const s = touch(run, e.step)
  delete run.underway[e.key]
  delete run.begun[e.key]
  s.usage.input += e.usage.input
  s.usage.output += e.usage.output
  run.usage.input += e.usage.input
  run.usage.output += e.usage.output
  if (e.cost !== null) run.usage.usd = (run.usage.usd ?? 0) + e.cost
  const session = s.session
  if (!session) return
  session.turn = e.turn + 1
  session.seqs.push(e.seq)
  session.turnFailures = 0
  delete session.firstFailure
  delete session.retryAt
  session.open = e.toolCalls.map((call) => ({ call }))
  session.results = e.toolCalls.map(({ id, name }) => ({ id, tool: name }))
  if (e.text.trim() !== "") session.text = e.text
}

function returned(run: Run, e: EventOf<"tool.returned">): void {
  const session = sessionOf(run, e.step)
  const result = session?.results.find((r) => r.id === e.callId)
  if (result && e.digest !== undefined) result.digest = e.digest
  answered(run, e.step, e.callId, e.seq)
  // [T5] From its first cut result on, the session may read the rest.
  if (e.truncated !== undefined && !run.handles.includes(e.truncated.handle)) run.handles.push(e.truncated.handle)
  const s = stepState(run, e.step)
  if (e.truncated !== undefined && run.plan.tools.has("read_output") && !s.tools.includes("read_output"))
    s.tools = [...s.tools, "read_output"]
}

/** A call of the present turn has its answer. */
function answered(run: Run, step: string, callId: string, seq: number): void {
  const s = touch(run, step)
  for (const [key, u] of Object.entries(run.underway))
    if (u.step === step && key.endsWith(`/tool/${callId}`)) {
      delete run.underway[key]
      delete run.begun[key]
    }
  if (!s.session) return
  s.session.open = s.session.open.filter((o) => o.call.id !== callId)
  s.session.seqs.push(seq)
  countResults(s.session)
}

function asked(run: Run, e: EventOf<"interaction.asked">): void {
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
    ...(e.callId === undefined ? {} : { callId: e.callId }),
    ...(e.risk === undefined ? {} : { risk: e.risk }),
    ...(e.expires === undefined ? {} : { expires: e.expires }),
    ...(e.default === undefined ? {} : { default: e.default }),
  }
  if (e.kind === "fork") {
    s.asked = e.id
    if (s.session) s.decider = s.session
    delete s.session
  }
  const open = s.session?.open.find((o) => o.call.id === e.callId)
  if (open) open.asked = e.id
}

/** [F13], [F15] The route is taken: the run stands in the target's segment, the choice excludes what it excludes. */
function taken(run: Run, e: EventOf<"branch.taken">): void {
  const { graph, steps } = run.plan
  const s = touch(run, e.step)
  const step = steps.get(e.step)
  if (e.also) return alsoEntered(run, e)
  run.routes = []
  run.segment = graph.segmentOf[graph.order.get(e.target) ?? 0] ?? 0
  for (const decider of graph.excluders.get(e.target) ?? []) {
    const list = run.exclusions[decider]
    if (list) run.exclusions[decider] = list.filter((id) => id !== e.target)
  }
  // A failed or completed decider routes under no label of its own.
  const chose = e.by !== "error" && e.by !== "complete"
  const excluded = chose ? graph.exclusions[e.step]?.[e.branch] : undefined
  if (excluded && excluded.length > 0) run.exclusions[e.step] = excluded.filter((id) => id !== e.target)
  if (isBackward(run.plan, e.step, e.target) && step && labelsOf(step) && step.type !== "agent-loop-decision")
    s.taken[e.branch] = backTaken(s, e.branch) + 1
  touch(run, e.target).routed = true
  const choice = run.forks[e.step]
  if (step?.type === "fork" && choice) touch(run, e.target).preamble = forkPreamble(e.step, choice)
}

/** One more branch of a multi-select: it is entered when the run comes to it; what all the choices exclude stays excluded. */
function alsoEntered(run: Run, e: EventOf<"branch.taken">): void {
  const { graph } = run.plan
  const both = new Set(graph.exclusions[e.step]?.[e.branch] ?? [])
  for (const [decider, list] of Object.entries(run.exclusions))
    run.exclusions[decider] = list.filter((id) => id !== e.target && (decider !== e.step || both.has(id)))
  const target = touch(run, e.target)
  target.routed = true
  const choice = run.forks[e.step]
  if (choice) target.preamble = forkPreamble(e.step, choice)
}

function childStarted(run: Run, e: EventOf<"child.started">): void {
  const c = touch(run, e.step).children
  dropChildKey(run, e)
  if (!c) return
  c.starting = c.starting.filter((i) => i !== e.index)
  c.open[e.index] = e.run
  run.children = [...run.children.slice(-(KEPT_CHILDREN - 1)), e.run]
}

function childEnded(run: Run, e: EventOf<"child.ended">): void {
  const c = touch(run, e.step).children
  dropChildKey(run, e)
  if (!c) return
  c.starting = c.starting.filter((i) => i !== e.index)
  delete c.open[e.index]
  c.ended += 1
  if (e.status === "succeeded") {
    const { summary, files, outputs, artifacts } = e
    if (run.plan.steps.get(e.step)?.type === "flow-ref")
      c.report = { summary, files, outputs, ...(artifacts === undefined ? {} : { artifacts }) }
    return
  }
  c.failed += 1
  c.message = e.summary
}

/** The start of a child that has begun, or that never will, is under way no more. */
function dropChildKey(run: Run, e: { step: string; pass: number; index: number }): void {
  const key = childKey(e.step, e.pass, e.index)
  delete run.underway[key]
  delete run.begun[key]
}

/** A run shows its latest children; a map's others are found by their parent in the list of runs. */
const KEPT_CHILDREN = 100

function forkPreamble(id: string, c: ForkChoice): string {
  const lines = [
    `## ${c.by === "person" ? "User decision" : "Automatic decision"}: ${id}`,
    "",
    `Question: ${c.question}`,
    `Chosen: ${c.answer}`,
  ]
  if (c.notes !== undefined && c.notes.trim() !== "") lines.push(`Notes: ${c.notes}`)
  lines.push(`Decided by: ${c.by === "person" ? "a person" : `the agent ${c.agent ?? ""}`.trim()}`)
  return lines.join("\n")
}
