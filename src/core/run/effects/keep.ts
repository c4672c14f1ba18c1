// Keeps a call of a staged or dry run instead of carrying it out [K32, K33]. One decision records the call: nothing begins, so nothing can be lost.

import { canonical, type JsonObject } from "../../json.ts"
import { hookOf } from "../../tool/policy/approval.ts"
import { changesOutside } from "../../tool/outside.ts"
import { expandText } from "../../tool/http-template.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import type { ToolCall } from "../event-parts.ts"
import type { Fact } from "../event.ts"
import { writesDraft } from "../drafts.ts"
import { refused } from "../session/admit-session.ts"
import { personIn } from "../session/admit-result.ts"
import { stepState, type Run } from "../state.ts"
import { MAX_KEPT, MAX_KEPT_CHARS } from "./kept-bounds.ts"

const MAX_SIMULATED = 50_000 // limit: characters of what a tool's `simulate` says → the rest is left out

/** Tells whether this run keeps the call. It never keeps the writing of a draft, which changes nothing until a person accepts it [F77]. */
export const isKept = (
  run: { readonly [Mode in "effects" | "unaccepted" | "drafts"]?: Run[Mode] | undefined },
  name: string,
  tool: ToolSpec | undefined,
  args: JsonObject,
): boolean => (run.effects !== undefined || run.unaccepted === true) && !writesDraft(run, tool) && changesOutside(name, tool, args)

export function keep(run: Run, step: string, call: ToolCall, args: JsonObject): Fact[] {
  const tool = run.plan.tools.get(call.name)
  const { kept, keptChars } = run.outside
  if (kept.length >= MAX_KEPT || keptChars + canonical(args).length > MAX_KEPT_CHARS)
    return [
      refused(
        step,
        call,
        "too_many",
        `${call.name} was not kept: a run keeps at most ${MAX_KEPT} calls with ${MAX_KEPT_CHARS} characters of arguments. Go on without it.`,
      ),
    ]
  const log = tool !== undefined && hookOf(run.rules.policy, tool) === "log"
  const text = tool?.simulate === undefined ? TOLD[run.effects ?? "dry"] : expandText(tool.simulate, args).slice(0, MAX_SIMULATED)
  return [
    { type: "tool.called", step, callId: call.id, tool: call.name, args, ...(log ? { hook: "log" } : {}) },
    {
      type: "tool.returned",
      step,
      callId: call.id,
      tool: call.name,
      isError: false,
      content: [{ type: "text", text: text === "" ? TOLD[run.effects ?? "dry"] : text }],
      staged: true,
      ...personIn(stepState(run, step).session?.open.find((o) => o.call.id === call.id)),
    },
  ]
}

const TOLD = {
  staged:
    "Not sent yet: the call is kept, and at the end of the run a person decides whether it is carried out. Go on as if it had succeeded.",
  dry: "Not sent: this is a dry run, so the call is not carried out. Go on as if it had succeeded.",
} as const
