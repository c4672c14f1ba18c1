// Callbacks out [W6]: a tenant's receivers of messages about runs, and the log of what was sent to them.

import { z } from "zod"
import { NOTICE_FORMATS, NOTICE_KINDS, NOTICE_PAYLOADS, NOTICES } from "../core/run/notice.ts"
import { name, url } from "../core/schema/bounded.ts"
import { NoBody, PAGE, PAGES, words, type Routes } from "./route.ts"

export const MESSAGE_STATUS = ["pending", "delivered", "dead"] as const
export type MessageStatus = (typeof MESSAGE_STATUS)[number]

/** Services that take messages for people know no signature: their address is the secret. */
const UNSIGNED: readonly (string | undefined)[] = ["slack", "email-webhook"]

const Body = z.strictObject({
  url,
  events: z
    .array(z.enum(NOTICES))
    .min(1, "must name at least one event; leave it out to receive all of them")
    // A client may name one twice.
    .max(4 * NOTICES.length)
    .transform((events) => [...new Set(events)])
    .exactOptional(),
  secret: name.exactOptional(),
  kind: z.enum(NOTICE_KINDS).exactOptional(),
  payload: z.enum(NOTICE_PAYLOADS).exactOptional(),
  format: z.enum(NOTICE_FORMATS).exactOptional(),
})
export const CallbackBody = Body.refine(({ secret, kind }) => secret !== undefined || UNSIGNED.includes(kind), {
  path: ["secret"],
  message: "is required: the scope of the vault that signs the messages",
}).refine(({ kind, format }) => format === undefined || kind === undefined || kind === "webhook", {
  path: ["format"],
  message: 'needs the kind "webhook": messages for people have a form of their own',
})
export type CallbackBody = z.output<typeof CallbackBody>
/** The type of the body that a client sends. */
export type NewCallback = z.input<typeof CallbackBody>

export const callbacks = {
  createCallback: {
    method: "POST",
    path: "/v1/callbacks",
    scope: "admin",
    tag: "Callbacks",
    summary: "Create a receiver of messages about all runs of the tenant",
    body: CallbackBody,
    answers: { 201: { description: "The receiver.", body: "Callback", headers: ["location"] } },
    problems: ["too_many_callbacks"],
  },
  listCallbacks: {
    method: "GET",
    path: "/v1/callbacks",
    scope: "admin",
    tag: "Callbacks",
    summary: "List receivers, newest first",
    query: PAGE,
    answers: { 200: { description: "All receivers.", body: "Callback[]" } },
  },
  getCallback: {
    method: "GET",
    path: "/v1/callbacks/:callback",
    scope: "admin",
    tag: "Callbacks",
    summary: "Read a receiver",
    answers: { 200: { description: "The receiver.", body: "Callback" } },
  },
  deleteCallback: {
    method: "DELETE",
    path: "/v1/callbacks/:callback",
    scope: "admin",
    tag: "Callbacks",
    summary: "Delete a receiver and its messages",
    answers: { 204: { description: "Deleted." } },
  },
  listCallbackDeliveries: {
    method: "GET",
    path: "/v1/callback-deliveries",
    scope: "admin",
    tag: "Callbacks",
    summary: "List messages and their status, newest first",
    query: {
      ...PAGES,
      run: words("Only messages about this run."),
      status: words("Only messages with one of these statuses: pending, delivered, dead, joined by commas."),
    },
    answers: { 200: { description: "A page of messages.", body: "CallbackDelivery[]" } },
  },
  redriveCallbackDelivery: {
    method: "POST",
    path: "/v1/callback-deliveries/:message/redrive",
    scope: "admin",
    tag: "Callbacks",
    summary: "Send a message again",
    body: NoBody,
    optional: true,
    answers: { 202: { description: "The message is queued, with all its attempts again.", body: "RedrivenDelivery" } },
    problems: ["already_delivered"],
  },
} as const satisfies Routes
