// Every key that a flow file and an agent file may have: its kind, its bounds, and one line that says what it is.
//
// The one list of them [F3]: readers take the known keys from here, the JSON Schemas for editors are made of it, and the docs quote
// it. A key that is not here is a warning.

import type { StepType } from "../flow.ts"

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
  /** A list of texts; a single text, or one with commas, will do. */
  | "texts"
  /** A mapping of name → template. */
  | "templates"
  /** A mapping of label → step id. */
  | "branches"
  /** A list of `{ name, … }`, see OUTPUT_FIELDS; a bare name will do. */
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
  readonly fallback?: string | number | boolean
  /** The keys of a mapping. */
  readonly fields?: FieldTable
}
export type FieldTable = Readonly<Record<string, FieldSpec>>

const RETRY_FIELDS: FieldTable = {
  max: { kind: "integer", least: 1, required: true, about: "how often the step is run again after it failed" },
  backoff: { kind: "duration", fallback: "1s", about: "the pause before the first of them; it doubles each time" },
}

export const APPROVAL_FIELDS: FieldTable = {
  tools: { kind: "approval", about: "of tool calls" },
  plans: { kind: "approval", about: "of plans before they are carried out" },
}

export const EFFECT_FIELDS: FieldTable = {
  after_untrusted: {
    kind: "text",
    values: ["ask", "allow"],
    about: "what leaves the run once text from outside was read: waits for a person, or goes by the other rules alone",
  },
}

export const INPUT_FIELDS: FieldTable = {
  type: {
    kind: "text",
    required: true,
    values: ["string", "number", "boolean", "object", "array"],
    about: "what the value is",
  },
  required: { kind: "flag", fallback: false, about: "a start without it is refused" },
  default: { kind: "any", about: "the value when none is given" },
  description: { kind: "text", about: "what it is for; shown in forms" },
}

export const OUTPUT_FIELDS: FieldTable = {
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
}

export const BUDGET_FIELDS: FieldTable = {
  usd: { kind: "number", least: 0, about: "US dollars, by the tenant's price table" },
  tokens: { kind: "integer", least: 0, about: "tokens read and written" },
  tool_calls: { kind: "integer", least: 0, about: "calls of tools" },
  steps: { kind: "integer", least: 0, about: "steps that are opened" },
}

export const FLOW_FIELDS: FieldTable = {
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
}

export const COMMON_FIELDS: FieldTable = {
  id: { kind: "text", required: true, about: "the step's name, once in the file: letters, digits, _ and -" },
  type: {
    kind: "text",
    values: ["agent", "agent-decision", "agent-loop-decision", "fork", "conditional", "code", "code-decision", "flow-ref", "map", "wait"],
    about: "what kind of step it is",
  },
  description: { kind: "text", about: "what the step is for; shown to people" },
  blockedBy: { kind: "steps", about: "earlier steps that must have ended before this one starts" },
  timeout: { kind: "duration", about: "after this the step fails softly" },
  retry: { kind: "mapping", fields: RETRY_FIELDS, about: "run the step again after a soft failure" },
  on_error: { kind: "step", about: "a later step that takes over after a soft failure" },
  on_complete: { kind: "step", about: "a later step to go on at, instead of the next in the file" },
  budget: { kind: "mapping", fields: BUDGET_FIELDS, about: "what each pass of the step may use" },
}

const AGENT: FieldSpec = { kind: "agent", required: true, about: "the agent that works: agents/NAME.md" }
const TASK: FieldSpec = { kind: "template", about: "what the agent is asked; without it the run's task" }
const INPUTS: FieldSpec = { kind: "templates", about: "values for the agent: ${{input.NAME}} in its body and in the task" }
const MODEL: FieldSpec = { kind: "model", about: "another model than the agent's own: @ROLE, PROVIDER/MODEL or MODEL" }
const SESSION: FieldSpec = { kind: "template", about: "a conversation of this agent that later runs go on with: its name" }
const BRANCHES: FieldSpec = { kind: "branches", required: true, about: "label → the step that it leads to" }
const CAP: FieldSpec = { kind: "integer", least: 1, about: "how often each branch that leads back may be taken" }
const EXHAUSTED: FieldSpec = { kind: "text", about: "the branch to take when max_iterations is used up; must lead on" }

const CODE: FieldTable = {
  inputs: { kind: "templates", about: "what the handler gets as `input`; exactly one reference keeps its JSON type" },
  outputs: { kind: "outputs", about: "the keys that the handler returns, exactly these" },
  target: { kind: "path", about: "another handler than the one stored for this step" },
}
const CHILD_TASK: FieldSpec = { kind: "template", about: "the child run's task; without it this run's task" }

export const STEP_FIELDS: Readonly<Record<StepType, FieldTable>> = {
  agent: { agent: AGENT, task: TASK, inputs: INPUTS, model: MODEL, session: SESSION },
  "agent-decision": {
    agent: AGENT,
    task: TASK,
    inputs: INPUTS,
    model: MODEL,
    branches: BRANCHES,
    max_iterations: CAP,
    on_exhausted: EXHAUSTED,
  },
  "agent-loop-decision": {
    agent: AGENT,
    task: { ...TASK, required: true },
    inputs: INPUTS,
    model: MODEL,
    loop_target: { kind: "step", required: true, about: "an earlier step: where another round begins" },
    exit_target: { kind: "step", required: true, about: "a later step: where the loop ends" },
    max_iterations: { kind: "integer", least: 1, required: true, about: "how often the agent is asked at most" },
  },
  fork: {
    question: { kind: "template", required: true, about: "what the person, or the agent, is asked" },
    options: { kind: "texts", required: true, about: "the answers; each has a branch of the same name" },
    branches: BRANCHES,
    agent: { kind: "agent", about: "who decides when nobody is asked; without it the built-in flow-decision" },
    task: { kind: "template", about: "what the agent is asked; without it the question and its options" },
    inputs: INPUTS,
    model: MODEL,
    max_iterations: CAP,
    allowCustom: { kind: "flag", fallback: false, about: "a person may answer in words of their own, which the agent routes" },
    multiSelect: { kind: "flag", fallback: false, about: "several options may be chosen; their branches run in file order" },
  },
  conditional: {
    check: { kind: "text", required: true, about: "STEP or STEP.FIELD; without a field its artifacts" },
    present: { kind: "step", required: true, about: "where to go when the value is not empty" },
    absent: { kind: "step", required: true, about: "where to go when it is empty, or its step was skipped" },
  },
  code: CODE,
  "code-decision": { ...CODE, branches: BRANCHES, max_iterations: CAP, on_exhausted: EXHAUSTED },
  "flow-ref": {
    flow: { kind: "flow", about: "the flow that runs as a child: its id" },
    path: { kind: "path", about: "the same by its file: flows/NAME.yaml" },
    task: CHILD_TASK,
    inputs: { kind: "templates", about: "the child's typed inputs" },
  },
  map: {
    over: { kind: "template", required: true, about: "one reference to a list; a child run is made for each item" },
    do: { kind: "flow", required: true, about: "the flow that runs for each item: its id" },
    task: { ...CHILD_TASK, about: "the child's task; ${{item}} and ${{index}} are known here" },
    inputs: { kind: "templates", about: "the child's typed inputs; ${{item}} and ${{index}} are known here" },
    max_concurrent: { kind: "integer", least: 1, most: 100, fallback: 4, about: "how many children run at once" },
    tolerate: { kind: "text", about: "how many children may fail before the step does: 3, or 10%" },
  },
  wait: {
    until: { kind: "template", about: "a time: 2027-01-31T09:00:00Z" },
    for: { kind: "template", about: "a duration: 30s, 5m, 2h, 3d" },
    signal: { kind: "text", about: "the name of a signal that is posted to the run; its body is the output payload" },
    on_timeout: { kind: "step", about: "where to go when the signal did not come within timeout" },
  },
}

export const AGENT_FIELDS: FieldTable = {
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
}

/** The known keys of a mapping, in the order of its table. */
export const keysOf = (table: FieldTable): readonly string[] => Object.keys(table)
