// Lists every key of flow and agent files: its kind, bounds, default, and description. The keys of a step type are in that type's file (core/steps).
//
// This table is the only list of keys [F3]: the readers use it, the editors' JSON Schemas are generated from it, and the docs quote it.
// Any other key is a warning.

import { ORIGINS } from "../origin.ts"
import type { DiagnosticCode } from "../../diagnostic-codes.ts"
import { KEY_OVERLAPS, PRIORITIES, START_BOUNDS } from "../../start/start-block.ts"

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
  /** The name of a tool. */
  | "tool"
  /** Arguments of a tool: a mapping in which every text is a template. */
  | "arguments"
  /** A mapping of label → step id. */
  | "branches"
  /** A list of `{ name, … }`, see OUTPUT_FIELDS; a bare name is accepted too. */
  | "outputs"
  /** A mapping of name → INPUT_FIELDS. */
  | "inputs"
  | "mapping"
  /** An approval rule: `never`, `always`, or `{ kind: dynamic, value: … }`. */
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
  /** The code of a value above `most`, if it differs from the table's usual code. */
  readonly beyond?: DiagnosticCode
  /** The suggestion when the key is missing. */
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
    about: "how often the step runs again after a failure",
  },
  backoff: { kind: "duration", fallback: "1s", about: "the pause before the first retry; it doubles each time" },
} as const satisfies FieldTable

/** [V23] */
export const UNTIL_FIELDS = {
  scorer: { kind: "text", required: true, example: "scorer: helpful", about: "the scorer that judges the result: scorers/NAME.yaml" },
  at_least: { kind: "number", least: 0, most: 1, required: true, example: "at_least: 1", about: "the score that is enough" },
  rounds: { kind: "integer", least: 2, most: 10, fallback: 3, about: "the most passes of one entry" },
  from: { kind: "step", about: "the earlier step where a round begins; by default the step itself" },
} as const satisfies FieldTable

export const APPROVAL_FIELDS = {
  tools: { kind: "approval", about: "approval of tool calls" },
  plans: { kind: "approval", about: "approval of plans before they are executed" },
} as const satisfies FieldTable

export const EFFECT_FIELDS = {
  after_untrusted: {
    kind: "text",
    values: ["ask", "allow"],
    about: "whether outgoing writes wait for a person after the run has read text from outside, or follow only the other rules",
  },
} as const satisfies FieldTable

export const INPUT_FIELDS = {
  type: {
    kind: "text",
    required: true,
    values: ["string", "number", "boolean", "object", "array"],
    about: "the type of the value",
  },
  required: { kind: "flag", fallback: false, about: "whether a start without this input is refused" },
  default: { kind: "any", about: "the value if the start gives none" },
  description: { kind: "text", about: "what the input is for; shown in forms" },
} as const satisfies FieldTable

export const OUTPUT_FIELDS = {
  name: { kind: "text", required: true, about: "the output's name in templates: ${{result.STEP.NAME}}" },
  description: { kind: "text", about: "what the model should put here" },
  type: {
    kind: "text",
    values: ["string", "number", "boolean", "object", "array"],
    fallback: "string",
    about: "checked when the agent finishes",
  },
  pattern: { kind: "text", about: "a regular expression that the text must match" },
  enum: { kind: "list", about: "the texts to choose from" },
  required: { kind: "flag", about: "whether finish is refused without this output; true by default if it has a type or pattern" },
} as const satisfies FieldTable

export const BUDGET_FIELDS = {
  usd: { kind: "number", least: 0, most: 1_000_000_000, about: "US dollars, by the tenant's price table" },
  tokens: { kind: "integer", least: 0, about: "tokens read and written" },
  tool_calls: { kind: "integer", least: 0, about: "tool calls" },
  steps: { kind: "integer", least: 0, about: "steps that the run opens" },
} as const satisfies FieldTable

const KEY_FIELD = {
  kind: "template",
  example: 'key: "${{flow.input.id}}"',
  about: "what starts share: a template over task, flow.input, config, session, trigger and thread; without it all share one key",
} as const satisfies FieldSpec
const POOL_FIELD = {
  kind: "text",
  example: "pool: crm",
  about: "flows that name the same pool share its keys; by default the flow's id",
} as const satisfies FieldSpec

/** [R1] core/start/start-schema.ts has the bounds, for every place that takes a block. */
export const START_FIELDS = {
  concurrency: {
    kind: "mapping",
    example: 'concurrency: { key: "${{flow.input.repo}}", limit: 1 }',
    about: "how many runs of a key may be at work at once",
    fields: {
      key: KEY_FIELD,
      limit: { kind: "integer", ...START_BOUNDS.limit, example: "limit: 1", fallback: 1, about: "how many runs of a key at once" },
      overlap: {
        kind: "text",
        values: KEY_OVERLAPS,
        example: "overlap: queue",
        fallback: "queue",
        about: "what a start does whose key is held: waits in line, starts nothing, or cancels the older ones",
      },
      pool: POOL_FIELD,
    },
  },
  throttle: {
    kind: "mapping",
    example: 'concurrency: { key: "${{flow.input.repo}}", limit: 1 }',
    about: "how many runs of a key may begin within a period; the others wait",
    fields: {
      key: KEY_FIELD,
      limit: {
        kind: "integer",
        ...START_BOUNDS.limit,
        required: true,
        example: "limit: 20",
        about: "how many runs of a key begin within any `period`",
      },
      period: { kind: "duration", required: true, example: "period: 1h", about: "the period, from 1s to 1d" },
      pool: POOL_FIELD,
    },
  },
  debounce: {
    kind: "mapping",
    example: "debounce: { period: 10s }",
    about: "starts of a key merge into one run until none has come for `period`; the last one counts",
    fields: {
      key: KEY_FIELD,
      period: { kind: "duration", required: true, example: "period: 10s", about: "how long no start may have come, from 1s to 1d" },
      timeout: {
        kind: "duration",
        example: "timeout: 1m",
        about: "the longest time after the first start, at most 7d; by default 10 times `period`",
      },
    },
  },
  batch: {
    kind: "mapping",
    example: "batch: { size: 50, timeout: 1m, into: items }",
    about: "starts of a key are gathered into one run, as items of one input",
    fields: {
      key: KEY_FIELD,
      size: {
        kind: "integer",
        ...START_BOUNDS.size,
        required: true,
        example: "size: 50",
        about: "the start with this number ends the window",
      },
      timeout: { kind: "duration", required: true, example: "timeout: 1m", about: "the longest time after the first start, from 1s to 7d" },
      into: { kind: "text", required: true, example: "into: items", about: "the input of type array that takes the items" },
    },
  },
  priority: {
    kind: "text",
    values: PRIORITIES,
    example: "priority: high",
    fallback: "normal",
    about: "who goes first, in line and at a paced model",
  },
  delay: { kind: "duration", example: "delay: 10m", about: "the run begins no earlier than this long after its start, at most 30d" },
  expires: { kind: "duration", fallback: "7d", example: "expires: 1d", about: "the longest time in line, at most 30d; then the run fails" },
} as const satisfies FieldTable

export const FLOW_FIELDS = {
  name: { kind: "text", required: true, about: "the flow's display name; its id comes from its path" },
  description: { kind: "text", required: true, about: "what the flow does, in a sentence" },
  steps: { kind: "list", required: true, about: "the steps; the file's order is the order of the run" },
  inputs: { kind: "inputs", about: "typed values that a start gives: ${{flow.input.NAME}}" },
  outputs: { kind: "templates", about: "what the run returns; by default the last step's finish. An output without a value is left out" },
  max_concurrent: { kind: "integer", least: 1, fallback: 4, about: "how many adjacent agent steps run in parallel" },
  task_required: { kind: "flag", fallback: false, about: "whether a start without a task is refused" },
  task_prompt: { kind: "text", about: "the question to a person when the task is missing" },
  autonomous: {
    kind: "flag",
    fallback: true,
    about: "whether agents decide forks without asking a person; false by default if a fork has no agent",
  },
  timeout: { kind: "duration", about: "the time after which the whole run fails" },
  on_failure: {
    kind: "text",
    values: ["undo"],
    about: "undoes the run's effects where possible before the run fails",
  },
  trusted: {
    kind: "texts",
    values: ORIGINS,
    about: "the parts of a message that do not count as text from outside, after which calls wait for a person",
  },
  config: { kind: "mapping", about: "constants of the flow: ${{config.KEY}}" },
  approvals: { kind: "mapping", fields: APPROVAL_FIELDS, about: "what needs a person's approval, in every step" },
  budget: { kind: "mapping", fields: BUDGET_FIELDS, about: "what a whole run may use; a start can only lower it" },
  start: { kind: "mapping", fields: START_FIELDS, about: "how many starts become how many runs, and when these begin" },
} as const satisfies FieldTable

export const COMMON_FIELDS = {
  id: { kind: "text", required: true, about: "the step's unique id: letters, digits, _ and -" },
  type: {
    kind: "text",
    about: "the step type",
  },
  description: { kind: "text", about: "what the step is for; shown to people" },
  blockedBy: { kind: "steps", about: "earlier steps that must end before this step starts" },
  timeout: { kind: "duration", about: "the time after which the step fails" },
  retry: { kind: "mapping", fields: RETRY_FIELDS, about: "how to run the step again when it fails" },
  on_error: { kind: "step", about: "a later step that takes over when this one fails" },
  on_complete: { kind: "step", about: "a later step to continue with, instead of the next in the file" },
  budget: { kind: "mapping", fields: BUDGET_FIELDS, about: "what each pass of the step may use" },
} as const satisfies FieldTable

export const AGENT_FIELDS = {
  name: { kind: "text", required: true, about: "the agent's name, which must match its file's name" },
  description: { kind: "text", required: true, about: "what the agent does, and when to use it" },
  tools: { kind: "texts", about: "the tools that the agent may call; without any, it can only finish" },
  approved_tools: { kind: "texts", about: "a synonym for tools" },
  allowed_tools: { kind: "texts", about: "a synonym for tools" },
  denied_tools: { kind: "texts", about: "tools to remove from those of the caller, which the agent inherits" },
  model: {
    kind: "model",
    about: "@ROLE, PROVIDER/MODEL or MODEL, optionally followed by :THINKING; or a list, where the next model answers when one fails",
  },
  thinking: {
    kind: "text",
    values: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
    about: "how much the model thinks before it answers",
  },
  context_files: { kind: "texts", about: "files of the workspace whose text goes into the agent's prompt" },
  context: { kind: "texts", about: "the older name of `context_files`" },
  skills: { kind: "texts", about: "skills whose SKILL.md goes into the agent's prompt" },
  inputs: { kind: "texts", about: "names of inputs that steps set: ${{input.NAME}}" },
  outputs: { kind: "outputs", about: "values of the finish besides status and summary" },
  card: {
    kind: "mapping",
    about: "how a run's page shows the agent",
    fields: {
      label: { kind: "text", about: "the card's title" },
      metric: { kind: "text", about: "the figure that the card shows" },
      role: { kind: "text", about: "the agent's role in a team" },
      type: { kind: "text", values: ["status", "metric", "progress", "log"], about: "the kind of card" },
    },
  },
  architect: {
    kind: "mapping",
    about: "what the architect should know about the agent",
    fields: {
      use_when: { kind: "text", about: "when to choose this agent" },
      produces: { kind: "text", about: "what the agent produces" },
      depends_on: { kind: "text", about: "what the agent needs first" },
      domain: { kind: "text", about: "the agent's field" },
    },
  },
  access: {
    kind: "mapping",
    about: "the workspace paths that the agent may use; by default all",
    fields: {
      read: { kind: "texts", about: "patterns of paths that the agent may read" },
      write: { kind: "texts", about: "patterns of paths that the agent may write" },
      bash: {
        kind: "mapping",
        about: "the shell commands that the agent may run",
        fields: {
          deny: {
            kind: "texts",
            about: "patterns of commands that the agent must not run, where * matches anything; advice, not a security boundary",
          },
        },
      },
    },
  },
  approvals: { kind: "mapping", fields: APPROVAL_FIELDS, about: "what needs a person's approval" },
  tool_approvals: { kind: "approvals", about: "approvals of individual tools: name, pattern or group → rule, or default" },
  effects: { kind: "mapping", fields: EFFECT_FIELDS, about: "what the agent may do after it has read text from outside" },
  role: {
    kind: "text",
    about: "coordinator, planner, executor or specialist; architect: may write agents and flows",
  },
  routes: { kind: "texts", about: "the agents that a coordinator may call" },
  plan: { kind: "text", about: "the kind of plan that a planner makes and an executor executes" },
  toolkits: { kind: "texts", about: "sets of additional tools: references, plans, agents, catalog" },
  finalizer: { kind: "text", values: ["finish", "subagent_finalize"], fallback: "finish", about: "the tool that ends the agent's session" },
  max_turns: { kind: "integer", least: 1, fallback: 40, about: "the most turns that the model gets" },
  temperature: { kind: "number", least: 0, most: 2, about: "the randomness of the model" },
  top_p: { kind: "number", least: 0, most: 1, about: "the share of likely tokens that the model chooses from" },
  seed: { kind: "integer", least: 0, about: "a seed that makes the model's choices repeatable, where the model supports it" },
  stop: { kind: "texts", about: "texts at which the model's answer ends, at most 16" },
  max_output_tokens: { kind: "integer", least: 1, about: "the most tokens of an answer in a turn" },
  max_tool_tokens: {
    kind: "integer",
    least: 0,
    about:
      "the most tokens of registered tools that are listed in every turn, by default 20,000; beyond it the agent finds them with tool_search",
  },
  interactive: { kind: "flag", about: "a hint of pi-flows, without effect" },
  output: { kind: "text", about: "a hint of pi-flows, without effect" },
} as const satisfies FieldTable

/** The known keys of a mapping, in the order of its table. */
export const keysOf = (table: FieldTable): readonly string[] => Object.keys(table)
