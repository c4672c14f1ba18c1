// Provides the flow language to the catalog: each function takes one text and returns its value and diagnostics. Nothing here depends on
// where a text is stored.

import type { Allowance } from "../../../core/silence.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { Agent } from "../../../core/flow/agent.ts"
import type { ToolTraits } from "../../../core/flow/check/check-trifecta.ts"
import { parseAgent } from "../../../core/language/parse-agent.ts"
import { parseFlow } from "../../../core/language/parse-flow.ts"
import { parseSkill } from "../../../core/language/parse-skill.ts"
import { validateParsed, type FlowWorld } from "../../../core/language/check-flow.ts"
import { runsChildren, type Flow } from "../../../core/flow/flow.ts"
import { faceOf, type FlowFace } from "../../../core/flow/flow-face.ts"
import type { Rehearsal } from "../../../core/case/rehearsal.ts"
import { parseRehearsal } from "../../../core/case/rehearsal.ts"
import type { Finisher } from "../../../core/case/finish-faults.ts"
import { parseTests, type Tested } from "../../../core/case/parse-tests.ts"
import type { TestFile } from "../../../core/case/test-case.ts"
import { defined } from "../../../core/defined.ts"
import type { Skill } from "../../../core/flow/skill.ts"
import { parseManifest, type SkillPermissions } from "../../../core/tool/policy/skill-permissions.ts"
import type { ParsedFlow } from "../../../core/flow/parse/parsed-flow.ts"
import { Lru } from "../../lru.ts"

/** `value` is present if no diagnostic is an error. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
  /** Absent: the file silences nothing. */
  readonly allowances?: readonly Allowance[]
}

/** `traits`: of the tools, for the [G11] lint. `unmade`: files of tools that have errors. */
export function checkAgent(
  text: string,
  file: string | undefined,
  tools: Iterable<string>,
  skills: Iterable<string>,
  traits?: Iterable<ToolTraits>,
  unmade?: readonly string[],
): Checked<Agent> {
  const { agent, diagnostics } = parseAgent(text, {
    ...defined({ file }),
    tools: setOf(tools),
    skills: setOf(skills),
    ...defined({ traits, unmade }),
  })
  return { ...defined({ value: agent }), diagnostics }
}

/** A set is not copied: a catalog checks thousands of agents against the same names. */
const setOf = (names: Iterable<string>): ReadonlySet<string> => (names instanceof Set ? names : new Set(names))

/** Reads an agent that was already checked: every word of its file counts as a tool, so it loads even if a tool was removed since. */
export const readAgent = (text: string, file: string, skills: Iterable<string>): Checked<Agent> =>
  checkAgent(text, file, text.match(/[^\s,[\]"']+/g) ?? [], skills)

/** The context of a flow's check. */
export interface FlowContext extends Pick<FlowWorld, "broken" | "scorers"> {
  readonly agents: ReadonlyMap<string, Agent>
  /** Absent: the flow has no child flows. */
  readonly flows?: ReadonlyMap<string, FlowFace>
  /** Ids of its steps that have a handler; absent: unknown. */
  readonly code?: ReadonlySet<string>
  /** [F26] Every tool that exists; absent: unknown. */
  readonly tools?: ReadonlyMap<string, ToolTraits>
}

export function checkFlow(text: string, id: string, context: FlowContext): Checked<Flow> {
  const key = handedKey(text, id)
  const parsed = handed.get(key)?.parsed ?? parseFlow(text, id)
  handed.delete(key)
  const { flow, diagnostics } = validateParsed(parsed, context)
  return { ...defined({ value: flow }), diagnostics }
}

/** The flow's interface for parent flows; no value if it cannot be parsed. */
export function readFace(text: string, id: string): Checked<FlowFace> {
  const parsed = parseFlow(text, id)
  handed.set(handedKey(text, id), { parsed, length: text.length })
  return { ...defined({ value: parsed.flow && faceOf(parsed.flow) }), diagnostics: [] }
}

/** [F2] The flows that a flow runs, as far as its text is readable. Its check needs them, even if it has other faults. */
export function readUses(text: string, id: string): Checked<boolean> {
  const { draft } = handed.get(handedKey(text, id))?.parsed ?? parseFlow(text, id)
  return { value: draft?.flow.steps.some(runsChildren) === true, diagnostics: [] }
}

/**
 * A flow is parsed for its face, and soon after for its check: the tree is handed over, which halves the time of a write. Bounded by the
 * text of one write; what no check takes is dropped for what comes later.
 */
const handed = new Lru<{ readonly parsed: ParsedFlow; readonly length: number }>(1_048_576, ({ length }) => length + 100)
const handedKey = (text: string, id: string): string => `${id} ${text}`

/** Parses the flow's text alone: works even if it names missing agents. */
export function readFlow(text: string, id: string): Checked<Flow> {
  const { flow, diagnostics } = parseFlow(text, id)
  return { ...defined({ value: flow }), diagnostics }
}

export function checkSkill(text: string, name: string): Checked<Skill> {
  const { skill, diagnostics } = parseSkill(text, name)
  return { ...defined({ value: skill }), diagnostics }
}

/** The permissions in a skill's manifest.json [T31]. One diagnostic per fault; all are at line 1, since JSON values carry no line. */
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

/** `steps`: step ids of its flow, `tools`: the names of all tools, `by`: who finishes a step, if known. */
export function checkRehearsal(text: string, steps?: readonly string[], tools?: ReadonlySet<string>, by?: Finisher): Checked<Rehearsal> {
  const { rehearsal, diagnostics } = parseRehearsal(text, steps, tools, by)
  return { ...defined({ value: rehearsal }), diagnostics }
}

/** [K20] Checked like a rehearsal. */
export function checkTests(text: string, against: Tested): Checked<TestFile> {
  const { tests, diagnostics } = parseTests(text, against)
  return { ...defined({ value: tests }), diagnostics }
}

/** An executable handler: JavaScript with the author's line numbers. */
export interface Handler {
  readonly code: string
}
