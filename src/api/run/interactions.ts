// Declares interactions [Q1–Q3]: questions of runs to people, questions that tools ask outside a run, and links for people without a key.

import { z } from "zod"
import { MAX_GIVEN, objectWithin, within } from "../../core/schema/bounded.ts"
import { PAGE, PAGES, words, type Routes } from "../route/route.ts"
import { later } from "../../core/schema/later.ts"

export const INTERACTION_STATUS = ["pending", "answered", "expired", "withdrawn"] as const

/** The statuses of the tenant's list. */
export const INBOX_STATUS = ["open", "answered"] as const

export const AnswerBody = later(() =>
  z.strictObject({
    answer: within(z.json(), MAX_GIVEN).exactOptional(),
    notes: z.string().max(65_536).exactOptional(),
    custom: z.string().min(1).max(65_536).exactOptional(),
    auto: z.literal(true).exactOptional(),
    cancelled: z.literal(true).exactOptional(),
    decision: z.enum(["approve", "reject", "edit"]).exactOptional(),
    args: objectWithin(MAX_GIVEN).exactOptional(),
    feedback: z.string().max(65_536).exactOptional(),
    hash: z.string().max(128).exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type AnswerInput = z.input<typeof AnswerBody>

/** Answers that a link allows only if it was created for them, because they change more than the question asks. */
export const LINK_ALLOWS = ["edit", "raise"] as const

export const LinkBody = later(() =>
  z.strictObject({
    ttl: z.number().int().min(60).max(604_800).exactOptional(),
    allow: z.array(z.enum(LINK_ALLOWS)).max(LINK_ALLOWS.length).exactOptional(),
  }),
)

const ONE_ALTERNATIVE = "Send exactly one of `answer`, `custom`, `auto`, `cancelled`, `decision`. The first decision wins."

export const interactions = {
  listRunInteractions: {
    method: "GET",
    path: "/v1/runs/:run/interactions",
    scope: "runs:read",
    tag: "Interactions",
    summary: "List a run's interactions, oldest first",
    token: true,
    query: { ...PAGE, status: words(`Only interactions with one of these statuses: ${INTERACTION_STATUS.join(", ")}, joined by commas.`) },
    answers: { 200: { description: "All interactions of the run.", body: "Interaction[]" } },
  },
  getInteraction: {
    method: "GET",
    path: "/v1/runs/:run/interactions/:interaction",
    scope: "runs:read",
    tag: "Interactions",
    summary: "Read an interaction",
    token: true,
    answers: { 200: { description: "The interaction.", body: "Interaction" } },
  },
  answerInteraction: {
    method: "POST",
    path: "/v1/runs/:run/interactions/:interaction",
    scope: "interactions:answer",
    tag: "Interactions",
    summary: "Answer an interaction",
    token: true,
    description: ONE_ALTERNATIVE,
    body: AnswerBody,
    answers: { 200: { description: "The decided interaction.", body: "Interaction" } },
    problems: ["already_answered", "definitions_lost"],
  },
  listInbox: {
    method: "GET",
    path: "/v1/interactions",
    scope: "runs:read",
    tag: "Interactions",
    summary: "List the tenant's interactions: open ones oldest first, answered ones newest first",
    description:
      "An answered interaction has its decision, time and author. Interactions of deleted runs are not listed, and at most the newest 200 of each run.",
    query: {
      ...PAGES,
      status: { description: "`open` by default.", schema: { type: "string", enum: INBOX_STATUS } },
      flow: words("Only interactions of these flows, joined by commas."),
      kind: words("Only interactions of these kinds, joined by commas."),
    },
    answers: { 200: { description: "A page of interactions.", body: "Asked[]" } },
  },
  countInbox: {
    method: "GET",
    path: "/v1/interactions/count",
    scope: "runs:read",
    tag: "Interactions",
    summary: "Count what waits for a person",
    description:
      "Counted from the reports of at most 5,000 runs that ask, without reading the runs; `complete` says whether these are all.",
    answers: { 200: { description: "The counts.", body: "InboxCount" } },
  },
  getQuestion: {
    method: "GET",
    path: "/v1/interactions/:question",
    scope: "runs:read",
    tag: "Interactions",
    summary: "Read a question that was asked outside a run",
    answers: { 200: { description: "The question.", body: "Question" } },
  },
  answerQuestion: {
    method: "POST",
    path: "/v1/interactions/:question",
    scope: "interactions:answer",
    tag: "Interactions",
    summary: "Answer a question that was asked outside a run",
    body: AnswerBody,
    answers: { 200: { description: "The decided question.", body: "Question" } },
    problems: ["already_answered"],
  },
  makeAnswerLink: {
    method: "POST",
    path: "/v1/runs/:run/interactions/:interaction/link",
    scope: "interactions:answer",
    tag: "Interactions",
    summary: "Create a link for a person without a key",
    body: LinkBody,
    optional: true,
    answers: { 201: { description: "The link, valid until it expires or the interaction is decided.", body: "AnswerLink" } },
  },
  openAnswerLink: {
    method: "GET",
    path: "/i/:token",
    scope: "open",
    tag: "Interactions",
    summary: "Read the interaction of a link",
    anyQuery: true,
    answers: {
      200: {
        description: "The interaction, as JSON or as a page; once it is decided, only its status.",
        body: { "application/json": "LinkedInteraction", "text/html": "text" },
      },
    },
    problems: ["link_refused"],
  },
  answerByLink: {
    method: "POST",
    path: "/i/:token",
    scope: "open",
    tag: "Interactions",
    summary: "Answer the interaction of a link",
    description: ONE_ALTERNATIVE,
    anyQuery: true,
    noKey: true,
    body: AnswerBody,
    media: { "application/x-www-form-urlencoded": "AnswerForm" },
    answers: {
      200: { description: "The interaction is decided.", body: { "application/json": "ClosedInteraction", "text/html": "text" } },
    },
    problems: ["link_refused", "not_by_link", "already_answered", "definitions_lost"],
  },
} as const satisfies Routes
