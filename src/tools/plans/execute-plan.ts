// executePlan: a plan's actions are handed to its dispatcher, once [C34, C35, T41]. Whether a person is asked first is the guard's, as for
// any other call that changes something; the answer of one who wants another plan never comes here.

import { EXECUTE_PLAN } from "../../core/flow/toolkits.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { PLAN_ID, planShown, plansOf } from "./plan-tool.ts"
import { string } from "../files/workspace-file.ts"

/** More than its dispatcher is given. */
const LONGEST = 120_000

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
    return text(JSON.stringify(shown), shown)
  },
}
