// Describes the API's answers about the prompt of a turn.

import { z } from "zod"
import { documented } from "../shape.doc.ts"

export const PromptLayer = z.object({
  kind: z
    .enum(["tools", "context", "skill", "agent", "search", "rules", "task", "summary", "reply", "results", "message", "earlier"])
    .describe("The kind of layer; `earlier` stands for rows of a long conversation."),
  name: z.string().optional().describe("The name of the agent or the skill."),
  source: z.string().optional().describe("The file of the catalog that it comes from."),
  turn: z.number().optional().describe("The turn that it belongs to, from 0."),
  names: z.array(z.string()).optional().describe("The tools with results in this layer."),
  count: z.number().optional().describe("The number of tools or rows in the layer."),
  characters: z.number().describe("Its characters."),
  tokens: z.number().describe("Its share of the request's tokens, by characters."),
  cached: z.number().describe("The number of these tokens from the provider's cache."),
  usd: z.number().nullable().describe("Their cost; null if the price is unknown or there is no reply yet."),
})

export const PromptTool = z.object({
  name: z.string().describe("The tool."),
  rule: z.string().describe("The rule that granted the tool."),
  characters: z.number().describe("Characters of its definition as sent."),
  tokens: z.number().describe("Its share of the request's tokens, by characters."),
})

export const StepPrompt = z.object({
  step: z.string().describe("The step."),
  pass: z.number().describe("The pass of the step."),
  turn: z.number().describe("The turn, from 0."),
  seq: z.number().describe("The `seq` of the event that began the turn."),
  model: z.string().describe("The model that was called."),
  request: z.string().nullable().describe("SHA-256 of the request; null before the reply."),
  system: z.string().nullable().describe("SHA-256 of the system prompt; null before the reply."),
  revision: z.number().nullable().describe("The revision of the catalog that the run has pinned; null if it has none."),
  usage: z
    .object({
      input: z.number().describe("Tokens of the request."),
      output: z.number().describe("Tokens of the reply."),
      cached: z.number().describe("Tokens of the request that came from the cache."),
      cache_written: z.number().describe("Tokens of the request written to the cache."),
    })
    .nullable()
    .describe("The usage reported by the provider; null before the reply."),
  usd: z.number().nullable().describe("The cost of the turn; null if unknown."),
  layers: z.array(PromptLayer).describe("The request's parts in the order in which they were sent."),
  tools: z.array(PromptTool).describe("The tools that were offered, in the order of the request."),
  text: z.string().optional().describe("The text of the layer that `layer` names."),
  cut: z.boolean().optional().describe("Whether the text is cut."),
})
export type StepPrompt = z.output<typeof StepPrompt>

const TOOL = { name: "finish", rule: "always", characters: 480, tokens: 120 } as const satisfies z.input<typeof PromptTool>
const LAYER = {
  kind: "agent",
  name: "helper",
  source: "agents/helper.md",
  characters: 3_360,
  tokens: 840,
  cached: 840,
  usd: 0.0008,
} as const satisfies z.input<typeof PromptLayer>

export const promptsDoc = documented({
  shapes: { PromptLayer, PromptTool, StepPrompt },
  examples: {
    PromptLayer: LAYER,
    PromptTool: TOOL,
    StepPrompt: {
      step: "act",
      pass: 2,
      turn: 1,
      seq: 211,
      model: "anthropic/claude-sonnet-5:medium",
      request: "9c41d2",
      system: "77ab01",
      revision: 14,
      usage: { input: 960, output: 220, cached: 840, cache_written: 0 },
      usd: 0.0271,
      layers: [{ kind: "tools", count: 1, characters: 480, tokens: 120, cached: 0, usd: 0.0001 }, LAYER],
      tools: [TOOL],
    },
  },
})
