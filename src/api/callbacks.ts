// Declares callbacks [W6]: a tenant's receivers of messages about runs, and the log of sent messages.

import type { z } from "zod"
import { CallbackBody } from "../core/project/callback-body.ts"
import { NoBody, PAGE, PAGES, words, type Routes } from "./route/route.ts"

export const MESSAGE_STATUS = ["pending", "delivered", "dead"] as const
export type MessageStatus = (typeof MESSAGE_STATUS)[number]

/** The type of the request body for clients. */
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
    problems: ["owned_by_file"],
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
