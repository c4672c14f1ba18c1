// Describes the API's answers about references and plans.

import { z } from "zod"
import { PLAN_STATES } from "../../core/plans/plan-state.ts"
import { KindBody, PlanBody } from "../references.ts"
import { documented, JsonObject, Time, type FieldTexts } from "./shape.doc.ts"

const KIND_FIELDS: FieldTexts = {
  schema: "JSON Schema of the values.",
  ttl_ms: "The lifetime of a value in milliseconds; by default until its kind is removed.",
  glimpse: [
    "The glimpse of a value for models.",
    { fields: "The shown fields of an object.", max_items: "The number of shown items of a list." },
  ],
}
const PLAN_FIELDS: FieldTexts = {
  schema: "JSON Schema of a plan's body.",
  display_aliases: "State → its display name.",
  dispatcher: [
    "The executor of a plan's actions: a signed webhook, or a service binding of the instance.",
    {
      url: "The address of the dispatcher; https, and a public host.",
      secret: "The name (scope) of the secret in the vault whose values sign the request.",
      binding: "A service binding whose name starts with `DISPATCH_`.",
    },
  ],
}

export const ReferenceKind = z.strictObject({ name: z.string().describe("The kind's name."), ...KindBody.shape })
export type KindRow = z.output<typeof ReferenceKind>

const reference = {
  kind: z.string().describe("The reference's kind."),
  id: z.string().describe("The reference's id; equal values have the same id."),
  glimpse: JsonObject.describe("The glimpse of the value for models."),
  untrusted: z.literal(true).exactOptional().describe("Whether the value comes from outside and taints its readers."),
}
export const Reference = z.strictObject(reference)
export type Reference = z.output<typeof Reference>
export const ResolvedReference = z.strictObject({ ...reference, value: z.json().exactOptional().describe("The value.") })
export type Resolved = z.output<typeof ResolvedReference>

export const PlanKind = z.strictObject({ name: z.string().describe("The kind's name."), ...PlanBody.shape })
export type PlanKindRow = z.output<typeof PlanKind>

const PlanResult = z.strictObject({
  entitiesAffected: z.int().describe("The number of changed entities."),
  summary: z.string().exactOptional().describe("The result in words."),
  details: z.json().exactOptional().describe("The result as data."),
})
export const RunPlan = z.strictObject({
  planId: z.string().describe("The plan's id."),
  plan: z.string().describe("The plan's kind."),
  state: z.enum(PLAN_STATES).describe("The plan's state."),
  display: z.string().exactOptional().describe("A description of the plan for people."),
  body: JsonObject.describe("The plan itself."),
  result: z.union([z.null(), PlanResult]).exactOptional().describe("The dispatcher's answer; null if there was none."),
  error: z.string().exactOptional().describe("Why the execution failed."),
  tainted: z.literal(true).exactOptional().describe("Present if its author had read text from outside."),
  private: z.literal(true).exactOptional().describe("Present if its author had read the tenant's private data."),
})
export type RunPlan = z.output<typeof RunPlan>

/** The request to a dispatcher with a `url`, which answers nothing, null, or a PlanResult. */
export const PlanExecution = z.object({
  type: z.literal("plan.execute").describe("A plan is to be carried out."),
  timestamp: Time.describe("When the message was sent."),
  data: z
    .object({
      tenant: z.string().describe("The tenant whose plan it is."),
      run: z.string().describe("The run that the plan belongs to."),
      plan: z.string().describe("The plan's kind."),
      planId: z.string().describe("The plan's id, unique within its run."),
      actions: z
        .array(
          z.object({
            kind: z.string().describe("The kind of action."),
            payload: JsonObject.describe("The action's arguments."),
            references: z
              .array(z.object({ kind: z.string().describe("The reference's kind."), id: z.string().describe("The reference's id.") }))
              .describe("The values that the action needs."),
          }),
        )
        .describe("The actions, in order."),
      context: JsonObject.describe("The other fields of the plan."),
      resolved_refs: z.record(z.string(), JsonObject).describe("Kind → id → the value behind that reference."),
    })
    .describe("The plan."),
})

const SCHEMA = { type: "object", properties: { email: { type: "string" } }, required: ["email"] }
const PLAN = { schema: { type: "object", required: ["actions"] }, dispatcher: { url: "https://crm.example.com/plans", secret: "crm" } }
const KIND = { schema: SCHEMA, ttl_ms: 86_400_000, glimpse: { fields: ["email"] } }
const REFERENCE = { kind: "customer", id: "ref_5e884898da28047151d0e56f", glimpse: { email: "ada@example.com" } }

export const referencesDoc = documented({
  parameters: {
    id: { description: "The reference's id.", example: "ref_5e884898da28047151d0e56f" },
    kind: { description: "The reference kind's name.", example: "customer" },
    plan: { description: "The plan kind's name.", example: "crm-update" },
  },
  shapes: { KindBody, PlanBody, PlanExecution, PlanKind, PlanResult, Reference, ReferenceKind, ResolvedReference, RunPlan },
  examples: {
    KindBody: KIND,
    PlanBody: PLAN,
    PlanExecution: {
      type: "plan.execute",
      timestamp: "2026-11-22T09:14:03.000Z",
      data: {
        tenant: "acme",
        run: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h",
        plan: "crm-update",
        planId: "plan_3c9909afec25354d",
        actions: [{ kind: "update", payload: { city: "Berlin" }, references: [{ kind: REFERENCE.kind, id: REFERENCE.id }] }],
        context: {},
        resolved_refs: { customer: { [REFERENCE.id]: { email: "ada@example.com" } } },
      },
    },
    PlanKind: { name: "crm-update", ...PLAN },
    PlanResult: { entitiesAffected: 1, summary: "One customer was updated." },
    Reference: REFERENCE,
    ReferenceKind: { name: "customer", ...KIND },
    ResolvedReference: { ...REFERENCE, value: { email: "ada@example.com" } },
    RunPlan: {
      planId: "plan_3c9909afec25354d",
      plan: "crm-update",
      state: "executed",
      display: "Update the address of ada@example.com",
      body: { actions: [{ kind: "update", payload: { city: "Berlin" }, references: [{ kind: REFERENCE.kind, id: REFERENCE.id }] }] },
      result: { entitiesAffected: 1 },
    },
  },
  fields: [
    [KindBody, KIND_FIELDS],
    [ReferenceKind, KIND_FIELDS],
    [PlanBody, PLAN_FIELDS],
    [PlanKind, PLAN_FIELDS],
  ],
})
