// Describes the API's answers about the uses of agents and skills, and the tools of an agent.

import { z } from "zod"
import { THINKING } from "../../core/flow/agent.ts"
import { documented } from "./shape.doc.ts"

const Use = z.object({
  kind: z.enum(["flow", "agent", "scorer", "scoring", "gate", "role", "hook", "schedule"]).describe("The kind of the user."),
  id: z.string().describe("Its name."),
  step: z.string().optional().describe("The step in the flow."),
})

export const Used = z.object({
  id: z.string().describe("The name."),
  tier: z.enum(["local", "package", "built-in"]).describe("The tier of the catalog that has the file."),
  package: z.string().optional().describe("The package that contains the file."),
  description: z.string().describe("The description."),
  model: z.string().optional().describe("The model or role in an agent's file."),
  thinking: z.enum(THINKING).optional().describe("The thinking level in an agent's file."),
  role: z.string().optional().describe("The agent's role."),
  tools: z.number().nullable().optional().describe("The number of tools in an agent's file; null if the agent inherits tools."),
  skills: z.array(z.string()).optional().describe("The agent's skills."),
  inputs: z.array(z.string()).optional().describe("The inputs that steps set, in an agent's file."),
  outputs: z.array(z.string()).optional().describe("The outputs that an agent's file declares."),
  uses: z.array(Use).describe("The first 50 uses."),
  used: z.number().describe("The number of uses."),
  errors: z.number().describe("The number of errors in the file."),
})

export const AgentTool = z.object({
  name: z.string().describe("The tool's name."),
  granted: z.boolean().describe("Whether the agent may call the tool."),
  rule: z.string().describe("The rule that decided."),
  asks: z.enum(["always", "sometimes", "never"]).describe("Whether calls need a person's approval."),
  tokens: z.number().describe("The approximate number of its tokens in the prompt."),
  by: z.string().nullable().describe("The entry of the agent's file that includes the tool, or `toolkits` or `role`; null if none does."),
  line: z.number().nullable().describe("The line of that entry."),
})

export type Used = z.output<typeof Used>
export type AgentTool = z.output<typeof AgentTool>

export const usedDoc = documented({
  shapes: { AgentTool, Used },
  examples: {
    AgentTool: { name: "write", granted: true, rule: "profile full", asks: "never", tokens: 96, by: "write", line: 4 },
    Used: {
      id: "writer",
      tier: "local",
      description: "Writes the report",
      model: "@fast",
      tools: 2,
      skills: ["style"],
      inputs: ["topic"],
      outputs: ["report"],
      uses: [{ kind: "flow", id: "report", step: "write" }],
      used: 1,
      errors: 0,
    },
  },
})
