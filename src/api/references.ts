// Declares references [C20–C22] and plans [C30]: their kinds, and those that runs have stored.

import { z } from "zod"
import type { PlanSpec } from "../core/plans/plan-spec.ts"
import type { ReferenceKind as StoredKind } from "../core/references/reference-kind.ts"
import { MAX_DEFINITION, name, objectWithin, recordOf, url } from "../core/schema/bounded.ts"
import { flag, PAGE, type Routes } from "./route/route.ts"
import { collection, collectionRoutes } from "./stored.ts"
import { later } from "../core/schema/later.ts"

/** The body of a kind; core/references/reference-kind.ts checks the schema itself. */
export const KindBody = later(() =>
  z.strictObject({
    schema: objectWithin(MAX_DEFINITION),
    ttl_ms: z.int().min(0).exactOptional(),
    glimpse: z
      .strictObject({ fields: z.array(name).max(100).exactOptional(), max_items: z.int().min(0).max(100).exactOptional() })
      .exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type ReferenceKind = z.input<typeof KindBody>

/** The body of a kind of plan; core/plans/plan-spec.ts checks the rest. */
export const PlanBody = later(() =>
  z.strictObject({
    schema: objectWithin(MAX_DEFINITION),
    display_aliases: recordOf(name, 100).exactOptional(),
    dispatcher: z.union([z.strictObject({ url, secret: name }), z.strictObject({ binding: name })]),
  }),
)
/** The type of the request body for clients. */
export type PlanKind = z.input<typeof PlanBody>

const MOST_REFERENCE_KINDS = 200 // limit: kinds of references of a tenant → 409 `too_many_kinds`
const MOST_PLAN_KINDS = 200 // limit: kinds of plans of a tenant → 409 `too_many_kinds`

export const REFERENCE_KINDS = collection<StoredKind>()({
  one: "ReferenceKind",
  path: "/v1/references",
  param: "kind",
  body: KindBody,
  shape: "ReferenceKind",
  most: MOST_REFERENCE_KINDS,
  noun: "a kind of reference",
  nouns: "kinds of references",
  put: "Define a kind of reference: the schema of its values, and how long they are kept",
  remove: "Remove a kind and all its references",
  tag: "Tools",
  read: "tools:call",
  write: "admin",
})

export const PLAN_KINDS = collection<PlanSpec>()({
  one: "Plan",
  path: "/v1/plans",
  param: "plan",
  body: PlanBody,
  shape: "PlanKind",
  most: MOST_PLAN_KINDS,
  noun: "a kind of plan",
  nouns: "kinds of plans",
  put: "Define a kind of plan: the schema of its body, and the dispatcher that carries out its actions",
  tag: "Tools",
  read: "admin",
  write: "admin",
})

export const references = {
  ...collectionRoutes(REFERENCE_KINDS),
  createReference: {
    method: "POST",
    path: "/v1/references/:kind",
    scope: "tools:call",
    tag: "Tools",
    summary: "Store a value behind a reference",
    description: "The body is the value. An equal value gets the same id.",
    query: { untrusted: flag("1 marks the value as coming from outside, which taints its readers.") },
    media: { "application/json": "json" },
    answers: {
      200: { description: "The value was already stored.", body: "Reference" },
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
  ...collectionRoutes(PLAN_KINDS),
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
