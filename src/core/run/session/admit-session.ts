// The part of `admit` for sessions: replies under the guard [G1–G10], failed calls, tool results, steering. Judges, and changes nothing.

import { defined } from "../../defined.ts"
import type { Amount } from "../../money/amount.ts"
import { EXECUTE_PLAN } from "../../tool/toolkits.ts"
import type { JsonObject } from "../../json.ts"
import type { Rules } from "../../tool/policy/policy.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import { changesOutside } from "../../tool/outside.ts"
import { isWrite, writes } from "../../tool/reach.ts"
import { type Result, err, ok } from "../../result.ts"
import { billOf } from "../budget/bill.ts"
import { settlement } from "../budget/budget-settle.ts"
import { MAX_OUTPUT_TOKENS } from "../budget/worst-case.ts"
import type { FailureSource, RefusalCode, ToolCall } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { checkFinish, finishFields, finishNameOf } from "./finish.ts"
import { keptBelow } from "../effects/kept-bounds.ts"
import { READ_OUTPUT } from "./grant.ts"
import { beginsAnew } from "./elicited.ts"
import { TOOL_SEARCH, toolsFound } from "./tool-search.ts"
import { judge } from "./guard.ts"
import { canShrink } from "./compaction.ts"
import { MAX_CALLS } from "./calls.ts"
import { askApproval, askPlan, MAX_QUESTIONS, tooManyQuestions } from "./interaction.ts"
import { labelsOf } from "../../flow/flow.ts"
import { modelsFor } from "./open-session.ts"
import { refusesFiles } from "./files/refused-files.ts"
import { MODEL_TRIES, retryAt, TRIES_BEFORE_FALLBACK } from "./retry.ts"
import { dueIn } from "../tested.ts"
import { MAX_STEP_FILES } from "./files/step-files.ts"
import type { CalledRun, Failure, PlanShown, Refusal, Reply, Signal, ToolResult } from "../signal.ts"
import { changedFiles } from "../steps/changed-files.ts"
import { confided } from "./taint.ts"
import { type OpenCall, type Run, type Session, type StepState, stepState } from "../state.ts"
import { toolKey, calledKey, isCallKey } from "../key.ts"

export type Admitted = Result<Fact[], Refusal>

export const refuse = (
  code: "too_many" | "run_over" | "already_started" | "stale" | "not_found" | "not_running" | "already_answered" | "other_hash",
): Admitted => err({ code })

/** [Q3] The reason for refusing a call whose digest could not be computed. */
export const UNBOUND = "needs an approval, and this call could not be bound to one"

/** [J22] Reminders and rejected finishes share two extra tries. */
export const MORE_TRIES = 2 // limit: reminders and rejected finishes of a session → the step fails: `agent_no_finish`

/** The step and session of a key that is under way. */
function working(
  run: Run,
  key: string,
  kind: "model" | "tool",
): { id: string; s: StepState; session: Session; attempt: number } | undefined {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
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

export function reply(run: Run, { key, reply: r, rules, at, digests, plans }: Extract<Signal, { type: "model.reply" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, s, session } = w
  const bytes = requestBytes(run, id)
  const { usage, cost, amount } = billOf(run, {
    key,
    model: session.model,
    input: bytes,
    output: run.underway[key]?.maxOutput ?? run.plan.agents[session.agent]?.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    said: r.text !== "" || r.thinking || r.toolCalls.length > 0,
    reported: r.usage,
    unbilled: r.unbilled === true,
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
    ...defined({ responseModel: r.responseModel }),
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
      const plan = call.name === EXECUTE_PLAN && Object.hasOwn(plans, call.id) ? plans[call.id] : undefined
      const j = judge(run, id, call, rules, plan)
      const hash = Object.hasOwn(digests, call.id) ? digests[call.id] : undefined
      if (!j.allow) facts.push(refused(id, call, j.code, j.reason))
      else if (j.ask !== undefined && hash === undefined) facts.push(refused(id, call, "policy", `${call.name} ${UNBOUND}`))
      else if (j.ask !== undefined && run.pending.length + asked - run.asked >= MAX_QUESTIONS)
        facts.push(refused(id, call, "too_many", tooManyQuestions(call.name)))
      else {
        open += 1
        if (j.ask !== undefined && hash !== undefined) {
          const shown = {
            reason: j.ask,
            effect: writes(j.tool, j.args) ? "write" : j.tool.effect,
            origins: stepState(run, id).session?.origins,
            hash,
            expires: at + rules.policy.approvals.expires,
          } as const
          const question = `i${(asked += 1)}`
          facts.push(plan ? askPlan(question, id, call, j.args, plan, shown) : askApproval(question, id, call, j.args, shown))
        }
      }
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

export const refused = (step: string, call: ToolCall, code: FactOf<"tool.refused">["code"], reason: string): Fact => ({
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

export function failure(run: Run, { key, failure: f, at, dice }: Extract<Signal, { type: "model.failure" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, s, session, attempt } = w
  const shrink = f.overflow === true && canShrink(session)
  const blind = !shrink && refusesFiles(session, f)
  const other = fallbackFor(run, id, session, f)
  const most = other === undefined ? MODEL_TRIES : TRIES_BEFORE_FALLBACK
  const tries = { made: session.turnFailures + 1, most, since: session.firstFailure ?? at }
  const later = f.config ? undefined : shrink || blind ? at : retryAt(f, tries, at, dice)
  const next = later === undefined ? undefined : dueIn(run, later, at)
  const fallback = next === undefined ? other : undefined
  const again = next ?? (fallback === undefined ? undefined : at)
  const failed: Fact = {
    type: "model.failed",
    step: id,
    turn: session.turn,
    key,
    attempt,
    message: f.message,
    ...defined({ status: f.status, retryAt: again }),
    ...(shrink ? { overflow: true as const } : {}),
    ...(blind ? { blind: true as const } : {}),
    ...(f.called === true ? { called: true as const } : {}),
    ...defined({ fallback }),
  }
  // A provider that refuses bills nothing; a provider that goes silent, or fails after it began to reply, may have billed the whole call.
  const refused = f.config === true || (f.status !== undefined && f.status >= 400 && f.begun !== true)
  const settled = settlement(run, key, refused ? {} : undefined)
  if (blind) return ok([failed, ...settled, blindness(id)])
  if (again !== undefined) return ok([failed, ...settled])
  return ok([failed, ...settled, fail(id, s, f.config ? "config" : "api_error", f.message, !isTakenUp(run, id, s, f))])
}

/** [F35] Does the step's own `retry` run it again after a provider that stayed down? Only then is such a failure soft. */
function isTakenUp(run: Run, id: string, s: StepState, f: Failure): boolean {
  const retry = run.plan.steps.get(id)?.retry
  return f.retryable && f.config !== true && retry !== undefined && s.retries < retry.max
}

const blindness = (step: string): Fact => ({
  type: "warning",
  code: "not_shown",
  step,
  message: "the provider refuses the pictures and PDFs of the request: the conversation goes on without them",
})

/** [F33] The model that can take over when the tries of this one are used up. A reply that had begun to call a tool has no second author. */
function fallbackFor(run: Run, id: string, session: Session, f: Failure): string | undefined {
  if (!f.retryable || f.config === true || f.called === true || session.called === true) return undefined
  const models = modelsFor(run, id, session.agent)
  const at = models.indexOf(session.model)
  return at < 0 ? undefined : models[at + 1]
}

export function toolResult(run: Run, { key, result: r }: Extract<Signal, { type: "tool.result" }>): Admitted {
  const w = working(run, key, "tool")
  const open = w?.session.open.find((o) => isCallKey(key, o.call.id))
  if (!w || !open) return refuse("stale")
  return ok([
    ...changedFiles(r.changed, { step: w.id, callId: open.call.id }),
    returnedOf(run, w.id, w.s, open.call, r),
    ...settlement(run, calledKey(key), calledCost(r.child, w.attempt)),
  ])
}

/** The event for a result, with the taint that the tool always sets. */
export function returnedOf(run: Run, step: string, s: StepState, call: ToolCall, r: ToolResult): Fact {
  const tool = run.plan.tools.get(call.name)
  const open = s.session?.open.find((o) => o.call.id === call.id)
  return {
    type: "tool.returned",
    step,
    callId: call.id,
    tool: call.name,
    isError: r.isError,
    content: [...r.content],
    ...(r.attached && r.attached.length > 0 ? { attached: [...r.attached] } : {}),
    digest: r.digest,
    ...defined({ details: r.details, truncated: r.truncated }),
    ...toolsAfter(run, s, call, r.truncated !== undefined),
    ...(tool?.untrusted === true || r.untrusted === true ? { tainted: true } : {}),
    ...(tool?.private === true || (tool?.requiredSecretScopes?.length ?? 0) > 0 || r.private === true ? { private: true } : {}),
    ...(r.wrote && r.wrote.length > 0 ? { wrote: r.wrote.slice(0, MAX_STEP_FILES) } : {}),
    ...defined({ child: r.child && calledRun(run, r.child) }),
    ...(r.uncertain === true && changesOutside(call.name, tool, open?.args ?? call.args) ? { uncertain: true as const } : {}),
    ...personIn(open),
  }
}

/** [Q3] What the agent must know about the person's approval of its call. */
export const personIn = (open: OpenCall | undefined): Pick<FactOf<"tool.returned">, "person"> => defined({ person: open?.person })

const calledRun = ({ outside }: Run, { run, usage, effects, head }: CalledRun): NonNullable<FactOf<"tool.returned">["child"]> => ({
  run,
  ...defined({ usage }),
  ...(effects ? keptBelow(outside, effects) : {}),
  ...defined({ head }),
})

/** [T5] From its first cut result on, a session may read the rest; a list without `read_output` records that this build lacks it.
 *  [T8] From its search on, a session may call what it found. */
function toolsAfter(run: Run, s: StepState, call: ToolCall, cut: boolean): { tools?: string[] } {
  const open = s.session?.open.find((o) => o.call.id === call.id)
  const found = call.name === TOOL_SEARCH ? toolsFound(run, s, open?.args ?? call.args) : undefined
  const tools = found ?? s.tools
  if (!cut || tools.includes(READ_OUTPUT)) return defined({ tools: found })
  return { tools: run.plan.tools.has(READ_OUTPUT) ? [...tools, READ_OUTPUT] : [...tools] }
}

/** [B5] The cost of the run that a call started: nothing when no run began; undefined (all that was reserved) when it is unknown. */
function calledCost(child: CalledRun | undefined, attempt: number): Amount | undefined {
  if (!child) return attempt === 1 ? {} : undefined
  return child.spent ?? (child.usage && { ...child.usage, usd: child.usage.usd ?? 0 })
}

const TAKEN_AWAY: ReadonlySet<string> = new Set(["policy", "denylist", "scope"])

/** The facts that end the waiting calls that these rules no longer allow. */
export function forbidden(run: Run, rules: Rules): Fact[] {
  return Object.entries(run.steps).flatMap(([id, { session, pass }]) =>
    (session?.open ?? []).flatMap((o): Fact[] => {
      const key = toolKey(id, pass, (session?.turn ?? 1) - 1, o.call.id)
      const isAtWork = Object.hasOwn(run.underway, key)
      if (o.asked !== undefined || isAtWork || o.call.name === finishNameOf(run.plan.agents[session?.agent ?? ""])) return []
      const j = judge(run, id, { ...o.call, args: o.approved ?? o.call.args }, rules)
      if (j.allow || !TAKEN_AWAY.has(j.code)) return []
      return withdrawn(run, id, o, key, j)
    }),
  )
}

/** The facts that end a waiting call that may not begin, or not begin again. */
export function withdrawn(
  run: Run,
  id: string,
  o: OpenCall,
  key: string,
  why: { readonly code: RefusalCode; readonly reason: string },
): Fact[] {
  return !beginsAnew(run, o, key) && beganToWrite(run, o) ? leftOpen(run, id, o, key) : [refused(id, o.call, why.code, why.reason)]
}

/** [J11] Was the call a write that began and was lost? It may have taken effect, so it must not be reported as skipped. */
function beganToWrite(run: Run, { call, args }: OpenCall): boolean {
  const tool = run.plan.tools.get(call.name)
  return args !== undefined && (tool === undefined || isWrite(tool, args))
}

const leftOpen = (run: Run, step: string, open: OpenCall, key: string): Fact[] => [
  { type: "tool.uncertain", step, callId: open.call.id, tool: open.call.name, key, ...personIn(open) },
  ...settlement(run, calledKey(key), undefined),
]

/** [S12] At most this many messages wait for the next model call, which takes them all. More are refused until then. */
export const MAX_STEERS = 20 // limit: messages that wait for a step's next model call → 409 `too_many_steers`

/** [J24] Calls that have not begun are refused, including a latched finish; the model reads the message in its next call. */
export function steer(run: Run, { step, id, message, by }: Extract<Signal, { type: "steer" }>): Admitted {
  if (!run.plan.steps.has(step)) return refuse("not_found")
  const s = stepState(run, step)
  if (!s.session) return refuse("not_running")
  if (s.session.steers.length >= MAX_STEERS) return refuse("too_many")
  // A call that began may end, and a call that began and was lost is made again: a call that may have taken effect is not skipped [J11].
  const left = s.session.open.filter((o) => o.asked === undefined && o.args === undefined)
  return ok([
    { type: "steer.queued", step, id, message, by, ...confided(s, message) },
    ...left.map((o) => refused(step, o.call, "steered", "skipped: a message from a person came in between, read it first")),
  ])
}
