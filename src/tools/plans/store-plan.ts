// storePlan: stores a plan as a draft for others to read, approve and execute [C30–C33, T41].

import { isObject, type JsonObject } from "../../core/json.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { PLAN_ID, plansOf } from "./plan-tool.ts"
import { string } from "../files/workspace-file.ts"

export const storePlan: Tool = {
  name: "storePlan",
  label: "Store plan",
  description:
    "Store a plan as a draft. Its body has a list `actions`, each {kind, …fields, references?: [{kind, id}]}. A stored plan never changes: a revised one gets another planId.",
  parameters: {
    type: "object",
    properties: {
      specName: { type: "string", minLength: 1, maxLength: 100, description: "The kind of plan." },
      planId: PLAN_ID,
      body: { type: "object", description: "The plan itself, in the form its kind requires." },
    },
    required: ["specName", "planId", "body"],
    additionalProperties: false,
  },
  effect: "write",
  // Storing the same plan under the same id twice stores it once.
  idempotent: true,
  contexts: ["agent"],

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const plans = plansOf(powers)
    const spec = string(params, "specName")
    const { plan: own, tainted, private: isPrivate } = powers.place ?? {}
    if (own !== undefined && spec !== own) throw new Error(`this agent stores plans of kind "${own}", not ${JSON.stringify(spec)}`)
    const body: JsonObject = isObject(params["body"]) ? (params["body"] as JsonObject) : {}
    const marks = { ...(tainted === true ? { tainted } : {}), ...(isPrivate === true ? { private: isPrivate } : {}) }
    const stored = await plans.store({ spec, planId: string(params, "planId"), body, ...marks })
    if (!stored.ok) throw new Error(stored.message)
    const { planId, plan, state } = stored.plan
    return text(JSON.stringify({ planId, specName: plan, status: state }), { planId, specName: plan, status: state })
  },
}
