// Describes the API's answers about effects (src/api/run/effects.ts).

import { z } from "zod"
import { EFFECT_STATES } from "../../../core/run/effects/ledger.ts"
import { ResolveBody, UndoBody } from "../../run/effects.ts"
import { documented, JsonObject, Time } from "../shape.doc.ts"

const RequestShown = z.object({
  method: z.string().describe("The HTTP method."),
  url: z.string().describe("The address."),
  secretHeaders: z.array(z.string()).exactOptional().describe("Names of the headers with a secret."),
  body: z.json().exactOptional().describe("The body."),
})

export const Effect = z.object({
  key: z.string().describe("The key of the call in its run."),
  idempotency_key: z.string().describe("The `Idempotency-Key` that an HTTP tool sends with every attempt."),
  run: z.string().describe("The run whose agent made the call."),
  step: z.string().describe("Its step."),
  pass: z.number().describe("The pass of that step."),
  tool: z.string().describe("The tool."),
  target: z.string().describe("The target host, or the family of the tool."),
  args: JsonObject.describe("The arguments."),
  request: RequestShown.exactOptional().describe("For an HTTP tool: the exact request."),
  hash: z.string().exactOptional().describe("If a person was asked: the hash of the call that was shown."),
  state: z.enum(EFFECT_STATES).describe("The effect's state."),
  reason: z.string().exactOptional().describe("Why the effect was not carried out, or what went wrong."),
  at: Time.describe("When the effect reached its state."),
  by: z.string().exactOptional().describe("Who decided: the name of a key, or `flow`."),
  undoable: z.boolean().describe("Whether the tool can undo the effect."),
  undoes: z.string().exactOptional().describe("The key of the effect that this one undoes."),
})
export type EffectShown = z.output<typeof Effect>

export const Undoing = z.object({
  run: z.string().describe("The run."),
  keys: z.array(z.string()).describe("The effects to undo, in this order."),
})
export type UndoStarted = z.output<typeof Undoing>

const KEY = "mail/1/0/tool/call_1"
const EXAMPLE = {
  key: KEY,
  idempotency_key: "eff_5f1c0f4d2a3b4c5d6e7f8091a2b3c4d5",
  run: "run_01j8x3k7v0f6m2c9w4t5q1z8ab",
  step: "mail",
  pass: 1,
  tool: "send_mail",
  target: "mail.example.com",
  args: { to: "ann@example.com", text: "Ready." },
  request: {
    method: "POST",
    url: "https://mail.example.com/v1/messages",
    secretHeaders: ["authorization"],
    body: { to: "ann@example.com", text: "Ready." },
  },
  state: "uncertain",
  reason: "https://mail.example.com did not answer",
  at: "2026-11-23T09:00:00.000Z",
  undoable: false,
} satisfies EffectShown

export const effectsDoc = documented({
  parameters: { effect: { description: "The effect's key, percent-encoded.", example: "send/1/0/tool/c1" } },
  shapes: { Effect, ResolveBody, UndoBody, Undoing },
  examples: {
    Effect: EXAMPLE,
    ResolveBody: { resolve: "happened" },
    UndoBody: { keys: [KEY] },
    Undoing: { run: EXAMPLE.run, keys: [KEY] },
  },
  fields: [
    [ResolveBody, { resolve: "What happened outside." }],
    [UndoBody, { keys: "The effects to undo; by default all that can be undone." }],
  ],
})
