// Reads the body of a plan [C30, C31]: checks the form that the planner sends, and stores actions as {kind, payload, references}.

import { defined } from "../defined.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { valueFaults } from "../schema/strict-value.ts"
import { discriminatorOf, type PlanSpec } from "./plan-spec.ts"

export interface ReferenceName {
  readonly kind: string
  readonly id: string
}

export interface PlanAction {
  readonly kind: string
  readonly payload: JsonObject
  readonly references: readonly ReferenceName[]
}

const MAX_ACTIONS = 500 // limit: actions of a plan → the plan is refused
const MAX_REFERENCES = 100 // limit: references of a plan → the plan is refused

/** The error is a sentence for the planner. The body's other members are the plan's context and stay unchanged. */
export function readPlanBody(spec: Pick<PlanSpec, "name" | "schema">, body: JsonObject): Result<JsonObject, string> {
  const { actions } = body
  if (actions === undefined) return err("the plan has no actions: its body needs a list `actions`")
  if (!Array.isArray(actions)) return err("`actions` must be a list of actions")
  if (actions.length === 0) return err("`actions` is empty: a plan needs at least one action")
  if (actions.length > MAX_ACTIONS) return err(`the plan has ${actions.length} actions; at most ${MAX_ACTIONS} are allowed`)
  const faults = valueFaults(spec.schema, body)
  if (faults.length > 0)
    return err(`the body does not fit the plan kind "${spec.name}": ${faults.map((f) => `${f.path || "body"}: ${f.message}`).join("; ")}`)
  const tag = discriminatorOf(spec.schema)
  const read: Json[] = []
  for (const [i, action] of actions.entries()) {
    const one = readAction(action, tag)
    if (!one.ok) return err(`actions/${i}: ${one.error}`)
    const { kind, payload, references } = one.value
    read.push({ kind, payload, references: references.map((r) => ({ ...r })) })
  }
  return ok({ ...body, actions: read })
}

function readAction(action: Json, tag: string): Result<PlanAction, string> {
  if (!isObject(action)) return err("must be an object with `kind`")
  const { [tag]: kind, references, ...payload } = action as JsonObject
  if (typeof kind !== "string" || kind === "") return err(`\`${tag}\` must be a text that names the kind of action`)
  if (references !== undefined && (!Array.isArray(references) || references.length > MAX_REFERENCES))
    return err(`\`references\` must be a list of {kind, id}, at most ${MAX_REFERENCES}`)
  const names: ReferenceName[] = []
  for (const one of references ?? []) {
    const name = isObject(one) ? one : {}
    if (typeof name["kind"] !== "string" || typeof name["id"] !== "string") return err("each item of `references` must be {kind, id}")
    names.push({ kind: name["kind"], id: name["id"] })
  }
  return ok({ kind, payload, references: names })
}

/** The actions of a body that readPlanBody returned. */
export function actionsOf(body: JsonObject): readonly PlanAction[] {
  const { actions } = body
  return Array.isArray(actions) ? (actions as unknown as readonly PlanAction[]) : []
}

export const contextOf = ({ actions: _actions, ...context }: JsonObject): JsonObject => context

/** A dispatcher's optional answer to an action: how much it changed [C35]. */
export interface Dispatched {
  readonly entitiesAffected: number
  readonly summary?: string
  readonly details?: Json
}

/** Reads a dispatcher's answer. The error says why the plan failed. */
export function readDispatched(answer: unknown): Result<Dispatched | null, string> {
  if (answer === null || answer === undefined) return ok(null)
  if (!isObject(answer)) return err("the dispatcher's answer must be null or an object")
  const { entitiesAffected, summary, details, ...others } = answer
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return err(`the dispatcher's answer has the unknown member ${JSON.stringify(unknown.slice(0, 64))}`)
  if (typeof entitiesAffected !== "number" || !Number.isSafeInteger(entitiesAffected) || entitiesAffected < 0)
    return err("the dispatcher's answer needs entitiesAffected, a whole number of at least 0")
  if (summary !== undefined && typeof summary !== "string") return err("the dispatcher's summary must be a text")
  return ok({ entitiesAffected, ...defined({ summary, details: details === undefined ? undefined : (details as Json) }) })
}
