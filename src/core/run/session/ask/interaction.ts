// Builds questions to a person [Q1], [Q2]: their payloads, the accepted answers, and the results of answers.

import { isObject, type Json, type JsonObject } from "../../../json.ts"
import { ok, err, type Result } from "../../../result.ts"
import { validateArgs } from "../../../schema/validate-args.ts"
import type { AskReason } from "../../../tool/policy/policy.ts"
import type { Effect } from "../../../tool/tool-spec.ts"
import { whyOutside, type Origin } from "../../../flow/origin.ts"
import type { ContentPart, ToolCall } from "../../event-parts.ts"
import type { FactOf } from "../../event.ts"
import type { Answer, PlanShown } from "../../signal.ts"
import type { Interaction } from "../../state.ts"

/**
 * [Q1] At most this many questions of a run are open. A call that would ask one more is refused; a question about a budget waits. A fork
 * never reaches the limit, because no other step is open beside it [F10].
 */
export const MAX_QUESTIONS = 20 // limit: open questions of a run → the call that asks is refused; a fork or a budget waits

export const tooManyQuestions = (tool: string): string =>
  `${tool} was not run: ${MAX_QUESTIONS} questions of this run are open, and no more may be. Go on without it, or call it again once a person has answered some.`

const cancel: JsonObject = {
  type: "object",
  properties: { cancelled: { const: true } },
  required: ["cancelled"],
  additionalProperties: false,
}

const exactly = (name: string, schema: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { [name]: schema, ...optional },
  required: [name],
  additionalProperties: false,
})

/** [Q2] The reason why a person could not answer this question; undefined: it can be asked. */
export const questionFault = (args: JsonObject): string | undefined =>
  args["type"] === "select" && !Array.isArray(args["options"])
    ? 'options: a question of type "select" needs the options to choose from; for free text, use type "input"'
    : undefined

/** `ask_user` as an interaction: the payload has the call's arguments, and the schema describes the answer's body. */
export function askUser(id: string, step: string, agent: string, call: ToolCall, args: JsonObject): FactOf<"interaction.asked"> {
  const notes: JsonObject = { notes: { type: "string", maxLength: 10_000 } }
  const alternatives: Json[] = [exactly("answer", answerSchema(args), notes)]
  if (args["type"] === "select" && args["allowCustom"] === true)
    alternatives.push(exactly("custom", { type: "string", minLength: 1, maxLength: 100_000 }))
  alternatives.push(exactly("auto", { const: true }), cancel)
  return {
    type: "interaction.asked",
    id,
    kind: "ask_user",
    step,
    callId: call.id,
    payload: { agent, ...args },
    schema: { oneOf: alternatives },
  }
}

function answerSchema(args: JsonObject): JsonObject {
  if (args["type"] === "confirm") return { type: "boolean" }
  if (args["type"] === "input" || !Array.isArray(args["options"])) return { type: "string", maxLength: 100_000 }
  const one: JsonObject = { enum: args["options"] }
  return args["multiSelect"] === true ? { type: "array", items: one, uniqueItems: true } : one
}

export interface ApprovalReason {
  readonly reason: AskReason
  readonly effect: Effect
  /** [G11] What came with a message or an answer, if the session was marked by that. */
  readonly origins?: readonly Origin[] | undefined
  /** [Q3] SHA-256 of this exact call. */
  readonly hash: string
  /** ms */ readonly expires: number
}

/** [Q3] Asks for approval of a call. The call will run exactly as shown, byte for byte. */
export function askApproval(
  id: string,
  step: string,
  call: ToolCall,
  args: JsonObject,
  shown: ApprovalReason,
): FactOf<"interaction.asked"> {
  const { reason, effect, hash, expires, origins = [] } = shown
  const why = reason === "tainted" && origins.length > 0 ? { outside: [...origins], declare: whyOutside(origins) } : {}
  const decide = (decision: string, optional: JsonObject = {}): JsonObject => exactly("decision", { const: decision }, optional)
  const words: JsonObject = { type: "string", maxLength: 65_536 }
  const edit: JsonObject = {
    ...decide("edit", { args: { type: "object" }, hash: { type: "string" }, feedback: words }),
    required: ["decision", "args"],
  }
  return {
    type: "interaction.asked",
    id,
    kind: "approval.tool",
    step,
    callId: call.id,
    payload: { tool: call.name, args, callId: call.id, hash, reason, effect, ...why },
    schema: {
      oneOf: [decide("approve", { hash: { type: "string" }, feedback: words }), decide("reject", { feedback: words }), edit, cancel],
    },
    risk: reason === "tainted" ? "high" : effect === "write" ? "medium" : "low",
    expires,
    default: "reject",
  }
}

/** [T41] Asks for approval of a plan. The whole plan is shown, and exactly that plan is executed. */
export function askPlan(
  id: string,
  step: string,
  call: ToolCall,
  args: JsonObject,
  plan: PlanShown,
  shown: ApprovalReason,
): FactOf<"interaction.asked"> {
  const asked = askApproval(id, step, call, args, shown)
  const { plan: name, planId, body } = plan
  const alternatives = Array.isArray(asked.schema["oneOf"]) ? asked.schema["oneOf"] : []
  // [C16] A revision may come without a partial plan.
  const forms = alternatives.map((form): Json => {
    const s = isObject(form) ? (form as JsonObject) : {}
    const properties = s["properties"]
    return isObject(properties) && Object.hasOwn(properties, "args") ? { ...s, required: ["decision"] } : form
  })
  return { ...asked, kind: "approval.plan", payload: { plan: name, planId, body, ...asked.payload }, schema: { oneOf: forms } }
}

/** [C34] The agent's result when a person asks for a revised plan. It is a success, because the agent can continue. */
export function revisedContent(planId: Json, { args, feedback }: Answer): ContentPart[] {
  const content = { rejected: true, should_revise: true, plan_id: planId, partial: args ?? null, ...(feedback ? { feedback } : {}) }
  return [{ type: "text", text: JSON.stringify(content) }]
}

/** Checks the body against the interaction's schema. Errors name the path and the valid values; the question stays open. */
export function checkAnswer(i: Pick<Interaction, "schema">, body: Answer): Result<true, { path: string; message: string }[]> {
  const given = Object.entries(body).filter(([, v]) => v !== undefined)
  const alternatives = Array.isArray(i.schema["oneOf"]) ? i.schema["oneOf"] : [i.schema]
  let closest: { path: string; message: string }[] | undefined
  for (const schema of alternatives) {
    const s = schema as JsonObject
    const required = Array.isArray(s["required"]) ? s["required"] : []
    const r = validateArgs(s, Object.fromEntries(given))
    // A coerced answer is not the answer given: "5" is not the option 5.
    if (r.ok && given.every(([k, v]) => JSON.stringify(r.value[k]) === JSON.stringify(v))) return ok(true)
    if (required.every((k) => typeof k === "string" && given.some(([g]) => g === k)))
      closest = r.ok ? [{ path: "/answer", message: "does not have the type that the question asks for" }] : r.error
  }
  return err(closest ?? [{ path: "", message: `send one of: ${alternatives.map(shape).join(", ")}` }])
}

const shape = (schema: Json): string => {
  const s = schema as JsonObject
  return `{${Array.isArray(s["required"]) ? s["required"].filter((k) => typeof k === "string").join(", ") : ""}}`
}

/** The tool result for the agent that asked: `{answer}`, or `{cancelled}` or `{auto}`. */
export function answerContent(body: Answer): ContentPart[] {
  const value: Record<string, Json> = {}
  if (body.cancelled) value["cancelled"] = true
  else if (body.auto) value["auto"] = true
  else value["answer"] = body.custom ?? body.answer ?? null
  if (body.notes !== undefined && body.notes !== "") value["notes"] = body.notes
  return [{ type: "text", text: JSON.stringify(value) }]
}
