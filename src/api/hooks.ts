// Declares incoming webhooks [W1–W3]: addresses whose signed deliveries start runs of a flow, and the log of deliveries.

import { z } from "zod"
import { HookBody } from "../core/webhook/hook-body.ts"
import type { GivenFiles } from "../core/run/given-file.ts"
import { MAX_GIVEN, within } from "../core/schema/bounded.ts"
import { NoBody, PAGE, PAGES, type Routes } from "./route/route.ts"

/** The type of the request body for clients. */
export type NewHook = Omit<z.input<typeof HookBody>, "mapping"> & {
  readonly mapping?: {
    readonly task?: string
    readonly inputs?: Record<string, z.core.util.JSONType>
    readonly files?: GivenFiles
    readonly thread?: string
  }
}

/** `body`: the body from the sender; by default a small sample of the hook's kind. `type`: its format. `event`: GitHub's event. */
export const HookTestBody = z.strictObject({
  body: within(z.json(), MAX_GIVEN).exactOptional(),
  type: z.enum(["json", "form"]).exactOptional(),
  event: z
    .string()
    .regex(/^[a-z_]{1,100}$/, "must be the name of an event, such as issues")
    .exactOptional(),
})
export type HookTestWish = z.input<typeof HookTestBody>

const HOOK = { description: "The hook.", body: "Hook" } as const

export const hooks = {
  listHooks: {
    method: "GET",
    path: "/v1/hooks",
    scope: "admin",
    tag: "Webhooks",
    summary: "List hooks, newest first",
    query: PAGE,
    answers: { 200: { description: "All hooks.", body: "Hook[]" } },
  },
  createHook: {
    method: "POST",
    path: "/v1/hooks",
    scope: "admin",
    tag: "Webhooks",
    summary: "Create a hook: an address whose deliveries start runs of a flow",
    body: HookBody,
    answers: { 201: HOOK },
    problems: ["too_many_hooks"],
  },
  getHook: { method: "GET", path: "/v1/hooks/:hook", scope: "admin", tag: "Webhooks", summary: "Read a hook", answers: { 200: HOOK } },
  putHook: {
    method: "PUT",
    path: "/v1/hooks/:hook",
    scope: "admin",
    tag: "Webhooks",
    summary: "Replace a hook's settings",
    description: "Fields that are left out get their defaults.",
    body: HookBody,
    answers: { 200: HOOK },
  },
  deleteHook: {
    method: "DELETE",
    path: "/v1/hooks/:hook",
    scope: "admin",
    tag: "Webhooks",
    summary: "Delete a hook",
    answers: { 204: { description: "Deleted." } },
  },
  deliver: {
    method: "POST",
    path: "/v1/hooks/:hook",
    scope: "open",
    tag: "Webhooks",
    summary: "Deliver to a hook with the sender's signature",
    description: "The signature is checked over the raw bytes. A repeated delivery returns the same run.",
    media: { "*/*": "bytes" },
    readsEncoding: true,
    anyQuery: true,
    noKey: true,
    answers: {
      200: { description: "A duplicate, a ping, or the challenge of an address check.", body: "Received" },
      202: { description: "The delivery is stored; `run` is null if the filter stopped it.", body: "Received" },
    },
    problems: ["not_found", "unproven", "malformed_json"],
  },
  testHook: {
    method: "POST",
    path: "/v1/hooks/:hook/test",
    scope: "admin",
    tag: "Webhooks",
    summary: "Sign a sample delivery, and show what it would start",
    description:
      "The sample is signed with the newest value of the hook's secret, and is processed like a delivery: signature, filter, mapping, the flow's inputs. Nothing is stored and no run starts.",
    body: HookTestBody,
    optional: true,
    answers: { 200: { description: "The effect of such a delivery.", body: "HookTest" } },
  },
  listDeliveries: {
    method: "GET",
    path: "/v1/hooks/:hook/deliveries",
    scope: "admin",
    tag: "Webhooks",
    summary: "List a hook's deliveries, newest first",
    query: PAGES,
    answers: { 200: { description: "A page of deliveries.", body: "Delivery[]" } },
  },
  redeliver: {
    method: "POST",
    path: "/v1/hooks/:hook/deliveries/:delivery/redeliver",
    scope: "admin",
    tag: "Webhooks",
    summary: "Start a new run for a delivery",
    body: NoBody,
    answers: { 202: { description: "Started.", body: "Taken" } },
    problems: ["not_redeliverable"],
  },
} as const satisfies Routes
