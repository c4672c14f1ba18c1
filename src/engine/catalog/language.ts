// The flow language as the catalog asks it: one text in, what it means and all that is wrong with it out. Nothing here knows
// where a text is kept.

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { Agent } from "../../core/flow/agent.ts"
import type { ToolTraits } from "../../core/flow/check/check-trifecta.ts"
import { codePlace } from "../../core/flow/code-file.ts"
import { parseAgent } from "../../core/flow/parse/parse-agent.ts"
import { parseFlow } from "../../core/flow/parse/parse-flow.ts"
import { parseSkill } from "../../core/flow/parse/parse-skill.ts"
import { validateFlow } from "../../core/flow/check/check-flow.ts"
import type { Flow } from "../../core/flow/flow.ts"
import { faceOf, type FlowFace } from "../../core/flow/flow-face.ts"
import type { Rehearsal } from "../../core/flow/rehearsal.ts"
import { parseRehearsal } from "../../core/flow/rehearsal.ts"
import type { Skill } from "../../core/flow/skill.ts"
import { parseManifest, type SkillPermissions } from "../../core/policy/skill-permissions.ts"
import { stripTypes } from "../code/strip-types.ts"

/** `value` is there when no diagnostic is an error. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

/** `traits`: what is known of the tools, for the lint of [G11]. */
export function checkAgent(
  text: string,
  file: string | undefined,
  tools: Iterable<string>,
  skills: Iterable<string>,
  traits?: Iterable<ToolTraits>,
): Checked<Agent> {
  const { agent, diagnostics } = parseAgent(text, {
    ...(file === undefined ? {} : { file }),
    tools: setOf(tools),
    skills: setOf(skills),
    ...(traits === undefined ? {} : { traits }),
  })
  return { ...(agent ? { value: agent } : {}), diagnostics }
}

/** A set is taken as it is: a catalog checks thousands of agents against the same ones. */
const setOf = (names: Iterable<string>): ReadonlySet<string> => (names instanceof Set ? names : new Set(names))

/** An agent that was checked before: every word of its file counts as a tool, so a tool that is gone since does not lose it. */
export const readAgent = (text: string, file: string, skills: Iterable<string>): Checked<Agent> =>
  checkAgent(text, file, text.match(/[^\s,[\]"']+/g) ?? [], skills)

/** What else a flow is checked against. */
export interface FlowContext {
  readonly agents: ReadonlyMap<string, Agent>
  /** Absent: the flow runs no other. */
  readonly flows?: ReadonlyMap<string, FlowFace>
  /** Ids of its steps that have a handler; absent: nobody knows. */
  readonly code?: ReadonlySet<string>
}

export function checkFlow(text: string, id: string, context: FlowContext): Checked<Flow> {
  const { flow, diagnostics } = validateFlow(text, id, context)
  return { ...(flow ? { value: flow } : {}), diagnostics }
}

/** What it shows a flow that runs it as a child; no value when it cannot be read. */
export function readFace(text: string, id: string): Checked<FlowFace> {
  const { flow } = parseFlow(text, id)
  return { ...(flow ? { value: faceOf(flow) } : {}), diagnostics: [] }
}

/** The flow by its own text alone: readable even when it names agents that are not there. */
export function readFlow(text: string, id: string): Checked<Flow> {
  const { flow, diagnostics } = parseFlow(text, id)
  return { ...(flow ? { value: flow } : {}), diagnostics }
}

export function checkSkill(text: string, name: string): Checked<Skill> {
  const { skill, diagnostics } = parseSkill(text, name)
  return { ...(skill ? { value: skill } : {}), diagnostics }
}

/** What a skill's manifest.json grants [T31]. One fault for each thing that is wrong; JSON has no better place than its file. */
export function checkManifest(text: string): Checked<SkillPermissions> {
  const read = parseManifest(text)
  if (read.ok) return { value: read.value, diagnostics: [] }
  const diagnostics = read.error.map(({ pointer, message, suggestion }): Diagnostic => ({
    code: "CAT-MANIFEST",
    line: 1,
    column: 1,
    severity: "error",
    message: `manifest.json: ${pointer === "" ? "" : `${pointer} `}${message}`,
    suggestion: suggestion ?? '{ "permissions": { "tools": ["read"], "fs": { "read": ["docs/**"] } } }',
  }))
  return { diagnostics }
}

/** `steps`: those of its flow, when that is known. */
export function checkRehearsal(text: string, steps?: readonly string[]): Checked<Rehearsal> {
  const { rehearsal, diagnostics } = parseRehearsal(text, steps)
  return { ...(rehearsal ? { value: rehearsal } : {}), diagnostics }
}

/** A handler as it runs: JavaScript, each line where its author wrote it. */
export interface Handler {
  readonly code: string
}

/** `path`: where it is kept; its ending says which language it is. */
export function checkHandlerFile(text: string, path: string): Checked<Handler> {
  const place = codePlace(path.replace(/^packages\/[^/]+\//, ""))
  const { code, diagnostics } = stripTypes(text, place.ok ? place.value.language : "js")
  return { ...(code === undefined ? {} : { value: { code } }), diagnostics }
}
