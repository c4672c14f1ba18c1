// Builders for the kernel tests: tools, agents, steps and plans made by hand; no mocks.

import type { Agent } from "../../../src/core/flow/agent.ts"
import type { AgentDecisionStep, AgentStep, ConditionalStep, Flow, ForkStep, LoopDecisionStep, Step } from "../../../src/core/flow/flow.ts"
import type { JsonObject, JsonSchema } from "../../../src/core/json.ts"
import type { Scorer } from "../../../src/core/flow/scorer.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import type { Effect, ToolSpec } from "../../../src/core/tool/tool-spec.ts"

const takes = (properties: JsonObject, required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
const numbered = takes({ n: { type: "integer" } }, ["n"])

export const tool = (name: string, effect: Effect, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: name,
  parameters: numbered,
  effect,
  contexts: ["agent"],
  ...more,
})

/** `look` only reads, `put` may be repeated, `post` may not; no agent declares `ghost`, only an architect may hold `build`. */
export const TOOLS: readonly ToolSpec[] = [
  tool("look", "read"),
  tool("put", "write", { idempotent: true }),
  tool("post", "write"),
  tool("ghost", "read"),
  tool("build", "write", { contexts: ["architect"] }),
  tool("read", "read", { parameters: takes({ path: { type: "string" } }, ["path"]), paths: { read: ["path"] } }),
  tool("save", "write", { groups: ["fs"], parameters: takes({ path: { type: "string" } }, ["path"]), paths: { write: ["path"] } }),
  tool("skill_read", "read", { parameters: takes({ skill: { type: "string" } }, ["skill"]) }),
  tool("ask_user", "none", {
    parameters: takes(
      {
        question: { type: "string" },
        type: { enum: ["input", "select", "confirm"] },
        options: { type: "array", items: { type: "string" } },
        multiSelect: { type: "boolean" },
        allowCustom: { type: "boolean" },
      },
      ["question", "type"],
    ),
  }),
]

export const DECLARED = ["look", "put", "post", "read", "save"]

export const agentOf = (name: string, more: Partial<Agent> = {}): Agent => ({
  name,
  description: name,
  tools: { kind: "list", names: DECLARED },
  skills: [],
  inputs: [],
  outputs: [],
  access: {},
  finalizer: "finish",
  max_turns: 40,
  body: `You are ${name}.`,
  ...more,
})

export const agent = (id: string, more: Partial<AgentStep> = {}): AgentStep => ({
  type: "agent",
  id,
  agent: "worker",
  blockedBy: [],
  inputs: {},
  ...more,
})

const branchList = (branches: Readonly<Record<string, string>>): { label: string; target: string }[] =>
  Object.entries(branches).map(([label, target]) => ({ label, target }))

export const decision = (
  id: string,
  branches: Readonly<Record<string, string>>,
  more: Partial<AgentDecisionStep> = {},
): AgentDecisionStep => ({
  type: "agent-decision",
  id,
  agent: "worker",
  blockedBy: [],
  inputs: {},
  branches: branchList(branches),
  ...more,
})

export const loop = (id: string, back: string, exit: string, max: number, more: Partial<LoopDecisionStep> = {}): LoopDecisionStep => ({
  type: "agent-loop-decision",
  id,
  agent: "worker",
  blockedBy: [],
  inputs: {},
  task: "Again?",
  loop_target: back,
  exit_target: exit,
  max_iterations: max,
  ...more,
})

export const fork = (id: string, branches: Readonly<Record<string, string>>, more: Partial<ForkStep> = {}): ForkStep => ({
  type: "fork",
  id,
  blockedBy: [],
  inputs: {},
  question: "Which way?",
  options: Object.keys(branches),
  allowCustom: false,
  multiSelect: false,
  branches: branchList(branches),
  ...more,
})

export const conditional = (id: string, step: string, present: string, absent: string, field = "artifacts"): ConditionalStep => ({
  type: "conditional",
  id,
  blockedBy: [],
  check: { step, field },
  present,
  absent,
})

export const flowOf = (steps: readonly Step[], more: Partial<Flow> = {}): Flow => ({
  id: "f",
  name: "f",
  description: "f",
  steps,
  inputs: {},
  max_concurrent: 4,
  task_required: false,
  autonomous: true,
  config: {},
  ...more,
})

const AGENTS: readonly Agent[] = [agentOf("worker"), agentOf("flow-decision", { tools: { kind: "list", names: [] } })]

/** `grade` is a handler's, `judge` asks an agent. */
export const SCORERS: Readonly<Record<string, Scorer>> = {
  grade: { name: "grade", description: "grades", kind: "code", files: [] },
  judge: {
    name: "judge",
    description: "judges",
    kind: "judge",
    files: [],
    judge: {
      rubric: "Is it right?",
      levels: [
        { score: 0, text: "wrong" },
        { score: 0.5, text: "half" },
        { score: 1, text: "right" },
      ],
      agent: "score-judge",
      calls: false,
    },
  },
}

/** `agents` are added to `worker` and `flow-decision`, or replace them. */
export function planOf(flow: Flow, agents: readonly Agent[] = [], tools: readonly ToolSpec[] = []): Plan {
  const all = [...TOOLS, ...tools]
  const known = Object.fromEntries([...AGENTS, ...agents].map((a) => [a.name, a]))
  return compile({ flow, agents: known, skills: {}, tools: all, scorers: SCORERS })
}
