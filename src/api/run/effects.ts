// Declares effects [K31–K35]: calls of runs that change something outside, their outcomes, and people's decisions about them.

import { z } from "zod"
import { EFFECT_STATES } from "../../core/run/effects/ledger.ts"
import { PAGE, PAGES, words, type Routes } from "../route/route.ts"

const MAX_KEYS = 500 // limit: effects that one undo names → 422 at `/keys`

export const ResolveBody = z.strictObject({ resolve: z.enum(["happened", "did_not"]) })
/** The type of the request body for clients. */
export type Resolution = z.input<typeof ResolveBody>

export const UndoBody = z.strictObject({ keys: z.array(z.string().min(1).max(1_000)).max(MAX_KEYS).exactOptional() })
/** The type of the request body for clients. */
export type UndoWish = z.input<typeof UndoBody>

const STATES = words(`Only effects in one of these states: ${EFFECT_STATES.join(", ")}, joined by commas.`)

export const effects = {
  listRunEffects: {
    method: "GET",
    path: "/v1/runs/:run/effects",
    scope: "runs:read",
    tag: "Effects",
    summary: "List the effects of a run, in the order of its calls",
    query: PAGE,
    answers: { 200: { description: "All effects of the run.", body: "Effect[]" } },
  },
  listEffects: {
    method: "GET",
    path: "/v1/effects",
    scope: "runs:read",
    tag: "Effects",
    summary: "List the effects of all runs that are not decided yet, oldest first",
    description: "These are `asked`, `staged` and `uncertain`. With `run`, all effects of that run.",
    query: {
      ...PAGES,
      state: STATES,
      tool: words("Only calls of this tool.", 256),
      host: words("Only calls to this host.", 256),
      run: words("All effects of this run.", 100),
    },
    answers: { 200: { description: "A page of effects.", body: "Effect[]" } },
  },
  resolveEffect: {
    method: "POST",
    path: "/v1/runs/:run/effects/:effect{.+}",
    scope: "interactions:answer",
    tag: "Effects",
    summary: "Say what happened to an effect whose outcome is unknown",
    description: "The key is percent-encoded. Only the first report counts, even after the run's end.",
    body: ResolveBody,
    answers: { 200: { description: "The effect.", body: "Effect" } },
    problems: ["not_uncertain", "definitions_lost"],
  },
  undoRun: {
    method: "POST",
    path: "/v1/runs/:run/undo",
    scope: "runs:write",
    tag: "Effects",
    summary: "Undo the effects of an ended run",
    description:
      "Undoes confirmed effects whose tools support it, newest first; without `keys`, all of them. A repeated request has no further effect.",
    body: UndoBody,
    optional: true,
    answers: { 202: { description: "The effects are being undone.", body: "Undoing" } },
    problems: ["run_not_over", "definitions_lost"],
  },
} as const satisfies Routes
