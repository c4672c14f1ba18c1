// Admits replies under the guard [G1–G10], and steering. Judges, and changes nothing.

import { defined } from "../../defined.ts"
import { EXECUTE_PLAN } from "../../tool/toolkits.ts"
import type { JsonObject } from "../../json.ts"
import type { Rules } from "../../tool/policy/policy.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import { writes } from "../../tool/reach.ts"
import { type Result, err, ok } from "../../result.ts"
import { openCallOf } from "../batch/open-call.ts"
import { billOf } from "../budget/bill.ts"
import { settlement } from "../budget/budget-settle.ts"
import { MAX_OUTPUT_TOKENS } from "../budget/worst-case.ts"
import type { FailureSource, ToolCall } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { checkFinish, finishFields, finishNameOf } from "./finish.ts"
import { judge } from "./guard.ts"
import { MAX_CALLS } from "./calls.ts"
import { askApproval, askPlan, MAX_QUESTIONS, tooManyQuestions } from "./ask/interaction.ts"
import { labelsOf } from "../../flow/flow.ts"
import { modelsFor } from "./open-session.ts"
import type { PlanShown, Refusal, Reply, Signal } from "../signal.ts"
import { confided } from "./taint.ts"
import { type Run, type Session, type StepState, stepState } from "../state.ts"

export type Admitted = Result<Fact[], Refusal>

export const refuse = (
  code: "too_many" | "run_over" | "already_started" | "stale" | "not_found" | "not_running" | "already_answered" | "other_hash",
): Admitted => err({ code })

/** [Q3] The reason for refusing a call whose digest could not be computed. */
export const UNBOUND = "needs an approval, and this call could not be bound to one"

/** [J22] Reminders and rejected finishes share two extra tries. */
export const MORE_TRIES = 2 // limit: reminders and rejected finishes of a session → the step fails: `agent_no_finish`

/** The step and session of a key that is under way. */
export function working(
  run: Run,
  key: string,
  kind: "model" | "tool",
): { id: string; s: StepState; session: Session; attempt: number } | undefined {
  const u = kind === "model" ? openCallOf(run, key) : Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  if (!u || u.kind !== kind) return undefined
  const s = stepState(run, u.step)
  return s.session ? { id: u.step, s, session: s.session, attempt: u.attempt } : undefined
}

/** Ends a step whose agent did not call its finish itself. */
export function fail(id: string, s: StepState, source: FailureSource, summary: string, hard: boolean): FactOf<"step.finished"> {
  const text = s.session?.text
  return {
    type: "step.finished",
    step: id,
    pass: s.pass,
    status: "error",
    summary,
    files: [...(s.session?.wrote ?? [])],
    outputs: {},
    source,
    ...(hard ? { hard } : {}),
    ...defined({ text }),
  }
}

/** [J6] Records the tenant's rules if they are newer than the run's. They must be in the journal before they judge anything. */
export function newRules(run: Run, rules: Rules | undefined): Fact[] {
  if (rules === undefined || rules.version <= run.rules.version) return []
  return [{ type: "rules.changed", rules: rules as unknown as JsonObject }]
}

export function reply(run: Run, { key, reply: r, rules, at, digests, plans, batch }: Extract<Signal, { type: "model.reply" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, s, session } = w
  const bytes = requestBytes(run, id)
  const { usage, cost, amount } = billOf(run, {
    key,
    model: session.model,
    input: bytes,
    output: openCallOf(run, key)?.maxOutput ?? run.plan.agents[session.agent]?.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    said: r.text !== "" || r.thinking || r.toolCalls.length > 0,
    reported: r.usage,
    unbilled: r.unbilled === true,
    turn: true,
  })
  const desk: Desk = { run, id, s, session, rules: newest(run, rules), at: at ?? run.at, digests: digests ?? {}, plans: plans ?? {} }
  const replied: Fact = {
    type: "model.replied",
    step: id,
    pass: s.pass,
    turn: session.turn,
    key,
    text: r.text,
    ...(r.thinking ? { thinking: true } : {}),
    toolCalls: [...r.toolCalls],
    usage,
    cost,
    stopReason: r.stopReason,
    system: r.system,
    request: r.request,
    requestBytes: bytes,
    ...defined({ state: r.state, cut: r.cut, limit: r.limit }),
    ...(modelsFor(run, id, session.agent).length > 1 ? { model: session.model } : {}),
    ...defined({ responseModel: r.responseModel, batch }),
    ...plansJudged(desk, r.toolCalls),
  }
  const settled = settlement(run, key, amount)
  return ok([...newRules(run, rules), replied, ...settled, ...verdicts(desk, r)])
}

/** The rules to judge by: rules that arrive late must not restore what newer rules removed. */
export const newest = (run: Run, rules: Rules | undefined): Rules => (rules && rules.version > run.rules.version ? rules : run.rules)

interface Desk {
  readonly run: Run
  readonly id: string
  readonly s: StepState
  readonly session: Session
  readonly rules: Rules
  readonly at: number
  readonly digests: Readonly<Record<string, string>>
  readonly plans: Readonly<Record<string, PlanShown>>
}

/** [K18] The plans without which this reply could not be judged again: a condition looks into them. */
function plansJudged({ run, id, rules, plans }: Desk, calls: readonly ToolCall[]): Pick<FactOf<"model.replied">, "plans"> {
  const kept = calls.flatMap((call) => {
    const plan = call.name === EXECUTE_PLAN && Object.hasOwn(plans, call.id) ? plans[call.id] : undefined
    if (!plan) return []
    const [whole, empty] = [plan, { ...plan, plan: "", body: {} }].map((shown) => judge(run, id, call, rules, shown))
    return whole?.allow && empty?.allow && whole.ask !== empty.ask ? [[call.id, { plan: plan.plan, body: plan.body }] as const] : []
  })
  return kept.length > 0 ? { plans: Object.fromEntries(kept) } : {}
}

/** The guard's word on a call: refused, or a person is asked; undefined: it may run. `asked`: the questions of the run so far. */
export function verdictOn(
  { run, id, rules, at, digests, plans }: Omit<Desk, "s" | "session">,
  call: ToolCall,
  asked: number,
): FactOf<"tool.refused"> | FactOf<"interaction.asked"> | undefined {
  const plan = call.name === EXECUTE_PLAN && Object.hasOwn(plans, call.id) ? plans[call.id] : undefined
  const j = judge(run, id, call, rules, plan)
  if (!j.allow) return refused(id, call, j.code, j.reason)
  if (j.ask === undefined) return undefined
  const hash = Object.hasOwn(digests, call.id) ? digests[call.id] : undefined
  if (hash === undefined) return refused(id, call, "policy", `${call.name} ${UNBOUND}`)
  if (run.pending.length + asked - run.asked >= MAX_QUESTIONS) return refused(id, call, "too_many", tooManyQuestions(call.name))
  const shown = {
    reason: j.ask,
    effect: writes(j.tool, j.args) ? "write" : j.tool.effect,
    origins: stepState(run, id).session?.origins,
    hash,
    expires: at + rules.policy.approvals.expires,
  } as const
  const question = `i${asked + 1}`
  return plan ? askPlan(question, id, call, j.args, plan, shown) : askApproval(question, id, call, j.args, shown)
}

/** [G2] Judges every call of one reply, in the model's order. */
export function verdicts(
  { run, id, s, session, rules, at, digests, plans }: Desk,
  { toolCalls: calls, text, cut, limit }: Pick<Reply, "toolCalls" | "text" | "cut" | "limit">,
): Fact[] {
  const step = run.plan.steps.get(id)
  const agent = run.plan.agents[session.agent]
  if (!step || !agent) return [fail(id, s, "config", `agent "${session.agent}" is not among this run's agents`, true)]
  if (session.steers.length > 0)
    return calls.map((c) => refused(id, c, "steered", "skipped: a message from a person came in between, read it first"))
  const labels = labelsOf(step)
  const ending = finishNameOf(agent)
  const lastText = text.trim() === "" ? session.text : text
  const facts: Fact[] = []
  let tries = session.tries
  let open = 0
  let asked = run.asked
  let latched: readonly Fact[] | undefined
  for (const [i, call] of calls.entries()) {
    if (latched) facts.push(refused(id, call, "after_finish", `${ending} was already called: nothing runs after it`))
    else if (cut) facts.push(refused(id, call, "invalid_args", tooLarge(cut, `skipped with your whole reply`)))
    else if (limit !== undefined && call.raw !== undefined && call.name !== ending)
      facts.push(refused(id, call, "invalid_args", cutOff(limit, "skipped: your reply was cut off in this call")))
    else if (i >= MAX_CALLS) facts.push(refused(id, call, "too_many", tooManyCalls(calls.length)))
    else if (call.name === ending) {
      const checked = checkFinish({ plan: run.plan, agent, step, s }, call, lastText)
      if (checked.ok) latched = checked.value
      else {
        tries += 1
        const isCut = limit !== undefined && call.raw !== undefined
        const errors = isCut ? [{ path: "", message: cutOff(limit, "your reply was cut off in this call") }] : checked.error
        facts.push({ type: "finish.rejected", step: id, callId: call.id, errors })
      }
    } else {
      const said = verdictOn({ run, id, rules, at, digests, plans }, call, asked)
      if (said?.type === "interaction.asked") asked += 1
      if (said?.type !== "tool.refused") open += 1
      if (said) facts.push(said)
    }
  }
  if (latched) return open === 0 ? [...facts, ...latched] : facts
  if (calls.length === 0) {
    tries += 1
    if (tries <= MORE_TRIES)
      facts.push({
        type: "reminder.sent",
        step: id,
        count: tries,
        message: cut
          ? tooLarge(cut, "your reply was cut")
          : limit === undefined
            ? reminder(ending, finishFields(agent), labels)
            : cutOff(limit, "your reply was cut off"),
      })
  }
  if (tries > MORE_TRIES)
    return labels
      ? [...facts, fail(id, s, "no_branch", `the agent chose none of the branches ${labels.join(", ")} within its tries`, true)]
      : [...facts, fail(id, s, "agent_no_finish", neverFinished(ending, facts), false)]
  if (session.turn + 1 >= agent.max_turns)
    return [...facts, fail(id, s, "max_turns", `the agent used its ${agent.max_turns} turns without finishing`, false)]
  return facts
}

/** [G6] */
const tooLarge = ({ size, most }: NonNullable<Reply["cut"]>, what: string): string =>
  `invalid_args: too large, ${size} of at most ${most} characters in one reply: ${what}. Send less at once, such as one part of a long file per call.`

/** The model cannot know that it ran into its limit, and would do the same again. */
const cutOff = (limit: number, what: string): string =>
  `${what}: a reply may have ${limit} tokens, thoughts included, and this one reached them. Say and write less at once, such as one part of a long file per call, and go on.`

/** [G6] */
const tooManyCalls = (count: number): string =>
  `skipped: a reply may hold ${MAX_CALLS} calls, this one held ${count}, and only the first ${MAX_CALLS} were taken. Make the others again in your next replies.`

export const refused = (step: string, call: ToolCall, code: FactOf<"tool.refused">["code"], reason: string): FactOf<"tool.refused"> => ({
  type: "tool.refused",
  step,
  callId: call.id,
  tool: call.name,
  code,
  reason,
  ...(call.cut ? { size: call.cut.size, ...defined({ digest: call.cut.digest }) } : {}),
})

/** B11: names the last problem, which may help the person who started the run. */
function neverFinished(ending: string, facts: readonly Fact[]): string {
  const last = facts.findLast((f) => f.type === "finish.rejected")
  const why = last ? ` was refused at the last: ${last.errors.map((e) => `${e.path || "arguments"} ${e.message}`).join("; ")}` : ""
  return `the agent never finished: it was told ${MORE_TRIES} times and still did not call ${ending} as it should${last ? `; it${why}` : ""}`
}

function reminder(ending: string, fields: readonly string[], labels: readonly string[] | undefined): string {
  const all = [...fields, ...(labels ? [`branch (one of: ${labels.join(", ")})`] : [])]
  return `You have not called the tool ${ending} yet. When your work is done, call ${ending} with ${all.join(", ")}. Text alone does not end your task.`
}

/** [S12] At most this many messages wait for the next model call, which takes them all. More are refused until then. */
export const MAX_STEERS = 20 // limit: messages that wait for a step's next model call → 409 `too_many_steers`

/** [J24] Calls that have not begun are refused, including a latched finish; the model reads the message in its next call. */
export function steer(run: Run, { step, id, message, by }: Extract<Signal, { type: "steer" }>): Admitted {
  if (!run.plan.steps.has(step)) return refuse("not_found")
  const s = stepState(run, step)
  if (!s.session || s.session.own) return refuse("not_running")
  if (s.session.steers.length >= MAX_STEERS) return refuse("too_many")
  // A call that began may end, and a call that began and was lost is made again: a call that may have taken effect is not skipped [J11].
  const left = s.session.open.filter((o) => o.asked === undefined && o.args === undefined)
  return ok([
    { type: "steer.queued", step, id, message, by, ...confided(s, message) },
    ...left.map((o) => refused(step, o.call, "steered", "skipped: a message from a person came in between, read it first")),
  ])
}
