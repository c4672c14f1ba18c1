// Describes the API's answers about agents and skills as their pages show them: what names them, and which tools an agent has.

import { z } from "zod"
import { THINKING } from "../../core/flow/agent.ts"
import { documented } from "./shape.doc.ts"

const Use = z.object({
  kind: z.enum(["flow", "agent", "role", "hook", "schedule"]).describe("What names it."),
  id: z.string().describe("Its name."),
  step: z.string().optional().describe("The step of the flow."),
})

export const Used = z.object({
  id: z.string().describe("The name."),
  tier: z.enum(["local", "package", "built-in"]).describe("Where the file comes from."),
  package: z.string().optional().describe("The package that it is part of."),
  description: z.string().describe("What it is for."),
  model: z.string().optional().describe("The model or role that an agent's file names."),
  thinking: z.enum(THINKING).optional().describe("The thinking level that an agent's file names."),
  role: z.string().optional().describe("The agent's role."),
  tools: z.number().nullable().optional().describe("How many tools an agent's file names; null: it has all tools of its caller but some."),
  skills: z.array(z.string()).optional().describe("The agent's skills."),
  uses: z.array(Use).describe("The first 50 that name it."),
  used: z.number().describe("How many name it."),
  errors: z.number().describe("How many errors its file has."),
})

export const AgentTool = z.object({
  name: z.string().describe("The tool's name."),
  granted: z.boolean().describe("Whether the agent may call it."),
  rule: z.string().describe("The rule that decided."),
  asks: z.enum(["always", "sometimes", "never"]).describe("Whether a person is asked before a call, by the rules of approval."),
  tokens: z.number().describe("About how many tokens it takes in the prompt."),
  by: z.string().nullable().describe("The entry of the agent's file that names it, or `toolkits` or `role`; null: none does."),
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
      uses: [{ kind: "flow", id: "report", step: "write" }],
      used: 1,
      errors: 0,
    },
  },
})
