// The body of a plan [C30, C31]: checked as the planner sends it, kept with its actions in one form, {kind, payload, references}.

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

const MOST_ACTIONS = 500
const MOST_REFERENCES = 100

/** The error is a sentence for the planner. Other members of the body stay as they are: the plan's context. */
export function readPlanBody(spec: Pick<PlanSpec, "name" | "schema">, body: JsonObject): Result<JsonObject, string> {
  const { actions } = body
  if (actions === undefined) return err("the plan has no actions: its body needs a list `actions`")
  if (!Array.isArray(actions)) return err("`actions` must be a list of actions")
  if (actions.length === 0) return err("`actions` is empty: a plan has one action at least")
  if (actions.length > MOST_ACTIONS) return err(`the plan has ${actions.length} actions; ${MOST_ACTIONS} are the most`)
  const faults = valueFaults(spec.schema, body)
  if (faults.length > 0)
    return err(`the body is no plan of the kind "${spec.name}": ${faults.map((f) => `${f.path || "body"}: ${f.message}`).join("; ")}`)
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
  if (typeof kind !== "string" || kind === "") return err(`\`${tag}\` must say what kind of action it is`)
  if (references !== undefined && (!Array.isArray(references) || references.length > MOST_REFERENCES))
    return err(`\`references\` must be a list of {kind, id}, at most ${MOST_REFERENCES}`)
  const names: ReferenceName[] = []
  for (const one of references ?? []) {
    const name = isObject(one) ? one : {}
    if (typeof name["kind"] !== "string" || typeof name["id"] !== "string") return err("each of `references` must be {kind, id}")
    names.push({ kind: name["kind"], id: name["id"] })
  }
  return ok({ kind, payload, references: names })
}

/** Of a body that was read before. */
export function actionsOf(body: JsonObject): readonly PlanAction[] {
  const { actions } = body
  return Array.isArray(actions) ? (actions as unknown as readonly PlanAction[]) : []
}

export const contextOf = ({ actions: _actions, ...context }: JsonObject): JsonObject => context

/** What an action's dispatcher answers: nothing, or how much it changed [C35]. */
export interface Dispatched {
  readonly entitiesAffected: number
  readonly summary?: string
  readonly details?: Json
}

/** The error is why the plan counts as failed. */
export function readDispatched(answer: unknown): Result<Dispatched | null, string> {
  if (answer === null || answer === undefined) return ok(null)
  if (!isObject(answer)) return err("the dispatcher answered something that is neither null nor an object")
  const { entitiesAffected, summary, details, ...others } = answer
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return err(`the dispatcher's answer has the unknown member ${JSON.stringify(unknown.slice(0, 64))}`)
  if (typeof entitiesAffected !== "number" || !Number.isSafeInteger(entitiesAffected) || entitiesAffected < 0)
    return err("the dispatcher's answer needs entitiesAffected, a whole number from 0")
  if (summary !== undefined && typeof summary !== "string") return err("the dispatcher's summary is no text")
  return ok({
    entitiesAffected,
    ...(summary === undefined ? {} : { summary }),
    ...(details === undefined ? {} : { details: details as Json }),
  })
}
