// How a tool runs [T1]. What it is called and takes is core/tool-spec.ts. Throwing is the way to fail: the message goes to the model.

import type { Json, JsonObject } from "../core/json.ts"
import type { ToolSpec } from "../core/tool-spec.ts"
import type { ContentPart } from "../core/run/event.ts"
import type { Workspace } from "./workspace.ts"
import type { Author } from "./catalog.ts"

export interface ToolOutcome {
  readonly content: readonly ContentPart[]
  /** For people and pages; the model does not see it. */
  readonly details?: Json
}

/** A partial result [A7, T7]: shown, never journaled. */
export type OnUpdate = (partial: ToolOutcome) => void

/** What a tool may reach: only what stands here. A power that is not there is absent, and the tool says so. */
export interface ToolPowers {
  readonly workspace: Workspace
  /** Files of the pinned skills this session declares: [F61]. */
  readonly skills: SkillLibrary
  /** Present for role architect and for a caller with the catalog scopes. */
  readonly author?: Author
  /** Present for the main session only [spec/tools.md §2]. */
  readonly subagents?: Subagents
  /** Kept outputs of this run, by handle [T5]. */
  readonly outputs?: { read(handle: string): Promise<Uint8Array | undefined> }
}

export interface SkillLibrary {
  names(): readonly string[]
  /** The allow-list of a skill (`SKILL.md` always readable, not in it), or undefined when the skill is unknown. */
  files(skill: string): readonly string[] | undefined
  read(skill: string, file: string): Promise<string | undefined>
}

export interface Subagents {
  run(request: {
    agent: string
    task: string
    inputs: Record<string, string>
    sessionId?: string
    signal: AbortSignal
  }): Promise<SubagentResult>
}
export type SubagentResult =
  | { readonly kind: "ended"; readonly runId: string; readonly finish: JsonObject }
  | { readonly kind: "waiting"; readonly runId: string }
  | { readonly kind: "failed"; readonly runId?: string; readonly message: string }

export interface Tool extends ToolSpec {
  execute(callId: string, params: JsonObject, signal: AbortSignal, onUpdate: OnUpdate | undefined, powers: ToolPowers): Promise<ToolOutcome>
}

export const text = (value: string, details?: Json): ToolOutcome => ({
  content: [{ type: "text", text: value }],
  ...(details === undefined ? {} : { details }),
})
