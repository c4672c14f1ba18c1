// Performs one effect of the kernel through the ports, such as a model call or a tool call. Never rejects; a failure is a signal.
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import { lazy } from "../../core/lazy.ts"
import { offeredPass } from "./rounds/offered-pass.ts"
import { contextWindow } from "../../core/money/context-window.ts"
import type { Effect } from "../../core/run/begin.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import type { Stop } from "../../ports/model.ts"
import type { Performed } from "./conduct/stage.ts"
import { lookUpPass } from "./cached-pass.ts"
import { attachFiles } from "./begin/attach-files.ts"
import { fencesOf } from "./call/calling.ts"
import { compact } from "./compact.ts"
import { collect } from "./collect.ts"
import { keepsApart } from "../../core/run/session/apart.ts"
import { readContext } from "./read-context.ts"
import { runHandler } from "./call/run-code.ts"
import type { Workspace } from "../../ports/workspace.ts"
import { carryOut } from "./carry-out.ts"
import { scopedWorkspace } from "./call/scoped-workspace.ts"
import { StagedWorkspace } from "./call/staged-workspace.ts"
import { openSticky } from "./sticky-session.ts"
import type { EffectDeps } from "./call/effect-deps.ts"
import { callModel } from "./call/call-model.ts"
import { callsOf } from "./call/make-calls.ts"
import { runTool } from "./call/run-tool.ts"

const scoring = lazy(() => import("./rounds/score-round.ts"))

export async function perform(props: EffectDeps, run: Run, effect: Effect, stop: Stop): Promise<Performed> {
  switch (effect.do) {
    case "call-model":
      return callModel(props, run, effect, stop)
    case "run-tool":
      return runTool(props, run, effect, stop.signal)
    case "run-code": {
      // The run is read before the handler runs.
      const put = callsOf(props, run, effect)
      const result = await runHandler(props, run, effect, stop)
      return "calls" in result ? put(result.calls) : { signal: { type: "code.result", key: effect.key, result } }
    }
    case "make-calls":
      return callsOf(props, run, effect)(effect.calls)
    case "start-child": {
      const { key, index, step, most } = effect
      const asked = most && askJudge(props, run, step)
      return { signal: { type: "child.start", key, index, ...(await props.startChild(run, effect, stop.signal, asked)) } }
    }
    case "score": {
      const pass = offeredPass(run, effect.step)
      const { scoreRound } = await scoring()
      return { signal: await scoreRound(props, pass, effect.key, stop) }
    }
    case "put-back": {
      const { putBackFiles } = await scoring()
      return putBackFiles(props, effect)
    }
    case "collect":
      return collect(props, effect, marksOf(run, effect.step))
    case "compact":
      return compact(props, run, effect, stop.signal)
    case "lease":
      return { signal: { type: "leased", key: effect.key, lease: await props.lease(run.id, effect.key, effect.amount) } }
    case "read-context":
      return context(props, run, effect)
    case "look-up":
      return { signal: await lookUpPass(props, run, effect) }
    case "carry-out":
      return carryOut(props, run, effect, stop.signal)
    case "open-session":
      return { signal: { type: "session.open", key: effect.key, grant: await openSticky(props, run, effect, stop.signal) } }
  }
}

/** [V27] What a judge is asked is written when it starts. */
function askJudge(props: EffectDeps, run: Run, step: string): () => Promise<string> {
  const pass = offeredPass(run, step)
  return async () => (await scoring()).taskOfJudge(props, pass)
}

async function context(
  props: EffectDeps,
  run: Run,
  { key, step, agent: name, paths, attach }: Extract<Effect, { do: "read-context" }>,
): Promise<Performed> {
  const agent = run.plan.agents[name]
  const model = stepState(run, step).session?.model ?? ""
  const fences = agent ? fencesOf(run.plan, agent, model) : []
  const staged = new StagedWorkspace({ index: props.journal, blobs: props.blobs, now: () => props.clock.now() })
  const workspace = fences.reduce<Workspace>((inner, access) => scopedWorkspace(inner, access), staged)
  const read = await readContext(paths, { workspace, apart: keepsApart(run), nonce: () => props.hash(props.clock.id()).slice(0, 16) })
  const shown = await attachFiles(attach, { workspace, window: contextWindow(model) })
  const marks = { ...(staged.sawTainted ? { tainted: true as const } : {}), ...(staged.sawPrivate ? { private: true as const } : {}) }
  return { signal: { type: "context", key, step, read: { ...read, ...shown, ...marks } } }
}

/** Marks of the inputs and results of a step's children [G11]. */
function marksOf(run: Run, id: string): { readonly tainted: boolean; readonly private: boolean } {
  const s = stepState(run, id)
  return { tainted: run.tainted || s.tainted === true, private: run.private === true || s.private === true }
}
