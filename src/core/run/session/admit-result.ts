// Admits the results of tools: the event of a result with its taint, and the cost of the call. Judges, and changes nothing.

import { defined } from "../../defined.ts"
import type { Amount } from "../../money/amount.ts"
import { changesOutside } from "../../tool/outside.ts"
import { ok } from "../../result.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { ToolCall } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { keptBelow } from "../effects/kept-bounds.ts"
import { READ_OUTPUT } from "./grant.ts"
import { TOOL_SEARCH, toolsFound } from "./tool-search.ts"
import { MAX_STEP_FILES } from "./files/step-files.ts"
import type { CalledRun, Signal, ToolResult } from "../signal.ts"
import { changedFiles } from "../steps/changed-files.ts"
import type { OpenCall, Run, StepState } from "../state.ts"
import { calledKey, isCallKey } from "../key.ts"
import { type Admitted, refuse, working } from "./admit-session.ts"

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
