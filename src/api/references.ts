// References [C20–C22] and plans [C30]: their kinds, and what runs have stored.

import { z } from "zod"
import { flag, PAGE, type Routes } from "./route.ts"

/** core/references/reference-kind.ts checks the schema itself. */
export const KindBody = z.strictObject({
  schema: z.record(z.string(), z.json()),
  ttl_ms: z.int().min(0).exactOptional(),
  glimpse: z
    .strictObject({ fields: z.array(z.string()).exactOptional(), max_items: z.int().min(0).max(100).exactOptional() })
    .exactOptional(),
})
/** The type of the body that a client sends. */
export type ReferenceKind = z.input<typeof KindBody>

/** core/plans/plan-spec.ts checks the rest. */
export const PlanBody = z.strictObject({
  schema: z.record(z.string(), z.json()),
  display_aliases: z.record(z.string(), z.string()).exactOptional(),
  dispatcher: z.union([z.strictObject({ url: z.string(), secret: z.string() }), z.strictObject({ binding: z.string() })]),
})
/** The type of the body that a client sends. */
export type PlanKind = z.input<typeof PlanBody>

export const references = {
  listReferenceKinds: {
    method: "GET",
    path: "/v1/references",
    scope: "tools:call",
    tag: "Tools",
    summary: "List kinds of references",
    query: PAGE,
    answers: { 200: { description: "All kinds.", body: "ReferenceKind[]" } },
  },
  getReferenceKind: {
    method: "GET",
    path: "/v1/references/:kind",
    scope: "tools:call",
    tag: "Tools",
    summary: "Read a kind of reference",
    answers: { 200: { description: "The kind.", body: "ReferenceKind" } },
  },
  putReferenceKind: {
    method: "PUT",
    path: "/v1/references/:kind",
    scope: "admin",
    tag: "Tools",
    summary: "Define a kind of reference: the schema of its values, and how long they are kept",
    body: KindBody,
    answers: {
      200: { description: "Replaced.", body: "ReferenceKind" },
      201: { description: "Created.", body: "ReferenceKind" },
    },
    problems: ["too_many_kinds"],
  },
  deleteReferenceKind: {
    method: "DELETE",
    path: "/v1/references/:kind",
    scope: "admin",
    tag: "Tools",
    summary: "Remove a kind and all its references",
    answers: { 204: { description: "Removed." } },
  },
  createReference: {
    method: "POST",
    path: "/v1/references/:kind",
    scope: "tools:call",
    tag: "Tools",
    summary: "Store a value behind a reference",
    description: "The body is the value. The same value again gets the same id.",
    query: { untrusted: flag("1 marks the value as coming from outside, which taints its readers.") },
    media: { "application/json": "json" },
    answers: {
      200: { description: "The value was stored already.", body: "Reference" },
      201: { description: "Stored.", body: "Reference" },
    },
  },
  getReference: {
    method: "GET",
    path: "/v1/references/:kind/:id",
    scope: "tools:call",
    tag: "Tools",
    summary: "Read the value behind a reference",
    query: { glimpse: flag("1 leaves the value out.") },
    answers: { 200: { description: "The reference.", body: "ResolvedReference" } },
  },
  listPlans: {
    method: "GET",
    path: "/v1/plans",
    scope: "admin",
    tag: "Tools",
    summary: "List kinds of plans",
    query: PAGE,
    answers: { 200: { description: "All kinds.", body: "PlanKind[]" } },
  },
  getPlan: {
    method: "GET",
    path: "/v1/plans/:plan",
    scope: "admin",
    tag: "Tools",
    summary: "Read a kind of plan",
    answers: { 200: { description: "The kind.", body: "PlanKind" } },
  },
  putPlan: {
    method: "PUT",
    path: "/v1/plans/:plan",
    scope: "admin",
    tag: "Tools",
    summary: "Define a kind of plan: the schema of its body, and the dispatcher that carries out its actions",
    body: PlanBody,
    answers: { 200: { description: "Replaced.", body: "PlanKind" }, 201: { description: "Created.", body: "PlanKind" } },
    problems: ["too_many_kinds"],
  },
  deletePlan: {
    method: "DELETE",
    path: "/v1/plans/:plan",
    scope: "admin",
    tag: "Tools",
    summary: "Remove a kind of plan",
    answers: { 204: { description: "Removed." } },
  },
  listRunPlans: {
    method: "GET",
    path: "/v1/runs/:run/plans",
    scope: "runs:read",
    tag: "Runs",
    summary: "List the plans of a run and of its child runs, with their states",
    query: PAGE,
    answers: { 200: { description: "All plans, oldest first.", body: "RunPlan[]" } },
  },
} as const satisfies Routes
