// executePlan: hands a plan's actions to its dispatcher, once [C34, C35, T41]. The guard decides whether to ask a person first, as for
// any other call that changes something; a person who wants a different plan answers before execution gets here.

import { EXECUTE_PLAN } from "../../core/tool/toolkits.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { marked, PLAN_ID, planShown, plansOf } from "./plan-tool.ts"
import { string } from "../files/workspace-file.ts"

/** Longer than the dispatcher's own limit. */
const LONGEST = 120_000 // limit: milliseconds of a plan's execution → the tool fails; the outcome is unknown

export const executePlan: Tool = {
  name: EXECUTE_PLAN,
  label: "Execute plan",
  description:
    "Carry out a stored plan. A person may be asked first, and may reject it or want it revised: then the answer says `should_revise`. A plan is executed once.",
  parameters: { type: "object", properties: { planId: PLAN_ID }, required: ["planId"], additionalProperties: false },
  effect: "write",
  reach: { method: { fixed: "POST" } },
  contexts: ["agent"],
  timeout: LONGEST,
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    const done = await plansOf(powers).execute(string(params, "planId"), signal)
    if (!done.ok) throw new Error(done.message)
    const { body: _body, ...shown } = planShown(done.plan)
    // The dispatcher may repeat what the plan said.
    return marked(done.plan, text(JSON.stringify(shown), shown))
  },
}
