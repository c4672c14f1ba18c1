// Runs a tool call: its powers, its workspace, and a second run if another step changed the same files meanwhile. Only a call that changes
// nothing but files is made again.
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import { defined } from "../../../core/defined.ts"
import { contextWindow } from "../../../core/money/context-window.ts"
import { canonical } from "../../../core/json.ts"
import type { ServerQuestion } from "../../../core/tool/elicitation.ts"
import type { Effect } from "../../../core/run/begin.ts"
import { answersFor } from "../../../core/run/session/ask/elicited.ts"
import { hopJudge } from "../../../core/run/session/hops.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import type { FileWrite } from "../../../core/run/event-parts.ts"
import type { CalledRun } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import type { SkillLibrary, ToolPowers } from "../../../ports/tool.ts"
import type { Performed } from "../conduct/stage.ts"
import { attachFiles } from "../begin/attach-files.ts"
import { searchTools } from "../../../core/run/session/tool-search.ts"
import { callingOf, fencesOf } from "./calling.ts"
import { executeTool } from "./execute-tool.ts"
import { thrownMessage } from "./tool-outcome.ts"
import { knownFirst } from "./tool-secrets.ts"
import type { Workspace } from "../../../ports/workspace.ts"
import { changesOutside } from "../../../core/tool/outside.ts"
import { heldBack, inward, isHeldBack } from "./held-back.ts"
import { idempotencyKey } from "./idempotency-key.ts"
import { watched } from "../watched-net.ts"
import { scopedWorkspace } from "./scoped-workspace.ts"
import { conflicts, StagedWorkspace } from "./staged-workspace.ts"
import { openNote, sealNote } from "../provider-state.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { cleanJson } from "../arrival.ts"

/** A tool that does nothing but change files runs again if they were changed during the call. A third conflict is reported to the model. */
const CLASHES = 3 // limit: tries of a tool whose files changed meanwhile → the model is told

type ToolRun = Extract<Effect, { do: "run-tool" }>

export async function runTool(
  props: EffectDeps,
  run: Run,
  { key, step: id, call, args }: ToolRun,
  signal: AbortSignal,
): Promise<Performed> {
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
  const plan = defined({ plan: agent?.plan })
  const whose = {
    run: run.id,
    step: id,
    call: key,
    ...defined({ agent: agent?.name }),
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
  if (tool && isHeldBack(run, tool)) return { signal: { type: "tool.result", key, result: await heldBack(props, run, call, args) } }
  let redactor: Redactor
  try {
    redactor = await props.redactor()
  } catch {
    return error(`${call.name} was not called, because the secrets vault does not answer: try again in a moment`)
  }
  if (!tool || !agent) return error(`${call.name} is not part of this build: use another tool or finish with what you have`)
  for (let n = 1; ; n++) {
    const staged = new StagedWorkspace({ index: props.journal, blobs: props.blobs, now: () => props.clock.now() })
    let sawHandle = false
    let sawPrivateHandle = false
    const lent = inward(run, props.powers(tool, permits, calling))
    const traffic = watched(lent.net, tool)
    const powers: ToolPowers = {
      ...lent,
      ...traffic.net,
      ...knownFirst(lent.secrets, async () => void (redactor = await props.redactor())),
      place: whose,
      asking: {
        answered,
        state: () => openNote(props, key),
        ask: (questions, state) => void (asked = { questions, ...defined({ state }) }),
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
        own: session?.own !== undefined,
        sawOutside: () => sawHandle || staged.sawTainted || childMarks.tainted === true,
        ...defined({ maxTimeout }),
      },
    )
    if (asked && !done.isError) {
      const { questions, state } = asked
      const told: Performed = { signal: { type: "tool.asks", key, questions: await cleanJson(questions, redactor), at: props.clock.now() } }
      if (state === undefined && answered.length === 0) return told
      try {
        return { ...told, states: [await sealNote(props, key, state)] }
      } catch (e) {
        return error(`${call.name} was given up: what its server noted with a question could not be kept (${thrownMessage(e)})`)
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
    const once = !props.repeats(tool) || traffic.hasSent()
    if (once || conflicts(files, props.journal).length === 0 || signal.aborted)
      return {
        signal: {
          type: "tool.result",
          key,
          result: {
            ...done,
            private: isPrivate,
            wrote,
            ...(files.length > 0 ? { changed: files } : {}),
            ...defined({ child }),
            ...(traffic.isUnclear(done) ? { uncertain: true } : {}),
          },
        },
        files,
        ...(once ? { once } : {}),
      }
    if (n === CLASHES) return error(`another step changed the same file at the same time; read it again and repeat the change`)
  }
}

/** A session reads the skills that its agent declares, not the skills of other agents in the run. */
function own(library: SkillLibrary, names: readonly string[]): SkillLibrary {
  return {
    names: () => library.names().filter((n) => names.includes(n)),
    files: (skill) => (names.includes(skill) ? library.files(skill) : undefined),
    read: async (skill, file) => (names.includes(skill) ? library.read(skill, file) : undefined),
  }
}
