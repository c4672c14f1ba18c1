// Defines a call: the context that every handler gets, and how handlers become routes.
//
// `tenant` is set once the key's scopes allow the route, so no handler can run without it [N1].

import type { Context } from "hono"
import type { Refused } from "../../api/route/error-forms.ts"
import type { Access, Method, RouteDoc, Routes } from "../../api/route/route.ts"
import type { Trace } from "../../core/trace.ts"
import type { Caller, InstanceServices, TenantServices } from "../../ports/services.ts"
import { RUN_ID } from "../../ports/run.ts"
import type { StoredAnswer } from "../../ports/tenant/idempotency.ts"

export type CallEnv = {
  Variables: {
    requestId: string
    /** [H8] The caller's trace. */
    trace?: Trace
    services: InstanceServices
    /** The body's bytes, read once and never over the limit. */
    body: Uint8Array
    caller: Caller
    tenant: TenantServices
    /** [H7] The tenant of the signed link that was opened: it says which pages may read the answer. */
    linkedTenant?: string
    /** Stored under an Idempotency-Key instead of an answer that is a stream or too large. */
    standIn?: StoredAnswer
    /** Members of the answer that are shown only once: an Idempotency-Key stores the answer without them [H4]. */
    shownOnce?: readonly string[]
    /** [H4] Under an Idempotency-Key: the id of this request's effect, the same for every attempt, so that it happens once. */
    act?: string
    /** [H4] A protocol answers a repeated request with what its run told. */
    isReplayed?: true
    /** An earlier attempt started under the same key and is not known to have ended. */
    unsure?: true
    /** Sends a request to this Worker's own routes. */
    again: (request: Request) => Promise<Response>
    /** [P10] Refuses as the protocol of the path does; undefined: in a problem document. */
    inOwnForm: (path: string, refusal: Refused) => Response | undefined
  }
}

export type Call = Context<CallEnv>
export type Handler = (c: Call) => Response | Promise<Response>
/** `declared` is absent for routes outside the document: pages for people, and MCP. */
export type HandledRoute = readonly [method: Method, path: string, scope: Access, handler: Handler, declared?: RouteDoc]

/** Handlers of declared routes, by the ids of their operations. A test asserts that every declared route has exactly one. */
export const routes = <T extends Routes>(declared: T, handlers: { readonly [Id in keyof T]?: Handler }): readonly HandledRoute[] =>
  Object.entries(declared).flatMap(([id, route]) => {
    const handler = handlers[id]
    return handler === undefined ? [] : [[route.method, route.path, route.scope, handler, route] as const]
  })

/** A path parameter, percent-decoded. Bad encodings and control characters are refused earlier with 404. */
export const param = (c: Call, name: string): string => c.req.param(name) ?? ""

export const isRunId = (id: string): boolean => RUN_ID.test(id)
