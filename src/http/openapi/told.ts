// How one route is described: what the document of the API says of it [H11]. The description names the very schema objects that the
// handler parses with; what follows from the route itself (key, scope, path parameters, Idempotency-Key) is added by document.ts.

import type { z } from "zod"
import type { Code } from "../middleware/problem.ts"

export const TAGS = {
  Runs: "Start runs of flows, watch them, steer them.",
  Interactions: "What runs ask of people, and the answers.",
  Catalog: "The tenant's flows, agents, skills and handlers.",
  Architect: "Flows and agents written by an agent, accepted by a person.",
  Tools: "Tools called from outside a run, tools of one's own, MCP servers, shared files.",
  Webhooks: "Deliveries from outside that start runs.",
  Callbacks: "Signed messages about runs to receivers of one's own.",
  Schedules: "Runs by the clock.",
  Settings: "Model providers, roles, prices, policy, budget, secrets, CORS, retention.",
  Keys: "The tenant's API keys.",
  Tenants: "For the instance's admin key: tenants, their quotas and keys.",
  Instance: "Health, and this document.",
} as const
export type Tag = keyof typeof TAGS

export interface Parameter {
  readonly schema: z.ZodType
  readonly says: string
}

/** Media type → schema; `bytes`: as they are. */
export type Media = Readonly<Record<string, z.ZodType | "bytes">>

export interface Answer {
  readonly says: string
  /** A schema alone is JSON; absent: no body. */
  readonly body?: z.ZodType | Media
  readonly headers?: readonly AnswerHeader[]
}

export type AnswerHeader = "location" | "etag" | "preference-applied" | "content-disposition" | "ratelimit" | "ratelimit-policy"

export interface Told {
  /** operationId: unique, and stable once it is published. */
  readonly id: string
  readonly tag: Tag
  /** One line. */
  readonly does: string
  readonly more?: string
  readonly query?: Readonly<Record<string, Parameter>>
  readonly headers?: Readonly<Record<string, Parameter>>
  /** The schema that the handler parses the body with, or text and bytes by their media types. */
  readonly body?: z.ZodType | Media
  /** The body may be left out. */
  readonly optional?: true
  readonly answers: Readonly<Record<number, Answer>>
  /** Codes of problem documents beyond those that every such route can give. */
  readonly refuses?: readonly Code[]
  /** It looks after its own repeats, so no Idempotency-Key goes with it [H4]. */
  readonly noKey?: true
  /** A run's token in `?token=` opens it too [H1]. */
  readonly token?: true
}

/** `METHOD /path/{parameter}` → what it does. */
export type Table = Readonly<Record<string, Told>>
