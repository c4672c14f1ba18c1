// getPlan: a plan of this run with its state; null when there is none [C33, T41].

import { text, type Tool } from "../../ports/tool.ts"
import { marked, PLAN_ID, planShown, plansOf } from "./plan-tool.ts"
import { string } from "../files/workspace-file.ts"

export const getPlan: Tool = {
  name: "getPlan",
  label: "Get plan",
  description: "Get a stored plan: its kind, its status, its actions. null if no plan has that id.",
  parameters: { type: "object", properties: { planId: PLAN_ID }, required: ["planId"], additionalProperties: false },
  effect: "read",
  contexts: ["agent"],
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const plan = await plansOf(powers).get(string(params, "planId"))
    if (!plan) return text("null", null)
    const shown = planShown(plan)
    return marked(plan, text(JSON.stringify(shown), shown))
  },
}
