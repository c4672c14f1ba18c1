// References and plans: how each route of theirs is described.

import { z } from "zod"
import { PLAN_STATES } from "../../core/plans/plan-state.ts"
import { PlanBody } from "../tools/plans.ts"
import { KindBody } from "../tools/references.ts"
import { PAGE } from "./parameters.ts"
import { JsonObject, listOf } from "./shapes.ts"
import type { Table } from "./told.ts"

export const Kind = z.strictObject({ name: z.string(), ...KindBody.shape })
export const Shown = z.strictObject({ kind: z.string(), id: z.string(), glimpse: JsonObject, untrusted: z.literal(true).exactOptional() })
export const Resolved = z.strictObject({ ...Shown.shape, value: z.json().exactOptional() })
export const Plan = z.strictObject({ name: z.string(), ...PlanBody.shape })
export const PlanShown = z.strictObject({
  planId: z.string(),
  plan: z.string(),
  state: z.enum(PLAN_STATES),
  display: z.string().exactOptional(),
  body: JsonObject,
  result: z
    .union([
      z.null(),
      z.strictObject({ entitiesAffected: z.int(), summary: z.string().exactOptional(), details: z.json().exactOptional() }),
    ])
    .exactOptional(),
  error: z.string().exactOptional(),
})

const ORIGIN = { untrusted: { schema: z.enum(["0", "1"]), says: "1: the value came from outside, and taints who reads it." } }
const GLIMPSE = { glimpse: { schema: z.enum(["0", "1"]), says: "1: without the value." } }

export const REFERENCES: Table = {
  "GET /v1/references": {
    id: "listReferenceKinds",
    tag: "Tools",
    does: "List kinds of references",
    query: PAGE,
    answers: { 200: { says: "All of them.", body: listOf(Kind) } },
  },
  "GET /v1/references/{kind}": {
    id: "getReferenceKind",
    tag: "Tools",
    does: "Look at a kind of reference",
    answers: { 200: { says: "The kind.", body: Kind } },
  },
  "PUT /v1/references/{kind}": {
    id: "putReferenceKind",
    tag: "Tools",
    does: "Make a kind of reference: the schema of its values, and how long they live",
    body: KindBody,
    answers: { 200: { says: "Replaced.", body: Kind }, 201: { says: "Made.", body: Kind } },
    refuses: ["too_many_kinds"],
  },
  "DELETE /v1/references/{kind}": {
    id: "deleteReferenceKind",
    tag: "Tools",
    does: "Remove a kind and all its references",
    answers: { 204: { says: "Removed." } },
  },
  "POST /v1/references/{kind}": {
    id: "createReference",
    tag: "Tools",
    does: "Keep a value behind a reference",
    more: "The body is the value. The same value again gives the same id.",
    query: ORIGIN,
    body: z.json(),
    answers: { 200: { says: "It was there.", body: Shown }, 201: { says: "Kept.", body: Shown } },
  },
  "GET /v1/references/{kind}/{id}": {
    id: "getReference",
    tag: "Tools",
    does: "Read the value behind a reference",
    query: GLIMPSE,
    answers: { 200: { says: "The reference.", body: Resolved } },
  },
  "GET /v1/plans": {
    id: "listPlans",
    tag: "Tools",
    does: "List kinds of plans",
    query: PAGE,
    answers: { 200: { says: "All of them.", body: listOf(Plan) } },
  },
  "GET /v1/plans/{plan}": {
    id: "getPlan",
    tag: "Tools",
    does: "Look at a kind of plan",
    answers: { 200: { says: "The kind.", body: Plan } },
  },
  "PUT /v1/plans/{plan}": {
    id: "putPlan",
    tag: "Tools",
    does: "Make a kind of plan: the schema of its body, and who carries out its actions",
    body: PlanBody,
    answers: { 200: { says: "Replaced.", body: Plan }, 201: { says: "Made.", body: Plan } },
    refuses: ["too_many_kinds"],
  },
  "DELETE /v1/plans/{plan}": { id: "deletePlan", tag: "Tools", does: "Remove a kind of plan", answers: { 204: { says: "Removed." } } },
  "GET /v1/runs/{run}/plans": {
    id: "listRunPlans",
    tag: "Runs",
    does: "List the plans of a run and of those below it, with their states",
    query: PAGE,
    answers: { 200: { says: "Oldest first.", body: listOf(PlanShown) } },
  },
}
