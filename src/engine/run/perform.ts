// Performs one effect of the kernel through the ports, such as a model call or a tool call. Never rejects; a failure is a signal.
//
// The run is read only before the first await, because it has changed by the time an answer arrives.
//
// Over 300 lines: it has one function per effect, and the props that all of them share.

import type { Amount } from "../../core/money/amount.ts"
import { contextWindow } from "../../core/money/context-window.ts"
import { canonical, unchanging } from "../../core/json.ts"
import type { ServerQuestion } from "../../core/tool/elicitation.ts"
import type { Rules } from "../../core/policy/policy.ts"
import type { Effect } from "../../core/run/begin.ts"
import { MAX_OUTPUT_TOKENS } from "../../core/run/budget/worst-case.ts"
import type { ChildWish } from "../../core/run/action.ts"
import { MAX_CALLS, MAX_REPLY_CHARS, readCalls } from "../../core/run/session/calls.ts"
import { withinRoom } from "../../core/run/session/request-room.ts"
import { messages, systemPrompt, type Turn } from "../../core/run/session/conversation.ts"
import { answersFor } from "../../core/run/session/elicited.ts"
import { hopJudge } from "../../core/run/session/hops.ts"
import { finishNameOf, schemaFor } from "../../core/run/session/finish.ts"
import { choiceOf, labelsOf } from "../../core/flow/flow.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import type { ContentPart, FileWrite, ToolCall } from "../../core/run/event-parts.ts"
import type { CalledRun, Lease, PlanShown, Reply } from "../../core/run/signal.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import type { Thinking } from "../../core/flow/agent.ts"
import { EXECUTE_PLAN } from "../../core/flow/toolkits.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Author } from "../../ports/tenant/catalog.ts"
import type { Clock } from "../../ports/clock.ts"
import type { Journal } from "../../ports/journal.ts"
import type { FinalMessage, Model, ModelError, ModelRequest, ModelTool, Sealing, Stop } from "../../ports/model.ts"
import type { Sandbox } from "../../ports/sandbox.ts"
import type { StickySessions } from "../../ports/tenant/sessions.ts"
import type { SkillLibrary, Tool, ToolPowers } from "../../ports/tool.ts"
import type { Performed } from "./conduct/stage.ts"
import { attachFiles } from "./attach-files.ts"
import { cleanReply } from "./arrival.ts"
import { searchTools } from "../../core/run/session/tool-search.ts"
import { callDigests, promptDigest, requestDigest } from "./call/turn-digests.ts"
import { callingOf, fencesOf, type Calling } from "./call/calling.ts"
import { compact } from "./compact.ts"
import { collect } from "./collect.ts"
import { executeTool } from "./call/execute-tool.ts"
import { messageOf } from "./call/tool-outcome.ts"
import { readContext } from "./read-context.ts"
import { runCode } from "./call/run-code.ts"
import { knownFirst } from "./call/tool-secrets.ts"
import type { Workspace } from "../../ports/workspace.ts"
import { changesOutside } from "../../core/tool/outside.ts"
import { carryOut, type CarryDeps } from "./carry-out.ts"
import { idempotencyKey } from "./call/idempotency-key.ts"
import { watched } from "./watched-net.ts"
import { scopedWorkspace } from "./call/scoped-workspace.ts"
import { conflicts, StagedWorkspace } from "./call/staged-workspace.ts"
import { withResults } from "./call/given-result.ts"
import { isTested } from "../../core/run/tested.ts"
import { openNote, sealNote, sealState, withStates } from "./provider-state.ts"
import { openSticky, readEarlier } from "./sticky-session.ts"

/** Why a call failed is in the journal, and in what its run answers. */
const MAX_FAULT_CHARS = 2_000
/** Characters that are kept of a reply that is too large. */
const MAX_START_CHARS = 2_000
/** A tool whose files changed during the call runs again on the new files. A third conflict is reported to the model. */
const CLASHES = 3

export interface Props {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
  readonly tools: ReadonlyMap<string, Tool>
  readonly skills: SkillLibrary
  /** Present in runs whose agents may write the catalog; passed only to role architect [G8]. */
  readonly author: Author
  hash(text: string): string
  choose(
    ref: string,
  ): Promise<{ readonly model: Model; readonly id: string; readonly thinking?: Thinking } | { readonly error: ModelError }>
  /** [J2] Called before a model is asked: a request that leaves the object must find its beginning in the journal. */
  asking(ref: string): void
  /** The stripped handler of a code step; undefined: none is stored. */
  handler(flow: string, step: string): Promise<{ readonly hash: string; readonly source: string } | undefined>
  readonly sandbox: Sandbox
  /** Starts the child run; a repeat returns the same run. `fault`: why it cannot start. Must not reject. */
  startChild(run: Run, wish: ChildWish, signal: AbortSignal): Promise<{ readonly run: string; readonly fault?: string }>
  /** Leases a part of the tenant's daily budget [B4], once per key. May reject; then it is called again. */
  lease(run: string, key: string, amount: Amount): Promise<Lease>
  readonly commitBelow: CarryDeps["commitBelow"]
  /** The tenant's rules, at most 5 s old [G1]. Rejects if they cannot be read, because older rules must not be used. */
  rules(seen: number): Promise<Rules>
  /** What a tool may use outside its run: its declared secret scopes, the network, memory, shared files [T32]. */
  powers(tool: Tool, permits: (host: string, port: number) => string | undefined, calling: Calling): Partial<ToolPowers>
  /** Removes the tenant's secrets from what arrives [T32]. Rejects if they cannot be read; then no request is sent. */
  redactor(): Promise<Redactor>
  readonly sessions: StickySessions
  /** [J20] */
  readonly sealing: Sealing
  /** Transient frames [E2]. */
  delta(step: string, turn: number, text: string): void
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void
}

export async function perform(props: Props, run: Run, effect: Effect, stop: Stop): Promise<Performed> {
  switch (effect.do) {
    case "call-model":
      return callModel(props, run, effect, stop)
    case "run-tool":
      return runTool(props, run, effect, stop.signal)
    case "run-code":
      return { signal: { type: "code.result", key: effect.key, result: await runCode(props, run, effect, stop.signal) } }
    case "start-child":
      return {
        signal: { type: "child.start", key: effect.key, index: effect.index, ...(await props.startChild(run, effect, stop.signal)) },
      }
    case "collect":
      return collect(props, effect, marksOf(run, effect.step))
    case "compact":
      return compact(props, run, effect, stop.signal)
    case "lease":
      return { signal: { type: "leased", key: effect.key, lease: await props.lease(run.id, effect.key, effect.amount) } }
    case "read-context":
      return context(props, run, effect)
    case "carry-out":
      return carryOut(props, run, effect, stop.signal)
    case "open-session":
      return { signal: { type: "session.open", key: effect.key, grant: await openSticky(props, run, effect, stop.signal) } }
  }
}

async function context(
  props: Props,
  run: Run,
  { key, step, agent: name, paths, attach }: Extract<Effect, { do: "read-context" }>,
): Promise<Performed> {
  const agent = run.plan.agents[name]
  const model = stepState(run, step).session?.model ?? ""
  const fences = agent ? fencesOf(run.plan, agent, model) : []
  const staged = new StagedWorkspace({ index: props.journal, blobs: props.blobs, now: () => props.clock.now() })
  const workspace = fences.reduce<Workspace>((inner, access) => scopedWorkspace(inner, access), staged)
  const read = await readContext(paths, { workspace, nonce: () => props.hash(props.clock.id()).slice(0, 16) })
  const shown = await attachFiles(attach, { workspace, window: contextWindow(model) })
  const marks = { ...(staged.sawTainted ? { tainted: true as const } : {}), ...(staged.sawPrivate ? { private: true as const } : {}) }
  return { signal: { type: "context", key, step, read: { ...read, ...shown, ...marks } } }
}

type ModelCall = Extract<Effect, { do: "call-model" }>
type ToolRun = Extract<Effect, { do: "run-tool" }>

async function callModel(props: Props, run: Run, { key, step: id }: ModelCall, stop: Stop): Promise<Performed> {
  const { request, turns, ref, turn } = requestFor(props, run, key, id)
  const earlier = stepState(run, id).session?.sticky?.chunks ?? []
  // [S9] An approval is bound to this call of this turn, and not to any similar call.
  const seen = run.rules.version
  const { plan } = run
  const place = [run.id, id, stepState(run, id).pass, turn]
  const calling = stepState(run, id).tools.includes(EXECUTE_PLAN) ? callingOf(run, id, key) : undefined
  let redactor: Redactor | undefined
  const failed = (e: ModelError, config = false): Performed => ({
    signal: {
      type: "model.failure",
      key,
      at: props.clock.now(),
      dice: props.clock.random(),
      failure: {
        message: (redactor?.text(e.message) ?? e.message).slice(0, MAX_FAULT_CHARS),
        retryable: e.retryable,
        config,
        ...(e.overflow === true ? { overflow: true } : {}),
        ...(e.begun === true ? { begun: true } : {}),
        ...(e.called === true ? { called: true } : {}),
        ...(e.status === undefined ? {} : { status: e.status }),
        ...(e.retryAfter === undefined ? {} : { retryAfter: e.retryAfter }),
      },
    },
  })
  try {
    const chosen = await props.choose(ref)
    redactor = await props.redactor()
    const shown = redactor.stream()
    if ("error" in chosen) return failed(chosen.error, true)
    const before = await readEarlier(props.blobs, earlier)
    const asked = {
      ...request,
      messages: await withStates(props, ref, withinRoom([...before, ...turns])),
      model: chosen.id,
      ...(chosen.thinking === undefined ? {} : { thinking: chosen.thinking }),
    }
    props.asking(ref)
    let final: FinalMessage | undefined
    // [F56] The digest of a request names its pictures by their hashes; their bytes are read only for a model that takes them.
    const sent = { ...asked, body: (hash: string) => props.blobs.get(hash) }
    const { model } = chosen
    for await (const chunk of model.play?.(sent, stop) ?? model.reply(sent, stop.signal)) {
      if (chunk.type === "final") final = cleanReply(chunk, redactor)
      const delta = chunk.type === "text" ? shown.push(chunk.text) : chunk.error ? "" : shown.end()
      if (delta !== "") props.delta(id, turn, delta)
    }
    if (!final) return failed({ message: "the model's stream ended without an answer", retryable: true })
    const cut = cutOf(final)
    if (final.error && !cut) return failed(final.error)
    // Of a reply that is too large the model sees the start again, so that it knows what it sent.
    const text = cut ? final.text.slice(0, MAX_START_CHARS) : final.text
    const toolCalls = await withResults(props, readCalls(final.toolCalls, { taken: text.length, hash: props.hash }), final.toolCalls)
    const taken = toolCalls.slice(0, MAX_CALLS)
    const rules = toolCalls.length > 0 ? await props.rules(seen) : undefined
    const plans = calling ? await plansShown(props, taken, calling) : {}
    const kept = await sealState(props, key, ref, final.state)
    return {
      ...(kept ? { states: [kept.sealed] } : {}),
      signal: {
        type: "model.reply",
        key,
        at: props.clock.now(),
        digests: callDigests(taken, ({ id: call, name, args }) =>
          props.hash(canonical([place, call, name, args, ...(plans[call] ? [plans[call]?.body] : [])])),
        ),
        ...(Object.keys(plans).length > 0 ? { plans } : {}),
        ...(rules === undefined ? {} : { rules }),
        reply: {
          text,
          thinking: final.thinking,
          toolCalls,
          ...(final.usage === undefined ? {} : { usage: final.usage }),
          ...(final.unbilled === undefined ? {} : { unbilled: true }),
          stopReason: cut ? "length" : final.stopReason,
          ...(cut ? { cut } : {}),
          ...(final.model === undefined ? {} : { responseModel: final.model }),
          system: promptDigest(plan, request.system, props.hash),
          request: requestDigest(plan, canonical({ ...asked, place: null }), props.hash),
          ...(kept ? { state: kept.state } : {}),
        },
      },
    }
  } catch (e) {
    return failed({ message: e instanceof Error ? e.message : "the model could not be asked", retryable: true })
  }
}

/** [G6] A reply that is too large for the journal, whether it came whole or was not read to its end. */
function cutOf({ text, error }: FinalMessage): Reply["cut"] {
  const size = error?.tooLong ?? text.length
  return size > MAX_REPLY_CHARS ? { size, most: MAX_REPLY_CHARS } : undefined
}

/** [T41] The current plans that these calls want to execute. A plan that cannot be read is not executed. */
async function plansShown(props: Props, calls: readonly ToolCall[], calling: Calling): Promise<Record<string, PlanShown>> {
  const tool = props.tools.get(EXECUTE_PLAN)
  const shown: Record<string, PlanShown> = {}
  for (const { id, name, args } of tool ? calls : []) {
    const { planId } = args
    if (name !== EXECUTE_PLAN || tool === undefined || typeof planId !== "string") continue
    const { plans } = props.powers(tool, () => undefined, calling)
    const plan = await plans?.get(planId).catch(() => undefined)
    if (plan) shown[id] = { plan: plan.plan, planId: plan.planId, state: plan.state, body: plan.body }
  }
  return shown
}

export interface RequestParts {
  readonly request: Omit<ModelRequest, "messages">
  readonly turns: readonly Turn[]
  readonly ref: string
  readonly turn: number
}

/** [J21] The model's view: a pure function of the run and its journal. */
export function requestFor(props: { readonly journal: Pick<Journal, "pick"> }, run: Run, key: string, id: string): RequestParts {
  const s = stepState(run, id)
  const step = run.plan.steps.get(id)
  const session = s.session
  const agent = session && run.plan.agents[session.agent]
  if (!session || !step || !agent) throw new Error(`step "${id}" has no session to ask a model for`)
  const labels = labelsOf(step)
  // `unchanging` caches the canonical text of a schema, because every turn of every session hashes it.
  const tools: ModelTool[] = s.tools.flatMap((name): ModelTool[] => {
    if (name === finishNameOf(agent))
      return [
        {
          name,
          description: "Ends your task and hands over its result. Your last action: nothing runs after it.",
          parameters: unchanging(schemaFor(agent, step)),
        },
      ]
    const tool = run.plan.tools.get(name)
    return tool ? [{ name, description: tool.description, parameters: unchanging(tool.parameters) }] : []
  })
  const max = "max_iterations" in step ? step.max_iterations : undefined
  const request: RequestParts["request"] = {
    model: "",
    system: systemPrompt(run.plan, session, choiceOf(step)),
    tools,
    // With a budget, no more than the amount reserved for this call [B2].
    maxOutputTokens: run.underway[key]?.maxOutput ?? agent.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    ...(agent.top_p === undefined ? {} : { topP: agent.top_p }),
    ...(agent.seed === undefined ? {} : { seed: agent.seed }),
    ...(agent.stop === undefined ? {} : { stop: agent.stop }),
    place: {
      flow: run.flow,
      step: id,
      pass: s.pass,
      turn: session.turn,
      failures: session.failures,
      agent: session.agent,
      stepType: step.type,
      ...(labels ? { branches: labels } : {}),
      ...(session.iteration === undefined ? {} : { loop: { iteration: session.iteration, max: max ?? 0 } }),
      ...(isTested(run) ? { tested: true } : {}),
    },
  }
  return { request, turns: messages(session, props.journal.pick(session.seqs)), ref: session.model, turn: session.turn }
}

async function runTool(props: Props, run: Run, { key, step: id, call, args }: ToolRun, signal: AbortSignal): Promise<Performed> {
  const session = stepState(run, id).session
  const agent = session && run.plan.agents[session.agent]
  const tool = props.tools.get(call.name)
  const tainted = session?.tainted === true
  const taintedHandles = new Set(run.taintedHandles)
  const handles = new Set(run.handles)
  const maxTimeout = run.rules.policy.max_timeout
  const window = contextWindow(session?.model ?? "")
  const permits = tool ? hopJudge(run, id, tool, args) : () => undefined
  const fences = agent ? fencesOf(run.plan, agent, session.model) : []
  const plan = agent?.plan === undefined ? {} : { plan: agent.plan }
  const whose = {
    run: run.id,
    step: id,
    call: key,
    ...(agent ? { agent: agent.name } : {}),
    ...plan,
    tainted,
    private: session?.private === true,
    ...(changesOutside(call.name, tool, args) ? { idempotencyKey: idempotencyKey(run.id, key, props.hash) } : {}),
  }
  const open = session?.open.find((o) => o.call.id === call.id)
  const answered = open ? answersFor(run, open) : []
  let asked: { readonly questions: readonly ServerQuestion[]; readonly state?: string } | undefined
  let child: CalledRun | undefined
  let childMarks: { readonly tainted?: true; readonly private?: true } = {}
  const calling = callingOf(run, id, key, (called, marks = {}) => {
    child = called
    childMarks = marks
  })
  const error = (message: string): Performed => ({
    signal: {
      type: "tool.result",
      key,
      result: { isError: true, content: [{ type: "text", text: message }], digest: props.hash(canonical([call.name, args, message])) },
    },
  })
  let redactor: Redactor
  try {
    redactor = await props.redactor()
  } catch {
    return error(`${call.name} was not called, for the secrets vault does not answer: try again in a moment`)
  }
  if (!tool || !agent) return error(`${call.name} is not part of this build: use another tool or finish with what you have`)
  for (let n = 1; ; n++) {
    const staged = new StagedWorkspace({ index: props.journal, blobs: props.blobs, now: () => props.clock.now() })
    let sawHandle = false
    let sawPrivateHandle = false
    const lent = props.powers(tool, permits, calling)
    const traffic = watched(lent.net, tool)
    const powers: ToolPowers = {
      ...lent,
      ...traffic.net,
      ...knownFirst(lent.secrets, async () => void (redactor = await props.redactor())),
      place: whose,
      asking: {
        answered,
        state: () => openNote(props, key),
        ask: (questions, state) => void (asked = { questions, ...(state === undefined ? {} : { state }) }),
      },
      workspace: fences.reduce<Workspace>((inner, access) => scopedWorkspace(inner, access), staged),
      skills: own(props.skills, agent.skills),
      outputs: {
        read: async (handle) => {
          if (!handles.has(handle)) return undefined
          sawHandle ||= taintedHandles.has(handle)
          sawPrivateHandle ||= run.privateHandles?.includes(handle) === true
          return props.blobs.get(handle)
        },
      },
      findTools: (wanted) => searchTools(run, stepState(run, id), { ...wanted }),
      ...(agent.role === "architect" ? { author: props.author } : {}),
    }
    const done = await executeTool(
      { tool, args, signal, powers },
      {
        callId: call.id,
        redactor: () => redactor,
        onUpdate: (partial) => props.progress(id, call.id, call.name, partial.content),
        keep: (text) => props.blobs.put(new TextEncoder().encode(text)),
        sha256: async (text) => props.hash(text),
        nonce: () => props.hash(props.clock.id()).slice(0, 16),
        attach: (paths) => attachFiles(paths, { workspace: powers.workspace, window }),
        sawOutside: () => sawHandle || staged.sawTainted || childMarks.tainted === true,
        ...(maxTimeout === undefined ? {} : { maxTimeout }),
      },
    )
    if (asked && !done.isError) {
      const { questions, state } = asked
      const told: Performed = { signal: { type: "tool.asks", key, questions: redactor.json(questions), at: props.clock.now() } }
      if (state === undefined && answered.length === 0) return told
      try {
        return { ...told, states: [await sealNote(props, key, state)] }
      } catch (e) {
        return error(`${call.name} was given up: what its server noted with a question could not be kept (${messageOf(e)})`)
      }
    }
    // [G11] What a session writes after it has read outside text counts as outside text.
    const mark = tainted || done.untrusted === true
    const isPrivate = done.private === true || staged.sawPrivate || sawPrivateHandle || childMarks.private === true
    // A file without taint counts as private anyway, so only a tainted file needs the mark.
    const both = session?.private === true || tool.private === true || isPrivate
    const marked = { tainted: true, ...(both ? { private: true } : {}) }
    const files = done.isError ? [] : staged.changes.map((c) => (mark ? { ...c, ...marked } : c))
    const wrote = files.map(({ path, base, hash }): FileWrite => ({
      path,
      action: hash === null ? "removed" : base === null ? "created" : "modified",
    }))
    if (conflicts(files, props.journal).length === 0 || signal.aborted)
      return {
        signal: {
          type: "tool.result",
          key,
          result: {
            ...done,
            private: isPrivate,
            wrote,
            ...(files.length > 0 ? { changed: files } : {}),
            ...(child ? { child } : {}),
            ...(traffic.isUnclear(done) ? { uncertain: true } : {}),
          },
        },
        files,
      }
    if (n === CLASHES) return error(`another step changed the same file at the same time; read it again and repeat the change`)
  }
}

/** Marks of the inputs and results of a step's children [G11]. */
function marksOf(run: Run, id: string): { readonly tainted: boolean; readonly private: boolean } {
  const s = stepState(run, id)
  return { tainted: run.tainted || s.tainted === true, private: run.private === true || s.private === true }
}

/** A session reads the skills that its agent declares, not the skills of other agents in the run. */
function own(library: SkillLibrary, names: readonly string[]): SkillLibrary {
  return {
    names: () => library.names().filter((n) => names.includes(n)),
    files: (skill) => (names.includes(skill) ? library.files(skill) : undefined),
    read: async (skill, file) => (names.includes(skill) ? library.read(skill, file) : undefined),
  }
}
