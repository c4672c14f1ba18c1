// Puts the calls that a step makes itself before the guard [F26]: with the tenant's rules of now, and for each call the digest to which an approval
// is bound. In a rehearsal they have the answers of its script, in a trial those of its recording [V35].
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import { canonical } from "../../../core/json.ts"
import type { Effect } from "../../../core/run/begin.ts"
import { isKept } from "../../../core/run/effects/keep.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { goingOut } from "../../../core/tool/reach.ts"
import type { Performed } from "../conduct/stage.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { givenResult, withRecorded } from "./given-result.ts"
import { callDigests } from "./turn-digests.ts"

type Caller = Pick<Extract<Effect, { do: "make-calls" }>, "key" | "step">

/** Reads the run at once, and puts the calls before the guard when they are known. */
export function callsOf(props: EffectDeps, run: Run, { key, step: id }: Caller): (calls: readonly ToolCall[]) => Promise<Performed> {
  const { pass, session } = stepState(run, id)
  const place = [run.id, id, pass, session?.turn ?? 0]
  const { plan, trial } = run
  const { version } = run.rules
  const recording = trial?.recording
  const answer = run.rehearsed ? rehearsal(props, run, id) : undefined
  return async (calls) => {
    const given = await withRecorded(props, { recording, plan }, id, answer ? await answer(calls) : calls)
    const rules = await props.rules(version)
    const digests = callDigests(given, ({ id: call, name, args }) => props.hash(canonical([place, call, name, args])))
    return { signal: { type: "step.calls", key, calls: given, rules, at: props.clock.now(), digests } }
  }
}

/** [M3] The script's answers, in the order of the calls of this pass. What it says nothing of is not made if it would leave the run. */
function rehearsal(props: EffectDeps, run: Run, id: string): (calls: readonly ToolCall[]) => Promise<readonly ToolCall[]> {
  const { pass, session } = stepState(run, id)
  const script = props.scripted?.(id, pass) ?? []
  const from = session?.own?.made ?? 0
  const { plan, effects, unaccepted, drafts } = run
  return async (calls) => {
    const all: ToolCall[] = []
    for (const [i, call] of calls.entries()) {
      const said = script[from + i]
      const isSaid = said?.tool === call.name
      const tool = plan.tools.get(call.name)
      const mode = { effects, unaccepted, drafts }
      const stays = tool === undefined || goingOut(tool, call.args) === undefined || isKept(mode, call.name, tool, call.args)
      const result = isSaid ? said.result : stays ? undefined : { text: `Rehearsed: ${call.name}`, isError: false }
      all.push(result === undefined ? call : { ...call, result: await givenResult(props, call, result, { own: true }) })
    }
    return all
  }
}
