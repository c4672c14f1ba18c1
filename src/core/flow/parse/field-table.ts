// Every key of a flow file and an agent file: its kind, its bounds, its default, and one line that says what it is for. The keys of a step
// type are in its own file (core/steps).
//
// The table is the only list of keys [F3]: readers read by it, the JSON Schemas for editors are made from it, and the docs quote it. A
// key that is not in it is a warning.

import type { DiagnosticCode } from "./codes.ts"

export type FieldKind =
  | "text"
  | "template"
  | "step"
  | "steps"
  | "agent"
  | "flow"
  | "path"
  | "model"
  | "integer"
  | "number"
  | "flag"
  | "duration"
  /** A list of texts; a single text is accepted too. */
  | "texts"
  /** A mapping of name → template. */
  | "templates"
  /** A mapping of label → step id. */
  | "branches"
  /** A list of `{ name, … }`, see OUTPUT_FIELDS; a bare name is accepted too. */
  | "outputs"
  /** A mapping of name → INPUT_FIELDS. */
  | "inputs"
  | "mapping"
  /** `never`, `always`, or `{ kind: dynamic, value: … }`. */
  | "approval"
  /** A mapping of a tool's name or pattern → approval, or `default`. */
  | "approvals"
  | "any"
  | "list"

export interface FieldSpec {
  readonly about: string
  readonly kind: FieldKind
  readonly required?: true
  readonly values?: readonly string[]
  readonly least?: number
  readonly most?: number
  /** The code of a value beyond `most`, when it has one of its own. */
  readonly beyond?: DiagnosticCode
  /** What a diagnostic suggests when the key is missing. */
  readonly example?: string
  readonly fallback?: string | number | boolean
  /** The keys of a mapping. */
  readonly fields?: FieldTable
}
export type FieldTable = Readonly<Record<string, FieldSpec>>

export const RETRY_FIELDS = {
  max: {
    kind: "integer",
    least: 1,
    required: true,
    example: "retry: { max: 2, backoff: 5s }",
    about: "how often the step is run again after it failed",
  },
  backoff: { kind: "duration", fallback: "1s", about: "the pause before the first of them; it doubles each time" },
} as const satisfies FieldTable

export const APPROVAL_FIELDS = {
  tools: { kind: "approval", about: "of tool calls" },
  plans: { kind: "approval", about: "of plans before they are carried out" },
} as const satisfies FieldTable

export const EFFECT_FIELDS = {
  after_untrusted: {
    kind: "text",
    values: ["ask", "allow"],
    about: "what leaves the run once text from outside was read: waits for a person, or goes by the other rules alone",
  },
} as const satisfies FieldTable

export const INPUT_FIELDS = {
  type: {
    kind: "text",
    required: true,
    values: ["string", "number", "boolean", "object", "array"],
    about: "what the value is",
  },
  required: { kind: "flag", fallback: false, about: "a start without it is refused" },
  default: { kind: "any", about: "the value when none is given" },
  description: { kind: "text", about: "what it is for; shown in forms" },
} as const satisfies FieldTable

export const OUTPUT_FIELDS = {
  name: { kind: "text", required: true, about: "how templates name it: ${{result.STEP.NAME}}" },
  description: { kind: "text", about: "tells the model what belongs there" },
  type: {
    kind: "text",
    values: ["string", "number", "boolean", "object", "array"],
    fallback: "string",
    about: "checked when the agent finishes",
  },
  pattern: { kind: "text", about: "a regular expression that the text must match" },
  required: { kind: "flag", about: "finish is refused without it; true when a type or pattern is given" },
} as const satisfies FieldTable

export const BUDGET_FIELDS = {
  usd: { kind: "number", least: 0, most: 1_000_000_000, about: "US dollars, by the tenant's price table" },
  tokens: { kind: "integer", least: 0, about: "tokens read and written" },
  tool_calls: { kind: "integer", least: 0, about: "calls of tools" },
  steps: { kind: "integer", least: 0, about: "steps that are opened" },
} as const satisfies FieldTable

export const FLOW_FIELDS = {
  name: { kind: "text", required: true, about: "what people call the flow; its id comes from its path" },
  description: { kind: "text", required: true, about: "what the flow does, in a sentence" },
  steps: { kind: "list", required: true, about: "the steps; the file's order is the order of the run" },
  inputs: { kind: "inputs", about: "typed values that a start gives: ${{flow.input.NAME}}" },
  outputs: { kind: "templates", about: "what the run returns; without it the last step's finish" },
  max_concurrent: { kind: "integer", least: 1, fallback: 4, about: "how many neighbouring agent steps run at once" },
  task_required: { kind: "flag", fallback: false, about: "a start without a task is refused" },
  task_prompt: { kind: "text", about: "what a person is asked when the task is missing" },
  autonomous: { kind: "flag", fallback: true, about: "agents decide forks and nobody is asked; false when a fork has no agent" },
  timeout: { kind: "duration", about: "after this the whole run fails" },
  config: { kind: "mapping", about: "constants of the flow: ${{config.KEY}}" },
  approvals: { kind: "mapping", fields: APPROVAL_FIELDS, about: "what a person is asked before it happens, in every step" },
  budget: { kind: "mapping", fields: BUDGET_FIELDS, about: "what a whole run may use; a start may only ask for less" },
} as const satisfies FieldTable

export const COMMON_FIELDS = {
  id: { kind: "text", required: true, about: "the step's name, once in the file: letters, digits, _ and -" },
  type: {
    kind: "text",
    about: "what kind of step it is",
  },
  description: { kind: "text", about: "what the step is for; shown to people" },
  blockedBy: { kind: "steps", about: "earlier steps that must have ended before this one starts" },
  timeout: { kind: "duration", about: "after this the step fails softly" },
  retry: { kind: "mapping", fields: RETRY_FIELDS, about: "run the step again after a soft failure" },
  on_error: { kind: "step", about: "a later step that takes over after a soft failure" },
  on_complete: { kind: "step", about: "a later step to go on at, instead of the next in the file" },
  budget: { kind: "mapping", fields: BUDGET_FIELDS, about: "what each pass of the step may use" },
} as const satisfies FieldTable

export const AGENT_FIELDS = {
  name: { kind: "text", required: true, about: "the agent's name, the same as its file's" },
  description: { kind: "text", required: true, about: "what it does, and when to use it" },
  tools: { kind: "texts", about: "the tools that it may call; without any it only finishes" },
  approved_tools: { kind: "texts", about: "another word for tools" },
  allowed_tools: { kind: "texts", about: "another word for tools" },
  denied_tools: { kind: "texts", about: "every tool that its caller has, less these" },
  model: { kind: "model", about: "@ROLE, PROVIDER/MODEL or MODEL, with :THINKING at the end if you like" },
  thinking: { kind: "text", values: ["off", "minimal", "low", "medium", "high", "xhigh", "max"], about: "how long the model thinks first" },
  skills: { kind: "texts", about: "skills whose SKILL.md is put into its prompt" },
  inputs: { kind: "texts", about: "names that steps wire: ${{input.NAME}}" },
  outputs: { kind: "outputs", about: "what it finishes with, beside status and summary" },
  card: {
    kind: "mapping",
    about: "how a run's page shows it",
    fields: {
      label: { kind: "text", about: "the card's title" },
      metric: { kind: "text", about: "which figure it shows" },
      role: { kind: "text", about: "what it is in a team" },
      type: { kind: "text", values: ["status", "metric", "progress", "log"], about: "the kind of card" },
    },
  },
  architect: {
    kind: "mapping",
    about: "what the architect should know of it",
    fields: {
      use_when: { kind: "text", about: "when to choose it" },
      produces: { kind: "text", about: "what comes out" },
      depends_on: { kind: "text", about: "what it needs to have" },
      domain: { kind: "text", about: "its field" },
    },
  },
  access: {
    kind: "mapping",
    about: "which paths of the workspace it may touch; without it all",
    fields: {
      read: { kind: "texts", about: "patterns of paths that it may read" },
      write: { kind: "texts", about: "patterns of paths that it may write" },
      bash: {
        kind: "mapping",
        about: "which commands of the shell it may give",
        fields: {
          deny: { kind: "texts", about: "patterns of commands that it must not run, * standing for anything: advice, not a border" },
        },
      },
    },
  },
  approvals: { kind: "mapping", fields: APPROVAL_FIELDS, about: "what a person is asked before it happens" },
  tool_approvals: { kind: "approvals", about: "the same for single tools: name, pattern or group → rule, or default" },
  effects: { kind: "mapping", fields: EFFECT_FIELDS, about: "what it may do to the world once it has read text from outside" },
  role: {
    kind: "text",
    about: "coordinator, planner, executor or specialist; architect: may write agents and flows",
  },
  routes: { kind: "texts", about: "the agents that a coordinator may hand work to" },
  plan: { kind: "text", about: "the kind of plan that a planner makes and an executor carries out" },
  toolkits: { kind: "texts", about: "sets of tools beside its own: references, plans, agents, catalog" },
  finalizer: { kind: "text", values: ["finish", "subagent_finalize"], fallback: "finish", about: "the tool that ends its session" },
  max_turns: { kind: "integer", least: 1, fallback: 40, about: "how many turns its model gets at most" },
  temperature: { kind: "number", least: 0, most: 2, about: "how much the model is left to chance" },
  max_output_tokens: { kind: "integer", least: 1, about: "the longest answer of one turn" },
  interactive: { kind: "flag", about: "a hint of the original, without effect" },
  output: { kind: "text", about: "a hint of the original, without effect" },
} as const satisfies FieldTable

/** The known keys of a mapping, in the order of its table. */
export const keysOf = (table: FieldTable): readonly string[] => Object.keys(table)
