// Compares two requests to a model [K23] and reports the most important difference, because a change of tools changes the prompt too.

import { canonical } from "../../core/json.ts"
import type { RequestParts } from "../run/call/model-request.ts"

export type Why = "prompt" | "tools" | "model" | "guard" | "route" | "schema" | "code" | "calls"

const FINISHES: ReadonlySet<string> = new Set(["finish", "subagent_finalize"])

/** The most important difference between two requests; undefined: they are equal. */
export function requestChange(
  before: RequestParts,
  after: RequestParts,
): Extract<Why, "prompt" | "tools" | "model" | "schema"> | undefined {
  const same = (of: (parts: RequestParts) => unknown): boolean => canonical(of(before) ?? null) === canonical(of(after) ?? null)
  if (!same(({ request }) => request.tools.filter(({ name }) => !FINISHES.has(name)))) return "tools"
  if (!same(({ request }) => request.tools.filter(({ name }) => FINISHES.has(name)))) return "schema"
  const settings = ({ request: { system: _system, tools: _tools, place: _place, model: _model, ...rest }, ref }: RequestParts) => ({
    ...rest,
    ref,
  })
  if (!same(settings)) return "model"
  return same(({ request, turns }) => ({ system: request.system, turns })) ? undefined : "prompt"
}
