// The architect [F75]: an agent writes flows and agents, and a person accepts them into the catalog.

import { z } from "zod"
import { Amount } from "../core/money/amount.ts"
import { Thread } from "../core/run/thread.ts"
import { name } from "../core/schema/bounded.ts"
import { IF_MATCH, NoBody, PAGES, PAST_GATE, PREFER, type Routes, UNSTARTABLE } from "./route/route.ts"
import { later } from "../core/schema/later.ts"

/** Longer texts are files rather than wishes. */
const words = z.string().trim().min(1, "must not be empty").max(50_000)

export const OpenBody = later(() =>
  z.strictObject({
    task: words.exactOptional(),
    flow: name.exactOptional(),
    change: words.exactOptional(),
    thread: Thread.exactOptional(),
  }),
)
export const ReviseBody = later(() => z.strictObject({ notes: words, fresh: z.boolean().exactOptional() }))

export const RepairBody = later(() =>
  z.strictObject({
    notes: words.exactOptional(),
    budget: Amount.exactOptional(),
    thread: Thread.exactOptional(),
    scorer: name.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type RepairNotes = z.input<typeof RepairBody>

/** The type of the request body for clients: a task, or a flow with the requested change. */
export type ArchitectWish = ({ readonly task: string } | { readonly flow: string; readonly change: string }) & { readonly thread?: string }

const BEGUN = {
  200: {
    description: "The session's run ended within `Prefer: wait`.",
    body: "ArchitectSession",
    headers: ["location", "preference-applied", "etag"],
  },
  202: { description: "The architect is working.", body: "ArchitectBegun", headers: ["location", "preference-applied"] },
} as const

export const architect = {
  openArchitect: {
    method: "POST",
    path: "/v1/architect",
    scope: "catalog:write",
    also: ["runs:write"],
    tag: "Architect",
    summary: "Ask the architect for a flow, or for a change of one",
    description: "Send either `task`, or `flow` and `change`.",
    headers: { prefer: PREFER },
    body: OpenBody,
    answers: BEGUN,
    problems: ["not_found", "too_many_sessions", ...UNSTARTABLE],
  },
  repairRun: {
    method: "POST",
    path: "/v1/runs/:run/repair",
    scope: "runs:write",
    also: ["catalog:write", "runs:read"],
    tag: "Architect",
    summary: "Ask the architect to repair the flow of a run that failed or scored low",
    description:
      "Opens a session with a report on the run: why it failed, and the failing step's prompt, tools, conversation and refusals. The proposal is tried before the session is ready: the run continues from the failed step, staged; the flow's tests run; its newest 20 runs are played again. A run that succeeded with a score below `low` of its flow's scoring rule is repaired too: the report begins with the score and its reason, and the run is tried from the start, dry, and scored again by the same scorer. GET of the session shows the difference and the results; nothing is written until a person accepts.",
    headers: { prefer: PREFER },
    body: RepairBody,
    optional: true,
    answers: BEGUN,
    problems: [
      "not_found",
      "run_not_failed",
      "not_forkable",
      "too_many_sessions",
      "invalid_flow",
      "unknown_agent",
      "no_price",
      "no_model",
      "unsupported",
      "quota",
      "storage_full",
    ],
  },
  listArchitect: {
    method: "GET",
    path: "/v1/architect",
    scope: "catalog:read",
    tag: "Architect",
    summary: "List the architect's sessions, newest first",
    query: PAGES,
    answers: { 200: { description: "A page of sessions.", body: "ArchitectRow[]" } },
  },
  getArchitect: {
    method: "GET",
    path: "/v1/architect/:session",
    scope: "catalog:read",
    tag: "Architect",
    summary: "Read a session: its files, their diagnostics, and what they change",
    answers: { 200: { description: "The session.", body: "ArchitectSession", headers: ["etag"] } },
  },
  discardArchitect: {
    method: "DELETE",
    path: "/v1/architect/:session",
    scope: "catalog:write",
    tag: "Architect",
    summary: "Discard a session and its files",
    answers: { 204: { description: "Discarded." } },
    problems: ["session_over"],
  },
  acceptArchitect: {
    method: "POST",
    path: "/v1/architect/:session/accept",
    scope: "catalog:write",
    tag: "Architect",
    summary: "Accept a session's files into the catalog, as one revision",
    query: { force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    body: NoBody,
    optional: true,
    answers: { 200: { description: "Accepted.", body: "ArchitectAccepted" } },
    problems: [
      "architect_working",
      "architect_not_ready",
      "session_over",
      "gate_failed",
      "gate_pending",
      "catalog_moved",
      "catalog_full",
      "not_written",
      "stale",
      "unsupported",
    ],
  },
  reviseArchitect: {
    method: "POST",
    path: "/v1/architect/:session/revise",
    scope: "catalog:write",
    also: ["runs:write"],
    tag: "Architect",
    summary: "Send a session back with notes",
    headers: { prefer: PREFER },
    body: ReviseBody,
    answers: BEGUN,
    problems: ["architect_working", "session_over", ...UNSTARTABLE],
  },
} as const satisfies Routes
