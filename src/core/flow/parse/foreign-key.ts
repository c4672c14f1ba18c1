// Maps keys of other systems on steps and flows to their equivalents here [F3]. A key that would change what runs is an error: a flow whose
// `needs:` or `if:` is ignored would not do what its author wrote.

import type { Severity } from "../../diagnostic.ts"
import { nearest } from "../../text/nearest.ts"
import type { MapEntry } from "./yaml-tree.ts"

/** What the key means here, and the line to write. */
type Meaning = readonly [severity: Severity, why: string, write: string | ((value: string) => string)]

const order: Meaning = [
  "error",
  '"blockedBy" names the steps that a step waits for',
  (value) => `blockedBy: ${value === "" ? "STEP" : value}`,
]
const condition: Meaning = [
  "error",
  "a step has no condition of its own; a conditional step in front of it routes on a value, and a decision chooses a branch",
  "type: conditional\ncheck: STEP.FIELD\npresent: step-id\nabsent: step-id",
]
const inputs: Meaning = ["error", '"inputs" gives a step its values', 'inputs: { NAME: "${{result.STEP.summary}}" }']
const task: Meaning = ["error", '"task" says what the agent is to do', "task: what to do"]
const command: Meaning = ["error", "steps do not run commands; use a handler", "type: code\noutputs: [result]"]
const forward: Meaning = [
  "error",
  '"on_complete" names the step to continue with',
  (value) => `on_complete: ${value === "" ? "STEP" : value}`,
]
const failure: Meaning = ["error", '"on_error" names the step that takes over after a failure', "on_error: step-id"]
const each: Meaning = ["error", "a map runs a flow for each item of a list", 'type: map\nover: "${{result.STEP.OUTPUT}}"\ndo: FLOW']
const repeat: Meaning = ["error", '"retry" runs a step again after a failure', "retry: { max: 2, backoff: 5s }"]
const duration: Meaning = ["error", '"timeout" is a duration', "timeout: 10m"]
const title: Meaning = ["warning", 'a step is known by its "id"; text for people is its "description"', (value) => `description: ${value}`]
const ofAgent: Meaning = ["warning", "this belongs to the agent's file, agents/NAME.md", "remove it"]

export const FOREIGN_STEP_KEYS: ReadonlyMap<string, Meaning> = new Map([
  ...["needs", "depends_on", "dependsOn", "depends-on", "depends", "requires", "after", "blocked_by", "blocked-by", "waits_for"].map(
    (key) => [key, order] as const,
  ),
  ...["if", "when", "unless", "condition", "only_if", "skip_if", "while"].map((key) => [key, condition] as const),
  ...["with", "args", "arguments", "params", "parameters", "vars", "variables", "input", "env"].map((key) => [key, inputs] as const),
  ...["prompt", "instructions", "instruction", "message", "messages", "goal", "query", "user_prompt"].map((key) => [key, task] as const),
  ...["run", "script", "cmd", "shell", "exec", "command"].map((key) => [key, command] as const),
  ...["next", "then", "goto", "on_success", "onComplete"].map((key) => [key, forward] as const),
  ...["on_failure", "on_fail", "onError", "catch", "continue-on-error", "continue_on_error", "ignore_errors"].map(
    (key) => [key, failure] as const,
  ),
  ...["foreach", "for_each", "for-each", "forEach", "with_items", "strategy", "matrix", "loop"].map((key) => [key, each] as const),
  ...["retries", "max_retries", "attempts"].map((key) => [key, repeat] as const),
  ...["timeout-minutes", "timeout_minutes", "timeout_seconds", "timeout_ms"].map((key) => [key, duration] as const),
  ...["name", "title", "label"].map((key) => [key, title] as const),
  ...["tools", "skills", "system", "system_prompt", "temperature", "max_turns"].map((key) => [key, ofAgent] as const),
  ["uses", ["error", "a step runs an agent, or another flow", "agent: NAME, or type: flow-ref with flow: NAME"]],
  ["else", ["error", "a conditional names both steps", "present: step-id\nabsent: step-id"]],
])

/** Words that other systems have for the list of steps. */
const STEPS = ["jobs", "tasks", "stages", "nodes", "pipeline", "workflow"]

export const FOREIGN_FLOW_KEYS: ReadonlyMap<string, string> = new Map([
  ...STEPS.map((key) => [key, "steps: [ … ]"] as const),
  ...["env", "vars", "variables", "constants"].map((key) => [key, "config: { KEY: value }"] as const),
  ...["parameters", "params", "args", "arguments"].map((key) => [key, "inputs: { NAME: { type: string } }"] as const),
  ...["concurrency", "parallelism", "max_parallel"].map((key) => [key, "max_concurrent: 4"] as const),
  ...["on", "triggers", "trigger", "schedule"].map(
    (key) => [key, "remove it: hooks/NAME.yaml (POST /v1/hooks) and schedules/NAME.yaml (POST /v1/schedules) start flows"] as const,
  ),
])

export const lineFor = ([, , write]: Meaning, value: string): string => (typeof write === "string" ? write : write(value))

/** The entry that was probably meant as the missing `key`: this is its nearest known key, or it is another system's word for it. */
export function standIn(entries: readonly MapEntry[], key: string, known: readonly string[]): MapEntry | undefined {
  if (entries.some((entry) => entry.key === key)) return undefined
  const strange = entries.filter((entry) => !known.includes(entry.key))
  return (
    strange.find((entry) => nearest(entry.key, known) === key) ??
    (key === "steps" ? strange.find((entry) => STEPS.includes(entry.key)) : undefined)
  )
}
