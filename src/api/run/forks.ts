// Declares forks, runs that continue from any moment of another run [K7–K15], and tries of a recorded turn [K19].

import { z } from "zod"
import { THINKING } from "../../core/flow/agent.ts"
import { Amount } from "../../core/money/amount.ts"
import { EffectsMode } from "../../core/run/event-parts.ts"
import { MAX_CALLS, MAX_REPLY_CHARS } from "../../core/run/session/calls.ts"
import { MAX_GIVEN, MAX_TEXT, name, objectWithin, recordOf } from "../../core/schema/bounded.ts"
import { AnswerBody } from "./interactions.ts"
import { LARGE_BODY, PREFER, type Routes, STARTED, UNSTARTABLE, flag } from "../route/route.ts"
import { later } from "../../core/schema/later.ts"

/** Limit: files, and agents, of a fork's patch → 422 at the member. */
export const MAX_PATCHED = 200
const MAX_PATH = 2_048 // limit: characters of a path in a fork's patch → 422 at the member
/** Characters of a prompt that is tried: a body of a request has 1 MiB. */
const MAX_PROMPT = 400_000 // limit: characters of a prompt that a recorded turn is tried with → 422 at the member
const MAX_SUMMARY = 65_536 // limit: characters of a summary that a fork gives in an agent's place → 422 at the member
const MAX_CALL_ID = 64 // limit: characters of a call's id that a fork gives → 422 at the member

const From = later(() =>
  z.union([
    z.strictObject({ seq: z.number().int() }),
    z.strictObject({ step: name, pass: z.number().int().min(1).exactOptional(), turn: z.number().int().min(0).exactOptional() }),
    z.strictObject({ interaction: name }),
    // Nothing: the beginning. An object without members would be the alternative that every fault is told of.
    z.record(z.never(), z.never()).meta({ maxProperties: 0, additionalProperties: false, propertyNames: { maxLength: 0 } }),
  ]),
)

const Finish = later(() =>
  z.strictObject({
    status: z.enum(["complete", "error", "blocked"]),
    summary: z.string().max(MAX_SUMMARY),
    outputs: objectWithin(MAX_GIVEN).exactOptional(),
    branch: name.exactOptional(),
    artifacts: z.string().max(MAX_SUMMARY).exactOptional(),
  }),
)

const Reply = later(() =>
  z.strictObject({
    text: z.string().max(MAX_REPLY_CHARS).exactOptional(),
    toolCalls: z
      .array(
        z.strictObject({
          name,
          args: objectWithin(MAX_GIVEN).exactOptional(),
          id: z
            .string()
            .max(MAX_CALL_ID)
            .regex(/^[A-Za-z0-9_-]+$/, 'must have letters, digits, "-" and "_" only')
            .exactOptional(),
        }),
      )
      .max(MAX_CALLS)
      .exactOptional(),
  }),
)

const Instead = later(() =>
  z.union([z.strictObject({ finish: Finish }), z.strictObject({ reply: Reply }), z.strictObject({ answer: AnswerBody })]),
)

const Patch = later(() =>
  z
    .strictObject({
      revision: z.number().int().min(0).exactOptional(),
      definitions: recordOf(z.string().max(MAX_TEXT).nullable(), MAX_PATCHED, z.string().max(MAX_PATH)).exactOptional(),
      models: recordOf(name, MAX_PATCHED).exactOptional(),
      task: z.string().max(MAX_GIVEN).exactOptional(),
      inputs: objectWithin(MAX_GIVEN).exactOptional(),
      trigger: objectWithin(MAX_GIVEN).exactOptional(),
    })
    .refine(({ revision, definitions }) => revision === undefined || definitions === undefined, {
      error: "has either `revision` or `definitions`, not both",
    }),
)

const Tags = z.array(z.string().min(1).max(100)).max(20)

export const ForkBody = later(() =>
  z.strictObject({
    from: From.exactOptional(),
    instead: Instead.exactOptional(),
    patch: Patch.exactOptional(),
    effects: EffectsMode.exactOptional(),
    budget: Amount.exactOptional(),
    autonomous: z.boolean().exactOptional(),
    rehearse: z.boolean().exactOptional(),
    tags: Tags.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type Fork = z.input<typeof ForkBody>

export const AgainBody = later(() => ForkBody.pick({ effects: true, budget: true, autonomous: true, rehearse: true, tags: true }))
/** The type of the request body for clients. */
export type Again = z.input<typeof AgainBody>

export const TryBody = later(() =>
  z.strictObject({
    pass: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).exactOptional(),
    turn: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).exactOptional(),
    model: name.exactOptional(),
    prompt: z.string().max(MAX_PROMPT).exactOptional(),
    thinking: z.enum(THINKING).exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type Try = z.input<typeof TryBody>

const SNAPSHOT = flag("For a stream: 1 starts it with the current state of the run.")
const PROBLEMS = ["not_forkable", "patch_conflict", "definitions_lost", ...UNSTARTABLE] as const

export const forks = {
  forkRun: {
    method: "POST",
    path: "/v1/runs/:run/fork",
    scope: "runs:write",
    tag: "Runs",
    summary: "Fork a run: a new run that continues from any moment of this run",
    description:
      "The fork begins with the run's history up to `from` and repeats nothing of it; the run itself does not change. Calls that change something outside are kept until a person decides, unless `effects` says otherwise. `instead` also needs the scope of the act: `interactions:answer` for an answer, `tools:call` for tool calls; definitions of a patch need `catalog:write`.",
    headers: { prefer: PREFER },
    query: { check: flag("1 starts nothing, and returns what the fork would keep, ask again and withhold."), snapshot: SNAPSHOT },
    body: ForkBody,
    bodyLimit: LARGE_BODY,
    largeWith: "patch",
    optional: true,
    answers: {
      200: {
        description: "The fork ended, or waits for a person, within `Prefer: wait`; with `check`, what it would do; or the fork's stream.",
        body: { "application/json": "Forked", "text/event-stream": "EventStream" },
        headers: STARTED,
      },
      202: { description: "The fork has started and continues.", body: "Started", headers: STARTED },
    },
    problems: PROBLEMS,
  },
  runAgain: {
    method: "POST",
    path: "/v1/runs/:run/again",
    scope: "runs:write",
    tag: "Runs",
    summary: "Run it again: a fork from the beginning, with the current definitions",
    description:
      "The same task, inputs and files, on the catalog's latest revision, for a failed run whose flow was fixed. Unless `effects` says otherwise, the mode is that of the run: live if the run was live.",
    headers: { prefer: PREFER },
    query: { snapshot: SNAPSHOT },
    body: AgainBody,
    optional: true,
    answers: {
      200: {
        description: "The run ended, or waits for a person, within `Prefer: wait`; or its stream.",
        body: { "application/json": "RunView", "text/event-stream": "EventStream" },
        headers: STARTED,
      },
      202: { description: "The run has started and continues.", body: "Started", headers: STARTED },
    },
    problems: PROBLEMS,
  },
  tryTurn: {
    method: "POST",
    path: "/v1/runs/:run/steps/:step/try",
    scope: "runs:write",
    also: ["runs:read"],
    tag: "Runs",
    summary: "Try a recorded turn with another model, prompt or thinking level",
    description:
      "Calls the model once with the recorded request and these changes, and returns its reply beside the recorded one. No tool runs and nothing is stored; the cost counts against the tenant's daily budget and is in its usage. A key also needs `runs:read`.",
    query: { check: flag("1 calls no model, and returns the maximum cost of the turn.") },
    body: TryBody,
    optional: true,
    answers: { 200: { description: "The model's reply, or with `check` the maximum cost.", body: "Tried" } },
    problems: ["not_triable", "no_price", "quota", "definitions_lost", "model_failed"],
  },
} as const satisfies Routes
